//! What `pressure` and `tail` found: latency of one request at a time under background load.

use serde::{Deserialize, Serialize};

use super::Record;
use super::range::{
    AT_LEAST_ONE, BadField, Impossible, NOT_NEGATIVE, PAIR, POSITIVE, ascending, bad_latency, check, first,
    impossible_procedure, named, not_negative, positive,
};
use crate::{Latency, OpKind, Pattern, Procedure};

/// Latency of a foreground of one request at a time, alone and under background load.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Pressure {
    /// How it was measured.
    pub procedure: Procedure,
    /// Bytes per request of the foreground.
    pub block_bytes: u32,
    /// Bytes per request of the background, all of them random.
    pub background_block_bytes: u32,
    /// What the device does with the background's requests alone: one entry per operation of a background.
    pub capacities: Vec<BackgroundCapacity>,
    /// One entry per foreground and background.
    pub points: Vec<PressurePoint>,
}

/// Closed-loop bandwidth of the background's requests alone, measured in the same run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BackgroundCapacity {
    /// Read or write.
    pub op: OpKind,
    /// Bytes per second.
    pub bandwidth_bytes: f64,
    /// Requests in flight when it was measured.
    pub concurrency: u32,
}

/// The latency of one foreground with one background.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PressurePoint {
    /// Read or write.
    pub op: OpKind,
    /// Random or sequential.
    pub pattern: Pattern,
    /// Work of the drive's own that this load is to provoke, if that is what this is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provokes: Option<InternalWork>,
    /// The background; absent at rest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub background: Option<Background>,
    /// Foreground requests timed.
    pub ops: u64,
    /// Latency of the foreground.
    pub latency_us: Latency,
    /// 95 % interval of the mean, bootstrap over epochs.
    #[serde(default)]
    pub mean_us_ci: Option<[f64; 2]>,
}

/// Work of a drive's own that a load provokes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum InternalWork {
    /// Garbage collection: a background of random writes of a page, one in flight at all times.
    Collection,
    /// Refreshing what is read too often: the foreground stays within 20 MB.
    ReadDisturb,
}

impl InternalWork {
    /// The load that provokes it.
    pub fn words(self) -> &'static str {
        match self {
            InternalWork::Collection => "during overwriting",
            InternalWork::ReadDisturb => "over and over",
        }
    }
}

/// Random requests that arrive as a Poisson process, whether the device keeps up or not; next to
/// [`InternalWork::Collection`] one at a time, and what is offered is what was completed.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Background {
    /// Read or write.
    pub op: OpKind,
    /// The rate of arrivals, bytes per second.
    pub offered_bytes_per_second: f64,
    /// What was completed, bytes per second.
    pub bytes_per_second: f64,
}

impl Pressure {
    /// Bandwidth of the background's requests alone, bytes per second.
    pub fn capacity(&self, op: OpKind) -> Option<f64> {
        self.capacities.iter().find(|capacity| capacity.op == op).map(|capacity| capacity.bandwidth_bytes)
    }
}

impl Record for Pressure {
    fn impossible(&self) -> Option<Impossible> {
        let background = self.background_block_bytes > 0;
        impossible_procedure(&self.procedure)
            .or_else(|| named(check(self.block_bytes > 0, "block_bytes", AT_LEAST_ONE)))
            .or_else(|| named(check(background, "background_block_bytes", AT_LEAST_ONE)))
            .or_else(|| first("capacities", &self.capacities, |capacity| named(capacity.bad())))
            .or_else(|| first("points", &self.points, |point| named(point.bad())))
    }
}

impl BackgroundCapacity {
    fn bad(&self) -> Option<BadField> {
        check(positive(self.bandwidth_bytes), "bandwidth_bytes", POSITIVE)
            .or_else(|| check(self.concurrency > 0, "concurrency", AT_LEAST_ONE))
    }
}

impl PressurePoint {
    fn bad(&self) -> Option<BadField> {
        let background = |fine: fn(&Background) -> bool| self.background.as_ref().is_none_or(fine);
        check(self.ops > 0, "ops", AT_LEAST_ONE)
            .or_else(|| check(positive(self.latency_us.mean), "latency_us.mean", POSITIVE))
            .or_else(|| bad_latency(&self.latency_us))
            .or_else(|| check(self.mean_us_ci.is_none_or(ascending), "mean_us_ci", PAIR))
            .or_else(|| {
                let fine = background(|b| positive(b.offered_bytes_per_second));
                check(fine, "background.offered_bytes_per_second", POSITIVE)
            })
            .or_else(|| {
                let fine = background(|b| not_negative(b.bytes_per_second));
                check(fine, "background.bytes_per_second", NOT_NEGATIVE)
            })
    }
}
