#![doc = include_str!("../README.md")]
//!
//! The procedure is in `docs/prove.md`. What systems have in common is here, each system in a module:
//!
//! | for | see |
//! | --- | --- |
//! | settings under a name | [`Variant`], [`Role`] |
//! | what was measured, and what it says | [`Run`], [`Comparison`], [`Ratio`], [`Spread`], [`Estimate`] |
//! | what all of it comes to | [`Proof`] |
//! | what is about to be done | [`Foreseen`], [`Part`], [`Effort`] |
//! | DuckDB | [`duckdb`] |
//! | etcd | [`etcd`] |
//! | MariaDB | [`mariadb`] |
//! | PostgreSQL | [`postgresql`] |
//! | RocksDB | [`rocksdb`] |
//! | Seastar, ScyllaDB | [`seastar`] |
//! | SQLite | [`sqlite`] |

mod cold;
mod comparison;
pub mod duckdb;
mod error;
mod estimate;
pub mod etcd;
mod fio;
mod foreseen;
pub mod mariadb;
mod order;
mod part;
mod place;
pub mod postgresql;
mod proof;
pub mod rocksdb;
mod rounds;
pub mod seastar;
pub mod sqlite;
mod statistics;
mod value;
mod variant;
mod words;

pub use comparison::{Best, Comparison, Run, VariantResult};
pub use error::ProveError;
pub use estimate::Estimate;
pub use foreseen::Foreseen;
pub use part::{Effort, Part};
pub use proof::{Proof, SCHEMA};
pub use statistics::{Ratio, Spread};
pub use variant::{Role, Variant};

/// How far a proof has come.
#[derive(Debug, Clone, PartialEq)]
pub struct Progress {
    /// What is done at the moment, one word.
    pub phase: &'static str,
    /// The share of this phase that is done, 0 to 1.
    pub done: f64,
    /// In words.
    pub detail: String,
}
