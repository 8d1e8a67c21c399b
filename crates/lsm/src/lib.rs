#![doc = include_str!("../README.md")]

mod advise;
mod block;
mod bound;
pub mod btree;
mod cache;
mod calibration;
mod costs;
mod data;
mod error;
pub mod figures;
mod files;
mod fill;
mod intervals;
mod layout;
mod mix;
pub mod options;
pub mod paper;
mod predict;
mod processor;
mod query;
mod queue;
mod residuals;
mod tree;
pub mod validate;

pub use advise::{Advice, Candidate, Endurance, Neighbour, Tied, Wanted, advise};
pub use bound::Bound;
pub use calibration::{Calibration, CalibrationError};
pub use costs::DeviceCosts;
pub use data::Data;
pub use error::LsmError;
pub use files::FileCosts;
pub use layout::Layout;
pub use leadline_model::Estimate;
pub use mix::{Mix, MixError, Operation};
pub use predict::{
    Busy, Demands, LoadPrediction, Machine, MixPrediction, Prediction, QueryPrediction, predict,
    predict_loaded,
};
pub use processor::ProcessorCosts;
