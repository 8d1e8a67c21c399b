//! Experiments on devices in virtual time whose truth is known, cut short, and on devices that fail.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use leadline_device::{Device, Fault, Faulty};
use leadline_measure::experiment::{self, Experiment, ExperimentPlan, Ran};
use leadline_measure::summary::Circumstances;
use leadline_measure::{MeasureError, Progress, Stop};
use leadline_profile::{
    BudgetKind, DeviceProfile, DeviceState, Ladder, PioClass, PioClasses, Procedure, Work, WorkPoint,
};
use leadline_sim::{Parametric, ParametricSpec};

/// (service_us, per_kib_us, servers) of reads and of writes.
fn device(jitter: &str, read: (f64, f64, u32), write: (f64, f64, u32)) -> Parametric {
    let side = |(service, per_kib, servers): (f64, f64, u32)| {
        format!("service_us = {service}\nper_kib_us = {per_kib}\nservers = {servers}\n")
    };
    let (read, write) = (side(read), side(write));
    let toml = format!(
        "kind = \"parametric\"\ncapacity = \"1G\"\njitter = \"{jitter}\"\n[read]\n{read}[write]\n{write}"
    );
    ParametricSpec::parse(&toml, "test.toml").unwrap().device()
}

/// Reads 100 us and 1 us per KiB by one server, writes twice that.
fn plain() -> Parametric {
    device("none", (100.0, 1.0, 1), (200.0, 2.0, 1))
}

/// Those that can be made on a device without a file system, each of its points in every round.
fn in_rounds() -> impl Iterator<Item = &'static dyn Experiment> {
    let one_by_one = |one: &&'static dyn Experiment| *one == experiment::BURST || one.uses_whole_drive();
    experiment::ALL.iter().copied().filter(move |one| !one.needs_directory() && !one_by_one(one))
}

/// Nothing is laid out.
fn plan(device: &dyn Device, experiment: &'static dyn Experiment, seconds: f64) -> ExperimentPlan {
    let mut plan = ExperimentPlan::new(experiment, device.geometry(), device.clock());
    (plan.layout, plan.seconds) = (false, seconds);
    plan.max_ops_per_slice = plan.max_ops_per_slice.min(12_000);
    plan
}

fn run(device: &dyn Device, plan: &ExperimentPlan) -> Ran {
    let ran = experiment::run(device, plan, &Arc::default(), &mut |_| ()).unwrap();
    assert!(ran.stopped_by.is_none(), "{:?}", ran.stopped_by);
    ran
}

fn work(ran: &Ran) -> &Work {
    ran.found.r_by_k.as_ref().or(ran.found.mixed.as_ref()).unwrap()
}

fn ladder(ran: &Ran) -> &Ladder {
    (ran.found.ladder.as_ref().unwrap()) as _
}

fn classes(ran: &Ran) -> &PioClasses {
    (ran.found.pio_classes.as_ref().unwrap()) as _
}

#[track_caller]
fn near(found: f64, truth: f64, share: f64, what: &str) {
    assert!((found / truth - 1.0).abs() <= share, "{what}: found {found}, truth {truth}");
}

fn cost(point: &WorkPoint) -> f64 {
    point.seconds / (point.reads + point.writes) as f64
}

#[test]
fn r_by_k_finds_what_an_access_costs_at_every_length_and_concurrency() {
    let device = plain();
    let ran = run(&device, &plan(&device, experiment::R_BY_K, 600.0));
    let Work { points, procedure } = work(&ran);
    assert_eq!(points.len(), 2 * 6 * 8, "{:?}", procedure.notes);
    for p in points {
        let kib = f64::from(p.block_bytes) / 1024.0;
        let truth = (100.0 + kib) * 1e-6 * if p.writes > 0 { 2.0 } else { 1.0 };
        let what = format!("{p:?}");
        assert!(p.reads == 0 || p.writes == 0, "{what}");
        near(cost(p), truth, 0.01, &what);
        // One server: with k in flight each waits for k.
        near(p.latency_us.mean, truth * 1e6 * f64::from(p.concurrency), 0.01, &what);
        let [low, high] = p.seconds_ci.unwrap();
        assert!(low < p.seconds && p.seconds < high && high / low < 1.01, "{what}");
        assert!(p.reads + p.writes >= 6 * u64::from(p.concurrency), "two waves in three rounds: {what}");
    }
    assert!((3..=6).contains(&procedure.epochs));
    assert!(procedure.notes.is_empty() && procedure.stopped_by.is_none());
    assert!(procedure.measured_seconds <= 600.0 && procedure.bytes_written > 0);
}

#[test]
fn more_servers_are_seen_at_more_requests_in_flight() {
    let device = device("exponential", (100.0, 1.0, 8), (100.0, 1.0, 8));
    let ran = run(&device, &plan(&device, experiment::R_BY_K, 600.0));
    for p in work(&ran).points.iter().filter(|p| p.block_bytes == 4096) {
        near(cost(p), 104e-6 / f64::from(p.concurrency.min(8)), 0.04, &format!("{p:?}"));
    }
}

#[test]
fn what_does_not_fit_into_the_budget_is_left_out_and_named() {
    let device = plain();
    let plan = plan(&device, experiment::R_BY_K, 12.0);
    let ran = run(&device, &plan);
    let Work { points, procedure } = work(&ran);
    assert!(points.iter().any(|p| p.block_bytes == 4 << 20), "only the dearest cells go");
    assert!(!points.iter().any(|p| p.block_bytes == 4 << 20 && p.concurrency == 128));
    assert_eq!(points.iter().filter(|p| p.block_bytes == 4096).count(), 16, "cheap ones stay");
    let [note] = &procedure.notes[..] else { panic!("{:?}", procedure.notes) };
    assert!(note.contains("too slow") && note.contains("4M writes, k = 128"), "{note}");
    assert!(procedure.measured_seconds < 1.1 * plan.seconds, "{}", procedure.measured_seconds);
    assert!(procedure.epochs >= 3);
}

#[test]
fn accesses_that_a_small_region_does_not_hold_are_left_out_and_named() {
    let device = plain();
    let mut plan = plan(&device, experiment::R_BY_K, 60.0);
    (plan.region.len, plan.writes) = (16 << 20, false);
    let ran = run(&device, &plan);
    let Work { points, procedure } = work(&ran);
    assert!(points.iter().all(|p| p.writes == 0 && p.block_bytes <= 1 << 20));
    assert_eq!(points.len(), 5 * 8);
    assert!(procedure.notes[0].contains("16M") && procedure.notes[0].ends_with("accesses of 4M"));
    assert_eq!((procedure.bytes_written, procedure.footprint_bytes), (0, 16 << 20));
}

#[test]
fn mixed_finds_the_bound_of_either_kind_of_server() {
    // Reads 20 000 a second and server, writes 5000.
    let device = device("none", (50.0, 0.0, 4), (200.0, 0.0, 2));
    let ran = run(&device, &plan(&device, experiment::MIXED, 120.0));
    let points = &work(&ran).points;
    assert_eq!(points.len(), 7 * 5);
    for p in points {
        let ops = (p.reads + p.writes) as f64;
        let share = p.reads as f64 / ops;
        let what = format!("{p:?}");
        let truth = match p.concurrency {
            1 => share * 50e-6 + (1.0 - share) * 200e-6,
            // Enough to keep both kinds of server busy: the slower kind is the bound.
            128 => (share * 50e-6 / 4.0).max((1.0 - share) * 200e-6 / 2.0),
            _ => continue,
        };
        near(cost(p), truth, 0.06, &what);
        assert!(p.seconds_ci.is_some() && p.random_fraction == 1.0 && p.block_bytes == 4096);
    }
    let shares: Vec<f64> = [0.0, 0.1, 0.3, 0.5, 0.7, 0.9, 1.0].to_vec();
    for (p, share) in points.iter().filter(|p| p.concurrency == 16).zip(shares) {
        let found = p.reads as f64 / (p.reads + p.writes) as f64;
        assert!((found - share).abs() < 0.02, "{p:?}");
    }
}

#[test]
fn the_ladder_of_one_exponential_server_is_that_of_queueing_theory() {
    let device = device("exponential", (100.0, 0.0, 1), (100.0, 0.0, 1));
    let mut plan = plan(&device, experiment::LADDER, 4000.0);
    plan.max_ops_per_slice = 20_000;
    let ran = run(&device, &plan);
    let ladder = ladder(&ran);
    let shares: Vec<f64> = ladder.mixes.iter().map(|mix| mix.read_share).collect();
    assert_eq!(shares, [0.0, 0.5, 0.7, 1.0]);
    for mix in [&ladder.mixes[0], &ladder.mixes[3]] {
        near(mix.capacity_iops, 10_000.0, 0.02, "capacity");
        let loads = [0.10, 0.25, 0.40, 0.55, 0.70, 0.80, 0.90, 0.95];
        for (rung, load) in mix.rungs.iter().zip(loads) {
            near(rung.offered_iops, load * mix.capacity_iops, 0.02, "offered");
            near(rung.iops, rung.offered_iops, 0.03, "done");
            assert!(rung.ops >= 2000);
            // M/M/1: the time in the system is exponential with mean 1 / (mu - lambda). Near saturation a
            // fraction of a percent of load is much, and a queue takes long to grow.
            let mean = 1e6 / (10_000.0 - rung.offered_iops);
            let within = if load <= 0.7 { 0.06 } else { 0.2 };
            if load <= 0.8 {
                near(rung.latency_us.p50, mean * 2f64.ln(), within, &format!("p50 at {load}"));
                near(rung.latency_us.p99, mean * 100f64.ln(), within, &format!("p99 at {load}"));
            }
        }
        let p99: Vec<f64> = mix.rungs.iter().map(|rung| rung.latency_us.p99).collect();
        assert!(p99.is_sorted(), "{p99:?}");
    }
}

#[test]
fn a_device_that_is_only_read_has_one_ladder_and_cannot_be_mixed() {
    let device = plain();
    let mut only_read = plan(&device, experiment::LADDER, 20.0);
    only_read.writes = false;
    let ran = run(&device, &only_read);
    assert_eq!(ladder(&ran).mixes.len(), 1);
    assert_eq!((ladder(&ran).mixes[0].read_share, ladder(&ran).procedure.bytes_written), (1.0, 0));
    for experiment in [experiment::MIXED, experiment::PIO_CLASSES, experiment::UNALIGNED] {
        only_read.experiment = experiment;
        let error = experiment::run(&device, &only_read, &Arc::default(), &mut |_| ()).unwrap_err();
        let said = error.to_string();
        assert!(said.contains(experiment.name()) && said.contains("needs writes"), "{said}");
    }
}

#[test]
fn batching_is_worth_what_the_servers_say() {
    let device = device("none", (80.0, 0.0, 80), (224.0, 0.0, 8));
    let ran = run(&device, &plan(&device, experiment::PIO_CLASSES, 60.0));
    let PioClasses { points, procedure, .. } = classes(&ran);
    assert_eq!(points.len(), 1 + 3 * 7);
    for p in points {
        // Time of a batch: its waves over the servers.
        let each =
            |us: f64, servers: u32, batch: u32| us * f64::from(batch.div_ceil(servers)) / f64::from(batch);
        let reads = each(80.0, 80, if p.class.batches_reads() { p.batch } else { 1 });
        let writes = each(224.0, 8, if p.class.batches_writes() { p.batch } else { 1 });
        near(p.speedup, (80.0 + 224.0) / (reads + writes), 0.001, &format!("{p:?}"));
        near(p.unbatched_seconds, 152e-6, 0.001, "unbatched");
        near(p.seconds * p.speedup, p.unbatched_seconds, 1e-9, "speedup");
        let [low, high] = p.speedup_ci.unwrap();
        assert!(low < p.speedup && p.speedup < high);
    }
    let writes8 = points.iter().find(|p| p.class == PioClass::BatchedWrites && p.batch == 8).unwrap();
    near(
        writes8.speedup,
        (80.0 + 224.0) / (80.0 + 224.0 / 8.0),
        0.001,
        "batches of as many as there are servers",
    );
    assert!(procedure.epochs >= 3 && procedure.bytes_written > 0);
}

#[test]
fn the_applications_read_as_much_as_they_are_told() {
    let device = device("none", (80.0, 0.0, 80), (224.0, 0.0, 8));
    for share in [0.0, 0.3, 0.9, 1.0] {
        let mut plan = plan(&device, experiment::PIO_CLASSES, 60.0);
        plan.read_share = share;
        let ran = run(&device, &plan);
        let PioClasses { points, procedure, .. } = classes(&ran);
        let sent = (procedure.bytes_read + procedure.bytes_written) as f64;
        assert!((procedure.bytes_read as f64 / sent - share).abs() < 0.005, "{share}: {procedure:?}");
        let p = points.iter().find(|p| p.class == PioClass::BatchedBoth && p.batch == 8).unwrap();
        let truth = share * 80.0 + (1.0 - share) * 224.0;
        near(p.speedup, 8.0, 0.02, "either kind in batches of eight");
        near(p.unbatched_seconds, truth * 1e-6, 0.01, "unbatched");
    }
}

/// Cancels when `when` says so.
fn run_until(
    device: &dyn Device,
    plan: &ExperimentPlan,
    when: impl Fn(&Progress) -> bool,
) -> Result<Ran, MeasureError> {
    let cancel = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&cancel);
    experiment::run(device, plan, &cancel, &mut |p| {
        assert!((0.0..=1.0).contains(&p.done), "{p:?}");
        if when(&p) {
            flag.store(true, Ordering::Relaxed);
        }
    })
}

#[test]
fn an_interrupted_experiment_is_kept_once_every_point_was_measured() {
    let device = device("none", (100.0, 0.0, 4), (200.0, 0.0, 4));
    for experiment in in_rounds() {
        let plan = plan(&device, experiment, 60.0);
        let early = run_until(&device, &plan, |p| p.phase == experiment.name());
        assert!(matches!(early, Err(MeasureError::Interrupted)), "{experiment:?}: {early:?}");
        let reports = std::cell::Cell::new(0);
        run_until(&device, &plan, |_| {
            reports.set(reports.get() + 1);
            false
        })
        .unwrap();
        let (all, seen) = (reports.get(), std::cell::Cell::new(0));
        let late = run_until(&device, &plan, |_| {
            seen.set(seen.get() + 1);
            seen.get() == all - 3
        });
        let late = late.unwrap();
        assert!(matches!(late.stopped_by, Some(Stop::Cancelled)));
        let profile = to_profile(&device, &plan, late, None);
        let text = profile.to_json();
        assert!(text.contains("\"stopped_by\": \"interrupted\""), "{experiment:?}");
    }
}

#[test]
fn what_writes_keeps_to_its_budget_and_is_whole_all_the_same() {
    for experiment in experiment::ALL.iter().copied().filter(|one| one.needs_writes()) {
        // `gc` fills a part of the drive and overwrites it three times: that is its budget, and no less does.
        if experiment.needs_directory() || experiment.needs_wear() || experiment == experiment::GC {
            continue;
        }
        let device = device("exponential", (50.0, 0.2, 8), (50.0, 0.2, 8));
        let mut plan = plan(&device, experiment, 20.0);
        (plan.region.len, plan.max_bytes) = (64 << 20, 2 << 30);
        let free = procedure_of(run(&device, &plan)).bytes_written;
        // What is written once whatever happens (a fill of the region, three shortest rounds) is no more than
        // half of what is written without a budget.
        let budget = free * 3 / 5;
        plan.write_budget = Some(budget);
        let written = procedure_of(run(&device, &plan)).bytes_written;
        let what = format!("{}: {written} of {budget}, {free} without", experiment.name());
        println!("{what}");
        assert!(written <= budget, "{what}");
        assert!(written >= budget / 4, "{what}");
    }
}

fn procedure_of(ran: Ran) -> Procedure {
    let device = plain();
    let plan = plan(&device, experiment::MIXED, 1.0);
    let profile = to_profile(&device, &plan, ran, None);
    profile.experiments.procedures().next().unwrap().1.clone()
}

fn to_profile(
    device: &dyn Device,
    plan: &ExperimentPlan,
    ran: Ran,
    into: Option<DeviceProfile>,
) -> DeviceProfile {
    let around = Circumstances::simulated("sim:test", "test", device.geometry().capacity_bytes);
    let profile = experiment::profile(plan, ran, around, into);
    let again = DeviceProfile::parse(&profile.to_json(), Path::new("test.json")).unwrap();
    assert_eq!(again, profile, "what comes out can be read back, and is what it was");
    profile
}

#[test]
fn one_profile_holds_all_of_them_and_a_later_one_replaces_its_own_alone() {
    let device = plain();
    let mut profile = None;
    for experiment in in_rounds() {
        let plan = plan(&device, experiment, 30.0);
        profile = Some(to_profile(&device, &plan, run(&device, &plan), profile));
    }
    let before = profile.unwrap();
    assert!(
        before.points.is_empty() && before.validity.complete && before.method.budget == BudgetKind::Custom
    );
    assert_eq!((before.device.name.as_str(), &before.validity.state), ("test", &DeviceState::Simulated));
    let mut again = plan(&device, experiment::MIXED, 30.0);
    again.seed = 2;
    let after = to_profile(&device, &again, run(&device, &again), Some(before.clone()));
    assert_eq!(after.experiments.mixed.as_ref().unwrap().procedure.seed, 2);
    let mut expected = before;
    expected.experiments.mixed.clone_from(&after.experiments.mixed);
    assert_eq!(after, expected);
}

#[test]
fn the_same_seed_on_a_new_device_gives_the_same_numbers() {
    for experiment in in_rounds() {
        let once = || {
            let device = device("exponential", (100.0, 0.0, 4), (200.0, 0.0, 4));
            run(&device, &plan(&device, experiment, 20.0)).found
        };
        assert_eq!(once(), once());
    }
}

#[test]
fn a_device_that_fails_is_named_and_what_it_gave_before_is_kept() {
    for experiment in in_rounds() {
        let run_with = |faults: Vec<Fault>| {
            let device = device("none", (100.0, 0.0, 4), (200.0, 0.0, 4));
            let plan = plan(&device, experiment, 60.0);
            let device = Faulty::new(device, faults);
            let ran = experiment::run(&device, &plan, &Arc::default(), &mut |_| ());
            (ran, device.submitted())
        };
        let fails_from = |nth| run_with(vec![Fault::FailFrom { nth, errno: 5 }]).0;
        let said = fails_from(2000).unwrap_err().to_string();
        let failed = said.contains("of the target failed") || said.contains("flush");
        assert!(failed && said.contains("Input/output error"), "{said}");
        let (whole, requests) = run_with(Vec::new());
        assert!(whole.is_ok());
        let kept = fails_from(requests * 19 / 20).unwrap();
        assert!(matches!(kept.stopped_by, Some(Stop::Failed(_))), "{experiment:?}");
    }
}

#[test]
fn what_may_be_written_is_never_exceeded() {
    let device = plain();
    for experiment in in_rounds().filter(|one| !one.only_reads()) {
        let mut plan = plan(&device, experiment, 60.0);
        plan.max_writes = Some(2 << 20);
        let said = experiment::run(&device, &plan, &Arc::default(), &mut |_| ()).unwrap_err().to_string();
        assert!(said.contains("2M that may be written"), "{experiment:?}: {said}");
    }
    // Enough for some rounds, not for all.
    let mut plan = plan(&device, experiment::MIXED, 60.0);
    plan.max_writes = Some(500 << 20);
    let ran = experiment::run(&device, &plan, &Arc::default(), &mut |_| ()).unwrap();
    let written = work(&ran).procedure.bytes_written;
    if matches!(ran.stopped_by, Some(Stop::WritesSpent)) {
        assert_eq!(work(&ran).procedure.stopped_by.as_deref(), Some("--max-writes"));
    }
    assert!(written <= 500 << 20, "{written}");
}
