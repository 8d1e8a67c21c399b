//! `leadline profile DIR` on the real disk under the build.

use std::fs;

use leadline_profile::{DeviceKind, DeviceProfile, EngineKind, OpKind, Pattern};

use crate::ran::{Ran, folder, made_folder, names, run, small, text};

/// What must be true of every profile of a real directory.
#[track_caller]
fn sane(profile: &DeviceProfile) {
    assert!(profile.validity.complete, "{:?}", profile.validity.stopped_by);
    assert_eq!(profile.device.kind, DeviceKind::Directory);
    assert!(profile.created.is_some() && profile.device.kernel.is_some());
    assert_eq!(profile.device.serial, None, "only on request");
    assert!(profile.method.epochs >= 2 && profile.method.footprint_bytes == 15 << 20);
    assert!(!profile.validity.state.as_str().is_empty() && !profile.validity.durability.is_empty());
    assert!(!profile.validity.checks.is_empty());
    assert!(profile.validity.bytes_read > 0 && profile.validity.bytes_written >= 15 << 20);
    assert!(!profile.points.is_empty() && !profile.timeline.is_empty());
    for point in &profile.points {
        let l = &point.latency_us;
        let ascending = [l.p50, l.p90, l.p99, l.p99_5, l.p99_9, l.p99_95, l.p99_99, l.max];
        assert!(ascending.is_sorted() && ascending[0] > 0.0 && l.mean > 0.0, "{point:?}");
        assert!(point.iops > 0.0 && (1..=8).contains(&point.concurrency));
    }
}

/// Number of points of this kind.
fn count(profile: &DeviceProfile, op: OpKind, durable: bool) -> usize {
    let of_kind = profile.points.iter().filter(|p| p.op == op && p.durable == durable);
    of_kind.filter(|p| p.pattern == Pattern::Random).count()
}

#[test]
fn a_directory_is_measured_and_left_as_it_was() {
    let dir = folder();
    fs::write(dir.path().join("mine"), "untouched").unwrap();
    let ran = small(dir.path(), ".", &[]).succeeded();
    assert!(ran.stderr.contains(".: writes 16M before measuring"), "{}", ran.stderr);
    assert!(ran.stdout.contains("One write is worth"), "{}", ran.stdout);
    let made = made_folder(dir.path());
    assert_eq!(names(&made), ["profile.json", "report.html"]);
    assert_eq!(names(dir.path()).len(), 2, "{:?}", names(dir.path()));
    assert_eq!(fs::read_to_string(dir.path().join("mine")).unwrap(), "untouched");

    let profile = DeviceProfile::load(made.join("profile.json")).unwrap();
    sane(&profile);
    assert!(matches!(profile.method.engine, EngineKind::IoUring | EngineKind::Psync));
    assert!(profile.method.direct);
    for (op, durable) in [(OpKind::Read, false), (OpKind::Write, false), (OpKind::Write, true)] {
        assert!(count(&profile, op, durable) >= 3, "{op:?} {durable}");
    }
}

#[test]
fn psync_is_one_thread_per_request() {
    let dir = folder();
    let profile = small(dir.path(), ".", &["--engine", "psync", "--json"]).succeeded().profile();
    sane(&profile);
    assert_eq!((profile.method.engine, profile.method.threads), (EngineKind::Psync, 8));
    assert!(profile.method.concurrency_is.contains("one request"), "{}", profile.method.concurrency_is);
    assert!(names(dir.path()).is_empty());
}

#[test]
fn io_uring_by_name_is_io_uring_or_a_refusal() {
    let dir = folder();
    let ran = small(dir.path(), ".", &["--engine", "io_uring", "--json", "--serial"]);
    if ran.code == Some(0) {
        assert_eq!(ran.profile().method.engine.as_str(), "io_uring");
    } else {
        assert!(ran.stderr.contains("io_uring"), "{}", ran.stderr);
    }
}

#[test]
fn buffered_is_said_everywhere() {
    let dir = folder();
    let ran = small(dir.path(), ".", &["--buffered", "--report", "page.html", "-o", "p.json"]).succeeded();
    assert!(ran.stdout.contains("page cache"), "{}", ran.stdout);
    let profile = DeviceProfile::load(dir.path().join("p.json")).unwrap();
    sane(&profile);
    assert!(!profile.method.direct && profile.validity.durability.starts_with("buffered"));
    let page = fs::read_to_string(dir.path().join("page.html")).unwrap();
    assert!(page.contains("page cache"), "the page does not say it");
}

#[test]
fn reads_only_lays_out_what_it_reads_and_measures_no_write() {
    let dir = folder();
    let ran = small(dir.path(), ".", &["--reads-only", "--json"]).succeeded();
    assert!(ran.stderr.contains("writes 16M to lay out the data that it reads"), "{}", ran.stderr);
    let profile = ran.profile();
    sane(&profile);
    assert_eq!(count(&profile, OpKind::Write, false) + count(&profile, OpKind::Write, true), 0);
    assert!(count(&profile, OpKind::Read, false) >= 3);
    // The layout and nothing more. Reads of what was never written would be reads of memory.
    assert_eq!(profile.validity.bytes_written, 15 << 20);
    assert_eq!(profile.method.writes.as_str(), "not asked for (--reads-only)");
    assert!(profile.parameters.iter().all(|p| p.alpha.is_none() && p.k_w.is_none() && p.k_r.is_some()));
}

#[test]
fn threads_are_pinned_to_the_processors_named() {
    let dir = folder();
    let profile = small(dir.path(), ".", &["--cpus", "0", "--json"]).succeeded().profile();
    sane(&profile);
    assert_eq!((profile.method.cpus, profile.method.threads), (vec![0], 1));
    if std::thread::available_parallelism().unwrap().get() > 1 {
        let profile = small(dir.path(), ".", &["--cpus", "0-1", "--json"]).succeeded().profile();
        sane(&profile);
        assert_eq!((profile.method.cpus, profile.method.threads), (vec![0, 1], 2));
        assert!(profile.method.concurrency_is.starts_with("2 threads"));
    }
}

#[test]
fn a_dry_run_says_what_would_be_and_writes_nothing() {
    let dir = folder();
    let target = text(dir.path());
    let dry =
        |more: &[&str]| run(dir.path(), &[&["profile", target, "--dry-run"], more].concat()).succeeded();
    let ran = dry(&["--size", "64M", "--precondition", "2", "--max-writes", "1G"]);
    // Lines end where the terminal does.
    let said = |ran: &Ran| ran.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    for part in [target, "192M before measuring", "1G in all at most", "120 s"] {
        assert!(said(&ran).contains(part), "no {part:?} in {}", ran.stdout);
    }
    assert_eq!(ran.stderr, "");

    // Nobody set a limit: the layout and 4 GiB or twice the scratch file.
    let ran = dry(&["--size", "64M"]);
    assert!(said(&ran).contains("4.1G in all at most"), "{}", ran.stdout);
    for unbounded in [&["--full"][..], &["--precondition", "1"]] {
        let ran = dry(&[&["--size", "64M"], unbounded].concat());
        assert!(!said(&ran).contains("in all at most"), "{}", ran.stdout);
    }

    let plan = |more: &[&str]| -> serde_json::Value {
        serde_json::from_str(&dry(&[&["--json", "--size", "64M"], more].concat()).stdout).unwrap()
    };
    let quick = plan(&["--quick"]);
    assert_eq!(quick["budget_seconds"], 30.0);
    assert_eq!(quick["writes_before_measuring_bytes"], 64 << 20);
    assert_eq!(quick["block_sizes"], serde_json::json!([4096, 8192]));
    assert_eq!(quick["write_budget_bytes"], (64u64 << 20) + (4 << 30));
    assert_eq!(quick["max_writes_bytes"], serde_json::Value::Null);
    let sweep = plan(&["--granularity", "--quick"]);
    let sizes = sweep["block_sizes"].as_array().unwrap();
    assert!(sizes.len() >= 7 && sizes.last().unwrap() == 256 << 10, "{sizes:?}");
    assert_eq!(sweep["budget_seconds"], 15.0 * sizes.len() as f64, "the budget grows with the sizes");
    assert!(plan(&["--full"])["budget_seconds"].is_null());
    // What follows the profile is counted: a second layout, interleaving 30 s and 12 GiB, sustained 60 s and
    // 4 GiB.
    let several = plan(&["--quick", "--for", "rocksdb", "-o", "p.json"]);
    assert_eq!(several["experiments"], serde_json::json!(["interleaving", "sustained"]));
    assert_eq!(several["seconds_at_most"], 45.0 + 30.0 + 60.0);
    let bytes = (64u64 << 20) + (4 << 30) + (64 << 20) + (12 << 30) + (4 << 30);
    assert_eq!(several["write_budget_bytes"], bytes);
    assert_eq!(several["writes_before_measuring_bytes"], 128 << 20);
    let whole = said(&dry(&["--size", "64M", "--quick", "--for", "rocksdb", "-o", "p.json"]));
    let part = "measures for 135 s in all at most: the profile, then interleaving, sustained";
    assert!(whole.contains(part), "{whole}");
    let limited =
        dry(&["--size", "64M", "--quick", "--for", "rocksdb", "--max-writes", "2G", "-o", "p.json"]);
    assert!(said(&limited).contains("2G in all at most"), "{}", limited.stdout);
    assert_eq!(plan(&["--budget-seconds", "2.5"])["budget_seconds"], 2.5);
    assert!(names(dir.path()).is_empty());
}
