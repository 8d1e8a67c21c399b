//! DuckDB's settings on DuckDB: its own program on databases and Parquet files of our own, under one variant
//! of settings after the other.

mod inserts;
mod plan;
mod program;
mod proof;
mod queries;
mod session;
mod setting;

pub use plan::{Experiment, Plan};
pub use program::installed;
pub use proof::{Proof, foresee, prove};
