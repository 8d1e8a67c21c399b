//! A device as it was measured: the model of a profile.

mod curves;
mod model;
mod streams;

pub use curves::MeasuredError;
pub use model::MeasuredModel;
