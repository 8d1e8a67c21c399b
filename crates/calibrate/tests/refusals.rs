//! Profiles that show no flash drive.

use std::sync::atomic::AtomicBool;

use leadline_calibrate::{CalibrateError, Calibration, check};
use leadline_profile::{DeviceKind, DeviceProfile, OpKind};

use crate::drives::{SSD, calibrate, point, profile, spec};

/// Random 4K reads, made up.
fn reads(of: impl Fn(u32) -> (f64, f64)) -> DeviceProfile {
    let mut made = profile(SSD, &[], &[], &[]);
    for k in [1, 4, 16, 64] {
        let (iops, us) = of(k);
        made.points.push(point(OpKind::Read, 4096, k, iops, us, us));
    }
    made
}

#[track_caller]
fn refused(profile: &DeviceProfile, said: &str) {
    let error = calibrate(profile).unwrap_err().to_string();
    assert!(error.contains(said), "{error}");
}

#[test]
fn what_cannot_be_calibrated_to_is_refused_with_its_reason() {
    let fine = |k: u32| (f64::from(k) * 10_000.0, 100.0);
    refused(&profile(SSD, &[], &[], &[]), "holds no measured point");
    let mut published = reads(fine);
    published.device.kind = DeviceKind::Published;
    refused(&published, "published numbers");
    let mut buffered = reads(fine);
    buffered.device.kind = DeviceKind::Directory;
    refused(&buffered, "page cache");
    let mut few = reads(fine);
    few.points.truncate(2);
    refused(&few, "random reads at 2 numbers in flight only, of at least 3");
    let mut writes_only = reads(fine);
    writes_only.points.iter_mut().for_each(|point| point.op = OpKind::Write);
    refused(&writes_only, "random reads at 0 numbers");
    // Ten milliseconds alone, and twice as many a second with the best order.
    let disk = reads(|k| (100.0 * f64::from(k).min(2.0), 1e4 * f64::from(k) / f64::from(k).min(2.0)));
    refused(&disk, "a hard disk: a random read of 4K takes 10.0 ms");
}

#[test]
fn a_cancelled_calibration_ends_and_one_without_experiments_cannot_be_checked() {
    let measured = reads(|k| (f64::from(k).min(16.0) * 10_000.0, 100.0 * f64::from(k).max(16.0) / 16.0));
    let cancelled = Calibration::of(&measured, &AtomicBool::new(true), &mut |_| ());
    assert!(matches!(cancelled, Err(CalibrateError::Interrupted)));
    let unchecked = check(&spec(SSD), &measured, None, &AtomicBool::new(false), &mut |_| ());
    assert!(matches!(unchecked, Err(CalibrateError::NoExperiments)));
}
