#![doc = include_str!("../README.md")]
//!
//! ## Where to find what
//!
//! A measurement is a [`Plan`], carried out by [`measure()`] and summed up by [`summary::profile`]. What the
//! I/O models need beyond it is an [`experiment::ExperimentPlan`], carried out by [`experiment::run`]. A
//! trace is put on a device by [`replay::replay`]. All of them see the device only through its queue pair:
//! submit, reap and time.

mod announcement;
mod bootstrap;
mod candidate;
mod capped;
mod checks;
mod cliff;
mod curve;
mod disturbed;
mod driven;
mod error;
mod estimate;
pub mod experiment;
pub mod facts;
mod fit;
pub mod load;
mod order_effect;
mod outcome;
mod parameters;
mod plan;
mod plan_error;
mod prepare;
pub mod pressure;
mod progress;

pub mod replay;
mod rig;
mod search;
mod session;
mod settings;
mod slice_effect;
mod smooth;
mod stalls;
mod steady;
pub mod summary;
mod surroundings;
pub mod target;
mod write_allowance;

pub use announcement::{Following, RunBounds};
pub use candidate::Candidate;
pub use curve::{Curve, CurveId, PointData};
pub use error::MeasureError;
pub use fit::{ADVISED, CurveFit, CurvePoint, REACHES};
pub use outcome::{Earlier, Outcome, Stop};
pub use plan::{Budget, Lanes, Plan};
pub use plan_error::PlanError;
pub use prepare::{Prepared, prepare};
pub use progress::Progress;
pub use rig::{Rig, SliceResult};
pub use search::next_concurrency;
pub use session::{Session, measure};
pub use settings::{BlockSizes, Settings};
pub use surroundings::Surroundings;
