#![doc = include_str!("../README.md")]
//!
//! ## Where to find what
//!
//! | to | see |
//! | --- | --- |
//! | fit one model and ask it | [`FittedModel::from_profile`], [`FittedModel::predict`], [`Workload`] |
//! | find the model that describes a device | [`ModelComparison`] |
//! | read the models | [`Dam`], [`Pdam`], [`Affine`], [`Pio`], [`Mqssd`], [`SharedBudget`], behind [`Model`]
//! |
//! | load measurements that others made | [`Table`], [`table_profile`] |
//! | weigh batching, or channels chosen by address | [`speedup`], [`occupancy`], [`channels`] |
//! | find the rate at which a latency limit holds | [`LatencyModel`] |

mod answer;
pub mod channels;
mod class;
mod compare;
mod cost;
mod cost_table;
mod estimate;
mod fit;
mod holdout;
mod interval;
mod latency;
mod misfit;
mod model;
mod models;
mod monotone;
mod observation;
pub mod occupancy;
mod predict;
pub mod speedup;
mod stragglers;
mod table;
mod words;
mod workload;

pub use answer::{EXTRAPOLATED, INTERPOLATED, MEASURED};
pub use class::WorkloadClass;
pub use compare::{Assessment, CrossValidation, ModelComparison, NotFitted, TooFewPoints};
pub use cost::{CostErrors, CostFunction, CostPoint, CostShape};
pub use cost_table::{CostRow, CostTable};
pub use estimate::Estimate;
pub use fit::FittedModel;
pub use latency::{LatencyError, LatencyModel, Percentile, SustainableRate};
pub use misfit::{Misfit, Near};
pub use model::{FitError, Model, Parameter};
pub use models::{Affine, CostFit, CostsAtK, Dam, FunctionFit, Mqssd, MqssdCosts, Pdam, Pio, SharedBudget};
pub use monotone::monotone;
pub use observation::{Observation, Observations};
pub use predict::{Bottleneck, Predict, PredictError, Prediction};
pub use speedup::PioNumbers;
pub use stragglers::Stragglers;
pub use table::{Table, table_profile};
pub use words::{
    LatencyObjective, prediction_json, prediction_text, speedup_json, speedup_text, sustainable_rate_json,
    sustainable_rate_text, what_if_json, what_if_text,
};
pub use workload::{InFlight, Workload, WorkloadError};
