//! A real DuckDB with a few megabytes: that all of it runs, and that nothing is left.

use std::path::{Path, PathBuf};

use leadline_prove::duckdb::{Experiment, Plan, Proof, foresee, prove};
use leadline_prove::{ProveError, Variant};

use crate::common::{
    self, assert_interrupted, assert_nothing_left, assert_refused, refuses_a_file, settings, target,
};

/// Where the set-up of the tests installs it; `None` to look in PATH.
fn installed() -> Option<PathBuf> {
    let bin = Path::new(env!("CARGO_TARGET_TMPDIR")).parent()?.join("python/bin");
    bin.join("duckdb").is_file().then_some(bin)
}

fn tiny(target: &Path, advice: &[(&str, &str)]) -> Plan {
    let mut plan = Plan::new(target.into(), settings(advice));
    plan.bin = installed();
    (plan.data_bytes, plan.memory_bytes) = (1 << 20, 64 << 20);
    (plan.rounds, plan.selected) = (1, 3);
    (plan.transactions, plan.rows_per_transaction) = (5, 10);
    plan.scan_grid = vec![Variant::single("default_block_size", "16384")];
    plan.parquet_grid = vec![Variant::single("disable_parquet_prefetching", "true")];
    plan.spill_grid = vec![Variant::single("preserve_insertion_order", "false")];
    plan.insert_grid = vec![Variant::single("checkpoint_threshold", "1MB")];
    plan.with_single_keys = false;
    plan.extension = 1;
    plan
}

/// `None` where duckdb is not installed.
fn run(plan: &Plan, test: &str, stop_at: Option<&str>) -> Option<Result<Proof, ProveError>> {
    common::run(test, stop_at, |cancel, progress| prove(plan, cancel, progress))
}

#[test]
fn every_variant_runs_under_its_settings_and_nothing_is_left() {
    let target = target();
    let advice = [
        ("Worker-Threads", "3"),
        ("storage_block_prefetch", "ALWAYS_PREFETCH"),
        ("wal_autocheckpoint", "64MB"),
        ("temp_directory", "/nowhere"),
    ];
    let plan = tiny(target.path(), &advice);
    let name = "every_variant_runs_under_its_settings_and_nothing_is_left";
    let Some(proof) = run(&plan, name, None) else { return };
    let proof = proof.unwrap();
    assert_nothing_left(target.path());
    let works: Vec<&str> = proof.comparisons.iter().map(|one| one.work.split(' ').next().unwrap()).collect();
    assert_eq!(works, ["scans", "scans", "scans", "scans", "sorts", "aggregations", "joins", "5"]);
    for (at, comparison) in proof.comparisons.iter().enumerate() {
        let grid = [&plan.scan_grid, &plan.parquet_grid, &plan.spill_grid, &plan.insert_grid];
        let grid = &grid[[0, 0, 1, 1, 2, 2, 2, 3][at]][0];
        let names: Vec<&str> = comparison.results.iter().map(|result| result.variant.name.as_str()).collect();
        assert_eq!(names, ["default", "default again", "advice", grid.name.as_str()]);
        assert_eq!(comparison.runs.len(), 4);
        assert!(comparison.runs.iter().all(|run| run.time > 0.0));
        assert!(comparison.best.is_some() && comparison.advice().unwrap().against_default.is_some());
    }
    // What DuckDB said of itself.
    let in_force = |variant: &str, key: &str| proof.in_force[variant][key].clone();
    assert_eq!(in_force("advice", "threads"), "3");
    assert_eq!(in_force("advice", "storage_block_prefetch"), "ALWAYS_PREFETCH");
    assert_eq!(in_force("advice", "checkpoint_threshold"), "61.0 MiB");
    assert_eq!(in_force("default", "checkpoint_threshold"), "16.0 MiB");
    assert_eq!(in_force("default", "default_block_size"), "262144");
    // Of the database, which was made with it.
    assert_eq!(in_force("default_block_size=16384", "default_block_size"), "16384");
    assert!(in_force("advice", "temp_directory").starts_with(target.path().to_str().unwrap()));
    assert_eq!(proof.not_tried, ["temp_directory"]);
    assert_eq!(proof.fixed[0], ("memory_limit".to_owned(), "64MiB".to_owned()));
    let read: Proof = serde_json::from_str(&proof.to_json()).unwrap();
    assert_eq!((read.in_force, read.plan), (proof.in_force, plan));
}

#[test]
fn what_does_not_fit_in_memory_is_spilled_on_the_target() {
    let target = target();
    let mut plan = tiny(target.path(), &[]);
    plan.experiments = vec![Experiment::Spills];
    (plan.data_bytes, plan.memory_bytes) = (48 << 20, 96 << 20);
    plan.spill_grid.clear();
    let name = "what_does_not_fit_in_memory_is_spilled_on_the_target";
    let Some(proof) = run(&plan, name, None) else { return };
    let proof = proof.unwrap();
    let spilled = |run: &leadline_prove::Run| run.counts["temporary_mib"] > 0.0;
    assert!(proof.comparisons.iter().any(|one| one.runs.iter().any(spilled)), "{:?}", proof.comparisons);
    assert_nothing_left(target.path());
}

#[test]
fn a_variant_that_runs_out_of_memory_is_said_and_the_others_are_compared() {
    let target = target();
    let mut plan = tiny(target.path(), &[]);
    plan.experiments = vec![Experiment::Spills];
    (plan.data_bytes, plan.memory_bytes) = (48 << 20, 96 << 20);
    // Nothing may be spilled.
    plan.spill_grid = vec![Variant::single("max_temp_directory_size", "0KiB")];
    let name = "a_variant_that_runs_out_of_memory_is_said_and_the_others_are_compared";
    let Some(proof) = run(&plan, name, None) else { return };
    let join = &proof.unwrap().comparisons[2];
    assert!(
        join.work.ends_with("out of memory in some rounds or all: max_temp_directory_size=0KiB"),
        "{}",
        join.work
    );
    assert_eq!((join.runs.len(), join.results[2].times), (2, None));
    assert_nothing_left(target.path());
}

#[test]
fn what_is_foreseen_is_what_the_plan_says() {
    let target = target();
    let mut plan = tiny(target.path(), &[("threads", "4")]);
    let name = "what_is_foreseen_is_what_the_plan_says";
    let Some(foreseen) = common::unless_missing(name, foresee(&plan)) else { return };
    let foreseen = foreseen.unwrap();
    // Not the script that starts it.
    assert!(std::fs::read(&foreseen.programs[0]).unwrap().starts_with(b"\x7fELF"));
    let parts: Vec<(&str, u32)> = foreseen.parts.iter().map(|part| (part.name, part.runs)).collect();
    assert_eq!(parts, [("scans", 8), ("parquet", 8), ("spills", 12), ("inserts", 4)]);
    assert!(foreseen.parts.iter().all(|part| part.keys == ["threads"]));
    // The table with two sizes of blocks, and a file of twice its size.
    assert_eq!(foreseen.loading.written_bytes, 4 << 20);
    plan.experiments = vec![Experiment::Inserts];
    assert_eq!(foresee(&plan).unwrap().loading.written_bytes, 0);
    assert_nothing_left(target.path());
}

#[test]
fn an_interruption_in_any_phase_leaves_nothing() {
    for phase in ["asking DuckDB", "loading tables", "scans", "parquet", "spills", "inserts"] {
        let target = target();
        let name = "an_interruption_in_any_phase_leaves_nothing";
        let Some(ended) = run(&tiny(target.path(), &[]), name, Some(phase)) else { return };
        assert_interrupted(ended, phase, target.path());
    }
}

#[test]
fn settings_that_duckdb_does_not_take_are_refused_before_anything_is_loaded() {
    let refused = [
        ("threds", "4", "threds"),
        ("threads", "many", "many"),
        ("default_block_size", "1000", "power of two"),
        ("storage_block_prefetch", "SOMETIMES", "SOMETIMES"),
        ("checkpoint_threshold", "'; DROP TABLE t; --", "Memory must have a number"),
    ];
    for (key, value, said) in refused {
        let target = target();
        let plan = tiny(target.path(), &[("enable_external_file_cache", "true"), (key, value)]);
        let name = "settings_that_duckdb_does_not_take_are_refused_before_anything_is_loaded";
        let Some(ended) = run(&plan, name, Some("loading tables")) else { return };
        let error = ended.unwrap_err();
        assert!(error.is_input() && error.to_string().contains(said), "{key}: {error}");
        assert!(error.to_string().contains("variant advice"), "{error}");
        assert_nothing_left(target.path());
    }
}

#[test]
fn a_target_that_is_no_folder_or_too_small_and_what_is_not_duckdb_are_refused() {
    let target = target();
    let name = "a_target_that_is_no_folder_or_too_small_and_what_is_not_duckdb_are_refused";
    if !refuses_a_file(target.path(), |file| run(&tiny(file, &[]), name, None)) {
        return;
    }
    let mut large = tiny(target.path(), &[]);
    large.data_bytes = 1 << 42;
    assert_refused(run(&large, name, None).unwrap(), "MiB are needed");
    let other = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink("/bin/true", other.path().join("duckdb")).unwrap();
    let mut plan = tiny(target.path(), &[]);
    plan.bin = Some(other.path().into());
    assert_refused(run(&plan, name, None).unwrap(), "1.5 or later is needed");
    assert_nothing_left(target.path());
}
