//! InnoDB's settings on MariaDB: a data directory of its own on the device, larger than the buffer pool, and
//! servers under one variant of settings after the other while sysbench writes.

mod instance;
mod plan;
mod programs;
mod proof;
mod status;
mod sysbench;
mod writes;

pub use plan::{Plan, Workload};
pub use proof::{Proof, foresee, prove};

use crate::ProveError;

/// What the server that [`prove()`] would start says of its version: `10.11.6-MariaDB`.
///
/// # Errors
/// As [`prove()`] where it or sysbench is missing.
pub fn installed() -> Result<String, ProveError> {
    Ok(format!("{}-MariaDB", programs::Programs::find()?.version))
}
