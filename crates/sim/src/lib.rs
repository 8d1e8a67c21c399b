//! Devices that answer in virtual time.
//!
//! A simulated device is a [`leadline_device::Device`] like any other: what drives it submits, reaps and asks the time,
//! and a year of its life takes seconds.

mod catalogue;
mod error;
mod parametric;

pub use catalogue::open;
pub use error::SimError;
pub use parametric::{Jitter, Parametric, ParametricSpec, Placement, ServerSpec};
