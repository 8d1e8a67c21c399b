//! What DAM, PDAM and PIO share: a cost per page, divided by the number of requests served at once.

use crate::Observations;
use leadline_profile::{OpKind, PAGE_BYTES};

/// Seconds per page; `None` where none was measured.
pub(super) type Side = Option<f64>;

/// Pages of a request; a fraction where it is smaller than a page.
pub(super) fn pages(block_bytes: u32) -> f64 {
    f64::from(block_bytes) / f64::from(PAGE_BYTES)
}

/// The page cost c that makes the logarithmic errors of `c * pages / at_once(k)` smallest over the
/// observations of `op` alone, and the weighted sum of their squares. `None` where there are none.
pub(super) fn page_cost(
    observations: &Observations,
    op: OpKind,
    at_once: impl Fn(u32) -> f64,
) -> Option<(f64, f64)> {
    let (mut weights, mut sum, mut squares) = (0.0, 0.0, 0.0);
    for o in observations.pure(op) {
        let log = (o.cost() / pages(o.workload.block_bytes) * at_once(o.concurrency())).ln();
        weights += o.weight;
        sum += o.weight * log;
        squares += o.weight * log * log;
    }
    let mean = sum / weights;
    (weights > 0.0).then(|| (mean.exp(), (squares - weights * mean * mean).max(0.0)))
}
