//! What `fsync` shows: etcd's rule, commits per second and their latency.

use leadline_figures::Part;
use leadline_figures::chart::round;
use leadline_figures::number::{count, micros, with_interval};
use leadline_profile::{Fsync, FsyncPoint, LogKind};
use serde::Serialize;

use crate::experiment::figures::{Line, ends, rate_head, said, sync_latencies, table};

/// etcd's rule: the 99th percentile of fdatasync is to stay below this, microseconds (etcd documentation,
/// "Hardware recommendations" and the FAQ on disks).
const ETCD_P99_US: f64 = 10_000.0;

/// Drawn of the latencies.
const PERCENTILES: [&str; 4] = ["p50", "p90", "p99", "p99.9"];

/// `[writers, commits per second, low, high, microseconds of each percentile]`
type CommitRow = (u32, f64, Option<f64>, Option<f64>, [f64; PERCENTILES.len()]);

/// etcd's rule, and what was measured.
pub(super) fn sentences(fsync: &Fsync) -> Vec<String> {
    vec![etcd_rule(fsync), format!("Measured: {}.", appends(fsync))]
}

/// Whether etcd's rule is kept, and until how many writers; one or two sentences.
fn etcd_rule(fsync: &Fsync) -> String {
    let p99 = |p: &FsyncPoint| p.latency_us.p99;
    let kept = |p: &&FsyncPoint| p99(p) < ETCD_P99_US;
    let rule = "etcd asks for a p99 of fdatasync below 10 ms";
    let Some(one) = fsync.points.iter().find(|p| p.writers == 1) else {
        return format!("{rule}; nothing was measured with one writer.");
    };
    let verdict = if kept(&one) { "fast enough" } else { "too slow" };
    let first = format!("{rule}. With one writer, as etcd has, it is {}: {verdict}.", micros(p99(one)));
    let second = match (kept(&one), fsync.points.iter().find(|p| !kept(p))) {
        (true, None) => fsync.points.last().filter(|p| p.writers > 1).map(|most| {
            format!(" With {} writers it is {}, still fast enough.", most.writers, micros(p99(most)))
        }),
        (true, Some(p)) => Some(format!(" With {} writers it is {}: too slow.", p.writers, micros(p99(p)))),
        (false, _) => None,
    };
    first + &second.unwrap_or_default()
}

/// `appends of 2300 bytes to a file`.
fn appends(fsync: &Fsync) -> String {
    let Fsync { append_bytes, sent_bytes, .. } = fsync;
    match fsync.log {
        LogKind::File => format!("appends of {append_bytes} bytes to one file, each followed by fdatasync"),
        LogKind::Device => {
            format!("appends of {append_bytes} bytes, each a write of {sent_bytes} bytes and a flush")
        }
    }
}

pub(super) fn text(fsync: &Fsync) -> Vec<Part> {
    let row = |p: &FsyncPoint| {
        let writers = if p.writers == 1 { "1 writer".to_owned() } else { format!("{} writers", p.writers) };
        let rate = with_interval(p.commits_per_second, p.commits_ci, count);
        (writers, std::iter::once(Some(rate)).chain(sync_latencies(&p.latency_us)).collect())
    };
    let rows: Vec<Line> = fsync.points.iter().map(row).collect();
    let title = format!("Commits per second (95 % interval) and duration of fdatasync: {}", appends(fsync));
    vec![table(&title, rate_head("commits/s"), rows), said(etcd_rule(fsync))]
}

/// Commits over the number of writers.
#[derive(Debug, Serialize)]
pub(super) struct CommitChart {
    percentiles: [&'static str; PERCENTILES.len()],
    /// What etcd asks of p99, microseconds.
    etcd_us: f64,
    points: Vec<CommitRow>,
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

#[cfg(test)]
mod tests {
    use leadline_profile::{Latency, Procedure};

    use super::*;

    fn fsync(p99_ms: &[(u32, f64)]) -> Fsync {
        let point = |&(writers, ms): &(u32, f64)| FsyncPoint {
            writers,
            latency_us: Latency { p99: ms * 1e3, ..Latency::default() },
            ..FsyncPoint::default()
        };
        Fsync {
            procedure: Procedure::default(),
            log: LogKind::File,
            append_bytes: 2300,
            sent_bytes: 2300,
            points: p99_ms.iter().map(point).collect(),
        }
    }

    #[test]
    fn the_rule_of_etcd_is_judged_by_one_writer() {
        for (points, said) in [
            (vec![(1, 2.0), (16, 9.9)], vec!["2.00 ms: fast enough", "With 16 writers it is 9.90 ms, still"]),
            (
                vec![(1, 2.0), (8, 11.0), (16, 30.0)],
                vec!["fast enough", "With 8 writers it is 11.0 ms: too slow"],
            ),
            (vec![(1, 10.0), (16, 30.0)], vec!["10.0 ms: too slow"]),
            (vec![(2, 1.0)], vec!["nothing was measured with one writer"]),
        ] {
            let words = etcd_rule(&fsync(&points));
            for part in said {
                assert!(words.contains(part), "no {part:?} in {words:?}");
            }
        }
    }
}
