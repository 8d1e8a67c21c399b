//! `mix-line`, `durable-writes` and `io-cost`, for the settings of other systems, on devices whose truth is
//! known.

use std::sync::Arc;

use leadline_device::Device as _;
use leadline_measure::experiment::{self, Experiment, ExperimentPlan};
use leadline_profile::{DurableWrites, Experiments, IoCost, Procedure, Work};
use leadline_sim::{Parametric, ParametricSpec};

fn device(toml: &str) -> Parametric {
    let toml = format!("kind = \"parametric\"\ncapacity = \"4G\"\n{toml}");
    ParametricSpec::parse(&toml, "test.toml").unwrap().device()
}

fn plan(device: &Parametric, experiment: &'static dyn Experiment, seconds: f64) -> ExperimentPlan {
    let mut plan = ExperimentPlan::new(experiment, device.geometry(), device.clock());
    (plan.layout, plan.seconds) = (false, seconds);
    plan
}

fn run(device: &Parametric, plan: &ExperimentPlan) -> Experiments {
    let ran = experiment::run(device, plan, &Arc::default(), &mut |_| ()).unwrap();
    assert!(ran.stopped_by.is_none(), "{:?}", ran.stopped_by);
    ran.found
}

fn mix_line(device: &Parametric, plan: &ExperimentPlan) -> Work {
    run(device, plan).mix_line.unwrap()
}

fn durable_writes(device: &Parametric, plan: &ExperimentPlan) -> DurableWrites {
    run(device, plan).durable_writes.unwrap()
}

fn io_cost(device: &Parametric, seconds: f64) -> IoCost {
    run(device, &plan(device, experiment::IO_COST, seconds)).io_cost.unwrap()
}

#[track_caller]
fn near(found: f64, truth: f64, share: f64, what: &str) {
    assert!((found / truth - 1.0).abs() <= share, "{what}: found {found}, truth {truth}");
}

/// Reads 100 us and 1 us per KiB by two servers, writes twice that by one.
const TWO_SIDES: &str = "[read]\nservice_us = 100\nper_kib_us = 1\nservers = 2\n\
                         [write]\nservice_us = 200\nper_kib_us = 2\nservers = 1\n";

#[test]
fn the_mix_line_is_measured_at_two_sizes_and_pure_requests_at_three_more() {
    let device = device(TWO_SIDES);
    let Work { points, procedure } = mix_line(&device, &plan(&device, experiment::MIX_LINE, 600.0));
    assert!(procedure.notes.is_empty() && procedure.epochs >= 3, "{procedure:?}");
    assert_eq!(points.len(), (2 * 5 + 3 * 2) * 3);
    for p in &points {
        let (kib, ops) = (f64::from(p.block_bytes) / 1024.0, (p.reads + p.writes) as f64);
        let share = p.reads as f64 / ops;
        // Either kind of server alone is the bound, if the other kind has few enough of those in flight.
        let bound = (share * (100.0 + kib) / 2.0).max((1.0 - share) * (200.0 + 2.0 * kib)) * 1e-6;
        // A slice of a mix begins with an empty queue of the slower kind.
        near(
            p.seconds / ops,
            bound,
            if p.reads > 0 && p.writes > 0 { 0.12 } else { 0.01 },
            &format!("{p:?}"),
        );
        assert!(p.random_fraction == 1.0 && p.seconds_ci.is_some(), "{p:?}");
    }
    let shares_of = |bytes: u32, k: u32| {
        let of = points.iter().filter(|p| (p.block_bytes, p.concurrency) == (bytes, k));
        of.map(|p| (p.reads as f64 / (p.reads + p.writes) as f64 * 20.0).round() / 20.0).collect::<Vec<_>>()
    };
    for k in [16, 64, 128] {
        for (bytes, shares) in [
            (4 << 10, vec![1.0, 0.75, 0.5, 0.25, 0.0]),
            (256 << 10, vec![1.0, 0.75, 0.5, 0.25, 0.0]),
            (16 << 10, vec![1.0, 0.0]),
            (64 << 10, vec![1.0, 0.0]),
            (1 << 20, vec![1.0, 0.0]),
        ] {
            assert_eq!(shares_of(bytes, k), shares, "{bytes} at {k}");
        }
    }
}

#[test]
fn a_small_region_and_little_time_leave_out_the_large_sizes_by_name() {
    let device = device(TWO_SIDES);
    let mut small = plan(&device, experiment::MIX_LINE, 600.0);
    small.region.len = 8 << 20;
    let Work { points, procedure } = mix_line(&device, &small);
    assert_eq!(points.iter().map(|p| p.block_bytes).max(), Some(256 << 10));
    assert!(procedure.notes[0].contains("8M") && procedure.notes[0].ends_with("accesses of 1M"));
    let Work { points, procedure } = mix_line(&device, &plan(&device, experiment::MIX_LINE, 6.0));
    assert!(procedure.notes[0].contains("too slow") && procedure.notes[0].contains("1M writes, k = 128"));
    assert_eq!(points.iter().filter(|p| p.block_bytes == 4096).count(), 15, "cheap ones stay");
}

#[test]
fn durable_writes_are_durable_and_of_16k() {
    // A write of 16K takes 100 + 16 us, a durable one 400 us more.
    let toml = "[read]\nservice_us = 100\nservers = 4\n\
                [write]\nservice_us = 100\nper_kib_us = 1\nservers = 4\n[flush]\ndurable_us = 400\n";
    let device = device(toml);
    let found = durable_writes(&device, &plan(&device, experiment::DURABLE_WRITES, 60.0));
    assert_eq!(found.block_bytes, 16 << 10);
    near(found.capacity_writes_per_second, 4e6 / 516.0, 0.01, "capacity");
    near(found.capacity_latency_us.p50, 516.0 / 4.0 * f64::from(found.capacity_concurrency), 0.02, "latency");
    let [low, high] = found.capacity_ci.unwrap();
    assert!(low < found.capacity_writes_per_second && found.capacity_writes_per_second < high);
    // Reads have servers of their own here: any number of writes is fine.
    for p in &found.points {
        near(p.latency_us.p99, 100.0, 0.02, "reads");
    }
    assert_eq!(found.most_writes(110.0).unwrap().write_share, 0.9);
}

#[test]
fn reads_beside_durable_writes_wait_as_queueing_theory_has_it() {
    // Everything waits for one admission every 100 us.
    let device = device(
        "cap_iops = 10000\n[read]\nservice_us = 5000\nservers = 4\n[write]\nservice_us = 100\nservers = 64\n",
    );
    let found = durable_writes(&device, &plan(&device, experiment::DURABLE_WRITES, 600.0));
    near(found.capacity_writes_per_second, 10_000.0, 0.01, "capacity");
    let shares: Vec<f64> = found.points.iter().map(|p| p.write_share).collect();
    assert_eq!(shares, [0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9]);
    near(found.points[0].latency_us.mean, 5000.0, 0.001, "reads alone");
    assert_eq!(found.points[0].writes_per_second, 0.0);
    for p in &found.points[1..] {
        near(p.offered_writes_per_second, p.write_share * 10_000.0, 0.02, "offered");
        near(p.writes_per_second, p.offered_writes_per_second, 0.06, "done");
        assert!(!p.fell_behind, "{p:?}");
        // M/D/1: admissions 100 us apart, to writes as a Poisson process and to 200 reads a second.
        let load = p.write_share + 0.02;
        let wait = 100.0 * load / (2.0 * (1.0 - load));
        if p.write_share <= 0.8 {
            let found = p.latency_us.mean - 5000.0;
            assert!((found - wait).abs() <= 0.25 * wait + 4.0, "{}: {found} {wait}", p.write_share);
        }
        let [low, high] = p.mean_us_ci.unwrap();
        assert!(low < p.latency_us.mean && p.latency_us.mean < high);
    }
    let p99: Vec<f64> = found.points.iter().map(|p| p.latency_us.p99).collect();
    assert!(p99.is_sorted(), "{p99:?}");
    let limit = found.points[5].latency_us.p99;
    assert_eq!(found.most_writes(limit).unwrap().write_share, 0.5);
}

#[test]
fn durable_writes_of_a_volume_are_those_that_it_sustains() {
    // The credit is spent in one of the first rounds.
    let volume = volume(20_000);
    let found = durable_writes(&volume, &plan(&volume, experiment::DURABLE_WRITES, 120.0));
    near(found.capacity_writes_per_second, 300.0, 0.02, "capacity");
    let [low, high] = found.capacity_ci.unwrap();
    assert!(low > 280.0 && high < 320.0, "{low} {high}");
    let [note] = &found.procedure.notes[..] else { panic!("{:?}", found.procedure) };
    assert!(note.contains("to 300 per second") && note.contains("do not count"), "{note}");
    for p in &found.points[1..] {
        near(p.offered_writes_per_second, p.write_share * 300.0, 0.05, "offered");
    }
}

#[test]
fn the_six_rates_are_those_of_the_definition() {
    let device = device(TWO_SIDES);
    let found = io_cost(&device, 60.0);
    assert_eq!((found.large_bytes, found.small_bytes, found.small_concurrency), (128 << 20, 4096, 64));
    assert!(found.procedure.notes.is_empty() && found.procedure.epochs >= 3, "{:?}", found.procedure);
    // One large request at a time keeps one server busy, 64 small ones all of them.
    let large = f64::from(128 << 20) / ((100.0 + 131_072.0) * 1e-6);
    let small = 1e6 / 104.0;
    let truths = [large, 2.0 * small, 2.0 * small, large / 2.0, small / 2.0, small / 2.0];
    for ((name, rate), truth) in found.rates().into_iter().zip(truths) {
        near(rate.per_second, truth, 0.01, name);
        assert_eq!((rate.rounds.len(), rate.before_fall), (found.procedure.epochs as usize, None));
        let [low, high] = rate.per_second_ci.unwrap();
        assert!(low < truth && truth < high && high / low < 1.03, "{name}: {low} {high} {truth}");
    }
    assert!(found.procedure.bytes_written > 0 && found.procedure.bytes_read > 0);
}

/// 3000 operations a second while credit lasts, 300 for long; of 256K at most.
fn volume(credit: u64) -> Parametric {
    device(&format!(
        "[read]\nservice_us = 500\nservers = 64\n[write]\nservice_us = 500\nservers = 64\n\
         [cap]\niops = 3000\ncredit = {credit}\nrefill = 300\noperation_bytes = \"256K\"\n"
    ))
}

#[test]
fn a_volume_that_spends_its_credit_is_reported_at_what_it_sustains() {
    let found = io_cost(&volume(60_000), 360.0);
    let sustained = [3e2 * 262_144.0, 3e2, 3e2, 3e2 * 262_144.0, 3e2, 3e2];
    for ((name, rate), truth) in found.rates().into_iter().zip(sustained) {
        near(rate.per_second, truth, 0.05, name);
        assert!(rate.before_fall.is_none_or(|before| before > 1.2 * truth), "{name}: {rate:?}");
    }
    let fallen = found.rates().iter().filter(|(_, rate)| rate.before_fall.is_some()).count();
    assert!(fallen > 0, "those that were measured before it was spent: {found:?}");
}

#[test]
fn a_volume_whose_credit_outlasts_the_run_is_reported_at_what_it_did() {
    let found = io_cost(&volume(100_000_000), 60.0);
    near(found.rrandiops.per_second, 3000.0, 0.01, "random reads");
    assert_eq!(found.rrandiops.before_fall, None);
}

#[test]
fn a_small_region_has_smaller_large_requests_and_says_so() {
    let device = device(TWO_SIDES);
    let mut plan = plan(&device, experiment::IO_COST, 60.0);
    plan.region.len = 64 << 20;
    let found = run(&device, &plan).io_cost.unwrap();
    let Procedure { notes, footprint_bytes, .. } = &found.procedure;
    assert_eq!((found.large_bytes, *footprint_bytes), (16 << 20, 64 << 20));
    assert!(notes[0].contains("16M instead of 128M"), "{notes:?}");
}

#[test]
fn all_three_need_a_target_that_may_be_written() {
    let device = device(TWO_SIDES);
    for experiment in [experiment::MIX_LINE, experiment::DURABLE_WRITES, experiment::IO_COST] {
        let mut plan = plan(&device, experiment, 60.0);
        plan.writes = false;
        let said = experiment::run(&device, &plan, &Arc::default(), &mut |_| ()).unwrap_err().to_string();
        assert!(said.contains(experiment.name()) && said.contains("needs writes"), "{said}");
    }
}
