//! TPC-C on Leadline's index: a database of nine tables in one index, whose transactions are atomic batches,
//! so that the index is tried with a real workload, and page traces come from one.
//!
//! [`database`] has the tables, which are ranges of keys, and [`Transaction`](database::Transaction), which
//! collects changes and commits them together. TPC-C's five transactions are in [`transaction`]. [`load()`]
//! fills the database, [`run()`] lets terminals work on it, [`check()`] holds it against TPC-C's conditions
//! of consistency. [`place`] says where it is on disk.
//!
//! Not an official TPC-C result, and not a database system: see `docs/tpcc.md`.

mod accesses;
mod check;
pub mod database;
mod error;
pub mod key;
mod load;
pub mod place;
mod random;
pub mod rows;
mod run;
mod scale;
pub mod transaction;

pub use accesses::{Counts, TraceFile};
pub use check::{Inconsistency, check};
pub use error::StoreError;
pub use load::{bytes_needed, load, row_bytes};
pub use random::last_name;
pub use run::{KindReport, Mix, Report, RunConfig, Stop, run};
pub use scale::{DISTRICTS, Scale};
