#![doc = include_str!("../README.md")]
//!
//! `docs/predict-trace.md` has the rules and their limits.

mod captured;
mod error;
mod replay;
mod waits;

pub use captured::{Captured, File, Kind, Request};
pub use error::PlacementError;
pub use replay::{Layout, Prediction, replay, side_by_side};
pub use waits::{After, Wait, Waits};
