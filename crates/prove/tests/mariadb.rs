//! A real MariaDB with a few megabytes: that all of it runs, and that nothing is left.

use std::path::Path;

use leadline_prove::ProveError;
use leadline_prove::mariadb::{Plan, Proof, Workload, prove};

use crate::common::{
    self, assert_interrupted, assert_nothing_left, assert_refused, refuses_a_file, settings, target,
};

fn tiny(target: &Path, advice: &[(&str, &str)]) -> Plan {
    let mut plan = Plan::new(target.into(), settings(advice));
    plan.workloads = vec![Workload::ReadWrite];
    plan.data_bytes = 16 << 20;
    plan.buffer_pool_bytes = 16 << 20;
    plan.log_bytes = 4 << 20;
    (plan.clients, plan.seconds, plan.warm_up_seconds, plan.rounds) = (2, 1, 0, 1);
    plan.io_capacities = vec![4000];
    plan.grid.clear();
    plan.with_single_keys = false;
    plan.extension = 1;
    plan
}

/// `None` where MariaDB or sysbench is not installed.
fn run(plan: &Plan, test: &str, stop_at: Option<&str>) -> Option<Result<Proof, ProveError>> {
    common::run(test, stop_at, |cancel, progress| prove(plan, cancel, progress))
}

#[test]
fn every_variant_runs_under_its_settings_and_nothing_is_left() {
    let target = target();
    let advice =
        [("innodb-io-capacity", "600"), ("innodb_flush_neighbors", "0"), ("innodb_log_file_size", "1G")];
    let plan = tiny(target.path(), &advice);
    let name = "every_variant_runs_under_its_settings_and_nothing_is_left";
    let Some(proof) = run(&plan, name, None) else { return };
    let proof = proof.unwrap();
    assert_nothing_left(target.path());
    let [mean, p99] = &proof.comparisons[..] else { panic!("{} comparisons", proof.comparisons.len()) };
    let names: Vec<&str> = mean.results.iter().map(|result| result.variant.name.as_str()).collect();
    assert_eq!(names, ["default", "default again", "advice", "innodb_io_capacity=4000"]);
    for comparison in [mean, p99] {
        assert_eq!(comparison.runs.len(), names.len());
        assert!(comparison.runs.iter().all(|run| run.time > 0.0));
        assert!(comparison.runs.iter().all(|run| run.counts["transactions_per_second"] > 0.0));
        assert!(comparison.best.is_some() && comparison.advice().unwrap().against_default.is_some());
    }
    // What servers said of themselves.
    let in_force = |variant: &str, key: &str| proof.in_force[variant][key].clone();
    assert_eq!(in_force("advice", "innodb_io_capacity"), "600");
    assert_eq!(in_force("advice", "innodb_flush_neighbors"), "0");
    assert_eq!(in_force("default", "innodb_io_capacity"), "200");
    assert_eq!(in_force("innodb_io_capacity=4000", "innodb_io_capacity_max"), "8000");
    assert_eq!(in_force("advice", "innodb_log_file_size"), (4 << 20).to_string());
    assert_eq!(proof.in_force.len(), names.len());
    assert_eq!(proof.not_tried, ["innodb_log_file_size"]);
    let read: Proof = serde_json::from_str(&proof.to_json()).unwrap();
    assert_eq!((read.in_force, read.plan), (proof.in_force, plan));
}

#[test]
fn an_interruption_in_any_phase_leaves_nothing() {
    for phase in ["making a data directory", "loading tables", "round 1"] {
        let target = target();
        let name = "an_interruption_in_any_phase_leaves_nothing";
        let Some(ended) = run(&tiny(target.path(), &[]), name, Some(phase)) else { return };
        assert_interrupted(ended, phase, target.path());
    }
}

#[test]
fn settings_that_the_server_does_not_take_are_refused() {
    let refused = [
        ("innodb_io_capasity", "200", "unknown variable"),
        ("innodb_io_capacity", "few", "innodb-io-capacity"),
        ("innodb_io_capacity_max", "100", "innodb_io_capacity=5000 becomes 100"),
    ];
    for (key, value, said) in refused {
        let target = target();
        let plan = tiny(target.path(), &[("innodb_io_capacity", "5000"), (key, value)]);
        let name = "settings_that_the_server_does_not_take_are_refused";
        let Some(ended) = run(&plan, name, None) else { return };
        let error = ended.unwrap_err();
        assert!(error.is_input() && error.to_string().contains(said), "{error}");
        assert!(error.to_string().contains("variant advice"), "{error}");
        assert_nothing_left(target.path());
    }
}

#[test]
fn a_target_that_is_no_folder_or_too_small_is_refused() {
    let target = target();
    let name = "a_target_that_is_no_folder_or_too_small_is_refused";
    if !refuses_a_file(target.path(), |file| run(&tiny(file, &[]), name, None)) {
        return;
    }
    let mut large = tiny(target.path(), &[]);
    large.data_bytes = 1 << 42;
    assert_refused(run(&large, name, None).unwrap(), "MiB are needed");
    assert_nothing_left(target.path());
}

#[test]
fn a_server_that_does_not_start_is_told_with_its_complaint() {
    let target = target();
    let name = "a_server_that_does_not_start_is_told_with_its_complaint";
    let plan = tiny(target.path(), &[("innodb_flush_neighbors", "0"), ("innodb_data_home_dir", "/nowhere")]);
    let Some(ended) = run(&plan, name, None) else { return };
    let error = ended.unwrap_err();
    assert!(
        error.to_string().contains("MariaDB 1") && error.to_string().contains("redo log file"),
        "{error}"
    );
    assert_nothing_left(target.path());
}
