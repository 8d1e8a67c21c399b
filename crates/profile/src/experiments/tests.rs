//! What no experiment can have found is not loaded, and what it can is read as it was written.

use std::path::Path;

use serde_json::json;

use super::range::refusal_of;
use crate::{
    Background, BackgroundCapacity, Bin, BlockLayerTime, DeviceProfile, Experiments, Interleaving,
    InterleavingPoint, Ladder, LadderMix, Latency, LatencyDistribution, LatencyDistributions, OpKind,
    Pattern, PioClass, PioClasses, PioPoint, Pressure, PressurePoint, Rung, SCHEMA, Unaligned,
    UnalignedPoint, Work, WorkPoint,
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
        mixed: Some(work.clone()),
        mix_line: Some(work),
        ladder: Some(Ladder { block_bytes: 4096, mixes: vec![mix.clone(), mix], ..Ladder::default() }),
        pio_classes: Some(PioClasses {
            block_bytes: 4096,
            points: vec![class.clone(), class],
            ..PioClasses::default()
        }),
        ..storage_sample()
    };
    DeviceProfile { schema: SCHEMA.to_owned(), experiments, ..DeviceProfile::default() }
}

/// Likewise, of the experiments on storage devices as such.
fn storage_sample() -> Experiments {
    let latency_us = Latency { mean: 100.0, p50: 90.0, max: 200.0, ..Latency::default() };
    let (op, pattern, mean_us_ci) = (OpKind::Write, Pattern::Random, Some([99.0, 101.0]));
    let workload = LatencyDistribution {
        op,
        pattern,
        durable: true,
        ops: 10,
        seconds: 0.001,
        latency_us,
        mean_us_ci,
        system_call_us: Some(95.0),
        block_layer: Some(BlockLayerTime { ops: 8, program_mean_us: 99.0, mean_us: 80.0 }),
        histogram: vec![Bin { upper_us: 90.0, count: 4 }, Bin { upper_us: 200.0, count: 6 }],
    };
    let bandwidth = InterleavingPoint {
        op,
        pattern,
        block_bytes: 4096,
        concurrency: 8,
        bandwidth_bytes: 1e9,
        bandwidth_ci: Some([0.9e9, 1.1e9]),
        from_profile: true,
        cpu_bound: false,
    };
    let background = Background { op, offered_bytes_per_second: 5e7, bytes_per_second: 4.9e7 };
    let beside = PressurePoint {
        op,
        pattern,
        provokes: None,
        background: Some(background),
        ops: 10,
        latency_us,
        mean_us_ci,
    };
    let capacity = BackgroundCapacity { op, bandwidth_bytes: 1e8, concurrency: 32 };
    let pressure = Pressure {
        block_bytes: 4096,
        background_block_bytes: 16384,
        capacities: vec![capacity.clone(), capacity],
        points: vec![beside.clone(), PressurePoint { background: None, ..beside.clone() }, beside],
        ..Pressure::default()
    };
    let size = UnalignedPoint { block_bytes: 3072, ops: 10, latency_us, mean_us_ci };
    Experiments {
        latency: Some(LatencyDistributions {
            block_bytes: 4096,
            workloads: vec![workload.clone(), workload],
            ..LatencyDistributions::default()
        }),
        interleaving: Some(Interleaving {
            points: vec![bandwidth.clone(), bandwidth],
            ..Interleaving::default()
        }),
        pressure: Some(pressure.clone()),
        tail: Some(pressure),
        unaligned: Some(Unaligned { points: vec![size.clone(), size], ..Unaligned::default() }),
        ..Experiments::default()
    }
}

/// What loading says of the sample with the value at `pointer` replaced.
fn refusal(pointer: &str, value: serde_json::Value) -> String {
    refusal_of(&sample(), pointer, value)
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
        ("r-by-k/points/1/seconds", json!(0.0), "r-by-k.points[1].seconds"),
        ("r-by-k/points/0/seconds", json!(-1.0), "r-by-k.points[0].seconds"),
        ("mixed/points/1/block_bytes", json!(0), "mixed.points[1].block_bytes"),
        ("mixed/points/1/concurrency", json!(0), "mixed.points[1].concurrency"),
        ("mixed/points/1/random_fraction", json!(1.5), "mixed.points[1].random_fraction"),
        ("mixed/points/0/seconds_ci", json!([2.0, 1.0]), "mixed.points[0].seconds_ci"),
        ("mixed/points/0/seconds_ci", json!([0.0, 1.0]), "mixed.points[0].seconds_ci"),
        ("mixed/points/0/latency_us/p99", json!(-3.0), "mixed.points[0].latency_us.p99"),
        ("mixed/procedure/measured_seconds", json!(-3.0), "mixed.procedure.measured_seconds"),
        ("mix-line/points/1/seconds", json!(0.0), "mix-line.points[1].seconds"),
        ("mix-line/procedure/measured_seconds", json!(-3.0), "mix-line.procedure.measured_seconds"),
        ("ladder/block_bytes", json!(0), "ladder.block_bytes"),
        ("ladder/mixes/1/read_share", json!(-0.1), "ladder.mixes[1].read_share"),
        ("ladder/mixes/1/capacity_iops", json!(0.0), "ladder.mixes[1].capacity_iops"),
        ("ladder/mixes/1/capacity_ci", json!([2.0, 1.0]), "ladder.mixes[1].capacity_ci"),
        ("ladder/mixes/1/capacity_concurrency", json!(0), "ladder.mixes[1].capacity_concurrency"),
        ("ladder/mixes/0/rungs/1/offered_iops", json!(0.0), "ladder.mixes[0].rungs[1].offered_iops"),
        ("ladder/mixes/0/rungs/1/iops", json!(-1.0), "ladder.mixes[0].rungs[1].iops"),
        ("ladder/mixes/0/rungs/1/ops", json!(0), "ladder.mixes[0].rungs[1].ops"),
        ("ladder/mixes/0/rungs/0/latency_us/max", json!(-1.0), "ladder.mixes[0].rungs[0].latency_us.max"),
        ("pio-classes/block_bytes", json!(0), "pio-classes.block_bytes"),
        ("pio-classes/points/1/read_share", json!(2.0), "pio-classes.points[1].read_share"),
        ("pio-classes/points/1/batch", json!(0), "pio-classes.points[1].batch"),
        ("pio-classes/points/1/ops", json!(0), "pio-classes.points[1].ops"),
        ("pio-classes/points/1/seconds", json!(0.0), "pio-classes.points[1].seconds"),
        ("pio-classes/points/1/unbatched_seconds", json!(0.0), "pio-classes.points[1].unbatched_seconds"),
        ("pio-classes/points/1/speedup", json!(-2.0), "pio-classes.points[1].speedup"),
        ("pio-classes/points/1/speedup_ci", json!([3.0, 2.0]), "pio-classes.points[1].speedup_ci"),
        ("latency/workloads/1/ops", json!(0), "latency.workloads[1].ops"),
        ("latency/workloads/1/seconds", json!(0.0), "latency.workloads[1].seconds"),
        ("latency/workloads/0/latency_us/mean", json!(0.0), "latency.workloads[0].latency_us.mean"),
        ("latency/workloads/0/latency_us/p99.9", json!(-1.0), "latency.workloads[0].latency_us.p99_9"),
        ("latency/workloads/0/mean_us_ci", json!([2.0, 1.0]), "latency.workloads[0].mean_us_ci"),
        ("latency/workloads/0/system_call_us", json!(0.0), "latency.workloads[0].system_call_us"),
        ("latency/workloads/0/block_layer/mean_us", json!(-1.0), "latency.workloads[0].block_layer.mean_us"),
        (
            "latency/workloads/0/block_layer/program_mean_us",
            json!(0.0),
            "latency.workloads[0].block_layer.program_mean_us",
        ),
        ("latency/workloads/1/histogram/0/0", json!(-1.0), "latency.workloads[1].histogram[0].upper_us"),
        ("latency/workloads/1/histogram/0/1", json!(5), "latency.workloads[1].histogram"),
        ("latency/block_bytes", json!(0), "latency.block_bytes"),
        ("interleaving/points/1/block_bytes", json!(0), "interleaving.points[1].block_bytes"),
        ("interleaving/points/1/concurrency", json!(0), "interleaving.points[1].concurrency"),
        ("interleaving/points/1/bandwidth_bytes", json!(0.0), "interleaving.points[1].bandwidth_bytes"),
        ("interleaving/points/1/bandwidth_ci", json!([0.0, 1.0]), "interleaving.points[1].bandwidth_ci"),
        ("pressure/background_block_bytes", json!(0), "pressure.background_block_bytes"),
        ("pressure/capacities/1/bandwidth_bytes", json!(0.0), "pressure.capacities[1].bandwidth_bytes"),
        ("pressure/capacities/1/concurrency", json!(0), "pressure.capacities[1].concurrency"),
        ("pressure/points/1/ops", json!(0), "pressure.points[1].ops"),
        ("pressure/points/1/mean_us_ci", json!([-1.0, 1.0]), "pressure.points[1].mean_us_ci"),
        (
            "pressure/points/2/background/offered_bytes_per_second",
            json!(0.0),
            "pressure.points[2].background.offered_bytes_per_second",
        ),
        (
            "pressure/points/2/background/bytes_per_second",
            json!(-1.0),
            "pressure.points[2].background.bytes_per_second",
        ),
        ("tail/points/0/latency_us/p99.99", json!(-1.0), "tail.points[0].latency_us.p99_99"),
        ("unaligned/points/1/block_bytes", json!(0), "unaligned.points[1].block_bytes"),
        ("unaligned/points/1/ops", json!(0), "unaligned.points[1].ops"),
        ("unaligned/points/1/latency_us/mean", json!(0.0), "unaligned.points[1].latency_us.mean"),
        ("unaligned/points/1/mean_us_ci", json!([2.0, 1.0]), "unaligned.points[1].mean_us_ci"),
        ("unaligned/procedure/measured_seconds", json!(-1.0), "unaligned.procedure.measured_seconds"),
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
