//! How long it takes to make a file durable that has grown, as RocksDB does once or more per flush and
//! compaction.

use std::fs::File;
use std::io::Write as _;
use std::path::Path;
use std::time::Instant;

use super::error::ValidateError;
use super::summary::Summary;

/// Syncs that are timed, and those before them that are not.
const TIMED: usize = 100;
const WARM_UP: usize = 10;

/// What is written before each: about an entry of RocksDB's manifest.
const ENTRY_BYTES: usize = 200;

/// The median of syncs one after the other in a file in `folder`, seconds.
///
/// # Errors
/// The file cannot be written.
pub(super) fn seconds(folder: &Path) -> Result<f64, ValidateError> {
    let path = folder.join("sync");
    let failed = |source| ValidateError::io(&path, "timing a sync", source);
    let mut file = File::create(&path).map_err(failed)?;
    let mut times = Vec::with_capacity(TIMED);
    for i in 0..WARM_UP + TIMED {
        file.write_all(&[b'x'; ENTRY_BYTES]).map_err(failed)?;
        let began = Instant::now();
        file.sync_data().map_err(failed)?;
        if i >= WARM_UP {
            times.push(began.elapsed().as_secs_f64());
        }
    }
    drop(file);
    std::fs::remove_file(&path).map_err(failed)?;
    Ok(Summary::of(times).map_or(0.0, |summary| summary.median))
}
