//! `leadline prove`: what it says before it begins, and how it ends.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rustix::process::Signal;
use serde_json::Value;

use crate::ran::{PATIENCE, Ran, folder, names, run, start, text};

/// Systems whose advice needs nothing but a profile.
const SYSTEMS: [&str; 3] = ["postgresql", "innodb", "rocksdb"];

fn prove(dir: &Path, system: &str, more: &[&str]) -> Ran {
    run(dir, &[&["prove", system, "device:p4510", "."], more].concat())
}

#[test]
fn what_it_will_run_write_and_take_is_said_before_anything_is_done() {
    let dir = folder();
    let dir = dir.path();
    for system in SYSTEMS {
        let said = prove(dir, system, &["--quick", "--dry-run"]).succeeded().stdout;
        for part in ["runs /", "installs nothing", "takes about", "writes about", "at a time", "in ., which"]
        {
            assert!(said.contains(part), "{system}: no {part:?} in {said}");
        }
        assert_eq!(said.matches("not part of the advice").count(), 1, "{said}");
        let json = prove(dir, system, &["--quick", "--dry-run", "--json"]).succeeded().stdout;
        let found: Value = serde_json::from_str(&json).unwrap();
        let programs = found["programs"].as_array().unwrap();
        assert!(programs.iter().all(|path| Path::new(path.as_str().unwrap()).is_file()), "{json}");
        assert!(!programs.is_empty() && found["installs"].as_array().unwrap().is_empty());
        for number in ["seconds", "written_bytes", "on_disk_bytes"] {
            assert!(found[number].as_f64().unwrap() > 0.0, "{system}: {number} in {json}");
        }
        let missing = found["not_advised"].as_array().unwrap();
        assert!(missing.iter().all(|one| one["reason"].as_str().is_some_and(|reason| !reason.is_empty())));
    }
    assert!(names(dir).is_empty());
}

#[test]
fn settings_that_are_given_take_the_place_of_the_advice() {
    let dir = folder();
    let dir = dir.path();
    let set = ["--set", "innodb_io_capacity=400", "--dry-run", "--json"];
    let found: Value = serde_json::from_str(&prove(dir, "innodb", &set).succeeded().stdout).unwrap();
    assert_eq!(found["parts"][0]["keys"], serde_json::json!(["innodb_io_capacity"]));
    assert_eq!(found["not_advised"], serde_json::json!([]));
    prove(dir, "innodb", &["--set", "innodb_io_capacity"]).refused(&["KEY=VALUE"]);
    prove(dir, "innodb", &["--set", "a=1", "--set", "a=2"]).refused(&["--set a", "twice"]);
    prove(dir, "innodb", &["--set", "port=1", "--dry-run"]).refused(&["--set port", "write-only"]);
    prove(dir, "etcd", &["--set", "a=1"]).refused(&["--set"]);
    prove(dir, "innodb", &["--dry-run", "-o", "x.json"]).refused(&["--dry-run", "--output"]);
    assert!(names(dir).is_empty());
}

/// Small, with settings of our own: rules are not what is tried here.
const SMALL: [&str; 9] =
    ["--set", "page_size=16384", "--data", "2M", "--rounds", "1", "--only", "points,scans", "--quick"];

#[test]
fn a_proof_of_sqlite_says_what_it_does_first_and_has_it_in_its_document() {
    let dir = folder();
    let dir = dir.path();
    let ran = prove(dir, "sqlite", &[&SMALL[..], &["--json", "-o", "new.json"]].concat()).succeeded();
    let found: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(found["schema"], "leadline.proof/1");
    assert_eq!(found["comparisons"].as_array().unwrap().len(), 2);
    assert_eq!(found["in_force"]["advice"]["page_size"], "16384");
    assert_eq!(found["announced"]["programs"][0], found["program"]);
    assert_eq!(found["announced"]["parts"][0]["keys"], serde_json::json!(["page_size"]));
    assert_eq!(fs::read_to_string(dir.join("new.json")).unwrap(), ran.stdout);
    let first = ran.stderr.find("installs nothing").unwrap();
    assert!(first < ran.stderr.find("loading").unwrap(), "{}", ran.stderr);
    assert_eq!(names(dir), ["new.json"]);
    // The same in words.
    let said = prove(dir, "sqlite", &SMALL).succeeded().stdout;
    for part in ["SQLite 3.", "one by one", "default again", "page_size=16384", "advice"] {
        assert!(said.contains(part), "no {part:?} in {said}");
    }
}

#[test]
fn what_cannot_be_proven_is_refused_in_a_line() {
    let dir = folder();
    let dir = dir.path();
    let sqlite = |more: &[&str]| prove(dir, "sqlite", more);
    // It runs with a key that matters, and is refused by SQLite itself.
    sqlite(&["--set", "cash_size=9", "--set", "mmap_size=65536", "--data", "2M"])
        .failed(2, &["cash_size", "no such pragma"]);
    sqlite(&["--set", "cash_size=9", "--only", "scans"]).refused(&["--set cash_size", "scans"]);
    sqlite(&["--set", "page_size=16384", "--data", "1K"]).refused(&["size of a table", "1 MiB to 4 TiB"]);
    sqlite(&["--set", "page_size=16384", "--only", "fills"])
        .refused(&["--only fills", "points, scans, commits"]);
    sqlite(&["--set", "page_size=16384", "--bin", "none"])
        .refused(&["none/sqlite3 is not installed", "sqlite3"]);
    sqlite(&["--set", "threads=4"]).refused(&["--set threads", "points, scans, commits"]);
    prove(dir, "duckdb", &["--set", "threads=4", "--bin", "none"]).refused(&[
        "none/duckdb is not installed",
        "pip install duckdb-cli",
        "--bin",
    ]);
    assert!(names(dir).is_empty());
}

#[test]
fn an_interrupted_proof_leaves_nothing() {
    for signal in [Signal::INT, Signal::TERM] {
        let dir = folder();
        let long = ["--set", "page_size=16384", "--data", "64M", "--rounds", "100"];
        let mut running = start(dir.path(), &[&["prove", "sqlite", "device:p4510", "."], &long[..]].concat());
        running.reaches("points");
        running.signal(signal);
        let (ran, ..) = running.end();
        ran.failed(1, &["interrupted"]);
        assert!(names(dir.path()).is_empty(), "{:?}", names(dir.path()));
    }
}

/// The folder with DuckDB where the set-up of the tests installs it.
fn duckdb() -> Option<PathBuf> {
    let bin = Path::new(env!("CARGO_TARGET_TMPDIR")).parent()?.join("python/bin");
    bin.join("duckdb").is_file().then_some(bin)
}

#[test]
fn a_killed_proof_leaves_nothing_and_duckdb_is_proven() {
    let Some(bin) = duckdb() else {
        let _ =
            writeln!(std::io::stderr(), "SKIPPED a_killed_proof_leaves_nothing: no duckdb in target/python");
        return;
    };
    let dir = folder();
    let dir = dir.path();
    let set = [
        "prove",
        "duckdb",
        "device:p4510",
        ".",
        "--set",
        "threads=3",
        "--only",
        "scans",
        "--bin",
        text(&bin),
    ];
    let small = run(dir, &[&set[..], &["--quick", "--data", "2M", "--rounds", "1", "--json"]].concat());
    let found: Value = serde_json::from_str(&small.succeeded().stdout).unwrap();
    assert_eq!(found["in_force"]["advice"]["threads"], "3");
    assert_eq!(found["announced"]["installs"], serde_json::json!([]));
    assert!(names(dir).is_empty());
    let mut running = start(dir, &[&set[..], &["--data", "64M", "--rounds", "100"]].concat());
    running.reaches("scans");
    running.signal(Signal::KILL);
    let began = Instant::now();
    // A shell removes the folder as soon as DuckDB has ended.
    while !names(dir).is_empty() {
        assert!(began.elapsed() < PATIENCE, "{:?} is left", names(dir));
        std::thread::sleep(Duration::from_millis(10));
    }
}
