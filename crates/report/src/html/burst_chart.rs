//! What the chart of burst credit draws.

use leadline_profile::{Burst, BurstLoad};
use serde::Serialize;

use super::chart_numbers::{Line, round};
use crate::burst::operation;

/// Throughput over time, of every load.
#[derive(Debug, Serialize)]
pub(super) struct BurstChart {
    op: &'static str,
    baseline: Option<f64>,
    loads: Vec<LoadLine>,
}

#[derive(Debug, Serialize)]
struct LoadLine {
    /// Seconds of rest before it.
    rest: f64,
    /// Seconds until throughput fell.
    fell: Option<f64>,
    /// Operations beyond the baseline.
    credit: Option<f64>,
    /// `[seconds, iops]`
    samples: Line,
}

impl BurstChart {
    pub(super) fn new(burst: &Burst) -> BurstChart {
        let of = |load: &BurstLoad| LoadLine {
            rest: round(load.rest_seconds),
            fell: load.fell_at_seconds.map(round),
            credit: load.credit_ops.map(round),
            samples: load.samples.iter().map(|&(at, iops)| (round(at), round(iops))).collect(),
        };
        BurstChart {
            op: operation(burst.operation),
            baseline: burst.baseline_iops.map(round),
            loads: burst.loads.iter().map(of).collect(),
        }
    }
}
