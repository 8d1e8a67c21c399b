//! What `sync-methods` found: the ways to make a write durable, compared.

use serde::{Deserialize, Serialize};

use super::Record;
use super::range::{
    AT_LEAST_ONE, Impossible, PAIR, POSITIVE, ascending, bad_latency, check, first, impossible_procedure,
    named, positive,
};
use crate::{Latency, Procedure};

/// Durable writes of one size by one writer, by every method, on a file in every state.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct SyncMethods {
    /// How they were measured.
    pub procedure: Procedure,
    /// Bytes per write.
    pub block_bytes: u32,
    /// One entry per method and state of the file.
    pub points: Vec<SyncPoint>,
}

/// How a write is made durable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SyncMethod {
    /// A write, then fsync.
    Fsync,
    /// A write, then fdatasync.
    Fdatasync,
    /// A write to a file that was opened with O_DSYNC.
    ODsync,
    /// A write by pwritev2 with RWF_DSYNC.
    RwfDsync,
}

impl SyncMethod {
    /// All four.
    pub const ALL: [SyncMethod; 4] =
        [SyncMethod::Fsync, SyncMethod::Fdatasync, SyncMethod::ODsync, SyncMethod::RwfDsync];

    /// As manual pages write it.
    pub fn words(self) -> &'static str {
        match self {
            SyncMethod::Fsync => "fsync",
            SyncMethod::Fdatasync => "fdatasync",
            SyncMethod::ODsync => "O_DSYNC",
            SyncMethod::RwfDsync => "RWF_DSYNC",
        }
    }
}

/// What the written part of the file was before the write.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FileState {
    /// Beyond the end of the file: every write makes it longer.
    Growing,
    /// Space that was set aside with fallocate and never written.
    Preallocated,
    /// Written before: an overwrite.
    Written,
}

impl FileState {
    /// All three, in the order in which they cost the file system less.
    pub const ALL: [FileState; 3] = [FileState::Growing, FileState::Preallocated, FileState::Written];

    /// In one word.
    pub fn words(self) -> &'static str {
        match self {
            FileState::Growing => "growing",
            FileState::Preallocated => "preallocated",
            FileState::Written => "written",
        }
    }
}

/// One method on a file in one state.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SyncPoint {
    /// The method.
    pub method: SyncMethod,
    /// The file's state.
    pub file: FileState,
    /// Writes that became durable.
    pub ops: u64,
    /// Time they took.
    pub seconds: f64,
    /// `ops / seconds`.
    pub iops: f64,
    /// Its 95 % interval, bootstrap over epochs.
    #[serde(default)]
    pub iops_ci: Option<[f64; 2]>,
    /// Latency of a write until it was durable.
    pub latency_us: Latency,
}

impl Record for SyncMethods {
    fn impossible(&self) -> Option<Impossible> {
        impossible_procedure(&self.procedure)
            .or_else(|| named(check(self.block_bytes > 0, "block_bytes", AT_LEAST_ONE)))
            .or_else(|| first("points", &self.points, SyncPoint::impossible))
    }
}

impl SyncPoint {
    fn impossible(&self) -> Option<Impossible> {
        named(
            check(self.ops > 0, "ops", AT_LEAST_ONE)
                .or_else(|| check(positive(self.seconds), "seconds", POSITIVE))
                .or_else(|| check(positive(self.iops), "iops", POSITIVE))
                .or_else(|| check(self.iops_ci.is_none_or(ascending), "iops_ci", PAIR))
                .or_else(|| bad_latency(&self.latency_us)),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::super::range::{assert_read_as_written, assert_refused};
    use super::*;
    use crate::{DeviceProfile, Experiments, FileState, Latency, SCHEMA, SyncMethod};

    fn sample() -> DeviceProfile {
        let point = SyncPoint {
            method: SyncMethod::RwfDsync,
            file: FileState::Preallocated,
            ops: 1000,
            seconds: 1.0,
            iops: 1000.0,
            iops_ci: Some([990.0, 1010.0]),
            latency_us: Latency { mean: 900.0, p50: 800.0, max: 9000.0, ..Latency::default() },
        };
        let points = vec![point.clone(), point];
        let methods = SyncMethods { block_bytes: 8192, points, ..SyncMethods::default() };
        let experiments = Experiments { sync_methods: Some(methods), ..Experiments::default() };
        DeviceProfile { schema: SCHEMA.to_owned(), experiments, ..DeviceProfile::default() }
    }

    #[test]
    fn what_is_possible_is_read_as_it_was_written() {
        assert_read_as_written(&sample());
    }

    #[test]
    fn impossible_values_are_refused_with_their_place() {
        let cases = [
            ("sync-methods/block_bytes", serde_json::json!(0), "sync-methods.block_bytes"),
            ("sync-methods/points/1/ops", serde_json::json!(0), "sync-methods.points[1].ops"),
            ("sync-methods/points/1/seconds", serde_json::json!(0.0), "sync-methods.points[1].seconds"),
            ("sync-methods/points/1/iops", serde_json::json!(-1.0), "sync-methods.points[1].iops"),
            (
                "sync-methods/points/0/iops_ci",
                serde_json::json!([2.0, 1.0]),
                "sync-methods.points[0].iops_ci",
            ),
            (
                "sync-methods/points/0/latency_us/p99",
                serde_json::json!(-1.0),
                "sync-methods.points[0].latency_us.p99",
            ),
            ("sync-methods/points/0/method", serde_json::json!("flush"), "p.json"),
            (
                "sync-methods/procedure/measured_seconds",
                serde_json::json!(-1.0),
                "sync-methods.procedure.measured_seconds",
            ),
        ];
        assert_refused(&sample(), cases);
    }
}
