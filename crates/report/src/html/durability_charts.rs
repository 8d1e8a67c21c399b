//! What the charts of durable writes draw.

use leadline_profile::{FileState, Fsync, FsyncPoint, SyncMethod, SyncMethods, SyncPoint};
use serde::Serialize;

use super::chart_numbers::round;
use crate::durability::ETCD_P99_US;

/// Drawn of the latencies.
const PERCENTILES: [&str; 4] = ["p50", "p90", "p99", "p99.9"];

/// `[writers, commits per second, low, high, microseconds of each percentile]`
type CommitRow = (u32, f64, Option<f64>, Option<f64>, [f64; PERCENTILES.len()]);

/// `[index of the method, writes per second, low, high, p50, p99 in microseconds]`
type SyncRow = (usize, f64, Option<f64>, Option<f64>, f64, f64);

/// Commits over the number of writers.
#[derive(Debug, Serialize)]
pub(super) struct CommitChart {
    percentiles: [&'static str; PERCENTILES.len()],
    /// What etcd asks of p99, microseconds.
    etcd_us: f64,
    points: Vec<CommitRow>,
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

impl CommitChart {
    pub(super) fn new(fsync: &Fsync) -> CommitChart {
        let point = |p: &FsyncPoint| {
            let (low, high) = ends(p.commits_ci);
            let l = &p.latency_us;
            let latency = [l.p50, l.p90, l.p99, l.p99_9].map(round);
            (p.writers, round(p.commits_per_second), low, high, latency)
        };
        CommitChart {
            percentiles: PERCENTILES,
            etcd_us: ETCD_P99_US,
            points: fsync.points.iter().map(point).collect(),
        }
    }
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

fn ends(ci: Option<[f64; 2]>) -> (Option<f64>, Option<f64>) {
    ci.map(|[low, high]| (round(low), round(high))).unzip()
}
