//! What `sync-methods` cannot have found.

use super::{
    AT_LEAST_ONE, Impossible, PAIR, POSITIVE, ascending, bad_latency, check, first, impossible_procedure,
    named, positive,
};
use crate::{SyncMethods, SyncPoint};

pub(super) fn impossible(methods: &SyncMethods) -> Option<Impossible> {
    impossible_procedure(&methods.procedure)
        .or_else(|| named(check(methods.block_bytes > 0, "block_bytes", AT_LEAST_ONE)))
        .or_else(|| first("points", &methods.points, impossible_point))
}

fn impossible_point(point: &SyncPoint) -> Option<Impossible> {
    named(
        check(point.ops > 0, "ops", AT_LEAST_ONE)
            .or_else(|| check(positive(point.seconds), "seconds", POSITIVE))
            .or_else(|| check(positive(point.iops), "iops", POSITIVE))
            .or_else(|| check(point.iops_ci.is_none_or(ascending), "iops_ci", PAIR))
            .or_else(|| bad_latency(&point.latency_us)),
    )
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::super::tests::refusal_of;
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
        let again = DeviceProfile::parse(&sample().to_json(), Path::new("p.json")).unwrap();
        assert_eq!(again, sample());
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
        for (pointer, value, place) in cases {
            let said = refusal_of(&sample(), pointer, value);
            assert!(said.contains(place), "{pointer}: {said}");
        }
    }
}
