//! What `sync-methods` shows: the fastest method, durable writes per second and their latency.

use leadline_figures::Part;
use leadline_figures::chart::round;
use leadline_figures::number::{block, count, with_interval};
use leadline_profile::{FileState, SyncMethod, SyncMethods, SyncPoint};
use serde::Serialize;

use crate::experiment::figures::{Line, ends, rate_head, said, sync_latencies, table};

/// `[index of the method, writes per second, low, high, p50, p99 in microseconds]`
type SyncRow = (usize, f64, Option<f64>, Option<f64>, f64, f64);

/// Which method is fastest on a file in each state; one sentence per state that was measured.
pub(super) fn sentences(methods: &SyncMethods) -> Vec<String> {
    FileState::ALL.into_iter().filter_map(|state| fastest_on(methods, state)).collect()
}

fn fastest_on(methods: &SyncMethods, state: FileState) -> Option<String> {
    let here = || methods.points.iter().filter(|p| p.file == state);
    let best = here().max_by(|a, b| a.iops.total_cmp(&b.iops))?;
    let low = |p: &SyncPoint| p.iops_ci.map_or(p.iops, |[low, _]| low);
    let high = |p: &SyncPoint| p.iops_ci.map_or(p.iops, |[_, high]| high);
    let equal: Vec<&str> = here().filter(|p| high(p) >= low(best)).map(|p| p.method.words()).collect();
    let rate = with_interval(best.iops, best.iops_ci, count);
    let file = file(state);
    Some(if equal.len() > 1 && equal.len() == here().count() {
        format!("{file}, no method can be told from the fastest: {rate} writes per second.")
    } else if equal.len() > 1 {
        let (last, others) = equal.split_last().unwrap_or((&"", &[]));
        let names = format!("{} and {last}", others.join(", "));
        format!("{file}, {names} cannot be told apart and are the fastest: {rate} writes per second.")
    } else {
        format!("{file}, {} is the fastest: {rate} writes per second.", best.method.words())
    })
}

/// `On a file that grows`.
fn file(state: FileState) -> &'static str {
    match state {
        FileState::Growing => "On a file that grows",
        FileState::Preallocated => "On a preallocated file",
        FileState::Written => "On a file that was written before",
    }
}

pub(super) fn text(methods: &SyncMethods) -> Vec<Part> {
    let mut out = Vec::new();
    for state in FileState::ALL {
        let row = |p: &SyncPoint| {
            let rate = with_interval(p.iops, p.iops_ci, count);
            (
                p.method.words().to_owned(),
                std::iter::once(Some(rate)).chain(sync_latencies(&p.latency_us)).collect(),
            )
        };
        let rows: Vec<Line> = methods.points.iter().filter(|p| p.file == state).map(row).collect();
        if !rows.is_empty() {
            let size = block(methods.block_bytes);
            let title = format!("{}: durable writes of {size} per second, and their latency", file(state));
            out.push(table(&title, rate_head("writes/s"), rows));
        }
    }
    out.push(said(sentences(methods).join(" ")));
    out
}

/// Durable writes per second, by state of the file and method.
#[derive(Debug, Serialize)]
pub(super) struct SyncChart {
    block: u32,
    methods: [&'static str; SyncMethod::ALL.len()],
    files: Vec<SyncBars>,
}

#[derive(Debug, Serialize)]
struct SyncBars {
    file: &'static str,
    points: Vec<SyncRow>,
}

impl SyncChart {
    pub(super) fn new(methods: &SyncMethods) -> SyncChart {
        let point = |p: &SyncPoint| {
            let (low, high) = ends(p.iops_ci);
            let method = SyncMethod::ALL.iter().position(|method| *method == p.method)?;
            Some((method, round(p.iops), low, high, round(p.latency_us.p50), round(p.latency_us.p99)))
        };
        let bars = |file: FileState| {
            let here = methods.points.iter().filter(|p| p.file == file);
            SyncBars { file: file.words(), points: here.filter_map(point).collect() }
        };
        SyncChart {
            block: methods.block_bytes,
            methods: SyncMethod::ALL.map(SyncMethod::words),
            files: FileState::ALL.map(bars).into_iter().filter(|bars| !bars.points.is_empty()).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use leadline_profile::Latency;

    use super::*;

    #[test]
    fn methods_that_cannot_be_told_apart_are_named_together() {
        let point = |method, iops: f64| SyncPoint {
            method,
            file: FileState::Written,
            ops: 100,
            seconds: 1.0,
            iops,
            iops_ci: Some([iops * 0.95, iops * 1.05]),
            latency_us: Latency::default(),
        };
        let of = |rates: [f64; 4]| {
            let points = SyncMethod::ALL.into_iter().zip(rates).map(|(m, rate)| point(m, rate)).collect();
            sentences(&SyncMethods { points, ..SyncMethods::default() }).concat()
        };
        assert!(
            of([500.0, 900.0, 600.0, 500.0])
                .contains("written before, fdatasync is the fastest: 900 (855–945)")
        );
        assert!(of([500.0, 900.0, 890.0, 500.0]).contains("fdatasync and O_DSYNC cannot be told apart"));
        assert!(of([900.0; 4]).contains("no method can be told from the fastest"));
    }
}
