//! The device under a directory, measured briefly with the requests that RocksDB makes.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use leadline_device::IoEngine;
use leadline_measure::target::Access;
use leadline_measure::{BlockSizes, Budget, Settings, Surroundings, measure, summary};
use leadline_profile::{DeviceProfile, Pattern};

use crate::output;
use crate::target::Target;

/// From a data block to what a compaction reads at a time, bytes.
const BLOCK_SIZES: [u32; 5] = [4 << 10, 16 << 10, 64 << 10, 512 << 10, 2 << 20];

/// Requests in flight at most: more than there are clients or compactions.
const MOST_IN_FLIGHT: u32 = 64;

/// The scratch file's size, bytes: that of the data, within these.
const SCRATCH_BYTES: [u64; 2] = [64 << 20, 1 << 30];

/// A profile of the device under `folder` in about `seconds`, with a scratch file that is removed.
///
/// # Errors
/// Why it could not be measured, in a line.
pub(super) fn profile(
    folder: &Path,
    data_bytes: u64,
    seconds: f64,
    cancel: &Arc<AtomicBool>,
) -> Result<DeviceProfile, String> {
    let [least, most] = SCRATCH_BYTES;
    let settings = Settings {
        // RocksDB reads with blocking calls from its clients' threads, and so does this engine: a request
        // then takes the time to wake the thread up as well, which a loop over io_uring does not.
        access: Access {
            engine: Some(IoEngine::Psync),
            size_bytes: Some(data_bytes.clamp(least, most)),
            quick: true,
            ..Access::default()
        },
        budget: Budget::Custom(Duration::from_secs_f64(seconds)),
        block_sizes: BlockSizes::Listed(BLOCK_SIZES.to_vec()),
        patterns: Some(vec![Pattern::Random]),
        cpus: Vec::new(),
        max_concurrency: Some(MOST_IN_FLIGHT),
        precondition: 0,
        max_writes: None,
        seed: None,
    };
    let said = |failure: crate::failure::Failure| failure.line();
    let target = Target::find(folder.as_os_str()).map_err(said)?;
    let layout_bytes =
        target.candidate().layout_bytes(&settings.access).map_err(|error| said(error.into()))?;
    let target = target.open(layout_bytes, &settings.access).map_err(said)?;
    let plan = settings.plan(&target).map_err(|error| error.to_string())?;
    let surroundings = Surroundings::watch(&target, output::now());
    let measured = measure(target.device.as_ref(), &plan, None, cancel, &mut |_| ());
    let (prepared, outcome) = measured.map_err(|error| error.to_string())?;
    let circumstances = surroundings.circumstances(env!("CARGO_PKG_VERSION"));
    Ok(summary::profile(&plan, &prepared, &outcome, circumstances, None))
}
