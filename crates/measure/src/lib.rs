//! Measuring a device: the load generator, the concurrency search, the epochs, and what they say.
//!
//! A measurement is a [`Plan`], carried out by [`measure()`] and summed up by [`summary::profile`]; what the I/O models
//! need beyond it is an [`experiment::ExperimentPlan`], carried out by [`experiment::run`]; a trace is put on a device by
//! [`replay::replay`]. All see the device only through its queue pair: submit, reap and time.

mod bootstrap;
mod capped;
mod checks;
mod cliff;
mod curve;
mod driven;
mod error;
mod estimate;
pub mod experiment;
pub mod facts;
mod fit;
pub mod load;
mod outcome;
mod plan;
mod prepare;
pub mod pressure;
mod progress;
pub mod replay;
mod rig;
mod search;
mod session;
mod stalls;
mod steady;
pub mod summary;

pub use curve::{Curve, CurveId, PointData};
pub use error::MeasureError;
pub use fit::{CurveFit, CurvePoint};
pub use outcome::{Earlier, Outcome, Stop};
pub use plan::{Budget, Lanes, Plan};
pub use prepare::{Prepared, prepare};
pub use progress::Progress;
pub use rig::{Rig, SliceResult};
pub use search::next_concurrency;
pub use session::{Session, measure};
