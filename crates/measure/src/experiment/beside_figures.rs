//! Latency of reads over concurrent writes.

use leadline_figures::chart::round;
use leadline_profile::Latency;

use super::figures::ends;

/// Reads one at a time during writes: `[share, writes, requests, mean, low, high, p50, p90, p99, p99.9]`,
/// with writes in bytes or requests per second and latencies in microseconds; a percentile that fewer than
/// ten requests exceeded is absent.
pub(super) type BesideRow = (f64, f64, u64, f64, Option<f64>, Option<f64>, [Option<f64>; 4]);

pub(super) fn beside(
    share: f64,
    written: f64,
    ops: u64,
    l: &Latency,
    mean_ci: Option<[f64; 2]>,
) -> BesideRow {
    let slower = [(0.5, l.p50), (0.1, l.p90), (0.01, l.p99), (1e-3, l.p99_9)];
    let (low, high) = ends(mean_ci);
    let percentiles = slower.map(|(share, us)| (ops as f64 * share >= 10.0).then(|| round(us)));
    (round(share), round(written), ops, round(l.mean), low, high, percentiles)
}
