//! Durable appends and the ways to sync, as tables.

use leadline_profile::{FileState, Fsync, Latency, SyncMethods};

use super::table::{Line, titled};
use super::wrap;
use crate::durability::{appends, etcd_rule, fastest, file};
use crate::format::{block, count, micros, with_interval};

const PERCENTILES: [&str; 5] = ["p50", "p90", "p99", "p99.9", "max"];

pub(super) fn fsync(fsync: &Fsync, width: usize) -> Vec<String> {
    let row = |p: &leadline_profile::FsyncPoint| {
        let writers = if p.writers == 1 { "1 writer".to_owned() } else { format!("{} writers", p.writers) };
        let rate = with_interval(p.commits_per_second, p.commits_ci, count);
        (writers, std::iter::once(Some(rate)).chain(latencies(&p.latency_us)).collect())
    };
    let rows: Vec<Line> = fsync.points.iter().map(row).collect();
    let title = format!("Commits per second (95 % interval) and duration of fdatasync: {}", appends(fsync));
    vec![titled(&title, head("commits/s"), rows, width), wrap(&etcd_rule(fsync), width, "  ")]
}

pub(super) fn sync_methods(methods: &SyncMethods, width: usize) -> Vec<String> {
    let mut out = Vec::new();
    for state in FileState::ALL {
        let row = |p: &leadline_profile::SyncPoint| {
            let rate = with_interval(p.iops, p.iops_ci, count);
            (
                p.method.words().to_owned(),
                std::iter::once(Some(rate)).chain(latencies(&p.latency_us)).collect(),
            )
        };
        let rows: Vec<Line> = methods.points.iter().filter(|p| p.file == state).map(row).collect();
        if !rows.is_empty() {
            let size = block(methods.block_bytes);
            let title = format!("{}: durable writes of {size} per second, and their latency", file(state));
            out.push(titled(&title, head("writes/s"), rows, width));
        }
    }
    out.push(wrap(&fastest(methods).join(" "), width, "  "));
    out
}

fn head(rate: &str) -> Vec<String> {
    std::iter::once(rate).chain(PERCENTILES).map(str::to_owned).collect()
}

fn latencies(latency: &Latency) -> impl Iterator<Item = Option<String>> {
    let l = latency;
    [l.p50, l.p90, l.p99, l.p99_9, l.max].map(|us| Some(micros(us))).into_iter()
}
