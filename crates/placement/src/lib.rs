#![doc = include_str!("../README.md")]
//!
//! `docs/predict-trace.md` has the rules and their limits.

mod captured;
mod error;
mod layout;
mod predict;
mod prediction;
mod replay;
mod study;
mod waits;
mod words;

pub use captured::{Captured, File, Kind, Request};
pub use error::PlacementError;
pub use layout::{Layout, placed, side_by_side};
pub use predict::predict;
pub use prediction::Prediction;
pub use replay::replay;
pub use study::{
    Cached, Choice, FileSize, Migration, Placed, Query, QueryTimes, Scope, Simulated, SizeStudy, Storage,
    Study, StudyError, StudyOptions, Times, Watch, best_sets, labels, study,
};
pub use waits::{After, Waits};
pub use words::{TracePrediction, predictions_json, predictions_text};
