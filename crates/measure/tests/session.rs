//! A whole measurement on devices in virtual time: what is cut short, resumed, refused or broken.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use leadline_device::{Device, Fault, Faulty};
use leadline_measure::{
    Budget, Curve, CurveId, MeasureError, Outcome, Plan, PointData, Prepared, Progress, Stop, measure,
    summary,
};
use leadline_profile::{Capped, CheckName, CheckStatus, DeviceProfile, OpKind, Pattern, RunPhase, Slice};
use leadline_sim::{Parametric, ParametricSpec, open};

fn device(jitter: &str) -> Parametric {
    let toml = format!(
        "kind = \"parametric\"\ncapacity = \"1G\"\njitter = \"{jitter}\"\n\
         [read]\nservice_us = 60\nper_kib_us = 5\nservers = 20\n\
         [write]\nservice_us = 150\nper_kib_us = 10\nservers = 8\n"
    );
    ParametricSpec::parse(&toml, "test.toml").unwrap().device()
}

/// Four seconds, random 4K only, nothing laid out.
fn plan(device: &dyn Device) -> Plan {
    let mut plan = Plan::new(Budget::Custom(Duration::from_secs(4)), device.geometry(), device.clock());
    (plan.layout, plan.block_sizes, plan.patterns) = (false, vec![4096], vec![Pattern::Random]);
    plan
}

fn to_profile(
    device: &dyn Device,
    plan: &Plan,
    (prepared, outcome): &(Prepared, Outcome),
    earlier: Option<&DeviceProfile>,
) -> DeviceProfile {
    let around = summary::Circumstances::simulated("sim:test", "test", device.geometry().capacity_bytes);
    let profile = summary::profile(plan, prepared, outcome, around, earlier);
    // Whatever happened, what comes out can be read back, and is what it was.
    let again = DeviceProfile::parse(&profile.to_json(), Path::new("test.json")).unwrap();
    assert_eq!(again, profile);
    profile
}

fn run(device: &dyn Device, plan: &Plan) -> (Prepared, Outcome) {
    measure(device, plan, None, &Arc::default(), &mut |_| ()).unwrap()
}

/// Runs and cancels from the progress callback as soon as `when` says so.
fn run_until(device: &dyn Device, plan: &Plan, when: impl Fn(&Progress) -> bool) -> (Prepared, Outcome) {
    let cancel = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&cancel);
    let mut progress = |p: Progress| {
        assert!((0.0..=1.0).contains(&p.done), "{p:?}");
        if when(&p) {
            flag.store(true, Ordering::Relaxed);
        }
    };
    measure(device, plan, None, &cancel, &mut progress).unwrap()
}

fn near(found: f64, truth: f64, share: f64, what: &str) {
    assert!((found / truth - 1.0).abs() <= share, "{what}: found {found}, truth {truth}");
}

#[test]
fn a_run_cut_short_is_resumed_and_what_it_had_measured_stays() {
    let device = device("exponential");
    let plan = plan(&device);
    let whole = to_profile(&device, &plan, &run(&device, &plan), None);
    for share in [0.5, 0.6, 0.8] {
        let cut = run_until(&device, &plan, |p| p.phase == "measure" && p.done > share);
        assert!(matches!(cut.1.stopped_by, Some(Stop::Cancelled)));
        let first = to_profile(&device, &plan, &cut, None);
        assert!(!first.validity.complete && first.method.epochs >= 2, "{:?}", first.method.epochs);
        assert!(first.validity.stopped_by.as_ref().unwrap().contains("signal"));

        // Through the file, as --resume does it.
        let read_back = DeviceProfile::parse(&first.to_json(), Path::new("first.json")).unwrap();
        let earlier = summary::earlier(&read_back);
        let rest = measure(&device, &plan, Some(earlier), &Arc::default(), &mut |p| {
            assert_ne!(p.phase, "search", "the search is not done again");
        })
        .unwrap();
        assert!(rest.1.washout.0 > 0.0, "reads are waited for after writes as in the first run");
        let second = to_profile(&device, &plan, &rest, Some(&read_back));
        assert!(
            second.validity.washout_seconds >= first.validity.washout_seconds,
            "the longest of both runs"
        );
        assert!(second.validity.complete && second.validity.stopped_by.is_none());
        for point in &first.points {
            let same = |p: &&leadline_profile::Point| {
                (p.op, p.durable, p.concurrency) == (point.op, point.durable, point.concurrency)
            };
            let after = second.points.iter().find(same).expect("no point is lost");
            assert!(after.slices.starts_with(&point.slices), "early slices are as they were");
        }
        let slices = || second.points.iter().flat_map(|p| &p.slices);
        let mut orders: Vec<u32> = slices().map(|s| s.order).collect();
        let count = orders.len();
        orders.sort_unstable();
        orders.dedup();
        assert_eq!(orders.len(), count, "no two slices have the same place in the run");
        let epoch_of_rest = slices().map(|s| s.epoch).max().unwrap();
        assert!(epoch_of_rest >= first.method.epochs, "new slices are of new epochs");
        assert!(second.validity.bytes_read > first.validity.bytes_read);
        assert!(second.method.measured_seconds > first.method.measured_seconds);
        assert!(
            second.method.measured_seconds < 1.2 * whole.method.measured_seconds,
            "the budget is for both"
        );
        let times: Vec<f64> = second.timeline.iter().map(|s| s.at_seconds).collect();
        assert!(times.windows(2).all(|w| w[0] <= w[1]), "the timeline goes on where it was cut");
        let (a, b) = (&whole.parameters[0], &second.parameters[0]);
        near(b.alpha.unwrap(), a.alpha.unwrap(), 0.05, "alpha");
        let [low, high] = b.alpha_ci.unwrap();
        assert!(low < (20.0 / 80.0) / (8.0 / 190.0) * 1.05 && high > (20.0 / 80.0) / (8.0 / 190.0) / 1.05);
    }
}

#[test]
fn a_cancel_during_the_search_leaves_what_the_search_saw() {
    let device = device("none");
    let plan = plan(&device);
    for steps in [1, 5, 20] {
        let seen = std::cell::Cell::new(0);
        let cut = run_until(&device, &plan, |p| {
            assert_eq!(p.phase, "search");
            seen.set(seen.get() + 1);
            seen.get() == steps
        });
        assert!(matches!(cut.1.stopped_by, Some(Stop::Cancelled)));
        assert_eq!(cut.1.epochs, 0);
        let profile = to_profile(&device, &plan, &cut, None);
        assert_eq!(profile.points.len(), steps, "each step of the search is a point");
        assert!(profile.points.iter().all(|p| p.iops_ci.is_none() && p.slices.len() == 1));
        assert!(!profile.validity.complete);
        let found = &profile.parameters[0];
        assert_eq!((found.alpha_ci, found.k_r_ci, found.max_read_iops_ci), (None, None, None));

        // Resuming so early a run is as good as a new one.
        let again =
            measure(&device, &plan, Some(summary::earlier(&profile)), &Arc::default(), &mut |_| ()).unwrap();
        let again = to_profile(&device, &plan, &again, Some(&profile));
        assert!(again.validity.complete);
        near(again.parameters[0].alpha.unwrap(), (20.0 / 80.0) / (8.0 / 190.0), 0.02, "alpha");
    }
}

#[test]
fn a_cancel_while_preparing_ends_it() {
    let device = device("none");
    let mut plan = plan(&device);
    (plan.layout, plan.precondition) = (true, 3);
    let (prepared, outcome) = run_until(&device, &plan, |p| p.phase == "precondition");
    assert!(matches!(outcome.stopped_by, Some(Stop::Cancelled)), "{:?}", outcome.stopped_by);
    assert!(prepared.written < 2 << 30 && prepared.written > 1 << 30, "{}", prepared.written);
    let profile = to_profile(&device, &plan, &(prepared, outcome), None);
    assert!(!profile.validity.complete && profile.points.is_empty() && profile.parameters.is_empty());
    assert!(profile.validity.bytes_written > 1 << 30);
}

#[test]
fn never_more_is_written_than_allowed_and_reads_go_on() {
    let device = device("exponential");
    for (layout, max) in
        [(false, 0), (false, 100_000), (false, 10 << 20), (false, 150 << 20), (true, 100 << 20)]
    {
        let mut plan = plan(&device);
        plan.region.len = 64 << 20;
        (plan.layout, plan.max_writes) = (layout, Some(max));
        let ran = run(&device, &plan);
        let what = format!("at most {max}, layout {layout}");
        assert!(matches!(ran.1.stopped_by, Some(Stop::WritesSpent)), "{what}: {:?}", ran.1.stopped_by);
        let profile = to_profile(&device, &plan, &ran, None);
        assert!(profile.validity.bytes_written <= max, "{what}: wrote {}", profile.validity.bytes_written);
        assert_eq!(profile.validity.bytes_written, ran.0.written + ran.1.traffic.1, "{what}");
        assert!(!profile.validity.complete, "{what}");
        assert!(profile.validity.stopped_by.as_ref().unwrap().contains("--max-writes"), "{what}");
        // As many epochs of reads as an interval needs.
        let reads: Vec<_> = profile.points.iter().filter(|p| p.op == OpKind::Read).collect();
        assert!(reads.iter().any(|p| p.slices.iter().any(|s| s.epoch == 4)), "{what}");
        near(profile.parameters[0].max_read_iops.unwrap(), 20.0 / 80e-6, 0.05, &what);
    }
    let plan = Plan { max_writes: Some(1 << 40), ..plan(&device) };
    assert!(run(&device, &plan).1.stopped_by.is_none());
}

/// Three seconds of random 16K, 64 MiB laid out, on a device that writes 4 GB/s, its speed changing by 10 %
/// every 10 ms, in whose 40 read servers requests take half as long as in its 40 write servers.
fn on_fast_device(seed: u64, budget: Option<u64>) -> DeviceProfile {
    let toml = format!(
        "kind = \"parametric\"\ncapacity = \"1G\"\njitter = \"exponential\"\nseed = {seed}\n\
         noise = 0.1\nnoise_ms = 10\nnoise_seed = {seed}\n\
         [read]\nservice_us = 80\nservers = 40\n[write]\nservice_us = 160\nservers = 40\n"
    );
    let device = ParametricSpec::parse(&toml, "fast.toml").unwrap().device();
    let mut plan = plan(&device);
    plan.budget = Budget::Custom(Duration::from_secs(3));
    (plan.block_sizes, plan.layout, plan.region.len, plan.seed) = (vec![16384], true, 64 << 20, seed);
    (plan.write_budget, plan.max_ops_per_slice) = (budget, u64::MAX);
    let ran = run(&device, &plan);
    let profile = to_profile(&device, &plan, &ran, None);
    assert_eq!(profile.validity.bytes_written, ran.0.written + ran.1.traffic.1);
    profile
}

/// Width of alpha's interval as a share of alpha.
fn alpha_width(profile: &DeviceProfile) -> f64 {
    let found = &profile.parameters[0];
    let [low, high] = found.alpha_ci.unwrap();
    (high - low) / found.alpha.unwrap()
}

#[test]
fn a_write_budget_shortens_writes_and_the_run_is_complete() {
    const SEEDS: u64 = 4;
    let free: Vec<_> = (1..=SEEDS).map(|seed| on_fast_device(seed, None)).collect();
    let mean_width = |runs: &[DeviceProfile]| runs.iter().map(alpha_width).sum::<f64>() / runs.len() as f64;
    assert_eq!((free[0].method.write_budget_bytes, free[0].method.writes_shortened), (None, None));
    let budget = free[0].validity.bytes_written / 2;
    let bound: Vec<_> = (1..=SEEDS).map(|seed| on_fast_device(seed, Some(budget))).collect();
    let mut held = 0;
    for profile in &bound {
        let what = format!("a budget of {budget}, seed {}", profile.method.seed);
        let written = profile.validity.bytes_written;
        assert!(written <= budget, "{what}: {written} written");
        assert!(written > budget / 2, "{what}: {written} written, although more may be");
        assert!(profile.validity.complete && profile.validity.stopped_by.is_none(), "{what}");
        assert_eq!(profile.method.write_budget_bytes, Some(budget), "{what}");
        assert_eq!(profile.method.writes_shortened, Some(true), "{what}");
        for (op, durable) in [(OpKind::Read, false), (OpKind::Write, false), (OpKind::Write, true)] {
            let points = profile.points.iter().filter(|p| (p.op, p.durable) == (op, durable));
            let epochs: BTreeSet<u32> = points.flat_map(|p| &p.slices).map(|s| s.epoch).collect();
            assert!(epochs.len() >= 4, "{what}: {op:?} {durable} in {epochs:?}");
        }
        near(profile.parameters[0].alpha.unwrap(), 2.0, 0.05, &what);
        let [low, high] = profile.parameters[0].alpha_ci.unwrap();
        held += u64::from(low <= 2.0 && 2.0 <= high);
    }
    assert!(held >= SEEDS - 1, "alpha's interval holds the truth in {held} of {SEEDS} runs");
    let wider = mean_width(&bound) / mean_width(&free);
    assert!(wider <= 1.3, "half of the bytes: intervals {wider:.2} times as wide");
}

#[test]
fn a_write_budget_that_is_never_reached_shortens_nothing() {
    let bound = on_fast_device(1, Some(1 << 50));
    assert!(bound.validity.complete && bound.method.writes_shortened == Some(false));
}

#[test]
fn a_write_budget_too_small_for_one_epoch_is_kept_and_the_run_goes_on() {
    for extra in [0, 100_000, 4 << 20, 30 << 20] {
        let budget = (64 << 20) + extra;
        let profile = on_fast_device(1, Some(budget));
        assert!(profile.validity.bytes_written <= budget, "{extra}: {}", profile.validity.bytes_written);
        assert!(profile.validity.complete && profile.method.writes_shortened == Some(true), "{extra}");
        near(profile.parameters[0].max_read_iops.unwrap(), 5e5, 0.05, "reads");
    }
}

#[test]
fn the_steady_state_test_keeps_to_what_may_be_written() {
    let device = device("exponential");
    let mut plan = plan(&device);
    plan.budget = Budget::Full;
    plan.region.len = 64 << 20;
    // Rounds of 5 s at 42 K/s write about 860 MB each: the fourth is cut short.
    plan.max_writes = Some(3 << 30);
    let cut = run_until(&device, &plan, |p| p.phase == "search");
    let profile = to_profile(&device, &plan, &cut, None);
    assert!(profile.validity.bytes_written <= 3 << 30, "{}", profile.validity.bytes_written);
    assert!(profile.validity.bytes_written > 2 << 30, "{}", profile.validity.bytes_written);
    assert!(!profile.validity.steady_state.unwrap().passed);
}

#[test]
fn a_steady_device_passes_the_steady_state_test() {
    let device = device("exponential");
    let mut plan = plan(&device);
    plan.budget = Budget::Full;
    let cut = run_until(&device, &plan, |p| p.phase == "search");
    let rounds = cut.0.rounds.unwrap();
    assert!(rounds.passed && rounds.iops.len() == 5, "{rounds:?}");
    near(rounds.iops[4], 8.0 / 190e-6, 0.02, "write throughput");
}

#[test]
fn a_device_that_breaks_ends_the_run_and_keeps_what_was_measured() {
    let whole = Faulty::new(device("none"), []);
    run(&whole, &plan(&whole));
    let nth = whole.submitted() / 2;
    for (fault, reason) in [
        (Fault::FailFrom { nth, errno: 5 }, "Input/output error"),
        (Fault::FailOnce { nth, errno: 28 }, "No space left on device"),
        (Fault::HangFrom { nth }, "stopped answering"),
        (Fault::FailFrom { nth: nth / 10, errno: 19 }, "No such device"),
    ] {
        let faulty = Faulty::new(device("none"), [fault]);
        let plan = plan(&faulty);
        let ran = run(&faulty, &plan);
        let Some(Stop::Failed(error)) = &ran.1.stopped_by else { panic!("{:?}", ran.1.stopped_by) };
        assert!(error.to_string().contains(reason), "{error}");
        let profile = to_profile(&faulty, &plan, &ran, None);
        assert!(!profile.validity.complete, "{reason}");
        assert!(profile.validity.stopped_by.as_ref().unwrap().contains(reason), "{reason}");
        assert!(profile.points.len() > 2, "{reason}: {} points", profile.points.len());
        let one = profile.points.iter().find(|p| p.op == OpKind::Read && p.concurrency == 1).unwrap();
        near(one.iops, 1.0 / 80e-6, 0.01, "what was measured before it broke");
    }
}

#[test]
fn a_device_broken_from_the_start_is_an_error_or_an_empty_profile() {
    let faulty = Faulty::new(device("none"), [Fault::FailFrom { nth: 0, errno: 5 }]);
    let laid_out = Plan { layout: true, ..plan(&faulty) };
    let error = measure(&faulty, &laid_out, None, &Arc::default(), &mut |_| ()).err().unwrap();
    assert!(error.to_string().contains("Input/output error"), "{error}");
    let plan = plan(&faulty);
    let ran = run(&faulty, &plan);
    assert!(matches!(ran.1.stopped_by, Some(Stop::Failed(_))));
    let profile = to_profile(&faulty, &plan, &ran, None);
    assert!(profile.points.is_empty() && profile.parameters.is_empty());
}

#[test]
fn reads_alone_give_no_alpha() {
    let device = device("exponential");
    let plan = Plan { writes: false, ..plan(&device) };
    let ran = run(&device, &plan);
    let profile = to_profile(&device, &plan, &ran, None);
    assert!(profile.validity.complete && profile.validity.bytes_written == 0);
    assert!(profile.points.iter().all(|p| p.op == OpKind::Read));
    assert!(profile.timeline.iter().all(|s| s.phase == RunPhase::Read));
    let found = &profile.parameters[0];
    assert_eq!((found.alpha, found.alpha_1, found.alpha_durable, found.k_w), (None, None, None, None));
    assert_eq!((found.max_write_iops, found.k_w_ci, found.censored.write), (None, None, false));
    assert_eq!((profile.validity.washout_seconds, profile.validity.order_effect), (None, None));
    let [low, high] = found.k_r_ci.unwrap();
    assert!(low <= 19 && 19 <= high);
}

#[test]
fn plans_that_do_not_fit_are_refused_with_the_reason() {
    let device = device("none");
    let refused = |change: &dyn Fn(&mut Plan)| {
        let mut plan = plan(&device);
        change(&mut plan);
        match measure(&device, &plan, None, &Arc::default(), &mut |_| ()).err() {
            Some(MeasureError::Plan(reason)) => reason.to_string(),
            other => panic!("{other:?}"),
        }
    };
    for size in [0, 100, 513, 4095] {
        let reason = refused(&|plan| plan.block_sizes = vec![4096, size]);
        assert!(reason.contains("block size") && reason.contains("512"), "{reason}");
    }
    assert!(refused(&|plan| plan.block_sizes = vec![128 << 20]).contains("fewer than 16"));
    assert!(refused(&|plan| plan.block_sizes.clear()).contains("nothing to measure"));
    assert!(refused(&|plan| plan.patterns.clear()).contains("nothing to measure"));
    assert!(refused(&|plan| plan.region.len += 4096).contains("beyond"));
    assert!(refused(&|plan| plan.region.start = u64::MAX - 4096).contains("beyond"));
    for k in [0, 4097] {
        assert!(refused(&|plan| plan.max_concurrency = k).contains("1 to 4096"));
    }
    let reason = refused(&|plan| (plan.layout, plan.max_writes) = (true, Some((1 << 30) - 1)));
    assert!(reason.contains("1G") && reason.contains("may be written"), "{reason}");
}

#[test]
fn odd_sizes_of_device_and_concurrency_are_measured() {
    let toml = "kind = \"parametric\"\ncapacity = 1049088\n[read]\nservice_us = 100\nservers = 3\n\
                [write]\nservice_us = 100\nservers = 1\n";
    let device = ParametricSpec::parse(toml, "odd.toml").unwrap().device();
    for max in [1, 2, 7] {
        let mut plan = plan(&device);
        (plan.layout, plan.precondition, plan.max_concurrency) = (true, 1, max);
        plan.patterns = vec![Pattern::Random, Pattern::Sequential];
        let profile = to_profile(&device, &plan, &run(&device, &plan), None);
        assert!(profile.validity.complete, "{:?}", profile.validity.stopped_by);
        for found in &profile.parameters {
            assert_eq!(found.k_r, Some(3.min(max)), "{found:?}");
            assert_eq!(found.k_w, Some(1));
            assert_eq!(found.censored.read, max < 4, "3 servers, at most {max}");
            near(found.alpha.unwrap(), f64::from(3.min(max)), 0.02, "alpha");
        }
    }
}

#[test]
fn every_built_in_device_gives_a_profile_that_can_be_read_back() {
    let capped = ["flash", "optane", "sata", "capped"].map(|name| {
        let device = open(name).unwrap();
        let mut plan = Plan::new(Budget::Quick, device.geometry(), device.clock());
        plan.layout = false;
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("profile.json");
        let profile = to_profile(&device, &plan, &run(&device, &plan), None);
        profile.save(&file).unwrap();
        assert_eq!(DeviceProfile::load(&file).unwrap(), profile, "{name}");
        assert_eq!(profile.parameters.len(), 4, "{name}");
        let violated = profile.validity.checks.iter().find(|c| c.status == CheckStatus::Violated);
        assert!(profile.validity.complete && violated.is_none(), "{name}: {violated:?}");
        assert!(profile.validity.cliffs.is_empty(), "{name}: {:?}", profile.validity.cliffs);
        (name, profile.parameters.iter().map(|p| p.capped).collect::<Vec<_>>())
    });
    for (name, found) in capped {
        match name {
            "capped" => assert_eq!(found, [Capped::Yes; 4], "{name}"),
            "flash" | "optane" => assert_eq!(found, [Capped::No; 4], "{name}"),
            _ => assert!(!found.contains(&Capped::Yes), "{name}: {found:?}"),
        }
    }
}

/// An outcome made by hand: eight epochs, reads first in the even ones, at k = 1 and 2; the closures give
/// throughput by (epoch, whether writes came just before) and by bytes written.
fn crafted(read: impl Fn(u32, bool) -> f64, write: impl Fn(u64) -> f64) -> (Prepared, Outcome) {
    let mut curves = [OpKind::Read, OpKind::Write]
        .map(|op| Curve::new(CurveId { block_bytes: 4096, pattern: Pattern::Random, op, durable: false }));
    let (mut order, mut written) = (0, 0u64);
    for epoch in 0..8 {
        for turn in 0..2 {
            let reads = (turn == 0) == (epoch % 2 == 0);
            for k in [1, 2] {
                let iops = if reads { read(epoch, turn == 1 || epoch % 2 == 1) } else { write(written) };
                let iops = iops * f64::from(k);
                let (ops, curve) = (iops as u64, &mut curves[usize::from(!reads)]);
                let slice = Slice { epoch, order, seconds: 1.0, ops, bytes: ops * 4096, ..Slice::default() };
                written += if reads { 0 } else { slice.bytes };
                let data: &mut PointData = curve.points.entry(k).or_default();
                data.latencies.record_many(100_000, ops);
                data.slices.push(slice);
                order += 1;
            }
        }
    }
    let outcome = Outcome {
        curves: curves.into(),
        epochs: 8,
        measured_seconds: 32.0,
        slice_seconds: 1.0,
        timeline: Vec::new(),
        traffic: (1, written),
        stopped_by: None,
        writes_shortened: false,
        limited_by: None,
        held: None,
        washout: (0.1, true),
    };
    (Prepared::default(), outcome)
}

#[test]
fn reads_that_are_slower_after_writes_are_an_order_effect() {
    let device = device("none");
    let plan = plan(&device);
    let noise = |epoch: u32| 1.0 + 0.01 * f64::from(epoch * 7 % 5);
    // Reads of odd epochs follow that epoch's writes.
    let slowed = crafted(|epoch, _| if epoch % 2 == 1 { 8e3 } else { 1e4 } * noise(epoch), |_| 5e3);
    let profile = to_profile(&device, &plan, &slowed, None);
    let effect = profile.validity.order_effect.unwrap();
    assert!(effect.seen, "{effect:?}");
    near(effect.ratio, 0.8, 0.05, "ratio");
    assert!(effect.ratio_ci[0] <= effect.ratio && effect.ratio <= effect.ratio_ci[1]);
    let check = profile.validity.checks.iter().find(|c| c.name == CheckName::Order).unwrap();
    assert_eq!(check.status, CheckStatus::Violated, "it is shown");

    let steady = crafted(|epoch, _| 1e4 * noise(epoch), |_| 5e3);
    let profile = to_profile(&device, &plan, &steady, None);
    assert!(!profile.validity.order_effect.unwrap().seen);
    assert!(profile.validity.cliffs.is_empty());
}

#[test]
fn writes_that_fall_for_good_are_a_cliff_where_they_fell() {
    let device = device("none");
    let plan = plan(&device);
    // 5 K/s and 10 K/s of 4 KiB in turn, a third of it after 250 MB.
    let at = 250_000_000;
    let falling = crafted(|_, _| 1e4, |written| if written < at { 5e3 } else { 5e3 / 3.0 });
    let profile = to_profile(&device, &plan, &falling, None);
    let [cliff] = &profile.validity.cliffs[..] else { panic!("{:?}", profile.validity.cliffs) };
    assert_eq!(cliff.phase, RunPhase::Write);
    assert!((at..at + 50_000_000).contains(&cliff.at_bytes), "{}", cliff.at_bytes);
    near(cliff.before_bytes_per_second / cliff.after_bytes_per_second, 3.0, 0.7, "fall");
}
