//! What `fsync` and `sync-methods` say, in words, for the terminal and the page alike.

use leadline_profile::{FileState, Fsync, FsyncPoint, LogKind, SyncMethods, SyncPoint};

use crate::format::{count, micros, with_interval};

/// etcd's rule: the 99th percentile of fdatasync is to stay below this, microseconds (etcd documentation,
/// "Hardware recommendations" and the FAQ on disks).
pub(crate) const ETCD_P99_US: f64 = 10_000.0;

/// Whether etcd's rule is kept, and until how many writers; one or two sentences.
pub(crate) fn etcd_rule(fsync: &Fsync) -> String {
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
pub(crate) fn appends(fsync: &Fsync) -> String {
    let Fsync { append_bytes, sent_bytes, .. } = fsync;
    match fsync.log {
        LogKind::File => format!("appends of {append_bytes} bytes to one file, each followed by fdatasync"),
        LogKind::Device => {
            format!("appends of {append_bytes} bytes, each a write of {sent_bytes} bytes and a flush")
        }
    }
}

/// Which method is fastest on a file in each state; one sentence per state that was measured.
pub(crate) fn fastest(methods: &SyncMethods) -> Vec<String> {
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
pub(crate) fn file(state: FileState) -> &'static str {
    match state {
        FileState::Growing => "On a file that grows",
        FileState::Preallocated => "On a preallocated file",
        FileState::Written => "On a file that was written before",
    }
}

#[cfg(test)]
mod tests {
    use leadline_profile::{Latency, Procedure, SyncMethod};

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
            fastest(&SyncMethods { points, ..SyncMethods::default() }).concat()
        };
        assert!(
            of([500.0, 900.0, 600.0, 500.0])
                .contains("written before, fdatasync is the fastest: 900 (855–945)")
        );
        assert!(of([500.0, 900.0, 890.0, 500.0]).contains("fdatasync and O_DSYNC cannot be told apart"));
        assert!(of([900.0; 4]).contains("no method can be told from the fastest"));
    }
}
