//! A real SQLite with a few megabytes: that all of it runs, and that nothing is left.

use std::path::Path;

use leadline_prove::sqlite::{Experiment, Plan, Proof, foresee, prove};
use leadline_prove::{ProveError, Variant};

use crate::common::{
    self, assert_interrupted, assert_nothing_left, assert_refused, refuses_a_file, settings, target,
};

fn tiny(target: &Path, advice: &[(&str, &str)]) -> Plan {
    let mut plan = Plan::new(target.into(), settings(advice));
    (plan.table_bytes, plan.commit_table_bytes) = (2 << 20, 1 << 20);
    (plan.rounds, plan.commit_rounds, plan.point_seconds) = (1, 1, 0.001);
    (plan.commits, plan.rows_per_commit) = (20, 3);
    plan.read_grid = vec![Variant::single("mmap_size", "1048576")];
    plan.commit_grid = vec![Variant::single("wal_autocheckpoint", "10")];
    plan.with_single_keys = false;
    plan.extension = 1;
    plan
}

/// `None` where sqlite3 is not installed.
fn run(plan: &Plan, test: &str, stop_at: Option<&str>) -> Option<Result<Proof, ProveError>> {
    common::run(test, stop_at, |cancel, progress| prove(plan, cancel, progress))
}

#[test]
fn every_variant_runs_under_its_settings_and_nothing_is_left() {
    let target = target();
    let advice = [
        ("Page-Size", "16384"),
        ("cache_size", "-4096"),
        ("wal_autocheckpoint", "5000"),
        ("synchronous", "NORMAL"),
        ("journal_mode", "delete"),
    ];
    let plan = tiny(target.path(), &advice);
    let name = "every_variant_runs_under_its_settings_and_nothing_is_left";
    let Some(proof) = run(&plan, name, None) else { return };
    let proof = proof.unwrap();
    assert_nothing_left(target.path());
    let [points, scans, commits] = &proof.comparisons[..] else {
        panic!("{} comparisons", proof.comparisons.len())
    };
    for (comparison, grid) in
        [(points, "mmap_size=1048576"), (scans, "mmap_size=1048576"), (commits, "wal_autocheckpoint=10")]
    {
        let names: Vec<&str> = comparison.results.iter().map(|result| result.variant.name.as_str()).collect();
        assert_eq!(names, ["default", "default again", "advice", grid]);
        assert_eq!(comparison.runs.len(), 4);
        assert!(comparison.runs.iter().all(|run| run.time > 0.0));
        assert!(comparison.best.is_some() && comparison.advice().unwrap().against_default.is_some());
    }
    assert!(commits.runs.iter().all(|run| run.counts["commits_per_second"] > 0.0));
    // What SQLite said of itself.
    let in_force = |variant: &str, key: &str| proof.in_force[variant][key].clone();
    assert_eq!(in_force("advice", "page_size"), "16384");
    assert_eq!(in_force("default", "page_size"), "4096");
    assert_eq!(in_force("advice", "synchronous"), "1");
    assert_eq!(in_force("default", "synchronous"), "2");
    assert_eq!(in_force("wal_autocheckpoint=10", "wal_autocheckpoint"), "10");
    assert_eq!(in_force("mmap_size=1048576", "mmap_size"), "1048576");
    assert_eq!(in_force("advice", "journal_mode"), "wal");
    assert_eq!(proof.not_tried, ["journal_mode"]);
    let read: Proof = serde_json::from_str(&proof.to_json()).unwrap();
    assert_eq!((read.in_force, read.plan), (proof.in_force, plan));
}

#[test]
fn what_is_foreseen_is_what_the_plan_says() {
    let target = target();
    let mut plan = tiny(target.path(), &[("page_size", "16384")]);
    let name = "what_is_foreseen_is_what_the_plan_says";
    let Some(foreseen) = common::unless_missing(name, foresee(&plan)) else { return };
    let foreseen = foreseen.unwrap();
    assert!(foreseen.programs[0].ends_with("sqlite3"), "{:?}", foreseen.programs);
    // Both tables, each with two sizes of pages.
    assert_eq!(foreseen.loading.written_bytes, 6 << 20);
    let names: Vec<&str> = foreseen.parts.iter().map(|part| part.name).collect();
    assert_eq!(names, ["points", "scans", "commits"]);
    assert!(foreseen.parts.iter().all(|part| part.keys == ["page_size"] && part.runs == 4));
    let all = foreseen.effort();
    assert!(all.written_bytes > foreseen.loading.written_bytes && all.seconds > foreseen.loading.seconds);
    plan.experiments = vec![Experiment::Commits];
    let fewer = foresee(&plan).unwrap();
    assert_eq!((fewer.parts.len(), fewer.loading.written_bytes), (1, 2 << 20));
    assert_nothing_left(target.path());
}

#[test]
fn an_interruption_in_any_phase_leaves_nothing() {
    for phase in ["asking SQLite", "loading tables", "points", "scans", "commits"] {
        let target = target();
        let name = "an_interruption_in_any_phase_leaves_nothing";
        let Some(ended) = run(&tiny(target.path(), &[]), name, Some(phase)) else { return };
        assert_interrupted(ended, phase, target.path());
    }
}

#[test]
fn settings_that_sqlite_does_not_take_are_refused_before_anything_is_loaded() {
    let refused = [
        ("cash_size", "100", "no such pragma"),
        ("page_size", "5000", "page_size=5000 becomes 4096"),
        ("cache_size", "many", "cache_size=many becomes"),
        ("synchronous", "sometimes", "synchronous=sometimes becomes"),
    ];
    for (key, value, said) in refused {
        let target = target();
        let plan = tiny(target.path(), &[("mmap_size", "65536"), (key, value)]);
        let name = "settings_that_sqlite_does_not_take_are_refused_before_anything_is_loaded";
        let Some(ended) = run(&plan, name, Some("loading tables")) else { return };
        let error = ended.unwrap_err();
        assert!(error.is_input() && error.to_string().contains(said), "{key}: {error}");
        assert!(error.to_string().contains("variant advice"), "{error}");
        assert_nothing_left(target.path());
    }
}

#[test]
fn a_target_that_is_no_folder_or_too_small_and_what_is_not_sqlite_are_refused() {
    let target = target();
    let name = "a_target_that_is_no_folder_or_too_small_and_what_is_not_sqlite_are_refused";
    if !refuses_a_file(target.path(), |file| run(&tiny(file, &[]), name, None)) {
        return;
    }
    let mut large = tiny(target.path(), &[]);
    large.table_bytes = 1 << 42;
    assert_refused(run(&large, name, None).unwrap(), "MiB are needed");
    let other = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink("/bin/true", other.path().join("sqlite3")).unwrap();
    let mut plan = tiny(target.path(), &[]);
    plan.bin = Some(other.path().into());
    assert_refused(run(&plan, name, None).unwrap(), "3.23 or later is needed");
    assert_nothing_left(target.path());
}
