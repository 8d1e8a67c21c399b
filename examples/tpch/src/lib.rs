//! TPC-H on MariaDB on an emulated drive: what its queries ask of storage, and how long they take.
//!
//! Not an official TPC-H result. `docs/tpch.md` has the set-up and the commands.

pub mod answers;
pub mod compare;
pub mod data;
pub mod database;
mod error;
pub mod explain;
mod interrupt;
pub mod place;
pub mod predict;
pub mod queries;
pub mod run;
pub mod schema;
pub mod server;

pub use error::TpchError;
pub use interrupt::Interrupt;
