//! Real RocksDB, measured with its own db_bench over a grid of layouts, for predictions to be compared with.
//!
//! The experiment is from "The Multi-Queue SSD model", section 5.3, at any [scale](Scale) with the shape
//! of its trees. [`run`] measures a [`Plan`] and leaves a [`Record`]. The procedure is in
//! `docs/lsm-validate.md`.

mod calibrate;
mod compare;
mod comparison;
mod counters;
mod db_bench;
mod error;
mod events;
mod files;
mod fill;
mod grid;
mod journal;
mod output;
mod pace;
mod plan;
mod read;
mod record;
mod scale;
mod settings;
mod summary;

pub use comparison::{Choice, ComparedCell, Comparison, Errors, Kind, Order, Term};
pub use db_bench::{BenchRun, Database, DbBench, Tuning};
pub use error::ValidateError;
pub use events::Background;
pub use fill::Fill;
pub use grid::{Setup, run};
pub use journal::Journal;
/// What programs that are started, and their directories, can fail of.
pub use leadline_process::ProcessError;
pub use output::{Latency, Level, Outcome, latency, outcome, stall_seconds};
pub use pace::Progress;
pub use plan::{Plan, SCAN_PAIRS};
pub use read::{Query, Read};
pub use record::{DeviceCell, FillCell, LayoutCell, QueryCell, Record, SCHEMA, layout_cells};
pub use scale::{LayoutName, Scale, expected_levels};
pub use summary::Summary;
