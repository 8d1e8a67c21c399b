//! The numbers of a device, and the I/O models fitted to them.
//!
//! Everything that measures writes a [`DeviceProfile`]; everything that advises, predicts or draws reads one. This crate does
//! no I/O but for loading and saving that one JSON file, and loading tables.
//!
//! | to | see |
//! | --- | --- |
//! | load, check and save a profile | [`DeviceProfile`] (or [`Profile`]), [`published_profile`], [`Table`] |
//! | fit one model and ask it | [`DeviceProfile::fit`], [`Fitted::predict`], [`Workload`] |
//! | find the model that describes a device | [`ModelComparison`] |
//! | read the models | [`Dam`], [`Pdam`], [`Affine`], [`Pio`], [`Mqssd`], [`Shared`], behind [`Model`] |
//! | weigh batching, or channels chosen by address | [`speedup`], [`occupancy`] |
//! | find the rate at which a latency limit holds | [`LatencyModel`] |

mod bootstrap;
mod class;
mod compare;
mod cost;
mod cost_table;
mod error;
mod experiments;
mod fit;
mod holdout;
mod latency;
mod misfit;
mod models;
mod observation;
pub mod occupancy;
mod predict;
mod profile;
mod published;
pub mod replay;
pub mod speedup;
mod store;
mod stragglers;
mod table;
mod workload;

/// The profile, by the short name.
pub use DeviceProfile as Profile;
pub use class::Class;
pub use compare::{Assessment, HeldOut, ModelComparison};
pub use cost::{CostErrors, CostFunction, CostPoint, Shape};
pub use cost_table::{CostRow, CostTable};
pub use error::ProfileError;
pub use experiments::{
    Experiments, Ladder, LadderMix, PioClass, PioClasses, PioPoint, Procedure, Rung, Work, WorkPoint,
};
pub use fit::{Fitted, Lacking, Model, Parameter};
pub use latency::{LatencyError, LatencyModel, Percentile, Sustained};
pub use misfit::Misfit;
pub use models::{Affine, CostFit, Dam, FunctionFit, Mqssd, MqssdCosts, Pdam, PerK, Pio, Shared};
pub use observation::{Observation, Observations};
pub use predict::{Bound, Predict, PredictError, Prediction};
pub use profile::{
    Bin, Capped, Censored, Check, CheckStatus, Cliff, DeviceFacts, DeviceProfile, Latency, Link, Method,
    OpKind, OrderEffect, Parameters, Pattern, Point, Rounds, SCHEMA, Slice, Temperature, TimelineSample,
    Validity,
};
pub use published::{PublishedError, published_profile};
pub use replay::Replay;
pub use speedup::PioNumbers;
pub use store::replace_file;
pub use stragglers::Stragglers;
pub use table::{Table, TableError};
pub use workload::{InFlight, PAGE_BYTES, Workload};
