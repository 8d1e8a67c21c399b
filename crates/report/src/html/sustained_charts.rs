//! What the charts of burst and sustained writes draw.

use leadline_profile::{Sustained, SustainedLoad};
use serde::Serialize;

use super::chart_numbers::{Line, round};
use super::for_settings_charts::{BesideRow, beside_random};
use crate::format;

/// Bandwidth over bytes written, and latency of reads beside writes.
#[derive(Debug, Serialize)]
pub(super) struct SustainedChart {
    loads: Vec<LoadLine>,
    latencies: Vec<BesideRow>,
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

impl SustainedChart {
    pub(super) fn new(found: &Sustained) -> SustainedChart {
        SustainedChart {
            loads: found.loads.iter().map(load).collect(),
            latencies: found.latencies.iter().map(beside_random).collect(),
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
