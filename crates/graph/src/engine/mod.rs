//! The engine: sweeps over blocks, with reads in flight, a cache, and all of it within a cap on memory.

mod cache;
mod csr;
mod decode;
mod frames;
#[cfg(test)]
mod frames_model;
mod lazy_pair;
mod limited;
mod meter;
mod plan;
mod reader;
mod rows_of;
mod state_file;
mod stats;
mod sweep;
mod work;

pub(crate) use cache::Cache;
pub(crate) use csr::{Csr, KeptLists};
pub(crate) use decode::Passes;
pub(crate) use limited::Limited;
pub use meter::{Meter, MeterReading};
pub(crate) use plan::EnginePlan;
pub(crate) use reader::Blocks;
pub(crate) use state_file::{CUT, StateColumn, StateFile, Stored};
pub use stats::RunStats;
pub use sweep::Engine;
pub use work::Which;
