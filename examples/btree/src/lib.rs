//! Leadline's index with five node sizes, measured and compared with what
//! [`leadline_lsm::btree`] predicts for them.
//!
//! [`Grown`] is one index, its nodes on a device, [`measure`] has clients use it, [`ProcessorTimes`] is what
//! that costs the processor without a device, [`Forecast`] is what the model says beforehand, [`validate()`]
//! does it all, and [`Verdict`] says for which pairs of node sizes the order was foretold.

mod clients;
mod error;
mod forecast;
mod grown;
mod network;
mod pairs;
mod processor;
mod render;
mod validate;
mod verdict;

pub use clients::{Measured, Slice, measure};
pub use error::ValidateError;
pub use forecast::{Forecast, Forecaster};
pub use grown::Grown;
pub use network::throughput;
pub use pairs::{KEY_BYTES, VALUE_BYTES, key, pairs_of, range_pairs, value};
pub use processor::ProcessorTimes;
pub use render::{json, text};
pub use validate::{Cell, NODE_BYTES, Plan, Validation, validate};
pub use verdict::{Verdict, interval, verdicts};
