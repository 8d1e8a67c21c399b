//! Graphs that do not fit in memory: the edges stay on the device, and as many reads are kept in flight as it serves.
//!
//! After CAVE (Papon, ICDE PhD symposium 2024, section IV): lists in aligned blocks, a cache of blocks shared by threads, and
//! algorithms that know the blocks of a whole frontier before they read the first.

pub mod algorithms;
mod degrees;
mod engine;
mod error;
mod export;
pub mod format;
mod frontier;
mod graph;
pub mod import;
pub mod input;
mod new_file;
pub mod output;
mod scan;
mod summary;
mod verify;

pub use degrees::{DegreeBucket, DegreeDistribution, degree_distribution};
pub use engine::{Engine, RunStats, Which};
pub use error::GraphError;
pub use export::{ExportOptions, ExportReport, export};
pub use frontier::Frontier;
pub use graph::{Graph, Options};
pub use summary::{Summary, summarise};
pub use verify::{VerifyReport, verify};
