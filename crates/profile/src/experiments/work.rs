//! What `r-by-k`, `mixed` and `mix-line` found: points of work and time.

use serde::{Deserialize, Serialize};

use super::Record;
use super::range::{
    AT_LEAST_ONE, BadField, Impossible, PAIR, POSITIVE, SHARE, ascending, bad_latency, check, first,
    impossible_procedure, named, positive, share,
};
use crate::{Latency, Procedure};

/// Points of work and time: `r-by-k`, `mixed` and `mix-line`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Work {
    /// How they were measured.
    pub procedure: Procedure,
    /// The points.
    pub points: Vec<WorkPoint>,
}

/// That many requests took so long, with `concurrency` of them in flight all the time.
///
/// Random accesses of `block_bytes` each, every one a request of its own. Per page of 4 KiB the random
/// fraction is r = 4096 / `block_bytes`: an access of 4 MiB is r = 0.1 %.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct WorkPoint {
    /// Reads, requests.
    pub reads: u64,
    /// Writes, requests.
    pub writes: u64,
    /// Bytes per request.
    pub block_bytes: u32,
    /// Share of the requests that jump, 0 to 1; the rest follow the previous request.
    pub random_fraction: f64,
    /// Requests in flight, of either kind.
    pub concurrency: u32,
    /// Time they took.
    pub seconds: f64,
    /// 95 % interval of `seconds`, bootstrap over epochs; `null` where fewer than two epochs were measured.
    #[serde(default)]
    pub seconds_ci: Option<[f64; 2]>,
    /// Latency of all requests; zeros where it was not measured (tables).
    #[serde(default)]
    pub latency_us: Latency,
    /// The processor, not the device, set the pace.
    #[serde(default)]
    pub cpu_bound: bool,
}

impl Record for Work {
    fn impossible(&self) -> Option<Impossible> {
        impossible_procedure(&self.procedure)
            .or_else(|| first("points", &self.points, |p| named(bad_work(p))))
    }
}

fn bad_work(point: &WorkPoint) -> Option<BadField> {
    check(point.reads > 0 || point.writes > 0, "reads", "reads or writes must be at least 1")
        .or_else(|| check(point.block_bytes > 0, "block_bytes", AT_LEAST_ONE))
        .or_else(|| check(share(point.random_fraction), "random_fraction", SHARE))
        .or_else(|| check(point.concurrency > 0, "concurrency", AT_LEAST_ONE))
        .or_else(|| check(positive(point.seconds), "seconds", POSITIVE))
        .or_else(|| check(point.seconds_ci.is_none_or(ascending), "seconds_ci", PAIR))
        .or_else(|| bad_latency(&point.latency_us))
}
