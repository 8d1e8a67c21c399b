//! What the device could do, from its profile.

use std::path::Path;

use leadline_profile::{DeviceProfile, OpKind, Pattern};
use leadline_report::headline;

use crate::failure::Failure;

/// What a run is measured against.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Device {
    /// Reads in flight that use it fully: k_r_90 of random reads of 4 KiB (k_r in older profiles).
    pub(super) depth: u32,
    /// Bytes per second at the best point of reading.
    pub(super) bandwidth_bytes: Option<f64>,
}

impl Device {
    /// # Errors
    /// [`Failure::Input`]: no profile, or one that has no k_r.
    pub(super) fn load(path: &Path) -> Result<Device, Failure> {
        let profile = DeviceProfile::load(path)?;
        let small = profile.parameters.iter().find(|p| p.pattern == Pattern::Random && p.block_bytes == 4096);
        let Some(depth) =
            small.or_else(|| headline(&profile)).and_then(|parameters| parameters.advised_reads())
        else {
            let text = format!("{}: has no k_r; measure random reads, or give --depth", path.display());
            return Err(Failure::Input(text));
        };
        let reads = profile.points.iter().filter(|point| point.op == OpKind::Read);
        let bandwidth_bytes = reads.map(|point| point.bandwidth_bytes).max_by(f64::total_cmp);
        Ok(Device { depth: depth.min(4096), bandwidth_bytes })
    }
}
