//! `leadline pool replay`: a trace on a real file, verified; what is refused; what is left behind.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::time::Duration;

use leadline_testing::machine::{Loop, Mounted, needs_root, skipped};
use rustix::process::Signal;
use serde_json::{Value, json};

use crate::ran::{Ran, folder, names, run, start, text};

/// Two frames of LRU: six misses; pages 1 and 2 leave dirty, page 4 stays. The numbers are far apart.
const SMALL: &str = "W 1\nW 2000000000000\nR 3\nR 2000000000000\nW 4\nR 1\nR 4\nR 5\n";

fn replay(dir: &Path, arguments: &[&str]) -> Ran {
    run(dir, &[&["pool", "replay"], arguments].concat())
}

fn with_small() -> tempfile::TempDir {
    let dir = folder();
    fs::write(dir.path().join("small.txt"), SMALL).unwrap();
    dir
}

#[track_caller]
fn document(ran: Ran) -> Value {
    serde_json::from_str(&ran.succeeded().stdout).unwrap()
}

/// Exit code 2, nothing on stdout, and a last line on stderr that has all of `said`.
#[track_caller]
fn refused(ran: &Ran, said: &[&str]) {
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(2), ""), "{}", ran.stderr);
    let line = ran.stderr.lines().last().unwrap_or_default();
    assert!(!ran.stderr.contains("lay out"), "something was written: {}", ran.stderr);
    for word in said {
        assert!(line.contains(word), "no {word:?} in {line:?}");
    }
}

#[test]
fn a_small_trace_is_counted_as_by_hand_and_verified() {
    let dir = with_small();
    let ran = replay(dir.path(), &["small.txt", ".", "--frames", "2", "--json"]);
    assert!(ran.stderr.contains(".: writes 20K to lay out 5 pages"), "{}", ran.stderr);
    let ran = document(ran);
    for (name, value) in [
        ("policy", json!("lru")),
        ("ace", json!("off")),
        ("cleaner", json!("off")),
        ("clients", json!(1)),
        ("frames", json!(2)),
        ("page_bytes", json!(4096)),
        ("operations", json!(8)),
        ("operations_writing", json!(3)),
        ("misses", json!(6)),
        ("writes", json!(2)),
        ("batches", json!(2)),
        ("hit_percent", json!(25.0)),
        ("pages", json!(5)),
        ("verified_pages", json!(5)),
        ("complete", json!(true)),
    ] {
        assert_eq!(ran[name], value, "{name}");
    }
    assert_eq!(ran["checkpoint"]["writes"], 1, "page 4");
    assert!(ran["seconds"].as_f64() > Some(0.0) && ran["latency_us"]["p99"].as_f64() > Some(0.0));
    assert_eq!(names(dir.path()), ["small.txt"], "nothing is left");
}

#[test]
fn every_mode_with_several_clients_is_verified() {
    let dir = folder();
    let trace = "gen:paper-wis?ops=4000&pages=1000";
    for more in [
        &["--ace", "cow", "--policy", "clock"][..],
        &["--ace", "cow-x", "--cleaner", "auto", "--checksums", "--page-size", "8K"],
        &["--ace", "cow-x-e", "--cleaner", "1", "--n", "4"],
        &["--ace", "cow-x", "--profile", "device:p4510"],
    ] {
        let common = [trace, ".", "--frames", "100", "--clients", "4", "--limit", "3000", "--json"];
        let ran = document(replay(dir.path(), &[&common, more].concat()));
        assert_eq!((&ran["operations"], &ran["verified_pages"]), (&json!(3000), &ran["pages"]), "{more:?}");
        assert!(ran["writes"].as_u64() > Some(100), "{more:?}");
    }
    let table = replay(dir.path(), &[trace, ".", "--frames", "5000", "--no-verify"]).succeeded().stdout;
    for said in ["policy             lru", "verified           none", "operations         4000, "] {
        assert!(table.contains(said), "no {said:?} in {table}");
    }
    assert!(names(dir.path()).is_empty());
}

#[test]
fn what_cannot_be_is_refused_before_anything_is_written() {
    let dir = with_small();
    fs::write(dir.path().join("bad.txt"), "R 1\nW 2\nX 3\n").unwrap();
    fs::write(dir.path().join("empty.txt"), "# nothing\n\n").unwrap();
    fs::write(dir.path().join("other.dat"), [7; 8192]).unwrap();
    for (arguments, said) in [
        (
            &["small.txt", "sim:flash", "--frames", "2"][..],
            &["sim:flash", "pool simulate --device sim:flash"][..],
        ),
        (&["small.txt", ".", "--frames", "0"], &["--frames", "from 1 to"]),
        (&["small.txt", ".", "--frames", "2", "--clients", "3"], &["clients: 3", "frame of its own"]),
        (&["small.txt", ".", "--frames", "2", "--page-size", "2K"], &["page size: 2048", "4096 to 65536"]),
        (&["small.txt", ".", "--frames", "2", "--n", "auto"], &["--n auto", "--profile"]),
        (&["small.txt", ".", "--frames", "2", "--policy", "lru,clock"], &["--policy", "one at a time"]),
        (&["small.txt", ".", "--frames", "2", "--limit", "0"], &["--limit"]),
        (&["-", ".", "--frames", "2"], &["-: ", "read twice"]),
        (&["none.txt", ".", "--frames", "2"], &["none.txt", "No such file"]),
        (&["bad.txt", ".", "--frames", "2"], &["bad.txt:3: "]),
        (&["empty.txt", ".", "--frames", "2"], &["empty.txt"]),
        (&["small.txt", "nowhere", "--frames", "2"], &["nowhere"]),
        (&["small.txt", "other.dat", "--frames", "2"], &["other.dat"]),
    ] {
        refused(&replay(dir.path(), arguments), said);
    }
    assert_eq!(names(dir.path()), ["bad.txt", "empty.txt", "other.dat", "small.txt"]);
    assert_eq!(fs::read(dir.path().join("other.dat")).unwrap(), [7; 8192]);
}

#[test]
fn more_pages_at_once_than_frames_is_said_and_cut() {
    let dir = with_small();
    let ran =
        replay(dir.path(), &["small.txt", ".", "--frames", "2", "--ace", "cow-x", "--n", "9", "--json"]);
    assert!(ran.stderr.contains("n = 9 is more than a pool of 2 frames holds: n = 2"), "{}", ran.stderr);
    let ran = document(ran);
    assert_eq!((&ran["n"], &ran["verified_pages"]), (&json!(2), &json!(5)));
}

#[test]
fn too_little_space_is_refused_before_anything_is_written() {
    needs_root!();
    let Some(mounted) = Mounted::new("tmpfs", Path::new("none"), "size=1100m") else {
        return skipped("no tmpfs to be mounted");
    };
    let dir = folder();
    let mut trace = String::new();
    (0..20_000).for_each(|page| writeln!(trace, "R {page}").unwrap());
    fs::write(dir.path().join("trace.txt"), trace).unwrap();
    let target = text(mounted.path());
    let ran = replay(dir.path(), &["trace.txt", target, "--frames", "2"]);
    refused(&ran, &[target, "1.1G free", "pages take", "less than 1G;", "75M would fit", "--limit"]);
    assert!(names(mounted.path()).is_empty());
}

#[test]
fn a_block_device_is_overwritten_only_when_told_to() {
    needs_root!();
    let Some(device) = Loop::new(|_| {}) else { return };
    let (dir, before) = (with_small(), device.bytes());
    let arguments = ["small.txt", device.name(), "--frames", "2", "--json"];
    refused(&replay(dir.path(), &arguments), &[device.name(), "--destructive"]);
    assert!(device.bytes() == before, "bytes were changed");
    let ran = document(replay(dir.path(), &[&arguments[..], &["--destructive"]].concat()));
    assert_eq!(ran["verified_pages"], 5);
    let after = device.bytes();
    assert!(after[..20_480] != before[..20_480] && after[20_480..] == before[20_480..]);
}

#[test]
fn ctrl_c_shows_what_was_done_and_leaves_nothing() {
    // 2 GB to lay out; or a few megabytes, and minutes to replay.
    for (phase, pages) in [("lay out", 500_000), ("replay", 5_000)] {
        let dir = folder();
        let trace = &format!("gen:uniform?pages={pages}&ops=10000000");
        let arguments = ["pool", "replay", trace, ".", "--frames", "100", "--clients", "2", "--json"];
        let mut running = start(dir.path(), &arguments);
        running.reaches(phase);
        running.signal(Signal::INT);
        let (ran, _, took) = running.end();
        assert!(took < Duration::from_secs(60), "took {took:?}");
        assert_eq!(ran.code, Some(1), "{}", ran.stderr);
        let line = ran.stderr.lines().last().unwrap_or_default();
        assert!(line.starts_with("error: interrupted"), "{line}");
        if phase == "replay" {
            let shown: Value = serde_json::from_str(&ran.stdout).unwrap();
            assert_eq!((&shown["complete"], &shown["verified_pages"]), (&json!(false), &Value::Null));
            assert!(shown["operations"].as_u64() < Some(10_000_000));
        } else {
            assert_eq!(ran.stdout, "");
        }
        assert!(names(dir.path()).is_empty());
    }
}
