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
pub use proof::{Proof, prove};
