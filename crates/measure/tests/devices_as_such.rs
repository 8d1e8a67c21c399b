//! `latency`, `interleaving` and `unaligned` on devices whose truth is known.

use std::sync::Arc;

use leadline_device::Device;
use leadline_device::target::Target;
use leadline_measure::experiment::{self, Experiment, ExperimentPlan};
use leadline_measure::target::{Access, OpenTarget};
use leadline_measure::{Budget, Plan, PlanError, measure, summary};
use leadline_profile::{
    Experiments, Interleaving, LatencyDistribution, LatencyDistributions, OpKind, Point, Unaligned,
};
use leadline_sim::{Parametric, ParametricSpec};

/// Reads 100 us and 1 us per KiB by eight servers, writes twice that by four.
fn device(jitter: &str) -> Parametric {
    let toml = format!(
        "kind = \"parametric\"\ncapacity = \"1G\"\njitter = \"{jitter}\"\n\
         [read]\nservice_us = 100\nper_kib_us = 1\nservers = 8\n\
         [write]\nservice_us = 200\nper_kib_us = 2\nservers = 4\n"
    );
    ParametricSpec::parse(&toml, "test.toml").unwrap().device()
}

fn plan(device: &dyn Device, experiment: &'static dyn Experiment, seconds: f64) -> ExperimentPlan {
    let mut plan = ExperimentPlan::new(experiment, device.geometry(), device.clock());
    (plan.layout, plan.seconds) = (false, seconds);
    plan
}

fn run(device: &dyn Device, plan: &ExperimentPlan) -> Experiments {
    let ran = experiment::run(device, plan, &Arc::default(), &mut |_| ()).unwrap();
    assert!(ran.stopped_by.is_none(), "{:?}", ran.stopped_by);
    ran.found
}

#[track_caller]
fn near(found: f64, truth: f64, share: f64, what: &str) {
    assert!((found / truth - 1.0).abs() <= share, "{what}: found {found}, truth {truth}");
}

fn latency(device: &dyn Device, plan: &ExperimentPlan) -> LatencyDistributions {
    run(device, plan).latency.unwrap()
}

#[test]
fn a_latency_distribution_is_that_of_the_service_times() {
    let device = device("exponential");
    let found = latency(&device, &plan(&device, experiment::LATENCY, 720.0));
    assert_eq!((found.workloads.len(), found.block_bytes), (6, 4096));
    for w in &found.workloads {
        let mean = if w.op == OpKind::Read { 104.0 } else { 208.0 };
        near(w.latency_us.mean, mean, 0.02, "mean");
        // An exponential variate of this mean.
        for (found, share) in [(w.latency_us.p50, 0.5), (w.latency_us.p90, 0.1), (w.latency_us.p99, 0.01)] {
            near(found, -mean * f64::ln(share), 0.03, &format!("{share} are slower: {w:?}"));
        }
        assert_eq!(w.histogram.iter().map(|bin| bin.count).sum::<u64>(), w.ops);
        near(w.seconds, w.ops as f64 * w.latency_us.mean / 1e6, 1e-6, "one at a time, nothing between");
        let [low, high] = w.mean_us_ci.unwrap();
        assert!(low < w.latency_us.mean && w.latency_us.mean < high);
        assert_eq!((w.system_call_us, w.block_layer), (None, None), "a simulated device has no software");
    }
    let durable = |w: &&LatencyDistribution| w.durable;
    assert!(found.workloads.iter().filter(durable).all(|w| w.op == OpKind::Write));
    assert_eq!(found.workloads.iter().filter(durable).count(), 2);
}

#[test]
fn a_latency_distribution_ends_at_a_million_requests_or_two_minutes_of_each_workload() {
    let device = device("none");
    let mut plan = plan(&device, experiment::LATENCY, 720.0);
    plan.writes = false;
    // A device that needs less than two minutes for a million: 104 us each.
    plan.max_ops_per_slice = u64::MAX;
    let found = latency(&device, &plan);
    let ops: Vec<u64> = found.workloads.iter().map(|w| w.ops).collect();
    assert_eq!(ops, [1_000_000, 1_000_000]);
    assert_eq!(found.procedure.bytes_read, 2 * 4096 * 1_000_000);
    // One that is given less time: an equal share each.
    plan.seconds = 12.0;
    for w in latency(&device, &plan).workloads {
        near(w.ops as f64, 6.0 / 104e-6, 0.02, "requests in a share of six seconds");
    }
    // And one with more than it may use: no workload takes more than 120 s.
    (plan.seconds, plan.writes, plan.max_ops_per_slice) = (6000.0, true, 20);
    let found = latency(&device, &plan);
    assert!(found.workloads.iter().all(|w| w.ops == 6 * 20 && w.seconds <= 120.0));
}

fn interleaving(device: &dyn Device, plan: &ExperimentPlan) -> Interleaving {
    run(device, plan).interleaving.unwrap()
}

/// Bytes per second of a device whose servers are all as busy as k requests make them.
fn truth(op: OpKind, block: u32, k: u32) -> f64 {
    let (base, per_kib, servers) = if op == OpKind::Read { (100.0, 1.0, 8) } else { (200.0, 2.0, 4) };
    f64::from(block) * f64::from(k.min(servers)) / (base + per_kib * f64::from(block) / 1024.0) * 1e6
}

#[test]
fn bandwidth_is_that_of_the_servers_at_every_size_and_concurrency() {
    let device = device("none");
    let found = interleaving(&device, &plan(&device, experiment::INTERLEAVING, 600.0));
    assert_eq!(found.points.len(), 4 * 7 * 9, "{:?}", found.procedure.notes);
    for p in &found.points {
        near(p.bandwidth_bytes, truth(p.op, p.block_bytes, p.concurrency), 0.02, &format!("{p:?}"));
        assert!(!p.from_profile);
    }
    let mut small = plan(&device, experiment::INTERLEAVING, 60.0);
    small.region.len = 16 << 20;
    let found = interleaving(&device, &small);
    assert!(found.points.iter().all(|p| p.block_bytes <= 64 << 10));
    assert!(found.procedure.notes[0].contains("16M") && found.procedure.notes[0].contains("128K, 256K"));
    small.region.len = 1 << 19;
    let error = experiment::run(&device, &small, &Arc::default(), &mut |_| ()).unwrap_err();
    assert!(error.to_string().contains("interleaving needs 1M at least"), "{error}");
}

/// What `leadline profile` finds at one block size.
fn known(device: &Parametric) -> Vec<Point> {
    let mut plan = Plan::new(Budget::Quick, device.geometry(), device.clock());
    (plan.layout, plan.block_sizes, plan.max_concurrency) = (false, vec![4096, 65536], 32);
    let (prepared, outcome) = measure(device, &plan, None, &Arc::default(), &mut |_| ()).unwrap();
    let around = summary::Circumstances::simulated("sim:test", "test", device.geometry().capacity_bytes);
    summary::profile(&plan, &prepared, &outcome, around, None).points
}

#[test]
fn what_a_profile_has_is_not_measured_again() {
    let device = device("none");
    let mut plan = plan(&device, experiment::INTERLEAVING, 600.0);
    plan.known = known(&device);
    assert!(plan.known.iter().any(|p| p.durable), "durable ones are other points");
    let found = interleaving(&device, &plan);
    assert_eq!(found.points.len(), 4 * 7 * 9);
    let from_profile = found.points.iter().filter(|p| p.from_profile).count();
    for p in &found.points {
        let known = plan.known.iter().find(|known| {
            let same = (known.op, known.pattern) == (p.op, p.pattern) && !known.durable;
            same && (known.block_bytes, known.concurrency) == (p.block_bytes, p.concurrency)
        });
        assert_eq!(p.from_profile, known.is_some(), "{p:?}");
        assert!(known.is_none_or(|known| known.bandwidth_bytes == p.bandwidth_bytes));
        near(p.bandwidth_bytes, truth(p.op, p.block_bytes, p.concurrency), 0.03, &format!("{p:?}"));
    }
    assert!(from_profile > 20 && from_profile < 4 * 2 * 9, "{from_profile}");
    assert_eq!(found.procedure.notes, [format!("{from_profile} of 252 points are the profile's own")]);
}

#[test]
fn unaligned_writes_take_what_their_size_says() {
    let device = device("none");
    let mut unaligned_plan = plan(&device, experiment::UNALIGNED, 60.0);
    let Unaligned { durable, points, procedure } = run(&device, &unaligned_plan).unaligned.unwrap();
    assert!(!durable);
    let sizes: Vec<u32> = points.iter().map(|p| p.block_bytes / 1024).collect();
    assert_eq!(sizes, (1..=64).collect::<Vec<u32>>());
    for p in &points {
        let truth = 200.0 + 2.0 * f64::from(p.block_bytes) / 1024.0;
        near(p.latency_us.mean, truth, 0.001, &format!("{p:?}"));
        let [low, high] = p.mean_us_ci.unwrap();
        assert!(low <= truth * 1.001 && truth <= high * 1.001, "{p:?}");
    }
    assert_eq!(procedure.bytes_read, 0);
    unaligned_plan.max_writes = Some(2 << 20);
    let error = experiment::run(&device, &unaligned_plan, &Arc::default(), &mut |_| ()).unwrap_err();
    assert!(error.to_string().contains("2M that may be written"), "{error}");
}

#[test]
fn writes_through_the_page_cache_are_durable() {
    let dir = tempfile::tempdir().unwrap();
    let found = Target::resolve(dir.path()).unwrap();
    let access = Access { direct: false, size_bytes: Some(8 << 20), ..Access::default() };
    let target = OpenTarget::open(&found, 8 << 20, &access).unwrap();
    let mut plan = ExperimentPlan::for_target(experiment::UNALIGNED, &target);
    plan.seconds = 0.5;
    let found = run(target.device.as_ref(), &plan).unaligned.unwrap();
    assert!(found.durable, "memory alone would have answered otherwise");
    assert_eq!(found.points.len() + left_out(&found), 64, "{:?}", found.procedure.notes);
}

/// Sizes that the time allowed was too short for.
fn left_out(found: &Unaligned) -> usize {
    let too_slow = found.procedure.notes.iter().filter(|note| note.starts_with("left out, too slow"));
    too_slow.map(|note| note.split(';').count()).sum()
}

#[test]
fn steps_of_1k_are_refused_where_blocks_are_larger() {
    let device = device("none");
    let plan = plan(&device, experiment::UNALIGNED, 1.0);
    let mut geometry = device.geometry();
    for (block, fits) in [(512, true), (1024, true), (2048, false), (4096, false)] {
        geometry.block_bytes = block;
        let checked = plan.check(&geometry);
        assert_eq!(checked.is_ok(), fits, "{block}");
        assert!(fits || matches!(checked, Err(PlanError::LargeBlocksForSteps { step: 1024, .. })));
    }
}
