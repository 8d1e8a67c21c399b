//! What `durable-writes` found: how many pages a database may make durable before its reads suffer.

use serde::{Deserialize, Serialize};

use super::Record;
use super::range::{
    AT_LEAST_ONE, BadField, Impossible, NOT_NEGATIVE, PAIR, POSITIVE, SHARE, ascending, bad_latency, check,
    first, impossible_procedure, named, not_negative, positive, share,
};
use crate::{Latency, Procedure};

/// Random durable writes at shares of what the device can do of them, and reads of the same size one at a
/// time next to them.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct DurableWrites {
    /// How it was measured.
    pub procedure: Procedure,
    /// Bytes per request, reads and writes.
    pub block_bytes: u32,
    /// Writes in flight when the capacity was measured.
    pub capacity_concurrency: u32,
    /// Closed-loop throughput of durable writes at that concurrency, without other load.
    pub capacity_writes_per_second: f64,
    /// Its 95 % interval, bootstrap over epochs.
    pub capacity_ci: Option<[f64; 2]>,
    /// Latency of these writes.
    pub capacity_latency_us: Latency,
    /// Ascending in `write_share`; the first has no writes.
    pub points: Vec<DurableWritesPoint>,
}

/// Reads one at a time during durable writes that arrive as a Poisson process.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct DurableWritesPoint {
    /// Writes offered / capacity, 0 to 1.
    pub write_share: f64,
    /// Writes that should have started, per second.
    pub offered_writes_per_second: f64,
    /// Writes that were completed, per second.
    pub writes_per_second: f64,
    /// Whether the device does not sustain that rate during reads: clearly fewer were completed than
    /// offered, or some still waited to be sent at the end of most slices.
    #[serde(default)]
    pub fell_behind: bool,
    /// Reads timed.
    pub ops: u64,
    /// Their latency.
    pub latency_us: Latency,
    /// 95 % interval of the mean, bootstrap over epochs.
    #[serde(default)]
    pub mean_us_ci: Option<[f64; 2]>,
}

impl DurableWrites {
    /// The point with the most writes at which, as at all with fewer, the 99th percentile of reads is within
    /// this limit and the device keeps up; `None` where reads alone exceed the limit.
    pub fn most_writes(&self, read_p99_limit_us: f64) -> Option<&DurableWritesPoint> {
        let within = |p: &&DurableWritesPoint| p.latency_us.p99 <= read_p99_limit_us && !p.fell_behind;
        self.points.iter().take_while(within).last()
    }
}

impl Record for DurableWrites {
    fn impossible(&self) -> Option<Impossible> {
        let Self { capacity_writes_per_second: capacity, capacity_ci: ci, .. } = *self;
        let bad = check(self.block_bytes > 0, "block_bytes", AT_LEAST_ONE)
            .or_else(|| check(self.capacity_concurrency > 0, "capacity_concurrency", AT_LEAST_ONE))
            .or_else(|| check(positive(capacity), "capacity_writes_per_second", POSITIVE))
            .or_else(|| check(ci.is_none_or(ascending), "capacity_ci", PAIR));
        impossible_procedure(&self.procedure)
            .or_else(|| named(bad))
            .or_else(|| {
                let bad = bad_latency(&self.capacity_latency_us);
                named(bad).map(|(place, reason)| (format!("capacity_{place}"), reason))
            })
            .or_else(|| first("points", &self.points, |point| named(point.bad())))
    }
}

impl DurableWritesPoint {
    fn bad(&self) -> Option<BadField> {
        check(share(self.write_share), "write_share", SHARE)
            .or_else(|| {
                let fine = not_negative(self.offered_writes_per_second);
                check(fine, "offered_writes_per_second", NOT_NEGATIVE)
            })
            .or_else(|| check(not_negative(self.writes_per_second), "writes_per_second", NOT_NEGATIVE))
            .or_else(|| check(self.ops > 0, "ops", AT_LEAST_ONE))
            .or_else(|| bad_latency(&self.latency_us))
            .or_else(|| check(self.mean_us_ci.is_none_or(ascending), "mean_us_ci", PAIR))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::range::{assert_read_as_written, assert_refused};
    use super::*;
    use crate::{DeviceProfile, Experiments, SCHEMA};

    /// Reads get slower by 100 us with every tenth.
    fn found() -> DurableWrites {
        let point = |tenths: u32| DurableWritesPoint {
            write_share: f64::from(tenths) / 10.0,
            offered_writes_per_second: f64::from(tenths) * 100.0,
            writes_per_second: f64::from(tenths) * 99.0,
            fell_behind: false,
            ops: 1000,
            latency_us: Latency { mean: 50.0, p99: 100.0 * f64::from(tenths + 1), ..Latency::default() },
            mean_us_ci: Some([49.0, 51.0]),
        };
        DurableWrites {
            block_bytes: 16384,
            capacity_concurrency: 32,
            capacity_writes_per_second: 1000.0,
            capacity_ci: Some([990.0, 1010.0]),
            capacity_latency_us: Latency { mean: 32_000.0, ..Latency::default() },
            points: (0..=9).map(point).collect(),
            ..DurableWrites::default()
        }
    }

    fn sample() -> DeviceProfile {
        let experiments = Experiments { durable_writes: Some(found()), ..Experiments::default() };
        DeviceProfile { schema: SCHEMA.to_owned(), experiments, ..DeviceProfile::default() }
    }

    #[test]
    fn what_is_possible_is_read_as_it_was_written() {
        assert_read_as_written(&sample());
    }

    #[test]
    fn impossible_values_are_refused_with_their_place() {
        let cases = [
            ("block_bytes", json!(0), "block_bytes"),
            ("capacity_concurrency", json!(0), "capacity_concurrency"),
            ("capacity_writes_per_second", json!(0.0), "capacity_writes_per_second"),
            ("capacity_ci", json!([2.0, 1.0]), "capacity_ci"),
            ("capacity_latency_us/p99", json!(-1.0), "capacity_latency_us.p99"),
            ("points/1/write_share", json!(1.5), "points[1].write_share"),
            ("points/1/offered_writes_per_second", json!(-1.0), "points[1].offered_writes_per_second"),
            ("points/1/writes_per_second", json!(-1.0), "points[1].writes_per_second"),
            ("points/0/ops", json!(0), "points[0].ops"),
            ("points/0/latency_us/max", json!(-1.0), "points[0].latency_us.max"),
            ("points/0/mean_us_ci", json!([2.0, 1.0]), "points[0].mean_us_ci"),
            ("procedure/measured_seconds", json!(-1.0), "procedure.measured_seconds"),
        ];
        for (pointer, value, place) in cases {
            let (pointer, place) = (format!("durable-writes/{pointer}"), format!("durable-writes.{place}"));
            assert_refused(&sample(), [(&pointer, value, &place)]);
        }
    }

    #[test]
    fn the_most_writes_are_those_up_to_which_reads_stay_within_the_limit() {
        let share = |found: &DurableWrites, limit| found.most_writes(limit).map(|point| point.write_share);
        assert_eq!(share(&found(), 500.0), Some(0.4));
        assert_eq!(share(&found(), 499.0), Some(0.3));
        assert_eq!(share(&found(), 1e9), Some(0.9));
        assert_eq!(share(&found(), 99.0), None, "reads alone take longer");
        let mut slow_at_first = found();
        slow_at_first.points[2].latency_us.p99 = 1e6;
        assert_eq!(share(&slow_at_first, 500.0), Some(0.1), "what comes after a miss is luck");
        let mut behind = found();
        behind.points[3].fell_behind = true;
        assert_eq!(share(&behind, 500.0), Some(0.2));
    }
}
