//! What `burst` cannot have found.

use super::{
    AT_LEAST_ONE, Impossible, NOT_NEGATIVE, PAIR, POSITIVE, ascending, check, first, impossible_procedure,
    named, not_negative, positive,
};
use crate::{Burst, BurstLoad};

const POSITIVE_OR_NULL: &str = "must be a positive number or null";

pub(super) fn impossible(burst: &Burst) -> Option<Impossible> {
    let optional = |value: Option<f64>, name| check(value.is_none_or(positive), name, POSITIVE_OR_NULL);
    let interval = |ends: Option<[f64; 2]>, name| check(ends.is_none_or(ascending), name, PAIR);
    let bad = check(burst.block_bytes > 0, "block_bytes", AT_LEAST_ONE)
        .or_else(|| check(burst.concurrency > 0, "concurrency", AT_LEAST_ONE))
        .or_else(|| check(positive(burst.peak_iops), "peak_iops", POSITIVE))
        .or_else(|| interval(burst.peak_ci, "peak_ci"))
        .or_else(|| optional(burst.baseline_iops, "baseline_iops"))
        .or_else(|| interval(burst.baseline_ci, "baseline_ci"))
        .or_else(|| optional(burst.credit_ops, "credit_ops"))
        .or_else(|| interval(burst.credit_ci, "credit_ci"))
        .or_else(|| optional(burst.refill_per_second, "refill_per_second"))
        .or_else(|| interval(burst.refill_ci, "refill_ci"));
    impossible_procedure(&burst.procedure)
        .or_else(|| named(bad))
        .or_else(|| first("loads", &burst.loads, impossible_load))
}

fn impossible_load(load: &BurstLoad) -> Option<Impossible> {
    let fell = load.fell_at_seconds;
    let bad = check(not_negative(load.rest_seconds), "rest_seconds", NOT_NEGATIVE)
        .or_else(|| check(fell.is_none_or(positive), "fell_at_seconds", POSITIVE_OR_NULL))
        .or_else(|| {
            check(load.credit_ops.is_none_or(f64::is_finite), "credit_ops", "must be a number or null")
        });
    let impossible_sample = |&(at, iops): &(f64, f64)| !(not_negative(at) && not_negative(iops));
    let sample = load.samples.iter().position(impossible_sample);
    named(bad).or_else(|| sample.map(|i| (format!("samples[{i}]"), NOT_NEGATIVE)))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::super::tests::refusal_of;
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
        let again = DeviceProfile::parse(&sample().to_json(), Path::new("p.json")).unwrap();
        assert_eq!(again, sample());
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
        for (pointer, value, place) in cases {
            let said = refusal_of(&sample(), pointer, value);
            assert!(said.contains(place), "{pointer}: {said}");
        }
    }
}
