//! A real RocksDB with a few megabytes: that all of it runs, and that nothing is left.

use std::path::Path;

use leadline_prove::rocksdb::{Experiment, Io, Plan, Proof, prove};
use leadline_prove::{ProveError, Variant};

use crate::common::{
    self, assert_interrupted, assert_nothing_left, assert_refused, refuses_a_file, settings, target,
};

fn tiny(target: &Path, advice: &[(&str, &str)]) -> Plan {
    let mut plan = Plan::new(target.into(), settings(advice));
    plan.io = vec![Io::Buffered];
    plan.data_bytes = 2 << 20;
    plan.memtable_bytes = 256 << 10;
    plan.cache_bytes = 64 << 10;
    plan.grid = vec![Variant::single("max_background_jobs", "4")];
    (plan.rounds, plan.read_rounds, plan.read_seconds, plan.readers) = (1, 1, 1, 2);
    plan.write_bytes_per_second = 1 << 20;
    plan.rate_limits = Vec::new();
    plan.with_single_keys = false;
    plan.extension = 1;
    plan
}

/// `None` where db_bench is not installed.
fn run(plan: &Plan, test: &str, stop_at: Option<&str>) -> Option<Result<Proof, ProveError>> {
    common::run(test, stop_at, |cancel, progress| prove(plan, cancel, progress))
}

#[test]
fn fills_run_under_every_variant_and_nothing_is_left() {
    let target = target();
    let advice = [
        ("max_background_jobs", "3"),
        ("max_subcompactions", "2"),
        ("compaction_readahead_size", "1M"),
        ("use_direct_reads", "true"),
    ];
    let mut plan = tiny(target.path(), &advice);
    plan.experiments = vec![Experiment::Fills];
    let name = "fills_run_under_every_variant_and_nothing_is_left";
    let Some(proof) = run(&plan, name, None) else { return };
    let proof = proof.unwrap();
    assert_nothing_left(target.path());
    let [fills] = &proof.comparisons[..] else { panic!("{} comparisons", proof.comparisons.len()) };
    let names: Vec<&str> = fills.results.iter().map(|result| result.variant.name.as_str()).collect();
    assert_eq!(names, ["default", "default again", "advice", "max_background_jobs=4"]);
    assert_eq!(fills.runs.len(), 4);
    assert!(fills.runs.iter().all(|run| run.time > 0.0 && run.counts["write_amplification"] >= 1.0));
    assert!(fills.best.is_some() && fills.advice().unwrap().against_default.is_some());
    // What RocksDB said of itself.
    let in_force = |variant: &str, key: &str| proof.in_force[variant][key].clone();
    assert_eq!(in_force("default", "max_background_jobs"), "2");
    assert_eq!(in_force("advice", "max_background_jobs"), "3");
    assert_eq!(in_force("advice", "compaction_readahead_size"), (1 << 20).to_string());
    assert_eq!(in_force("max_background_jobs=4", "max_background_jobs"), "4");
    assert_eq!(in_force("max_background_jobs=4", "max_subcompactions"), "1");
    assert_eq!(in_force("advice", "use_direct_reads"), "0");
    assert_eq!(proof.not_tried, ["use_direct_reads"]);
    let read: Proof = serde_json::from_str(&proof.to_json()).unwrap();
    assert_eq!((read.in_force, read.plan), (proof.in_force, plan));
}

#[test]
fn reads_run_beside_a_writer_with_and_without_a_rate_limiter() {
    let target = target();
    let mut plan = tiny(target.path(), &[("rate_limiter_bytes_per_sec", "8000000")]);
    plan.experiments = vec![Experiment::Reads];
    plan.rate_limits = vec![4 << 20];
    let name = "reads_run_beside_a_writer_with_and_without_a_rate_limiter";
    let Some(proof) = run(&plan, name, None) else { return };
    let proof = proof.unwrap();
    assert_nothing_left(target.path());
    let [p99, mean] = &proof.comparisons[..] else { panic!("{} comparisons", proof.comparisons.len()) };
    for comparison in [p99, mean] {
        let names: Vec<&str> = comparison.runs.iter().map(|run| run.variant.as_str()).collect();
        assert_eq!(names.len(), 4);
        for name in ["default", "default again", "advice", "rate_limiter_bytes_per_sec=4194304"] {
            assert!(names.contains(&name), "{name} did not run");
        }
        assert!(comparison.runs.iter().all(|run| run.time > 0.0 && run.counts["reads_per_second"] > 0.0));
    }
    let rate = |variant: &str| proof.in_force[variant]["rate_limiter_bytes_per_sec"].clone();
    assert_eq!((rate("default").as_str(), rate("advice").as_str()), ("0", "8000000"));
}

#[test]
fn an_interruption_in_any_phase_leaves_nothing() {
    for phase in ["asking RocksDB", "a fill with", "filling a database to read", "reads with"] {
        let target = target();
        let name = "an_interruption_in_any_phase_leaves_nothing";
        let Some(ended) = run(&tiny(target.path(), &[]), name, Some(phase)) else { return };
        assert_interrupted(ended, phase, target.path());
    }
}

#[test]
fn settings_that_rocksdb_does_not_take_are_refused_before_anything_is_filled() {
    let refused = [
        ("max_backgrund_jobs", "4", "max_backgrund_jobs"),
        ("max_subcompactions", "many", "max_subcompactions"),
        ("rate_limiter_bytes_per_sec", "fast", "fast"),
        ("max_background_jobs", "2.5", "max_background_jobs=2.5 becomes 2"),
    ];
    for (key, value, said) in refused {
        let target = target();
        let plan = tiny(target.path(), &[("bytes_per_sync", "1048576"), (key, value)]);
        let name = "settings_that_rocksdb_does_not_take_are_refused_before_anything_is_filled";
        let Some(ended) = run(&plan, name, Some("round 1")) else { return };
        let error = ended.unwrap_err();
        assert!(error.is_input() && error.to_string().contains(said), "{key}: {error}");
        assert!(error.to_string().contains("variant advice"), "{error}");
        assert_nothing_left(target.path());
    }
}

#[test]
fn a_target_that_is_no_folder_or_too_small_and_what_is_not_db_bench_are_refused() {
    let target = target();
    let name = "a_target_that_is_no_folder_or_too_small_and_what_is_not_db_bench_are_refused";
    if !refuses_a_file(target.path(), |file| run(&tiny(file, &[]), name, None)) {
        return;
    }
    let mut large = tiny(target.path(), &[]);
    large.data_bytes = 1 << 42;
    assert_refused(run(&large, name, None).unwrap(), "MiB are needed");
    let mut other = tiny(target.path(), &[]);
    other.db_bench = Some("/bin/true".into());
    assert_refused(run(&other, name, None).unwrap(), "is not RocksDB's db_bench");
    assert_nothing_left(target.path());
}
