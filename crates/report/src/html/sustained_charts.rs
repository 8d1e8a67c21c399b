//! What the charts of burst and sustained writes draw.

use leadline_profile::{Sustained, SustainedLoad, UnderLoad};
use serde::Serialize;

use super::chart_numbers::{Line, round};
use crate::format;

/// Bandwidth over bytes written, and latency of reads beside writes.
#[derive(Debug, Serialize)]
pub(super) struct SustainedChart {
    loads: Vec<LoadLine>,
    latencies: Vec<UnderLoadRow>,
}

#[derive(Debug, Serialize)]
struct LoadLine {
    pattern: &'static str,
    block: u32,
    k: u32,
    sustained: f64,
    ratio: f64,
    /// `[bytes, low, high]` of each cliff.
    cliffs: Vec<(f64, f64, f64)>,
    /// `[bytes written, bytes per second]`
    samples: Line,
}

/// `[share, bytes per second, requests, mean, low, high, p50, p90, p99, p99.9]`, microseconds; a percentile
/// that fewer than ten requests exceeded is absent.
type UnderLoadRow = (f64, f64, u64, f64, Option<f64>, Option<f64>, [Option<f64>; 4]);

impl SustainedChart {
    pub(super) fn new(found: &Sustained) -> SustainedChart {
        SustainedChart {
            loads: found.loads.iter().map(load).collect(),
            latencies: found.latencies.iter().map(latency).collect(),
        }
    }

    /// Whether reads were measured beside writes.
    pub(super) fn has_latencies(&self) -> bool {
        !self.latencies.is_empty()
    }
}

fn load(load: &SustainedLoad) -> LoadLine {
    LoadLine {
        pattern: format::pattern(load.pattern),
        block: load.block_bytes,
        k: load.concurrency,
        sustained: round(load.sustained_bytes_per_second),
        ratio: round(load.ratio),
        cliffs: load
            .cliffs
            .iter()
            .map(|cliff| (round(cliff.at_bytes), round(cliff.at_ci[0]), round(cliff.at_ci[1])))
            .collect(),
        samples: load.samples.iter().map(|&(at, rate)| (round(at), round(rate))).collect(),
    }
}

fn latency(point: &UnderLoad) -> UnderLoadRow {
    let l = &point.latency_us;
    let slower = [(0.5, l.p50), (0.1, l.p90), (0.01, l.p99), (1e-3, l.p99_9)];
    let (low, high) = point.mean_us_ci.map(|[low, high]| (round(low), round(high))).unzip();
    (
        round(point.write_share),
        round(point.bytes_per_second),
        point.ops,
        round(l.mean),
        low,
        high,
        slower.map(|(share, us)| (point.ops as f64 * share >= 10.0).then(|| round(us))),
    )
}
