//! What `interleaving` found: bandwidth over requests in flight and their size.

use serde::{Deserialize, Serialize};

use super::Record;
use super::range::{
    AT_LEAST_ONE, BadField, Impossible, PAIR, POSITIVE, ascending, check, first, impossible_procedure, named,
    positive,
};
use crate::{OpKind, Pattern, Procedure};

/// Bandwidth over requests in flight and their size.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Interleaving {
    /// How the points were measured that are not the profile's own.
    pub procedure: Procedure,
    /// One entry per operation, pattern, request size and concurrency.
    pub points: Vec<InterleavingPoint>,
}

/// The bandwidth of one workload.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct InterleavingPoint {
    /// Read or write.
    pub op: OpKind,
    /// Random or sequential.
    pub pattern: Pattern,
    /// Bytes per request.
    pub block_bytes: u32,
    /// Requests in flight.
    pub concurrency: u32,
    /// All bytes / all time, bytes per second.
    pub bandwidth_bytes: f64,
    /// Its 95 % interval, bootstrap over epochs.
    #[serde(default)]
    pub bandwidth_ci: Option<[f64; 2]>,
    /// Whether it is a point that the profile already had, not one that this experiment measured.
    #[serde(default)]
    pub from_profile: bool,
    /// The processor, not the device, set the pace.
    #[serde(default)]
    pub cpu_bound: bool,
}

impl Record for Interleaving {
    fn impossible(&self) -> Option<Impossible> {
        impossible_procedure(&self.procedure)
            .or_else(|| first("points", &self.points, |point| named(point.bad())))
    }
}

impl InterleavingPoint {
    fn bad(&self) -> Option<BadField> {
        check(self.block_bytes > 0, "block_bytes", AT_LEAST_ONE)
            .or_else(|| check(self.concurrency > 0, "concurrency", AT_LEAST_ONE))
            .or_else(|| check(positive(self.bandwidth_bytes), "bandwidth_bytes", POSITIVE))
            .or_else(|| check(self.bandwidth_ci.is_none_or(ascending), "bandwidth_ci", PAIR))
    }
}
