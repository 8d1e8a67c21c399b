//! TPC-C on Leadline's buffer pool: a small storage engine of real pages, so that a pool is tried with the
//! accesses of a real workload, and page traces come from one.
//!
//! [`pages`] is what the engine stands on: the pool, memory, or either with a record of every access. On it
//! lie [`heap`] files and B+-[`tree`]s, the [`database`] with its nine tables, and TPC-C's five transactions
//! ([`transaction`]). [`load()`] fills it, [`run()`] lets terminals work on it, [`check()`] holds it against
//! TPC-C's conditions of consistency.
//!
//! Not an official TPC-C result, and not a database system: see `docs/tpcc.md`.

mod bytes;
mod check;
pub mod database;
mod error;
pub mod file;
pub mod heap;
pub mod key;
mod load;
pub mod pages;
mod random;
pub mod rows;
mod run;
mod scale;
pub mod transaction;
pub mod tree;

pub use check::{Inconsistency, check};
pub use error::StoreError;
pub use load::{load, pages_needed};
pub use random::last_name;
pub use run::{KindReport, Mix, Report, RunConfig, Stop, run};
pub use scale::{DISTRICTS, Scale};
