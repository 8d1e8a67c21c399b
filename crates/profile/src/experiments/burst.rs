//! What `burst` found: how long a volume does more than it can sustain.

use serde::{Deserialize, Serialize};

use super::Record;
use super::range::{
    AT_LEAST_ONE, Impossible, NOT_NEGATIVE, PAIR, POSITIVE, ascending, check, first, impossible_procedure,
    named, not_negative, positive,
};
use crate::{OpKind, Procedure};

const POSITIVE_OR_NULL: &str = "must be a positive number or null";

/// Credit of a volume that is fast until it is spent. The numbers of the limit are `null` where throughput
/// never fell.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Burst {
    /// How it was measured.
    #[serde(default)]
    pub procedure: Procedure,
    /// What the load was.
    pub operation: OpKind,
    /// Bytes per request, all of them random.
    pub block_bytes: u32,
    /// Requests in flight.
    pub concurrency: u32,
    /// Bytes that all loads moved.
    pub moved_bytes: u64,
    /// Throughput while there was credit, or of the whole load where it never fell, operations per second.
    pub peak_iops: f64,
    /// Its 95 % interval.
    #[serde(default)]
    pub peak_ci: Option<[f64; 2]>,
    /// Throughput after the credit was spent, operations per second.
    #[serde(default)]
    pub baseline_iops: Option<f64>,
    /// Its 95 % interval.
    #[serde(default)]
    pub baseline_ci: Option<[f64; 2]>,
    /// Operations that were done beyond what the baseline would have allowed.
    #[serde(default)]
    pub credit_ops: Option<f64>,
    /// Its 95 % interval.
    #[serde(default)]
    pub credit_ci: Option<[f64; 2]>,
    /// Credit regained by one second of rest, operations; `null` where no rest was short enough to tell.
    #[serde(default)]
    pub refill_per_second: Option<f64>,
    /// Its 95 % interval.
    #[serde(default)]
    pub refill_ci: Option<[f64; 2]>,
    /// Every load, in order.
    pub loads: Vec<BurstLoad>,
}

/// One load, from a rest to its end.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BurstLoad {
    /// Rest before it; 0 of the first.
    pub rest_seconds: f64,
    /// Seconds from its start until throughput fell; `null` where it did not.
    #[serde(default)]
    pub fell_at_seconds: Option<f64>,
    /// Operations beyond the baseline; `null` where it did not fall.
    #[serde(default)]
    pub credit_ops: Option<f64>,
    /// Throughput over time, ascending: `[seconds since its start, operations per second]`.
    pub samples: Vec<(f64, f64)>,
}

impl Record for Burst {
    fn impossible(&self) -> Option<Impossible> {
        let optional = |value: Option<f64>, name| check(value.is_none_or(positive), name, POSITIVE_OR_NULL);
        let interval = |ends: Option<[f64; 2]>, name| check(ends.is_none_or(ascending), name, PAIR);
        let bad = check(self.block_bytes > 0, "block_bytes", AT_LEAST_ONE)
            .or_else(|| check(self.concurrency > 0, "concurrency", AT_LEAST_ONE))
            .or_else(|| check(positive(self.peak_iops), "peak_iops", POSITIVE))
            .or_else(|| interval(self.peak_ci, "peak_ci"))
            .or_else(|| optional(self.baseline_iops, "baseline_iops"))
            .or_else(|| interval(self.baseline_ci, "baseline_ci"))
            .or_else(|| optional(self.credit_ops, "credit_ops"))
            .or_else(|| interval(self.credit_ci, "credit_ci"))
            .or_else(|| optional(self.refill_per_second, "refill_per_second"))
            .or_else(|| interval(self.refill_ci, "refill_ci"));
        impossible_procedure(&self.procedure)
            .or_else(|| named(bad))
            .or_else(|| first("loads", &self.loads, BurstLoad::impossible))
    }
}

impl BurstLoad {
    fn impossible(&self) -> Option<Impossible> {
        let fell = self.fell_at_seconds;
        let bad = check(not_negative(self.rest_seconds), "rest_seconds", NOT_NEGATIVE)
            .or_else(|| check(fell.is_none_or(positive), "fell_at_seconds", POSITIVE_OR_NULL))
            .or_else(|| {
                check(self.credit_ops.is_none_or(f64::is_finite), "credit_ops", "must be a number or null")
            });
        let impossible_sample = |&(at, iops): &(f64, f64)| !(not_negative(at) && not_negative(iops));
        let sample = self.samples.iter().position(impossible_sample);
        named(bad).or_else(|| sample.map(|i| (format!("samples[{i}]"), NOT_NEGATIVE)))
    }
}

#[cfg(test)]
mod tests {
    use super::super::range::{assert_read_as_written, assert_refused};
    use super::*;
    use crate::{DeviceProfile, Experiments, OpKind, Procedure, SCHEMA};

    fn sample() -> DeviceProfile {
        let load = BurstLoad {
            rest_seconds: 0.0,
            fell_at_seconds: Some(10.0),
            credit_ops: Some(9000.0),
            samples: vec![(0.0, 1000.0), (0.1, 990.0)],
        };
        let burst = Burst {
            procedure: Procedure::default(),
            operation: OpKind::Read,
            block_bytes: 4096,
            concurrency: 128,
            moved_bytes: 1 << 30,
            peak_iops: 1000.0,
            peak_ci: Some([990.0, 1010.0]),
            baseline_iops: Some(100.0),
            baseline_ci: Some([99.0, 101.0]),
            credit_ops: Some(9000.0),
            credit_ci: Some([8900.0, 9100.0]),
            refill_per_second: Some(100.0),
            refill_ci: Some([98.0, 102.0]),
            loads: vec![load.clone(), load],
        };
        let experiments = Experiments { burst: Some(burst), ..Experiments::default() };
        DeviceProfile { schema: SCHEMA.to_owned(), experiments, ..DeviceProfile::default() }
    }

    #[test]
    fn what_is_possible_is_read_as_it_was_written() {
        assert_read_as_written(&sample());
    }

    #[test]
    fn impossible_values_are_refused_with_their_place() {
        let cases = [
            ("burst/block_bytes", serde_json::json!(0), "burst.block_bytes"),
            ("burst/concurrency", serde_json::json!(0), "burst.concurrency"),
            ("burst/peak_iops", serde_json::json!(-1.0), "burst.peak_iops"),
            ("burst/peak_ci", serde_json::json!([2.0, 1.0]), "burst.peak_ci"),
            ("burst/baseline_iops", serde_json::json!(0.0), "burst.baseline_iops"),
            ("burst/baseline_ci", serde_json::json!([0.0, 1.0]), "burst.baseline_ci"),
            ("burst/credit_ops", serde_json::json!(-5.0), "burst.credit_ops"),
            ("burst/credit_ci", serde_json::json!([3.0, 2.0]), "burst.credit_ci"),
            ("burst/refill_per_second", serde_json::json!(-5.0), "burst.refill_per_second"),
            ("burst/refill_ci", serde_json::json!([3.0, 2.0]), "burst.refill_ci"),
            ("burst/loads/1/rest_seconds", serde_json::json!(-1.0), "burst.loads[1].rest_seconds"),
            ("burst/loads/1/fell_at_seconds", serde_json::json!(0.0), "burst.loads[1].fell_at_seconds"),
            ("burst/loads/0/samples/1", serde_json::json!([0.5, -1.0]), "burst.loads[0].samples[1]"),
            ("burst/procedure/measured_seconds", serde_json::json!(-1.0), "burst.procedure.measured_seconds"),
        ];
        assert_refused(&sample(), cases);
    }
}
