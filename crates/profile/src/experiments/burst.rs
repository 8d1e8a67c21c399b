//! What `burst` found: how long a volume does more than it can sustain.

use serde::{Deserialize, Serialize};

use crate::{OpKind, Procedure};

/// Credit of a volume that is fast until it is spent. The numbers of the limit are `null` where throughput
/// never fell.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Burst {
    /// How it was measured.
    #[serde(default)]
    pub procedure: Procedure,
    /// What the load was.
    pub operation: OpKind,
    /// Bytes per request, all of them random.
    pub block_bytes: u32,
    /// Requests in flight.
    pub concurrency: u32,
    /// Bytes that all loads moved.
    pub moved_bytes: u64,
    /// Throughput while there was credit, or of the whole load where it never fell, operations per second.
    pub peak_iops: f64,
    /// Its 95 % interval.
    #[serde(default)]
    pub peak_ci: Option<[f64; 2]>,
    /// Throughput after the credit was spent, operations per second.
    #[serde(default)]
    pub baseline_iops: Option<f64>,
    /// Its 95 % interval.
    #[serde(default)]
    pub baseline_ci: Option<[f64; 2]>,
    /// Operations that were done beyond what the baseline would have allowed.
    #[serde(default)]
    pub credit_ops: Option<f64>,
    /// Its 95 % interval.
    #[serde(default)]
    pub credit_ci: Option<[f64; 2]>,
    /// Credit regained by one second of rest, operations; `null` where no rest was short enough to tell.
    #[serde(default)]
    pub refill_per_second: Option<f64>,
    /// Its 95 % interval.
    #[serde(default)]
    pub refill_ci: Option<[f64; 2]>,
    /// Every load, in order.
    pub loads: Vec<BurstLoad>,
}

/// One load, from a rest to its end.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BurstLoad {
    /// Rest before it; 0 of the first.
    pub rest_seconds: f64,
    /// Seconds from its start until throughput fell; `null` where it did not.
    #[serde(default)]
    pub fell_at_seconds: Option<f64>,
    /// Operations beyond the baseline; `null` where it did not fall.
    #[serde(default)]
    pub credit_ops: Option<f64>,
    /// Throughput over time, ascending: `[seconds since its start, operations per second]`.
    pub samples: Vec<(f64, f64)>,
}
