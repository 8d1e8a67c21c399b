//! What no experiment can have found. Models divide by these numbers, so that a profile with such values is
//! not loaded.

mod burst;
mod fsync;
mod sync_methods;

use super::{Experiments, Ladder, LadderMix, PioClasses, PioPoint, Procedure, Rung, Work, WorkPoint};
use crate::Latency;

/// The place of a value, from the experiment on, and what is wrong with it.
pub(crate) type Impossible = (String, &'static str);

/// A field's name and what is wrong with it.
type BadField = (&'static str, &'static str);

const POSITIVE: &str = "must be a positive number";
const SHARE: &str = "must be from 0 to 1";
const AT_LEAST_ONE: &str = "must be at least 1";
const NOT_NEGATIVE: &str = "must be a number, and not negative";
const PAIR: &str = "must be an ascending pair of positive numbers or null";

impl Experiments {
    /// The first impossible value, such as `experiments.r-by-k.points[3].seconds`.
    pub(crate) fn impossible(&self) -> Option<Impossible> {
        let work = |name, work: &Option<Work>| under(name, work.as_ref().and_then(impossible_work));
        work("r-by-k", &self.r_by_k)
            .or_else(|| work("mixed", &self.mixed))
            .or_else(|| under("ladder", self.ladder.as_ref().and_then(impossible_ladder)))
            .or_else(|| under("pio-classes", self.pio_classes.as_ref().and_then(impossible_classes)))
            .or_else(|| under("burst", self.burst.as_ref().and_then(burst::impossible)))
            .or_else(|| under("fsync", self.fsync.as_ref().and_then(fsync::impossible)))
            .or_else(|| under("sync-methods", self.sync_methods.as_ref().and_then(sync_methods::impossible)))
            .map(|(place, reason)| (format!("experiments.{place}"), reason))
    }
}

fn impossible_work(work: &Work) -> Option<Impossible> {
    impossible_procedure(&work.procedure).or_else(|| first("points", &work.points, |p| named(bad_work(p))))
}

fn impossible_ladder(ladder: &Ladder) -> Option<Impossible> {
    impossible_procedure(&ladder.procedure)
        .or_else(|| named(check(ladder.block_bytes > 0, "block_bytes", AT_LEAST_ONE)))
        .or_else(|| {
            first("mixes", &ladder.mixes, |mix| {
                named(bad_mix(mix)).or_else(|| first("rungs", &mix.rungs, |rung| named(bad_rung(rung))))
            })
        })
}

fn impossible_classes(classes: &PioClasses) -> Option<Impossible> {
    impossible_procedure(&classes.procedure)
        .or_else(|| named(check(classes.block_bytes > 0, "block_bytes", AT_LEAST_ONE)))
        .or_else(|| first("points", &classes.points, |p| named(bad_class(p))))
}

fn impossible_procedure(procedure: &Procedure) -> Option<Impossible> {
    under(
        "procedure",
        named(check(not_negative(procedure.measured_seconds), "measured_seconds", NOT_NEGATIVE)),
    )
}

fn bad_work(point: &WorkPoint) -> Option<BadField> {
    check(point.reads > 0 || point.writes > 0, "reads", "reads or writes must be at least 1")
        .or_else(|| check(point.block_bytes > 0, "block_bytes", AT_LEAST_ONE))
        .or_else(|| check(share(point.random_fraction), "random_fraction", SHARE))
        .or_else(|| check(point.concurrency > 0, "concurrency", AT_LEAST_ONE))
        .or_else(|| check(positive(point.seconds), "seconds", POSITIVE))
        .or_else(|| check(point.seconds_ci.is_none_or(ascending), "seconds_ci", PAIR))
        .or_else(|| bad_latency(&point.latency_us))
}

fn bad_mix(mix: &LadderMix) -> Option<BadField> {
    check(share(mix.read_share), "read_share", SHARE)
        .or_else(|| check(positive(mix.capacity_iops), "capacity_iops", POSITIVE))
        .or_else(|| check(mix.capacity_ci.is_none_or(ascending), "capacity_ci", PAIR))
        .or_else(|| check(mix.capacity_concurrency > 0, "capacity_concurrency", AT_LEAST_ONE))
}

fn bad_rung(rung: &Rung) -> Option<BadField> {
    check(positive(rung.offered_iops), "offered_iops", POSITIVE)
        .or_else(|| check(positive(rung.iops), "iops", POSITIVE))
        .or_else(|| check(rung.ops > 0, "ops", AT_LEAST_ONE))
        .or_else(|| bad_latency(&rung.latency_us))
}

fn bad_class(point: &PioPoint) -> Option<BadField> {
    check(share(point.read_share), "read_share", SHARE)
        .or_else(|| check(point.batch > 0, "batch", AT_LEAST_ONE))
        .or_else(|| check(point.ops > 0, "ops", AT_LEAST_ONE))
        .or_else(|| check(positive(point.unbatched_seconds), "unbatched_seconds", POSITIVE))
        .or_else(|| check(positive(point.seconds), "seconds", POSITIVE))
        .or_else(|| check(positive(point.speedup), "speedup", POSITIVE))
        .or_else(|| check(point.speedup_ci.is_none_or(ascending), "speedup_ci", PAIR))
}

fn bad_latency(latency: &Latency) -> Option<BadField> {
    let Latency { mean, p50, p90, p99, p99_5, p99_9, p99_95, p99_99, max } = *latency;
    [
        ("latency_us.mean", mean),
        ("latency_us.p50", p50),
        ("latency_us.p90", p90),
        ("latency_us.p99", p99),
        ("latency_us.p99_5", p99_5),
        ("latency_us.p99_9", p99_9),
        ("latency_us.p99_95", p99_95),
        ("latency_us.p99_99", p99_99),
        ("latency_us.max", max),
    ]
    .into_iter()
    .find_map(|(name, us)| check(not_negative(us), name, NOT_NEGATIVE))
}

fn positive(value: f64) -> bool {
    value.is_finite() && value > 0.0
}

fn not_negative(value: f64) -> bool {
    value.is_finite() && value >= 0.0
}

fn share(value: f64) -> bool {
    (0.0..=1.0).contains(&value)
}

fn ascending([low, high]: [f64; 2]) -> bool {
    0.0 < low && low <= high && high.is_finite()
}

fn check(fine: bool, field: &'static str, reason: &'static str) -> Option<BadField> {
    (!fine).then_some((field, reason))
}

fn named(bad: Option<BadField>) -> Option<Impossible> {
    bad.map(|(field, reason)| (field.to_owned(), reason))
}

fn under(name: &str, bad: Option<Impossible>) -> Option<Impossible> {
    bad.map(|(place, reason)| (format!("{name}.{place}"), reason))
}

/// The first impossible value in a list.
fn first<T>(name: &str, list: &[T], bad: impl Fn(&T) -> Option<Impossible>) -> Option<Impossible> {
    list.iter().enumerate().find_map(|(i, entry)| under(&format!("{name}[{i}]"), bad(entry)))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use crate::{
        DeviceProfile, Experiments, Ladder, LadderMix, Latency, PioClass, PioClasses, PioPoint, Rung, SCHEMA,
        Work, WorkPoint,
    };

    /// Two entries of each list, so that places have a number.
    fn sample() -> DeviceProfile {
        let point = WorkPoint {
            reads: 70,
            writes: 30,
            block_bytes: 4096,
            random_fraction: 1.0,
            concurrency: 8,
            seconds: 0.01,
            seconds_ci: Some([0.009, 0.011]),
            latency_us: Latency { mean: 100.0, p50: 90.0, max: 200.0, ..Latency::default() },
            cpu_bound: false,
        };
        let work = Work { points: vec![point.clone(), point], ..Work::default() };
        let rung = Rung { offered_iops: 100.0, iops: 99.0, ops: 1000, latency_us: Latency::default() };
        let mix = LadderMix {
            read_share: 0.5,
            capacity_iops: 1000.0,
            capacity_ci: Some([900.0, 1100.0]),
            capacity_concurrency: 64,
            rungs: vec![rung.clone(), rung],
        };
        let class = PioPoint {
            class: PioClass::BatchedReads,
            read_share: 0.5,
            batch: 8,
            ops: 1000,
            unbatched_seconds: 1e-3,
            seconds: 5e-4,
            speedup: 2.0,
            speedup_ci: Some([1.9, 2.1]),
        };
        let experiments = Experiments {
            r_by_k: Some(work.clone()),
            mixed: Some(work),
            ladder: Some(Ladder { block_bytes: 4096, mixes: vec![mix.clone(), mix], ..Ladder::default() }),
            pio_classes: Some(PioClasses {
                block_bytes: 4096,
                points: vec![class.clone(), class],
                ..PioClasses::default()
            }),
            ..Experiments::default()
        };
        DeviceProfile { schema: SCHEMA.to_owned(), experiments, ..DeviceProfile::default() }
    }

    /// What loading says of the sample with the value at `pointer` replaced.
    fn refusal(pointer: &str, value: serde_json::Value) -> String {
        refusal_of(&sample(), pointer, value)
    }

    /// What loading says of a profile with the value at `pointer` of its experiments replaced.
    pub(super) fn refusal_of(profile: &DeviceProfile, pointer: &str, value: serde_json::Value) -> String {
        let mut json = serde_json::to_value(profile).unwrap();
        *json.pointer_mut(&format!("/experiments/{pointer}")).expect(pointer) = value;
        DeviceProfile::parse(&json.to_string(), Path::new("p.json")).expect_err(pointer).to_string()
    }

    #[test]
    fn what_is_possible_is_read_as_it_was_written() {
        let again = DeviceProfile::parse(&sample().to_json(), Path::new("p.json")).unwrap();
        assert_eq!(again, sample());
        let mut bare = sample();
        bare.experiments.r_by_k.as_mut().unwrap().points[0].seconds_ci = None;
        assert!(DeviceProfile::parse(&bare.to_json(), Path::new("p.json")).is_ok());
    }

    #[test]
    fn impossible_values_are_refused_with_their_place() {
        let cases = [
            ("r-by-k/points/1/seconds", serde_json::json!(0.0), "r-by-k.points[1].seconds"),
            ("r-by-k/points/0/seconds", serde_json::json!(-1.0), "r-by-k.points[0].seconds"),
            ("mixed/points/1/block_bytes", serde_json::json!(0), "mixed.points[1].block_bytes"),
            ("mixed/points/1/concurrency", serde_json::json!(0), "mixed.points[1].concurrency"),
            ("mixed/points/1/random_fraction", serde_json::json!(1.5), "mixed.points[1].random_fraction"),
            ("mixed/points/0/seconds_ci", serde_json::json!([2.0, 1.0]), "mixed.points[0].seconds_ci"),
            ("mixed/points/0/seconds_ci", serde_json::json!([0.0, 1.0]), "mixed.points[0].seconds_ci"),
            ("mixed/points/0/latency_us/p99", serde_json::json!(-3.0), "mixed.points[0].latency_us.p99"),
            ("mixed/procedure/measured_seconds", serde_json::json!(-3.0), "mixed.procedure.measured_seconds"),
            ("ladder/block_bytes", serde_json::json!(0), "ladder.block_bytes"),
            ("ladder/mixes/1/read_share", serde_json::json!(-0.1), "ladder.mixes[1].read_share"),
            ("ladder/mixes/1/capacity_iops", serde_json::json!(0.0), "ladder.mixes[1].capacity_iops"),
            ("ladder/mixes/1/capacity_ci", serde_json::json!([2.0, 1.0]), "ladder.mixes[1].capacity_ci"),
            (
                "ladder/mixes/1/capacity_concurrency",
                serde_json::json!(0),
                "ladder.mixes[1].capacity_concurrency",
            ),
            (
                "ladder/mixes/0/rungs/1/offered_iops",
                serde_json::json!(0.0),
                "ladder.mixes[0].rungs[1].offered_iops",
            ),
            ("ladder/mixes/0/rungs/1/iops", serde_json::json!(-1.0), "ladder.mixes[0].rungs[1].iops"),
            ("ladder/mixes/0/rungs/1/ops", serde_json::json!(0), "ladder.mixes[0].rungs[1].ops"),
            (
                "ladder/mixes/0/rungs/0/latency_us/max",
                serde_json::json!(-1.0),
                "ladder.mixes[0].rungs[0].latency_us.max",
            ),
            ("pio-classes/block_bytes", serde_json::json!(0), "pio-classes.block_bytes"),
            ("pio-classes/points/1/read_share", serde_json::json!(2.0), "pio-classes.points[1].read_share"),
            ("pio-classes/points/1/batch", serde_json::json!(0), "pio-classes.points[1].batch"),
            ("pio-classes/points/1/ops", serde_json::json!(0), "pio-classes.points[1].ops"),
            ("pio-classes/points/1/seconds", serde_json::json!(0.0), "pio-classes.points[1].seconds"),
            (
                "pio-classes/points/1/unbatched_seconds",
                serde_json::json!(0.0),
                "pio-classes.points[1].unbatched_seconds",
            ),
            ("pio-classes/points/1/speedup", serde_json::json!(-2.0), "pio-classes.points[1].speedup"),
            (
                "pio-classes/points/1/speedup_ci",
                serde_json::json!([3.0, 2.0]),
                "pio-classes.points[1].speedup_ci",
            ),
        ];
        for (pointer, value, place) in cases {
            let said = refusal(pointer, value);
            assert!(said.contains(&format!("experiments.{place}")), "{pointer}: {said}");
        }
    }

    #[test]
    fn neither_reads_nor_writes_is_no_work() {
        let mut profile = sample();
        let point = &mut profile.experiments.mixed.as_mut().unwrap().points[1];
        (point.reads, point.writes) = (0, 0);
        let said = DeviceProfile::parse(&profile.to_json(), Path::new("p.json")).unwrap_err().to_string();
        assert!(said.contains("experiments.mixed.points[1].reads"), "{said}");
    }

    #[test]
    fn what_is_not_a_number_is_refused_by_the_check_too() {
        // JSON cannot say it; a program that builds a profile can.
        let mut profile = sample();
        profile.experiments.r_by_k.as_mut().unwrap().points[1].seconds = f64::NAN;
        let (place, _) = profile.experiments.impossible().unwrap();
        assert_eq!(place, "experiments.r-by-k.points[1].seconds");
    }
}
