//! What the chart of overwriting a full drive draws.

use leadline_profile::{Gc, GcPass};
use serde::Serialize;

use super::chart_numbers::{Line, round};
use super::reference;
use crate::gc::pass_name;

/// Bandwidth over time, pass after pass.
#[derive(Debug, Serialize)]
pub(super) struct GcChart {
    block: u32,
    k: u32,
    passes: Vec<PassLine>,
    reference: Vec<(&'static str, f64, f64)>,
}

#[derive(Debug, Serialize)]
struct PassLine {
    name: &'static str,
    drop: f64,
    robust: f64,
    amplification: Option<f64>,
    /// `[seconds, bytes per second]`
    windows: Line,
}

impl GcChart {
    /// `None` where there is nothing to draw.
    pub(super) fn new(found: &Gc) -> Option<GcChart> {
        let of = |pass: &GcPass| PassLine {
            name: pass_name(pass.kind),
            drop: round(pass.drop),
            robust: round(pass.drop_robust),
            amplification: pass.write_amplification.map(round),
            windows: pass.windows.iter().map(|&(at, rate)| (round(at), round(rate))).collect(),
        };
        let passes: Vec<PassLine> = found.passes.iter().map(of).collect();
        (!passes.is_empty()).then(|| GcChart {
            block: found.block_bytes,
            k: found.concurrency,
            passes,
            reference: reference::gc(),
        })
    }
}
