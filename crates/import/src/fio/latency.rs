//! Latencies of one or several entries, in microseconds.

use std::collections::BTreeMap;

use leadline_profile::{Bin, Latency};

use super::document::{Side, Times};
use crate::interval::usable;

/// Percentiles of entries that differ by more are not put together.
const ALIKE: f64 = 1.1;

/// Latency of the requests of `sides`, and its histogram where fio wrote one. A percentile that fio did not
/// write is 0: not known.
///
/// The mean counts submission and completion, percentiles completion only: fio writes no others unless told.
pub(super) fn of_requests(sides: &[&Side]) -> (Latency, Vec<Bin>) {
    let completions: Vec<(&Times, f64)> = sides.iter().map(|side| side.completion()).collect();
    let whole: Vec<(&Times, f64)> = sides.iter().map(|side| side.whole()).collect();
    let histogram = histogram(&completions);
    let mut latency = percentiles(&completions, &histogram);
    latency.mean =
        mean(&whole.iter().map(|(times, unit)| (times.mean * unit, times.count)).collect::<Vec<_>>());
    latency.max = whole.iter().map(|(times, unit)| times.max * unit / 1e3).fold(0.0, f64::max);
    (latency, histogram)
}

/// Latency of flushes.
pub(super) fn of_flushes(times: &Times) -> Latency {
    let one = [(times, 1.0)];
    let latency = percentiles(&one, &histogram(&one));
    Latency { mean: times.mean / 1e3, max: (times.max / 1e3).max(0.0), ..latency }
}

/// Microseconds of several means in nanoseconds, each with how many it is of.
fn mean(means: &[(f64, f64)]) -> f64 {
    let count: f64 = means.iter().map(|(_, count)| count.max(1.0)).sum();
    means.iter().map(|(mean, count)| mean * count.max(1.0)).sum::<f64>() / count / 1e3
}

/// All bins together; none where an entry has none.
fn histogram(all: &[(&Times, f64)]) -> Vec<Bin> {
    let mut bins: BTreeMap<u64, u64> = BTreeMap::new();
    for (times, unit) in all {
        if times.bins.is_empty() {
            return Vec::new();
        }
        for (name, count) in &times.bins {
            let Some(ns) = name.parse::<f64>().ok().map(|time| time * unit).filter(|ns| usable(*ns)) else {
                return Vec::new();
            };
            let bin = bins.entry(ns as u64).or_default();
            *bin = bin.saturating_add(*count);
        }
    }
    let of = |(ns, count): (u64, u64)| Bin { upper_us: ns as f64 / 1e3, count };
    bins.into_iter().filter(|(ns, count)| *ns > 0 && *count > 0).map(of).collect()
}

fn percentiles(all: &[(&Times, f64)], histogram: &[Bin]) -> Latency {
    let at = |percent: f64| match quantile(histogram, percent / 100.0) {
        Some(us) => us,
        None => together(all, percent),
    };
    Latency {
        p50: at(50.0),
        p90: at(90.0),
        p99: at(99.0),
        p99_5: at(99.5),
        p99_9: at(99.9),
        p99_95: at(99.95),
        p99_99: at(99.99),
        ..Latency::default()
    }
}

/// By the histogram; `None` where there is none.
fn quantile(histogram: &[Bin], q: f64) -> Option<f64> {
    let total: f64 = histogram.iter().map(|bin| bin.count as f64).sum();
    let mut below = 0.0;
    histogram.iter().find_map(|bin| {
        below += bin.count as f64;
        (below >= q * total).then_some(bin.upper_us)
    })
}

/// As fio wrote it of each, where they are alike.
fn together(all: &[(&Times, f64)], percent: f64) -> f64 {
    let of = |(times, unit): &(&Times, f64)| {
        let is_it = |name: &str| name.parse::<f64>().is_ok_and(|named| (named - percent).abs() < 1e-6);
        let (_, time) = times.percentile.iter().find(|(name, _)| is_it(name))?;
        Some(time * unit / 1e3).filter(|us| usable(*us))
    };
    let Some(known) = all.iter().map(of).collect::<Option<Vec<f64>>>() else { return 0.0 };
    let (low, high) =
        known.iter().fold((f64::INFINITY, 0.0_f64), |(low, high), &us| (low.min(us), high.max(us)));
    if high <= ALIKE * low { known.iter().sum::<f64>() / known.len() as f64 } else { 0.0 }
}
