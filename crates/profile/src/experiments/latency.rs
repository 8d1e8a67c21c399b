//! What `latency` found: how long one request at a time takes, and how much of that is software.

use serde::{Deserialize, Serialize};

use super::Record;
use super::range::{
    AT_LEAST_ONE, BadField, Impossible, PAIR, POSITIVE, ascending, bad_latency, check, first,
    impossible_procedure, named, positive,
};
use crate::{Bin, Latency, OpKind, Pattern, Procedure};

/// Latency distributions of one request at a time.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct LatencyDistributions {
    /// How they were measured.
    pub procedure: Procedure,
    /// Bytes per request.
    pub block_bytes: u32,
    /// One entry per operation and pattern.
    pub workloads: Vec<LatencyDistribution>,
}

/// One workload: each request is sent when the one before has completed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LatencyDistribution {
    /// Read or write.
    pub op: OpKind,
    /// Random or sequential.
    pub pattern: Pattern,
    /// Whether each write was durable on completion.
    #[serde(default)]
    pub durable: bool,
    /// Requests timed.
    pub ops: u64,
    /// Time they took.
    pub seconds: f64,
    /// As the program sees it: from the moment at which it begins to make the request until it has the
    /// completion.
    pub latency_us: Latency,
    /// 95 % interval of the mean, bootstrap over epochs.
    #[serde(default)]
    pub mean_us_ci: Option<[f64; 2]>,
    /// Mean time from right before the system call that submits the request until that call returns with the
    /// completion; absent on simulated devices.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub system_call_us: Option<f64>,
    /// The time below the block layer's surface, where the disk's counters tell it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub block_layer: Option<BlockLayerTime>,
    /// Latency histogram: ascending, not cumulative.
    #[serde(default)]
    pub histogram: Vec<Bin>,
}

/// How long requests took from the block layer's acceptance to their completion, by the disk's `stat` in
/// sysfs.
///
/// Over those stretches in which the disk counted the workload's requests and nothing else; absent where they
/// hold less than a quarter of the requests.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct BlockLayerTime {
    /// Requests in these stretches.
    pub ops: u64,
    /// Their mean latency as the program sees it.
    pub program_mean_us: f64,
    /// Their mean time in the block layer, the driver and the device.
    pub mean_us: f64,
}

impl LatencyDistribution {
    /// Share of the mean latency that passes outside of the system call, in the program itself, 0 to 1.
    pub fn program_share(&self) -> Option<f64> {
        share_outside(self.system_call_us?, self.latency_us.mean)
    }

    /// Share of the mean latency that passes above the block layer, in the program, the system call and the
    /// file system, 0 to 1.
    pub fn software_share(&self) -> Option<f64> {
        let time = self.block_layer?;
        share_outside(time.mean_us, time.program_mean_us)
    }
}

fn share_outside(part_us: f64, whole_us: f64) -> Option<f64> {
    let share = 1.0 - part_us / whole_us;
    share.is_finite().then(|| share.clamp(0.0, 1.0))
}

impl Record for LatencyDistributions {
    fn impossible(&self) -> Option<Impossible> {
        impossible_procedure(&self.procedure)
            .or_else(|| named(check(self.block_bytes > 0, "block_bytes", AT_LEAST_ONE)))
            .or_else(|| {
                first("workloads", &self.workloads, |workload| {
                    named(workload.bad()).or_else(|| {
                        first("histogram", &workload.histogram, |bin| {
                            named(check(positive(bin.upper_us), "upper_us", POSITIVE))
                        })
                    })
                })
            })
    }
}

impl LatencyDistribution {
    fn bad(&self) -> Option<BadField> {
        let positive_or_absent = |us: Option<f64>| us.is_none_or(positive);
        check(self.ops > 0, "ops", AT_LEAST_ONE)
            .or_else(|| check(positive(self.seconds), "seconds", POSITIVE))
            .or_else(|| check(positive(self.latency_us.mean), "latency_us.mean", POSITIVE))
            .or_else(|| bad_latency(&self.latency_us))
            .or_else(|| check(self.mean_us_ci.is_none_or(ascending), "mean_us_ci", PAIR))
            .or_else(|| check(positive_or_absent(self.system_call_us), "system_call_us", POSITIVE))
            .or_else(|| {
                let of =
                    |us: fn(&BlockLayerTime) -> f64| positive_or_absent(self.block_layer.as_ref().map(us));
                check(of(|time| time.mean_us), "block_layer.mean_us", POSITIVE)
                    .or_else(|| check(of(|t| t.program_mean_us), "block_layer.program_mean_us", POSITIVE))
            })
            .or_else(|| {
                let sum = self.histogram.iter().try_fold(0u64, |sum, bin| sum.checked_add(bin.count));
                let whole = self.histogram.is_empty() || sum == Some(self.ops);
                check(whole, "histogram", "must hold each of the requests once")
            })
    }
}
