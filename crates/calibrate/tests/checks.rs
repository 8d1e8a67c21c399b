//! Experiments that nothing was fitted to.

use std::sync::atomic::AtomicBool;

use leadline_calibrate::{Checked, check};
use leadline_profile::{Ladder, LadderMix, Latency, OpKind, Procedure, Rung, Work, WorkPoint};

use crate::drives::{CAPACITY, SSD, calibrate, measured, profile, random, spec};

/// Reads and writes together, at several shares and concurrencies, on a drive; times longer by `factor`.
fn mixed(text: &str, factor: f64) -> Work {
    let mut points = Vec::new();
    for share in [0.0, 0.5, 1.0] {
        let ks = [1, 4, 16, 64];
        for (k, (iops, p50, mean)) in ks.into_iter().zip(measured(text, random(share, 4096), &ks, 2000)) {
            points.push(WorkPoint {
                reads: (1000.0 * share) as u64,
                writes: (1000.0 * (1.0 - share)) as u64,
                block_bytes: 4096,
                random_fraction: 1.0,
                concurrency: k,
                seconds: factor * 1000.0 / iops,
                latency_us: Latency { p50, mean, ..Latency::default() },
                ..WorkPoint::default()
            });
        }
    }
    Work { procedure: Procedure { footprint_bytes: CAPACITY / 4, ..Procedure::default() }, points }
}

/// One mix of reads only, with the latency of an idle drive.
fn ladder(p50: f64) -> Ladder {
    let rung = |offered_iops: f64| Rung {
        offered_iops,
        iops: offered_iops,
        ops: 1000,
        latency_us: Latency { p50, ..Latency::default() },
    };
    Ladder {
        procedure: Procedure { footprint_bytes: CAPACITY / 4, ..Procedure::default() },
        block_bytes: 4096,
        mixes: vec![LadderMix {
            read_share: 1.0,
            capacity_iops: 150_000.0,
            capacity_ci: None,
            capacity_concurrency: 64,
            rungs: [1_000.0, 2_000.0, 140_000.0].map(rung).to_vec(),
        }],
    }
}

fn checked(all: &[Checked], name: &str) -> Checked {
    all.iter().find(|one| one.experiment == name).unwrap().clone()
}

#[test]
fn a_drive_fitted_to_a_profile_predicts_mixes_that_were_not_in_it() {
    let mut known = profile(SSD, &[OpKind::Read, OpKind::Write], &[4096], &[1, 4, 16, 64]);
    let found = calibrate(&known).unwrap();
    known.experiments.mixed = Some(mixed(SSD, 1.0));
    let all = check(&found.spec, &known, None, &AtomicBool::new(false), &mut |_| ()).unwrap();
    let [mixed] = &all[..] else { panic!("{all:?}") };
    assert_eq!((mixed.experiment, mixed.points), ("mixed", 12));
    assert!(mixed.drive_percent < 10.0 && mixed.holds(), "{mixed:?}");
    assert!(mixed.model.is_some() && mixed.repeat_percent.is_none());
}

#[test]
fn an_experiment_is_compared_point_by_point_and_with_itself_made_again() {
    let mut known = profile(SSD, &[OpKind::Read], &[4096], &[1, 4, 16]);
    let mut again = known.clone();
    known.experiments.mixed = Some(mixed(SSD, 1.5));
    again.experiments.mixed = Some(mixed(SSD, 1.5 * 1.3));
    // The drive itself: all that is off is what the times were made longer by.
    let all = check(&spec(SSD), &known, Some(&again), &AtomicBool::new(false), &mut |_| ()).unwrap();
    let mixed = checked(&all, "mixed");
    assert!((mixed.drive_percent - 33.3).abs() < 3.0, "{mixed:?}");
    assert!((mixed.repeat_percent.unwrap() - 30.0).abs() < 0.1, "{mixed:?}");
    assert!((mixed.allowed_percent() - 45.0).abs() < 0.2 && mixed.holds());
    let all = check(&spec(SSD), &known, None, &AtomicBool::new(false), &mut |_| ()).unwrap();
    assert!(!checked(&all, "mixed").holds(), "15 % are allowed, and 33 % it is");
}

#[test]
fn a_ladder_is_compared_at_the_rates_offered_and_not_beyond_70_percent() {
    let mut known = profile(SSD, &[OpKind::Read], &[4096], &[1, 4, 16]);
    // 2 + 10 + 80 us, 4096 bytes at 800 and at 1500 MB/s.
    let idle = 2.0 + 10.0 + 80.0 + 4096.0 / 800.0 + 4096.0 / 1500.0;
    known.experiments.ladder = Some(ladder(idle));
    let all = check(&spec(SSD), &known, None, &AtomicBool::new(false), &mut |_| ()).unwrap();
    let ladder = checked(&all, "ladder");
    assert_eq!(ladder.points, 2);
    assert!(ladder.drive_percent < 3.0, "{ladder:?}");
}
