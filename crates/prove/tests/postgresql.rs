//! A real PostgreSQL with a few megabytes: that all of it runs, and that nothing is left.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use leadline_prove::postgresql::{Experiment, Plan, Proof, prove};
use leadline_prove::{ProveError, Role};

use crate::common::{
    self, assert_interrupted, assert_nothing_left, assert_refused, refuses_a_file, settings, target,
};

fn tiny(target: &Path, advice: &[(&str, &str)]) -> Plan {
    let mut plan = Plan::new(target.into(), settings(advice));
    plan.table_bytes = 2 << 20;
    plan.shared_buffers_bytes = 1 << 20;
    plan.rounds = 1;
    plan.scan_seconds = 0.001;
    plan.concurrencies = vec![1, 16];
    plan.queries = 1;
    plan.plan_rounds = 1;
    plan.random_page_costs = vec![1.0, 4.0];
    plan.flush_grid.truncate(1);
    (plan.scale, plan.clients, plan.pgbench_seconds, plan.pgbench_rounds) = (1, 2, 1, 1);
    plan.extension = 1;
    plan
}

/// `None` where PostgreSQL is not installed.
fn run(plan: &Plan, test: &str, stop_at: Option<&str>) -> Option<Result<Proof, ProveError>> {
    common::run(test, stop_at, |cancel, progress| prove(plan, cancel, progress))
}

#[test]
fn every_variant_runs_under_its_settings_and_nothing_is_left() {
    let target = target();
    let advice = [
        ("effective_io_concurrency", "32"),
        ("random_page_cost", "1.5"),
        ("backend_flush_after", "256kB"),
        ("max_wal_size", "2GB"),
        ("shared_buffers", "8MB"),
    ];
    let mut plan = tiny(target.path(), &advice);
    plan.with_single_keys = false;
    let name = "every_variant_runs_under_its_settings_and_nothing_is_left";
    let Some(proof) = run(&plan, name, None) else { return };
    let proof = proof.unwrap();
    assert_nothing_left(target.path());
    let [scans, mean, p99] = &proof.comparisons[..] else {
        panic!("{} comparisons", proof.comparisons.len())
    };
    let names: Vec<&str> = scans.results.iter().map(|result| result.variant.name.as_str()).collect();
    let grid = ["effective_io_concurrency=1", "effective_io_concurrency=16"];
    assert_eq!(names, ["default", "default again", "advice", grid[0], grid[1]]);
    for comparison in [scans, mean, p99] {
        assert_eq!(comparison.runs.len(), comparison.results.len());
        assert!(comparison.runs.iter().all(|run| run.time > 0.0));
        assert!(comparison.best.is_some() && comparison.advice().unwrap().against_default.is_some());
    }
    assert!(scans.runs.iter().all(|run| run.counts["heap_blocks"] > 0.0));
    // What servers said of themselves.
    let in_force = |variant: &str, key: &str| proof.in_force[variant][key].clone();
    assert_eq!(in_force("advice", "effective_io_concurrency"), "32");
    assert_eq!(in_force("advice", "max_wal_size"), "2GB");
    assert_eq!(in_force("default", "max_wal_size"), "1GB");
    assert_eq!(in_force("effective_io_concurrency=16", "effective_io_concurrency"), "16");
    assert_eq!(in_force("advice", "shared_buffers"), "1MB");
    assert_eq!(proof.not_tried, ["shared_buffers"]);
    let choices = proof.plan_choices.as_ref().unwrap();
    assert_eq!((choices.queries.len(), choices.choices.len()), (2, 4));
    assert!(choices.queries.iter().all(|query| query.plans.len() == 3));
    assert!(choices.choices.iter().all(|choice| choice.chosen.len() == 2 && choice.regret >= 1.0));
    assert_eq!(choices.choices[1].role, Role::Advice);
    let read: Proof = serde_json::from_str(&proof.to_json()).unwrap();
    assert_eq!(read.in_force, proof.in_force);
}

#[test]
fn an_interruption_in_any_phase_leaves_nothing() {
    let phases = [
        ("loading", Experiment::Scans),
        ("plans", Experiment::Plans),
        ("checkpoints", Experiment::Checkpoints),
    ];
    for (phase, experiment) in phases {
        let target = target();
        let mut plan = tiny(target.path(), &[]);
        plan.experiments = vec![experiment];
        let name = "an_interruption_in_any_phase_leaves_nothing";
        let Some(ended) = run(&plan, name, Some(phase)) else { return };
        assert_interrupted(ended, phase, target.path());
    }
}

#[test]
fn settings_that_the_server_does_not_take_are_refused_before_anything_is_loaded() {
    let target = target();
    let mut plan = tiny(target.path(), &[("effective_io_concurency", "8"), ("random_page_cost", "1.1")]);
    plan.experiments = vec![Experiment::Plans];
    let name = "settings_that_the_server_does_not_take_are_refused_before_anything_is_loaded";
    let Some(ended) = run(&plan, name, None) else { return };
    let error = ended.unwrap_err();
    assert!(
        error.is_input() && error.to_string().contains("unrecognized configuration parameter"),
        "{error}"
    );
    assert!(error.to_string().contains("variant advice"), "{error}");
    assert_nothing_left(target.path());
}

#[test]
fn a_target_that_is_not_a_folder_closed_or_too_small_is_refused() {
    let target = target();
    let name = "a_target_that_is_not_a_folder_closed_or_too_small_is_refused";
    if !refuses_a_file(target.path(), |file| run(&tiny(file, &[]), name, None)) {
        return;
    }
    let mut large = tiny(target.path(), &[]);
    large.table_bytes = 1 << 42;
    assert_refused(run(&large, name, None).unwrap(), "MiB are needed");
    // Root's PostgreSQL runs as another user; without root, nobody closes a folder to us but ourselves.
    fs::set_permissions(target.path(), fs::Permissions::from_mode(0o700)).unwrap();
    if rustix::process::geteuid().is_root() {
        let error = run(&tiny(target.path(), &[]), name, None).unwrap().unwrap_err();
        let said = format!("{}: the user", target.path().display());
        assert!(error.is_input() && error.to_string().starts_with(&said), "{error}");
    }
    assert_nothing_left(target.path());
}
