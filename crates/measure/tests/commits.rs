//! `fsync` and `sync-methods`: on a device whose truth is known, and in a directory.

use std::path::Path;
use std::sync::Arc;

use leadline_device::{Device as _, Fault, Faulty, Op};
use leadline_measure::experiment::{self, Experiment, ExperimentPlan};
use leadline_profile::{FileState, Fsync, LogKind, SyncMethod, SyncMethods};
use leadline_sim::{Parametric, ParametricSpec};

/// One server that writes in 200 us.
fn device() -> Parametric {
    let toml = "kind = \"parametric\"\ncapacity = \"1G\"\n[read]\nservice_us = 100\nservers = 1\n\
                [write]\nservice_us = 200\nservers = 1\n";
    ParametricSpec::parse(toml, "test.toml").unwrap().device()
}

fn plan(experiment: &'static dyn Experiment, directory: Option<&Path>, seconds: f64) -> ExperimentPlan {
    let device = device();
    let mut plan = ExperimentPlan::new(experiment, device.geometry(), device.clock());
    (plan.seconds, plan.directory) = (seconds, directory.map(Path::to_path_buf));
    plan
}

fn fsync(plan: &ExperimentPlan) -> Fsync {
    let ran = experiment::run(&device(), plan, &Arc::default(), &mut |_| ()).unwrap();

    ran.found.fsync.unwrap()
}

fn sync_methods(plan: &ExperimentPlan) -> SyncMethods {
    let ran = experiment::run(&device(), plan, &Arc::default(), &mut |_| ()).unwrap();

    ran.found.sync_methods.unwrap()
}

fn is_empty(dir: &Path) -> bool {
    dir.read_dir().unwrap().next().is_none()
}

#[test]
fn commits_to_a_device_take_a_write_and_a_flush() {
    let found = fsync(&plan(experiment::FSYNC, None, 60.0));
    assert_eq!((found.log, found.append_bytes, found.sent_bytes), (LogKind::Device, 2300, 2560));
    assert_eq!(found.points.iter().map(|p| p.writers).collect::<Vec<_>>(), [1, 2, 4, 8, 16]);
    for p in &found.points {
        // One server: a flush waits for the writes of all.
        assert!((p.commits_per_second / 5000.0 - 1.0).abs() < 0.02, "{p:?}");
        let mean = 200.0 * f64::from(p.writers);
        assert!((p.latency_us.p50 / mean - 1.0).abs() < 0.02, "{p:?}");
        let [low, high] = p.commits_ci.unwrap();
        assert!(low < p.commits_per_second && p.commits_per_second < high);
    }
    let commits: u64 = found.points.iter().map(|p| p.commits).sum();
    assert_eq!(found.procedure.bytes_written, commits * 2560);
}

#[test]
fn appends_to_a_file_are_counted_and_the_file_is_gone() {
    let dir = tempfile::tempdir().unwrap();
    let found = fsync(&plan(experiment::FSYNC, Some(dir.path()), 0.3));
    assert_eq!((found.log, found.sent_bytes), (LogKind::File, 2300));
    assert_eq!(found.points.len(), 5);
    for p in &found.points {
        assert!(p.commits >= u64::from(p.writers) && p.latency_us.p50 <= p.latency_us.p99_9, "{p:?}");
    }
    let commits: u64 = found.points.iter().map(|p| p.commits).sum();
    assert_eq!(found.procedure.bytes_written, commits * 2300);
    assert!(is_empty(dir.path()));
}

#[test]
fn every_method_is_tried_on_a_file_in_every_state() {
    let dir = tempfile::tempdir().unwrap();
    let found = sync_methods(&plan(experiment::SYNC_METHODS, Some(dir.path()), 0.3));
    assert_eq!(found.block_bytes, 8192);
    for file in FileState::ALL {
        for method in SyncMethod::ALL {
            let here = found.points.iter().filter(|p| (p.method, p.file) == (method, file));
            let [p] = here.collect::<Vec<_>>()[..] else { panic!("{method:?} {file:?}") };
            assert!(p.ops >= 3 && p.iops_ci.is_some(), "{p:?}");
        }
    }
    let ops: u64 = found.points.iter().map(|p| p.ops).sum();
    let filled = found.procedure.bytes_written - ops * 8192;
    assert!(filled.is_multiple_of(16 << 20) && filled >= 12 * (16 << 20), "{filled}");
    assert!(is_empty(dir.path()));
}

#[test]
fn what_may_be_written_is_never_exceeded_on_a_file() {
    let dir = tempfile::tempdir().unwrap();
    for (experiment, max) in [(experiment::FSYNC, 40_000), (experiment::SYNC_METHODS, 3 << 20)] {
        let mut plan = plan(experiment, Some(dir.path()), 60.0);
        plan.max_writes = Some(max);
        let error = experiment::run(&device(), &plan, &Arc::default(), &mut |_| ()).unwrap_err();
        assert!(error.to_string().contains("may be written"), "{error}");
        assert!(is_empty(dir.path()));
    }
    // Enough for some rounds or for all, depending on the disk.
    let mut plan = plan(experiment::FSYNC, Some(dir.path()), 0.3);
    plan.max_writes = Some(2 << 20);
    if let Ok(ran) = experiment::run(&device(), &plan, &Arc::default(), &mut |_| ()) {
        let found = ran.found.fsync.unwrap();
        assert!(found.procedure.bytes_written <= 2 << 20);
        assert_eq!(found.procedure.stopped_by.is_some(), ran.stopped_by.is_some());
    }
}

#[test]
fn methods_are_compared_in_a_directory_only() {
    let plan = plan(experiment::SYNC_METHODS, None, 1.0);
    let error = experiment::run(&device(), &plan, &Arc::default(), &mut |_| ()).unwrap_err().to_string();
    assert!(error.contains("sync-methods") && error.contains("name a directory"), "{error}");
}

#[test]
fn a_flush_that_fails_is_an_error() {
    let plan = plan(experiment::FSYNC, None, 60.0);
    let device = Faulty::new(device(), vec![Fault::eio().on(Op::Flush).nth(100)]);
    let error = experiment::run(&device, &plan, &Arc::default(), &mut |_| ()).unwrap_err().to_string();
    assert!(error.contains("flush") && error.contains("Input/output error"), "{error}");
}
