//! PostgreSQL's settings on PostgreSQL: a cluster of its own on the device, and servers under one variant of
//! settings after the other.

mod checkpoints;
mod choices;
mod cluster;
mod cold;
mod explain;
mod plan;
mod programs;
mod proof;
mod running;
mod scans;
mod table;

pub use choices::{Choice, JudgedQuery, PlanChoices, PlanTime};
pub use explain::Access;
pub use plan::{Experiment, Plan};
pub use programs::Version;
pub use proof::{Proof, SCHEMA, prove};
pub use table::Column;
