//! RocksDB's settings of the device on RocksDB: databases that db_bench fills under one variant of settings
//! after the other, and reads while it writes.

mod bench;
mod fills;
mod log;
mod plan;
mod proof;
mod reads;
mod snapshot;

pub use plan::{Experiment, Io, Plan};
pub use proof::{Proof, foresee, prove};

use std::path::Path;

use leadline_lsm::validate::DbBench;

use crate::ProveError;

/// The release of RocksDB whose db_bench [`prove()`] would start: `db_bench`, or the one in PATH.
///
/// # Errors
/// As [`prove()`] where there is none, or it is too old.
pub fn installed(db_bench: Option<&Path>) -> Result<String, ProveError> {
    let found = DbBench::find(db_bench.unwrap_or(Path::new("db_bench")))?;
    Ok(found.release().to_string())
}
