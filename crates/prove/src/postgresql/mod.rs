//! PostgreSQL's settings on PostgreSQL: a cluster of its own on the device, and servers under one variant of
//! settings after the other.

mod checkpoints;
mod choices;
mod cluster;
mod explain;
mod files;
mod plan;
mod programs;
mod proof;
mod scans;
mod table;

pub use choices::{Choice, JudgedQuery, PlanChoices, PlanTime};
pub use explain::Access;
pub use plan::{Experiment, Plan};
pub use programs::Version;
pub use proof::{Proof, foresee, prove};
pub use table::Column;

use std::path::Path;

use crate::ProveError;

/// The version of the server that [`prove()`] would start: the one in `bin`, else the newest that is
/// installed.
///
/// # Errors
/// As [`prove()`] where there is none.
pub fn installed(bin: Option<&Path>) -> Result<Version, ProveError> {
    Ok(programs::Programs::find(bin)?.version)
}
