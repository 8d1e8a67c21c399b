//! `sustained` on drives whose caches are known.

use std::sync::Arc;

use leadline_device::Device;
use leadline_measure::experiment::{self, ExperimentPlan};
use leadline_measure::{MeasureError, PlanError, Stop};
use leadline_profile::{Pattern, Sustained, SustainedLoad};

use crate::drives::{Cached, Emptied, PAGE, Paced, device};

const GB: f64 = 1e9;

fn plan(device: &dyn Device, seconds: f64) -> ExperimentPlan {
    let mut plan = ExperimentPlan::new(experiment::SUSTAINED, device.geometry(), device.clock());
    plan.seconds = seconds;
    plan
}

fn measure(device: &dyn Device, plan: &ExperimentPlan) -> Sustained {
    let ran = experiment::run(device, plan, &Arc::default(), &mut |_| ()).unwrap();
    assert!(ran.stopped_by.is_none(), "{:?}", ran.stopped_by);

    ran.found.sustained.unwrap()
}

fn load(found: &Sustained, pattern: Pattern) -> &SustainedLoad {
    found.load(pattern).unwrap_or_else(|| panic!("no {pattern:?} load"))
}

#[track_caller]
fn near(found: f64, truth: f64, share: f64, what: &str) {
    assert!((found / truth - 1.0).abs() <= share, "{what}: found {found}, truth {truth}");
}

#[test]
fn a_cache_that_is_emptied_at_rest_is_found_by_its_size() {
    for (cache, seconds) in [(0.05 * GB, 30.0), (0.5 * GB, 30.0), (2.0 * GB, 60.0)] {
        let drive = device(4 << 30, Cached::new(cache, Emptied::AtRest, GB, 0.25 * GB));
        let found = measure(&drive, &plan(&drive, seconds));
        let sequential = load(&found, Pattern::Sequential);
        let what = format!("{cache}: {:?}", sequential.cliffs);
        assert_eq!(sequential.cliffs.len(), 1, "{what}");
        near(sequential.cliffs[0].at_bytes, cache, 0.03, &what);
        let [low, high] = sequential.cliffs[0].at_ci;
        assert!(low <= cache && cache <= high && high / low < 1.2, "{what}");
        near(sequential.burst_bytes_per_second, GB, 0.01, "burst");
        near(sequential.sustained_bytes_per_second, 0.25 * GB, 0.01, "sustained");
        near(sequential.ratio, 0.25, 0.02, "ratio");
        let [low, high] = sequential.ratio_ci.unwrap();
        assert!(low <= sequential.ratio && sequential.ratio <= high && sequential.settled);
    }
}

#[test]
fn a_buffer_that_is_emptied_while_it_fills_is_found_by_what_went_beyond() {
    let buffer = 0.1 * GB;
    let drive = device(1 << 30, Cached::new(buffer, Emptied::Always, GB, 0.4 * GB));
    let found = measure(&drive, &plan(&drive, 20.0));
    for pattern in [Pattern::Sequential, Pattern::Random] {
        let [cliff] = &load(&found, pattern).cliffs[..] else { panic!("{:?}", load(&found, pattern).cliffs) };
        near(cliff.beyond_bytes, buffer, 0.05, &format!("{cliff:?}"));
        near(cliff.at_bytes, buffer / 0.6, 0.05, &format!("{cliff:?}"));
        let [low, high] = cliff.beyond_ci;
        assert!(low <= buffer * 1.01 && buffer * 0.99 <= high, "{cliff:?}");
    }
}

#[test]
fn an_even_drive_has_no_cliff_and_sustains_its_burst() {
    let drive = device(1 << 30, Paced::new(|request: &leadline_device::Request, _| u64::from(request.len)));
    let found = measure(&drive, &plan(&drive, 10.0));
    assert_eq!(found.loads.len(), 2);
    for load in &found.loads {
        assert!(load.cliffs.is_empty() && load.settled, "{:?}", load.cliffs);
        near(load.ratio, 1.0, 0.01, "ratio");
        near(load.sustained_bytes_per_second, GB, 0.01, "bandwidth");
        assert!(load.samples.len() <= 400 && load.samples.is_sorted_by(|a, b| a.0 < b.0));
    }
    assert!(found.procedure.notes.is_empty(), "{:?}", found.procedure.notes);
}

#[test]
fn reads_take_longer_the_more_is_written_and_only_what_was_written_is_read() {
    let written = 0.31 * GB;
    let reads_beyond = move |request: &leadline_device::Request, _| {
        let beyond = request.op == leadline_device::Op::Read && request.offset as f64 >= written;
        if beyond { panic!("{request:?} was never written") } else { u64::from(request.len) }
    };
    let drive = device(8 << 30, Paced::new(reads_beyond));
    measure(&drive, &plan(&drive, 1.0));
    let drive = device(1 << 30, Cached::new(0.05 * GB, Emptied::AtRest, GB, 0.2 * GB));
    let found = measure(&drive, &plan(&drive, 30.0));
    let shares: Vec<f64> = found.latencies.iter().map(|point| point.write_share).collect();
    assert_eq!(shares, [0.0, 0.1, 0.3, 0.5, 0.7, 0.9]);
    assert_eq!(found.latencies[0].latency_us.mean, 80.0);
    let sustained = load(&found, Pattern::Random).sustained_bytes_per_second;
    for pair in found.latencies.windows(2) {
        assert!(pair[0].latency_us.mean < pair[1].latency_us.mean, "{pair:?}");
    }
    for point in &found.latencies {
        near(point.offered_bytes_per_second + 1.0, point.write_share * sustained + 1.0, 1e-6, "offered");
        near(point.bytes_per_second + 1e5, point.offered_bytes_per_second + 1e5, 0.1, "served");
        let [low, high] = point.mean_us_ci.unwrap();
        assert!(low <= point.latency_us.mean && point.latency_us.mean <= high);
    }
    assert!(found.procedure.epochs >= 3);
}

#[test]
fn bytes_are_limited_by_what_may_be_moved_and_what_may_be_written() {
    let drive = device(1 << 30, Cached::new(1e12, Emptied::AtRest, GB, 0.25 * GB));
    let mut plan = plan(&drive, 60.0);
    plan.max_bytes = 256 << 20;
    let found = measure(&drive, &plan);
    let bytes: Vec<u64> = found.loads.iter().map(|load| load.written_bytes).collect();
    assert_eq!(bytes, [256 << 20, 64 << 20]);
    plan.max_writes = Some(300 << 20);
    let ran = experiment::run(&drive, &plan, &Arc::default(), &mut |_| ()).unwrap();
    assert!(matches!(ran.stopped_by, Some(Stop::WritesSpent)), "{:?}", ran.stopped_by);
    let found = ran.found.sustained.unwrap();
    assert_eq!((found.procedure.bytes_written, found.loads.len()), (300 << 20, 2));
    assert!(found.latencies.is_empty());
    plan.max_writes = Some(PAGE);
    let error = experiment::run(&drive, &plan, &Arc::default(), &mut |_| ()).unwrap_err();
    assert!(matches!(error, MeasureError::Plan(PlanError::WritesSpent { .. })), "{error}");
}
