//! What `ladder` found: latency over load.

use serde::{Deserialize, Serialize};

use super::Record;
use super::range::{
    AT_LEAST_ONE, BadField, Impossible, PAIR, POSITIVE, SHARE, ascending, bad_latency, check, first,
    impossible_procedure, named, positive, share,
};
use crate::{Latency, Procedure};

/// Latency over load.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Ladder {
    /// How it was measured.
    pub procedure: Procedure,
    /// Bytes per request, all of them random.
    pub block_bytes: u32,
    /// One entry per mix, ascending in `read_share`.
    pub mixes: Vec<LadderMix>,
}

/// The rungs of one mix.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct LadderMix {
    /// Share of reads, 0 to 1.
    pub read_share: f64,
    /// Closed-loop throughput of this mix at `capacity_concurrency`, measured in the same run, operations a
    /// second.
    pub capacity_iops: f64,
    /// Its 95 % interval, bootstrap over epochs: how steady the device was.
    #[serde(default)]
    pub capacity_ci: Option<[f64; 2]>,
    /// Requests in flight when it was measured.
    pub capacity_concurrency: u32,
    /// Ascending in `offered_iops`.
    pub rungs: Vec<Rung>,
}

/// One offered rate.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Rung {
    /// Requests per second that should have started, Poisson.
    pub offered_iops: f64,
    /// Requests per second that were completed.
    pub iops: f64,
    /// Requests timed.
    pub ops: u64,
    /// Latency from the intended start.
    pub latency_us: Latency,
}

impl Record for Ladder {
    fn impossible(&self) -> Option<Impossible> {
        impossible_procedure(&self.procedure)
            .or_else(|| named(check(self.block_bytes > 0, "block_bytes", AT_LEAST_ONE)))
            .or_else(|| {
                first("mixes", &self.mixes, |mix| {
                    named(bad_mix(mix)).or_else(|| first("rungs", &mix.rungs, |rung| named(bad_rung(rung))))
                })
            })
    }
}

fn bad_mix(mix: &LadderMix) -> Option<BadField> {
    check(share(mix.read_share), "read_share", SHARE)
        .or_else(|| check(positive(mix.capacity_iops), "capacity_iops", POSITIVE))
        .or_else(|| check(mix.capacity_ci.is_none_or(ascending), "capacity_ci", PAIR))
        .or_else(|| check(mix.capacity_concurrency > 0, "capacity_concurrency", AT_LEAST_ONE))
}

fn bad_rung(rung: &Rung) -> Option<BadField> {
    check(positive(rung.offered_iops), "offered_iops", POSITIVE)
        .or_else(|| check(positive(rung.iops), "iops", POSITIVE))
        .or_else(|| check(rung.ops > 0, "ops", AT_LEAST_ONE))
        .or_else(|| bad_latency(&rung.latency_us))
}
