//! Latencies of one kind of request over rounds: their distribution, and the interval of their mean.

use leadline_profile::{Latency, OpKind, Pattern};

use super::context::interval;
use crate::bootstrap::Resamples;
use crate::load::{Recorder, Spread, Workload};
use crate::summary::latency;

/// What was timed so far.
#[derive(Default)]
pub(super) struct Timed {
    latencies: Recorder,
    /// Requests and the sum of their latencies in nanoseconds, one entry a round.
    rounds: Vec<(f64, f64)>,
}

impl Timed {
    /// Adds one round's requests.
    pub(super) fn add(&mut self, ops: u64, latency_sum: u128, latencies: &Recorder) {
        self.rounds.push((ops as f64, latency_sum as f64));
        self.latencies.merge(latencies);
    }

    /// Requests timed.
    pub(super) fn ops(&self) -> u64 {
        self.latencies.count()
    }

    /// Rounds in which it was timed.
    pub(super) fn rounds(&self) -> usize {
        self.rounds.len()
    }

    /// All latencies.
    pub(super) fn latencies(&self) -> &Recorder {
        &self.latencies
    }

    /// Mean and percentiles, microseconds.
    pub(super) fn latency(&self) -> Latency {
        latency(&self.latencies, self.latencies.mean() / 1e3)
    }

    /// 95 % interval of the mean, microseconds.
    pub(super) fn mean_us_ci(&self, resamples: Option<&Resamples>) -> Option<[f64; 2]> {
        interval(resamples, self.mean_us(|_| 1.0), |counts| {
            self.mean_us(|round| f64::from(counts.get(round).copied().unwrap_or(0)))
        })
    }

    /// Each round weighted.
    fn mean_us(&self, weight: impl Fn(usize) -> f64) -> f64 {
        let (ops, sum) = self.rounds.iter().enumerate().fold((0.0, 0.0), |(ops, sum), (i, round)| {
            (ops + weight(i) * round.0, sum + weight(i) * round.1)
        });
        sum / ops / 1e3
    }
}

/// Requests of `block_bytes`, all reads or all writes, all random or all sequential.
pub(super) fn workload(op: OpKind, pattern: Pattern, durable: bool, block_bytes: u32) -> Workload {
    Workload {
        read_share: if op == OpKind::Read { 1.0 } else { 0.0 },
        block_bytes,
        random_fraction: if pattern == Pattern::Random { 1.0 } else { 0.0 },
        spread: Spread::Uniform,
        durable,
    }
}

/// `sequential reads`, `durable random writes`.
pub(super) fn words(op: OpKind, pattern: Pattern, durable: bool) -> String {
    let op = if op == OpKind::Read { "reads" } else { "writes" };
    let pattern = if pattern == Pattern::Random { "random" } else { "sequential" };
    format!("{}{pattern} {op}", if durable { "durable " } else { "" })
}
