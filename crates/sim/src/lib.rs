#![doc = include_str!("../README.md")]
//!
//! [`open`] takes the name of a built-in device or the path of a description, whose format is in
//! `docs/simulated-devices.md`.

mod catalogue;
mod error;
mod parametric;
mod published;

pub use catalogue::open;
pub use error::SimError;
pub use parametric::{Jitter, Parametric, ParametricSpec, Placement, ServerSpec};
pub use published::PublishedLatencyError;
