//! `leadline lsm validate` with the real db_bench, and with programs that only say they are.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::thread::sleep;
use std::time::{Duration, Instant};

use leadline_lsm::validate::{Kind, LayoutName, Query, Record, SCHEMA};
use rustix::process::Signal;
use serde_json::{Value, json};

use crate::ran::{PATIENCE, Ran, folder, names, outcome, run, start, text};

/// The smallest grid: one layout, one fill, queries by one client.
const SMALL: [&str; 14] = [
    "--data",
    "4M",
    "--layouts",
    "F=4",
    "--jobs",
    "1",
    "--clients",
    "2",
    "--rounds",
    "1",
    "--seconds",
    "1",
    "-o",
    "results.json",
];

/// A profile, which stands for the device in all tests: a real one is measured for seconds.
fn profile() -> &'static str {
    static MADE: OnceLock<(tempfile::TempDir, String)> = OnceLock::new();
    let (_, path) = MADE.get_or_init(|| {
        let dir = folder();
        let path = dir.path().join("p.json").display().to_string();
        let brief = ["profile", "sim:flash", "--budget-seconds", "0.5", "--block-size", "4K,64K"];
        run(dir.path(), &[&brief[..], &["-o", &path]].concat()).succeeded();
        (dir, path)
    });
    path
}

fn arguments<'a>(more: &[&'a str]) -> Vec<&'a str> {
    [&["lsm", "validate", profile(), ".", "--profile-seconds", "0"][..], &SMALL, more].concat()
}

/// This exit code, nothing on stdout, and a last line on stderr, after what was announced, that has all of
/// `said`.
#[track_caller]
fn fails(ran: &Ran, code: i32, said: &[&str]) {
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(code), ""), "{}", ran.stderr);
    let line = ran.stderr.lines().last().unwrap();
    for word in said {
        assert!(line.contains(word), "no {word:?} in {line:?}");
    }
}

/// A program in `dir` that answers to `--version` as db_bench 7.8.3 does, and then does what `script` says.
fn impostor(dir: &Path, script: &str) -> PathBuf {
    let path = dir.join("impostor");
    let version = "if [ \"$1\" = --version ]; then echo db_bench version 7.8.3; exit; fi";
    fs::write(&path, format!("#!/bin/sh\n{version}\n{script}\n")).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    path
}

/// The journal of a run of [`SMALL`] in `dir` that was ended after its calibration.
fn calibrated(dir: &Path) {
    let version = outcome(Command::new("db_bench").arg("--version")).stdout;
    let head = json!({
        "schema": SCHEMA,
        "rocksdb": version.trim().strip_prefix("db_bench version ").unwrap(),
        "folder": dir.canonicalize().unwrap(),
        "plan": {
            "data": {"pairs": 2032.0, "key_bytes": 16, "value_bytes": 2048},
            "layouts": ["F=4"],
            "files": [],
            "jobs": [1],
            "clients": [2],
            "repeats": 1,
            "seconds": 1,
            "seed": 1,
        },
    });
    let names = [
        "point_us",
        "block_us",
        "cached_block_us",
        "seek_us",
        "seek_run_us",
        "pair_us",
        "read_mib_us",
        "insert_us",
        "flush_pair_us",
        "merge_pair_us",
        "compaction_mib_us",
        "edit_file_us",
    ];
    let costs: serde_json::Map<String, Value> =
        names.iter().map(|name| ((*name).to_owned(), json!(1.5))).collect();
    fs::write(dir.join("results.json.part"), format!("{head}\n{}\n", json!({"processor": costs}))).unwrap();
}

#[test]
fn a_run_goes_on_after_its_calibration_and_its_numbers_agree_with_each_other() {
    let dir = folder();
    calibrated(dir.path());
    let ran = run(dir.path(), &arguments(&["--report", "results.html", "--json"])).succeeded();
    assert!(!ran.stderr.contains("calibrate"), "{}", ran.stderr);
    assert_eq!(names(dir.path()), ["results.html", "results.json"]);
    let written = fs::read_to_string(dir.path().join("results.json")).unwrap();
    assert_eq!(written, ran.stdout);
    let record: Record = serde_json::from_str(&written).unwrap();
    assert_eq!(record.processor.block_us, 1.5);

    let [cell] = &record.fills[..] else { panic!("{:?}", record.fills) };
    let (fill, background) = (&cell.fill, &cell.fill.background);
    let data = record.plan.data;
    assert_eq!(background.flushed_pairs as f64, data.pairs);
    assert!(background.flushed_bytes as f64 > data.bytes());
    assert!(background.compactions > 0 && background.max_compactions == 1);
    assert!(
        fill.fill_seconds >= fill.insert_seconds && fill.fill_seconds >= background.compaction_busy_seconds
    );
    assert!(background.compaction_seconds <= background.compaction_busy_seconds * 1.01);
    // Everything was written once at least, and levels hold all pairs.
    let bytes: f64 = fill.levels.iter().map(|level| level.bytes).sum();
    assert!(fill.write_amplification > 1.0);
    assert!((bytes / data.bytes() - 1.0).abs() < 0.1, "{bytes} of {}", data.bytes());

    // The prediction stands beside every cell, and knows how much is read.
    let comparison = record.comparison.as_ref().unwrap();
    assert_eq!(comparison.cells.len(), 3);
    assert_eq!(comparison.errors.len(), 3);
    assert!(record.files.unwrap().sync_us > 0.0 && record.devices.len() == 1);
    for cell in &comparison.cells {
        assert!((cell.predicted.value / cell.measured.median - 1.0 - cell.error).abs() < 1e-9);
        assert!(cell.predicted.ci[0] <= cell.predicted.value && cell.predicted.value <= cell.predicted.ci[1]);
    }
    let point = comparison.cells.iter().find(|cell| cell.kind == Kind::Point).unwrap();
    let reads = &point.terms[0];
    assert!((0.5..2.0).contains(&(reads.predicted / reads.measured)), "{reads:?}");

    let page = fs::read_to_string(dir.path().join("results.html")).unwrap();
    for cell in &comparison.cells {
        let error = format!("<td>{:+.1}\u{a0}%</td>", 100.0 * cell.error);
        assert!(page.contains(&error), "no {error} on the page");
    }

    assert_eq!(record.queries.len(), 2);
    for cell in &record.queries {
        let read = &cell.read;
        // Every data block that is missing in the cache is a read of the device, of a whole block at least.
        assert!(read.cache_misses > 0.0 && read.device_bytes > 0.0, "{read:?}");
        if cell.operation == Query::Point {
            // The warm-up and the measurement asked for different keys, so the counts agree nearly.
            assert!((read.device_reads / read.cache_misses - 1.0).abs() < 0.1, "{read:?}");
        }
        assert!((read.wall_us * read.ops_per_second / 2e6 - 1.0).abs() < 1e-6);
    }
    let operations =
        |cell: Query| record.query(LayoutName::Fanout(4), cell, 2, |read| read.device_bytes).unwrap().median;
    assert!(operations(Query::Scan) > 10.0 * operations(Query::Point), "128 pairs are more than one");
}

#[test]
fn a_journal_of_other_arguments_is_refused_and_stays() {
    let dir = folder();
    calibrated(dir.path());
    let ran = run(dir.path(), &arguments(&["--seed", "2"]));
    fails(&ran, 2, &["results.json.part", "another plan seed", "remove it"]);
    assert_eq!(names(dir.path()), ["results.json.part"]);
}

#[test]
fn a_program_that_dies_midway_is_told_with_its_last_line_and_nothing_stays() {
    let dir = folder();
    let script = "echo 'DB path: [x]'; echo 'put error: IO error: No space left on device' >&2; exit 1";
    let program = impostor(dir.path(), script);
    let ran = run(dir.path(), &arguments(&["--db-bench", text(&program)]));
    fails(&ran, 1, &["calibrating a fill", "exit code 1", "put error: IO error: No space left on device"]);
    assert_eq!(names(dir.path()), ["impostor"]);
    let program = impostor(dir.path(), "echo half; kill -9 $$");
    let ran = run(dir.path(), &arguments(&["--db-bench", text(&program)]));
    fails(&ran, 1, &["killed by signal 9", "half"]);
    assert_eq!(names(dir.path()), ["impostor"]);
    let program = impostor(dir.path(), "echo nothing to say");
    let ran = run(dir.path(), &arguments(&["--db-bench", text(&program)]));
    fails(&ran, 1, &["the result is missing in its output"]);
    assert_eq!(names(dir.path()), ["impostor"]);
}

#[test]
fn a_signal_ends_the_program_and_removes_its_databases() {
    for signal in [Signal::INT, Signal::TERM] {
        let dir = folder();
        let pid = dir.path().join("pid");
        let program = impostor(dir.path(), &format!("echo $$ > {}; echo begun; exec sleep 1000", text(&pid)));
        let mut running = start(dir.path(), &arguments(&["--db-bench", text(&program)]));
        running.reaches("calibrate");
        let began = Instant::now();
        while !fs::read_to_string(&pid).is_ok_and(|pid| pid.ends_with('\n')) {
            assert!(began.elapsed() < PATIENCE, "db_bench never ran");
            sleep(Duration::from_millis(5));
        }
        running.signal(signal);
        let (ran, ..) = running.end();
        fails(&ran, 1, &["interrupted"]);
        assert_eq!(names(dir.path()), ["impostor", "pid"]);
        let pid = fs::read_to_string(&pid).unwrap();
        assert!(!Path::new(&format!("/proc/{}", pid.trim())).exists(), "db_bench runs on");
    }
}

#[test]
fn what_a_killed_run_left_is_removed_by_the_next() {
    let dir = folder();
    let (begun, end) = (dir.path().join("begun"), dir.path().join("end"));
    let wait = format!(": > {}; while [ ! -e {} ]; do sleep 0.05; done", text(&begun), text(&end));
    let program = impostor(dir.path(), &wait);
    let mut running = start(dir.path(), &arguments(&["--db-bench", text(&program)]));
    let left = |dir: &Path| names(dir).into_iter().filter(|name| name.starts_with(".leadline-lsm-")).count();
    running.reaches("calibrate");
    let began = Instant::now();
    // The directory is there before the program is.
    while !begun.exists() {
        assert!(began.elapsed() < PATIENCE, "db_bench never ran");
        sleep(Duration::from_millis(5));
    }
    running.signal(Signal::KILL);
    running.end();
    assert_eq!(left(dir.path()), 1, "the program that was started may still write to it");
    fs::write(&end, "").unwrap();
    let program = impostor(dir.path(), "exit 1");
    let began = Instant::now();
    while left(dir.path()) > 0 {
        assert!(began.elapsed() < PATIENCE, "{:?}", names(dir.path()));
        fails(&run(dir.path(), &arguments(&["--db-bench", text(&program)])), 1, &["exit code 1"]);
    }
    assert_eq!(names(dir.path()), ["begun", "end", "impostor"]);
}

#[test]
fn what_cannot_be_measured_is_refused_in_one_line() {
    let dir = folder();
    fs::write(dir.path().join("file"), "x").unwrap();
    let base = ["lsm", "validate", "device:p4510"];
    let refused =
        |more: &[&str], said: &[&str]| fails(&run(dir.path(), &[&base[..], more].concat()), 2, said);
    refused(&[".", "--db-bench", "none/db_bench"], &["none/db_bench", "rocksdb-tools", "--db-bench PATH"]);
    refused(
        &[".", "--db-bench", "/bin/echo"],
        &["/bin/echo", "is not RocksDB's db_bench", "--db-bench PATH"],
    );
    refused(&["file"], &["file", "is not a directory"]);
    refused(&[".", "--layouts", "F=1"], &["from 2 to 1000"]);
    refused(&[".", "--layouts", "deep"], &["deep", "single and flash"]);
    refused(&[".", "--jobs", "0"], &["compaction threads", "from 1 to 256"]);
    refused(&[".", "--profile-seconds", "0.5"], &["must be 0, or from 1 to 3600"]);
    refused(&[".", "--options", "none.ini"], &["none.ini"]);
    refused(&[".", "--layouts", "file-2"], &["file-2", "no such OPTIONS file"]);
    refused(&[".", "--data", "64K"], &["66048 bytes", "1 MiB or more"]);
    refused(&[".", "--data", "900000T"], &["MiB", "--data"]);
    assert_eq!(names(dir.path()), ["file"]);
}

#[test]
fn a_page_that_cannot_be_written_is_refused_before_measuring() {
    let dir = folder();
    // Were it asked to measure, it would fail with another exit code.
    let program = impostor(dir.path(), "exit 1");
    let refused = |more: &[&str], said: &str| {
        let arguments = arguments(&[&["--db-bench", text(&program)], more].concat());
        fails(&run(dir.path(), &arguments), 2, &[said]);
    };
    refused(&["--report", "none/page.html"], "none/page.html");
    refused(
        &["--report", "results.json"],
        "--report results.json: is the same file as -o results.json, and one would replace the other",
    );
    assert_eq!(names(dir.path()), ["impostor"]);
}
