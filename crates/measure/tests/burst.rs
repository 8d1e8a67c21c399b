//! `burst` on devices whose limits are planted.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use leadline_device::Device as _;
use leadline_measure::experiment::{self, ExperimentPlan, Ran};
use leadline_measure::{MeasureError, Stop};
use leadline_profile::{Burst, OpKind};
use leadline_sim::{Parametric, ParametricSpec};

/// 64 servers of 100 us, behind the limits of `cap`.
fn device(cap: &str) -> Parametric {
    let side = "service_us = 100\nservers = 64\n";
    let toml = format!(
        "kind = \"parametric\"\ncapacity = \"1G\"\njitter = \"lognormal\"\n{cap}\n[read]\n{side}[write]\n{side}"
    );
    ParametricSpec::parse(&toml, "test.toml").unwrap().device()
}

/// A bucket of so many operations that starts full.
fn credited(credit: u64, peak: u32, baseline: u32) -> Parametric {
    device(&format!("[cap]\niops = {peak}\ncredit = {credit}\nrefill = {baseline}"))
}

fn plan(device: &Parametric, seconds: f64) -> ExperimentPlan {
    let mut plan = ExperimentPlan::new(experiment::BURST, device.geometry(), device.clock());
    (plan.layout, plan.seconds) = (false, seconds);
    plan
}

fn run(device: &Parametric, plan: &ExperimentPlan) -> Ran {
    experiment::run(device, plan, &Arc::default(), &mut |_| ()).unwrap()
}

fn burst(ran: Ran) -> Burst {
    ran.found.burst.unwrap()
}

#[track_caller]
fn near(found: Option<f64>, ci: Option<[f64; 2]>, truth: f64, share: f64, what: &str) {
    let found = found.unwrap_or_else(|| panic!("no {what}"));
    assert!((found / truth - 1.0).abs() <= share, "{what}: found {found}, truth {truth}");
    let [low, high] = ci.unwrap();
    assert!(low < found && found < high && high / low < 1.5, "{what}: {low} to {high}");
}

#[test]
fn planted_credits_are_found() {
    for (credit, peak, baseline) in [(2_000, 3000, 100), (50_000, 3000, 500), (200_000, 16_000, 4000)] {
        let device = credited(credit, peak, baseline);
        let found = burst(run(&device, &plan(&device, 3600.0)));
        let what =
            format!("{credit} at {peak} and {baseline}: {:?}", Burst { loads: Vec::new(), ..found.clone() });
        near(found.credit_ops, found.credit_ci, credit as f64, 0.02, &what);
        near(Some(found.peak_iops), found.peak_ci, f64::from(peak), 0.02, &what);
        near(found.baseline_iops, found.baseline_ci, f64::from(baseline), 0.02, &what);
        near(found.refill_per_second, found.refill_ci, f64::from(baseline), 0.05, &what);
        assert!(found.loads.len() >= 3 && found.loads.iter().all(|load| load.fell_at_seconds.is_some()));
        assert!(found.procedure.stopped_by.is_none() && found.procedure.notes.is_empty(), "{what}");
    }
}

/// How often the intervals of the peak, the baseline, the credit and its return hold what was planted.
#[test]
fn intervals_hold_what_was_planted() {
    let seeds = if leadline_testing::exhaustive() { 200 } else { 12 };
    let (mut inside, mut all) = ([0u32; 4], [0u32; 4]);
    for seed in 0..seeds {
        let (credit, peak, baseline) = (20_000.0, 3000.0, 400.0);
        let device = device(&format!("seed = {seed}\n[cap]\niops = 3000\ncredit = 20000\nrefill = 400"));
        let mut plan = plan(&device, 3600.0);
        plan.seed = seed;
        let found = burst(run(&device, &plan));
        let planted = [
            (found.peak_ci, peak),
            (found.baseline_ci, baseline),
            (found.credit_ci, credit),
            (found.refill_ci, baseline),
        ];
        for (i, (interval, truth)) in planted.into_iter().enumerate() {
            let Some([low, high]) = interval else { continue };
            inside[i] += u32::from(low <= truth && truth <= high);
            all[i] += 1;
        }
    }
    println!("peak, baseline, credit, refill: {inside:?} of {all:?}");
    for (inside, all) in inside.into_iter().zip(all) {
        assert!(
            all as u64 >= seeds * 9 / 10 && f64::from(inside) >= 0.83 * f64::from(all),
            "{inside} of {all}"
        );
    }
}

#[test]
fn writes_are_loaded_where_that_is_asked() {
    let device = credited(20_000, 3000, 300);
    let mut plan = plan(&device, 600.0);
    plan.operation = OpKind::Write;
    let found = burst(run(&device, &plan));
    near(found.credit_ops, found.credit_ci, 20_000.0, 0.02, "credit of writes");
    assert!(found.procedure.bytes_written > 20_000 * 4096 && found.procedure.bytes_read == 0);
    plan.writes = false;
    let refused = experiment::run(&device, &plan, &Arc::default(), &mut |_| ()).unwrap_err().to_string();
    assert!(refused.contains("burst needs writes"), "{refused}");
}

#[test]
fn a_device_without_credit_is_said_to_have_none_and_its_limits_are_kept() {
    for cap in ["", "[cap]\niops = 5000"] {
        let device = device(cap);
        let mut plan = plan(&device, 20.0);
        plan.max_bytes = 200 << 20;
        let found = burst(run(&device, &plan));
        assert!(
            found.credit_ops.is_none() && found.baseline_iops.is_none() && found.refill_per_second.is_none()
        );
        let truth = if cap.is_empty() { 640_000.0 } else { 5000.0 };
        near(Some(found.peak_iops), found.peak_ci, truth, 0.02, "throughput");
        assert!(found.procedure.bytes_read <= 200 << 20 && found.procedure.measured_seconds < 21.0);
        let reached = (found.moved_bytes, found.procedure.measured_seconds);
        assert!(reached.0 == 200 << 20 || reached.1 >= 20.0, "{reached:?}");
        assert!(found.procedure.notes.is_empty() && found.moved_bytes == found.procedure.bytes_read);
    }
}

#[test]
fn credit_that_outlasts_the_limits_is_not_found() {
    let device = credited(1_000_000, 10_000, 100);
    let found = burst(run(&device, &plan(&device, 30.0)));
    assert!(found.credit_ops.is_none() && found.loads.len() == 1, "{found:?}");
}

#[test]
fn without_time_for_a_rest_the_credit_is_known_and_its_return_is_not() {
    let device = credited(50_000, 5000, 50);
    let found = burst(run(&device, &plan(&device, 14.0)));
    near(found.credit_ops, found.credit_ci, 50_000.0, 0.03, "credit");
    assert!(found.refill_per_second.is_none() && found.loads.len() == 1);
    assert!(found.procedure.notes[0].contains("was not measured"), "{:?}", found.procedure.notes);
}

#[test]
fn bytes_are_limited_over_all_loads() {
    let device = credited(20_000, 3000, 300);
    let mut plan = plan(&device, 6000.0);
    let all = burst(run(&device, &plan));
    let device = credited(20_000, 3000, 300);
    plan.max_bytes = all.moved_bytes / 3;
    let some = burst(run(&device, &plan));
    near(some.credit_ops, some.credit_ci, 20_000.0, 0.02, "credit");
    assert!(some.moved_bytes <= plan.max_bytes && some.loads.len() < all.loads.len(), "{}", some.moved_bytes);
}

#[test]
fn what_may_be_written_is_never_exceeded_and_what_was_seen_is_kept() {
    let device = credited(20_000, 3000, 300);
    let mut plan = plan(&device, 600.0);
    (plan.operation, plan.max_writes) = (OpKind::Write, Some(40 << 20));
    let ran = run(&device, &plan);
    assert!(matches!(ran.stopped_by, Some(Stop::WritesSpent)));
    let found = burst(ran);
    assert!(found.procedure.bytes_written <= 40 << 20 && found.credit_ops.is_none());
    assert_eq!(found.procedure.stopped_by.as_deref(), Some("--max-writes"));
}

#[test]
fn interrupted_in_its_first_load_nothing_is_kept_and_later_the_loads_are() {
    let device = credited(20_000, 3000, 300);
    let plan = plan(&device, 600.0);
    let run_until = |words: &str| {
        let cancel = Arc::new(AtomicBool::new(false));
        let flag = Arc::clone(&cancel);
        experiment::run(&device, &plan, &cancel, &mut |p| {
            if p.detail.contains(words) {
                flag.store(true, Ordering::Relaxed);
            }
        })
    };
    assert!(matches!(run_until("IOPS"), Err(MeasureError::Interrupted)));
    let late = run_until("resting").unwrap();
    assert!(matches!(late.stopped_by, Some(Stop::Cancelled)));
    assert!(burst(late).credit_ops.is_some());
}
