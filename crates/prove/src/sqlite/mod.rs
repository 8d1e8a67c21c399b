//! SQLite's settings on SQLite: its own program on databases of our own, under one variant of settings after
//! the other.

mod commits;
mod database;
mod plan;
mod program;
mod proof;
mod reads;

pub use plan::{Experiment, Plan};
pub use program::installed;
pub use proof::{Proof, foresee, prove};
