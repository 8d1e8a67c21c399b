//! What the device could do, from its profile.

use std::path::Path;

use leadline_graph::ReadSpeed;
use leadline_profile::{DeviceProfile, OpKind, Pattern};
use leadline_report::headline;

use crate::failure::Failure;

/// Reads in flight that use the device of a profile fully, which messages call `name`.
///
/// # Errors
/// [`Failure::Input`]: it has no k_r.
pub fn read_depth(profile: &DeviceProfile, name: &str) -> Result<u32, Failure> {
    Ok(Device::of(profile, name)?.depth)
}

/// How many reads a write costs on a device, and how many writes use it fully, where its profile says so.
///
/// # Errors
/// [`Failure::Input`]: no profile.
pub(super) fn writes(path: &Path) -> Result<(Option<f64>, Option<u32>), Failure> {
    let profile = DeviceProfile::load(path)?;
    let parameters = headline(&profile);
    let alpha = parameters.and_then(|parameters| parameters.alpha);
    Ok((alpha, parameters.and_then(|parameters| parameters.advised_writes())))
}

/// What a run is measured against.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Device {
    /// Reads in flight that use it fully: k_r_90 of random reads of 4 KiB (k_r in older profiles).
    pub(super) depth: u32,
    /// Bytes per second at the best point of reading.
    pub(super) bandwidth_bytes: Option<f64>,
    /// Random reads of 4 KiB per second at the best point of these.
    iops: Option<f64>,
}

impl Device {
    /// # Errors
    /// [`Failure::Input`]: no profile, or one that has no k_r.
    pub(super) fn load(path: &Path) -> Result<Device, Failure> {
        Device::of(&DeviceProfile::load(path)?, &path.display().to_string())
    }

    /// Of a profile that messages call `name`.
    ///
    /// # Errors
    /// [`Failure::Input`]: it has no k_r.
    fn of(profile: &DeviceProfile, name: &str) -> Result<Device, Failure> {
        let small = profile.parameters.iter().find(|p| p.pattern == Pattern::Random && p.block_bytes == 4096);
        let Some(depth) =
            small.or_else(|| headline(profile)).and_then(|parameters| parameters.advised_reads())
        else {
            let text = format!("{name}: has no k_r; measure random reads, or give --depth");
            return Err(Failure::Input(text));
        };
        let reads = || profile.points.iter().filter(|point| point.op == OpKind::Read);
        let bandwidth_bytes = reads().map(|point| point.bandwidth_bytes).max_by(f64::total_cmp);
        let random = reads().filter(|point| point.pattern == Pattern::Random && point.block_bytes == 4096);
        let iops = random.map(|point| point.iops).max_by(f64::total_cmp);
        Ok(Device { depth: depth.min(4096), bandwidth_bytes, iops })
    }

    /// How fast it reads, for an estimate.
    pub(super) fn read_speed(&self) -> Option<ReadSpeed> {
        self.bandwidth_bytes.map(|bandwidth_bytes| ReadSpeed { bandwidth_bytes, iops: self.iops })
    }
}
