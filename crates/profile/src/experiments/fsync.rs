//! What `fsync` found: how fast small appends become durable.

use serde::{Deserialize, Serialize};

use super::Record;
use super::range::{
    AT_LEAST_ONE, Impossible, PAIR, POSITIVE, ascending, bad_latency, check, first, impossible_procedure,
    named, positive,
};
use crate::{Latency, Procedure};

/// Appends, each made durable by an fdatasync, by several writers at once.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Fsync {
    /// How it was measured.
    #[serde(default)]
    pub procedure: Procedure,
    /// What was appended to.
    pub log: LogKind,
    /// Bytes of an append.
    pub append_bytes: u32,
    /// Bytes that were sent for each: those, or whole blocks where only whole blocks can be written.
    pub sent_bytes: u32,
    /// One entry per number of writers, ascending.
    pub points: Vec<FsyncPoint>,
}

/// What the appends went to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LogKind {
    /// A file, written through the page cache and made durable with fdatasync.
    File,
    /// The device itself: a write, and when it is done a flush.
    Device,
}

/// That many writers, each with one append under way.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct FsyncPoint {
    /// Writers.
    pub writers: u32,
    /// Appends that became durable.
    pub commits: u64,
    /// Time they took.
    pub seconds: f64,
    /// `commits / seconds`.
    pub commits_per_second: f64,
    /// Its 95 % interval, bootstrap over epochs.
    #[serde(default)]
    pub commits_ci: Option<[f64; 2]>,
    /// Duration of the fdatasync; with a device, of the write and the flush.
    pub latency_us: Latency,
}

impl Record for Fsync {
    fn impossible(&self) -> Option<Impossible> {
        impossible_procedure(&self.procedure)
            .or_else(|| {
                named(
                    check(self.append_bytes > 0, "append_bytes", AT_LEAST_ONE)
                        .or_else(|| check(self.sent_bytes > 0, "sent_bytes", AT_LEAST_ONE)),
                )
            })
            .or_else(|| first("points", &self.points, FsyncPoint::impossible))
    }
}

impl FsyncPoint {
    fn impossible(&self) -> Option<Impossible> {
        named(
            check(self.writers > 0, "writers", AT_LEAST_ONE)
                .or_else(|| check(self.commits > 0, "commits", AT_LEAST_ONE))
                .or_else(|| check(positive(self.seconds), "seconds", POSITIVE))
                .or_else(|| check(positive(self.commits_per_second), "commits_per_second", POSITIVE))
                .or_else(|| check(self.commits_ci.is_none_or(ascending), "commits_ci", PAIR))
                .or_else(|| bad_latency(&self.latency_us)),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::super::range::{assert_read_as_written, assert_refused};
    use super::*;
    use crate::{DeviceProfile, Experiments, Latency, LogKind, Procedure, SCHEMA};

    fn sample() -> DeviceProfile {
        let point = FsyncPoint {
            writers: 4,
            commits: 1000,
            seconds: 1.0,
            commits_per_second: 1000.0,
            commits_ci: Some([990.0, 1010.0]),
            latency_us: Latency { mean: 900.0, p50: 800.0, max: 9000.0, ..Latency::default() },
        };
        let fsync = Fsync {
            procedure: Procedure::default(),
            log: LogKind::File,
            append_bytes: 2300,
            sent_bytes: 2300,
            points: vec![point.clone(), point],
        };
        let experiments = Experiments { fsync: Some(fsync), ..Experiments::default() };
        DeviceProfile { schema: SCHEMA.to_owned(), experiments, ..DeviceProfile::default() }
    }

    #[test]
    fn what_is_possible_is_read_as_it_was_written() {
        assert_read_as_written(&sample());
    }

    #[test]
    fn impossible_values_are_refused_with_their_place() {
        let cases = [
            ("fsync/append_bytes", serde_json::json!(0), "fsync.append_bytes"),
            ("fsync/sent_bytes", serde_json::json!(0), "fsync.sent_bytes"),
            ("fsync/points/1/writers", serde_json::json!(0), "fsync.points[1].writers"),
            ("fsync/points/1/commits", serde_json::json!(0), "fsync.points[1].commits"),
            ("fsync/points/1/seconds", serde_json::json!(0.0), "fsync.points[1].seconds"),
            (
                "fsync/points/1/commits_per_second",
                serde_json::json!(-1.0),
                "fsync.points[1].commits_per_second",
            ),
            ("fsync/points/0/commits_ci", serde_json::json!([2.0, 1.0]), "fsync.points[0].commits_ci"),
            ("fsync/points/0/latency_us/p99", serde_json::json!(-1.0), "fsync.points[0].latency_us.p99"),
            ("fsync/procedure/measured_seconds", serde_json::json!(-1.0), "fsync.procedure.measured_seconds"),
        ];
        assert_refused(&sample(), cases);
    }
}
