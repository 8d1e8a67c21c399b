//! What `unaligned` found: sequential writes of many sizes, most of them not multiples of a page.

use serde::{Deserialize, Serialize};

use super::Record;
use super::range::{
    AT_LEAST_ONE, BadField, Impossible, PAIR, POSITIVE, ascending, bad_latency, check, first,
    impossible_procedure, named, positive,
};
use crate::{Latency, Procedure};

/// Sequential writes of many sizes, one at a time.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Unaligned {
    /// How it was measured; `direct` is false where the target does not take such sizes directly.
    pub procedure: Procedure,
    /// Whether each write was durable on completion: those through the page cache are, or memory alone would
    /// have been measured.
    pub durable: bool,
    /// Ascending in `block_bytes`.
    pub points: Vec<UnalignedPoint>,
}

/// The writes of one size, each right behind the one before.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct UnalignedPoint {
    /// Bytes per request.
    pub block_bytes: u32,
    /// Requests timed.
    pub ops: u64,
    /// Their latency.
    pub latency_us: Latency,
    /// 95 % interval of the mean, bootstrap over epochs.
    #[serde(default)]
    pub mean_us_ci: Option<[f64; 2]>,
}

impl Record for Unaligned {
    fn impossible(&self) -> Option<Impossible> {
        impossible_procedure(&self.procedure)
            .or_else(|| first("points", &self.points, |point| named(point.bad())))
    }
}

impl UnalignedPoint {
    fn bad(&self) -> Option<BadField> {
        check(self.block_bytes > 0, "block_bytes", AT_LEAST_ONE)
            .or_else(|| check(self.ops > 0, "ops", AT_LEAST_ONE))
            .or_else(|| check(positive(self.latency_us.mean), "latency_us.mean", POSITIVE))
            .or_else(|| bad_latency(&self.latency_us))
            .or_else(|| check(self.mean_us_ci.is_none_or(ascending), "mean_us_ci", PAIR))
    }
}
