//! What the device could do, from its profile.

use std::path::Path;

use leadline_graph::{DeviceLimit, ReadSpeed};
use leadline_profile::{DeviceProfile, ReadLimits, headline};

use crate::failure::Failure;

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
///
/// # Errors
/// [`Failure::Input`]: no profile, or one that has no k_r.
pub(super) fn reads(path: &Path) -> Result<ReadLimits, Failure> {
    ReadLimits::of(&DeviceProfile::load(path)?)
        .map_err(|error| Failure::Input(format!("{}: {error}, or give --concurrency", path.display())))
}

/// What a device allows, where it limits operations.
pub(super) fn operations(device: &ReadLimits) -> Option<DeviceLimit> {
    let (operations_per_second, bytes_per_second) = device.operation_limit()?;
    Some(DeviceLimit { operations_per_second, bytes_per_second })
}

/// How fast a device reads, for an estimate.
pub(super) fn read_speed(device: &ReadLimits) -> Option<ReadSpeed> {
    device.bandwidth_bytes.map(|bandwidth_bytes| ReadSpeed { bandwidth_bytes, iops: device.iops })
}
