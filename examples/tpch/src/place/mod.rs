//! Placement against caching, predicted from traces on the slow drive and then measured on drives made of
//! two.

mod devices;
mod lines;
mod procedure;

use std::path::PathBuf;

use serde::Serialize;

pub use lines::lines;
pub use procedure::place;

use crate::queries::{Plans, Query};

/// What is compared.
#[derive(Debug, Clone)]
pub struct PlaceOptions {
    /// The fast drive, `sim:FILE.toml` or another that `leadline emulate` takes.
    pub fast: String,
    /// The slow one.
    pub slow: String,
    /// Sizes of the fast drive, bytes.
    pub fast_bytes: Vec<u64>,
    /// Which queries.
    pub queries: Vec<Query>,
    /// With which plans.
    pub plans: Plans,
    /// Runs of each.
    pub repeats: u32,
    /// Seconds after which a query is ended.
    pub limit_s: u32,
    /// An existing folder for the traces and the descriptions of the drives.
    pub folder: PathBuf,
}

/// One query at all sizes.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Placing {
    /// Which.
    pub query: Query,
    /// With which plan.
    pub plans: Plans,
    /// On the slow drive alone.
    pub slow: Way,
    /// With the fast drive.
    pub sizes: Vec<Size>,
}

/// The best placement and the best cache at one size.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Size {
    /// Bytes of the fast drive.
    pub fast_bytes: u64,
    /// Tables on it; without any that fit and save time, nothing is.
    pub placement: Way,
    /// It as a block cache.
    pub cache: Way,
}

/// A way to use the fast drive.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Way {
    /// In words: `orders + lineitem`, `arc, every-miss`, `nothing`.
    pub what: String,
    /// Copying tables to the fast drive, simulated; part of both times below.
    pub copying_seconds: f64,
    /// Predicted, copying included.
    pub predicted_seconds: f64,
    /// Measured, copying included: each run, ascending.
    pub measured_seconds: Vec<f64>,
}

impl Way {
    /// The median of the runs.
    pub fn measured(&self) -> f64 {
        crate::predict::median(&self.measured_seconds)
    }

    /// Whether all runs took less than all of the other.
    pub fn is_faster_than(&self, other: &Way) -> bool {
        match (self.measured_seconds.last(), other.measured_seconds.first()) {
            (Some(most), Some(least)) => most < least,
            _ => false,
        }
    }
}

impl Size {
    /// Whether the way that was predicted to win won; `None` where the runs of both overlap.
    pub fn is_predicted(&self) -> Option<bool> {
        let placement_predicted = self.placement.predicted_seconds < self.cache.predicted_seconds;
        match (self.placement.is_faster_than(&self.cache), self.cache.is_faster_than(&self.placement)) {
            (false, false) => None,
            (placement_won, _) => Some(placement_won == placement_predicted),
        }
    }
}
