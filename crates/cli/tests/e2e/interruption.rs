//! Signals: nothing is left behind, what was measured is kept and marked, and can be resumed.

use std::fs;
use std::path::Path;
use std::time::Duration;

use leadline_profile::{DeviceProfile, EngineKind};
use rustix::process::Signal;

use crate::ran::{Ran, folder, names, run, small, start, text};

/// On a quiet machine it is a fraction of a second; a busy one gets more. The longest run here would take two
/// minutes.
const SOON: Duration = Duration::from_secs(60);

const LONG: [&str; 6] = ["--block-size", "4K", "--max-concurrency", "8", "-o", "p.json"];

/// Starts a run of `seconds` on `target`, sends `signal` a while after `phase` began, and sees how it ends.
#[track_caller]
fn interrupted(
    dir: &Path,
    target: &str,
    phase: &str,
    signal: Signal,
    seconds: &str,
    size: &str,
    after: Duration,
) -> (Ran, DeviceProfile) {
    let resume = if target.starts_with("sim:") { "" } else { "--resume p.json" };
    let arguments = ["profile", target, "--budget-seconds", seconds, "--size", size];
    let mut running = start(dir, &[&arguments[..], &LONG].concat());
    running.reaches(phase);
    std::thread::sleep(after);
    running.signal(signal);
    let (ran, _, took) = running.end();
    assert!(took < SOON, "took {took:?}");
    assert_eq!(names(dir), ["p.json"], "only the profile is left");
    ran.failed(1, &["interrupted", "what was measured is kept", resume]);
    assert!(ran.stdout.contains("The run is partial"), "{}", ran.stdout);
    let profile = DeviceProfile::load(dir.join("p.json")).unwrap();
    assert!(!profile.validity.complete);
    assert!(profile.validity.stopped_by.as_ref().unwrap().contains("signal"));
    (ran, profile)
}

#[track_caller]
fn resumed(dir: &Path, before: &DeviceProfile) -> DeviceProfile {
    run(dir, &["profile", ".", "--resume", "p.json"]).succeeded();
    let after = DeviceProfile::load(dir.join("p.json")).unwrap();
    assert!(after.validity.complete && after.validity.stopped_by.is_none());
    assert!(after.method.epochs > before.method.epochs);
    assert!(after.validity.bytes_written > before.validity.bytes_written);
    assert!(after.validity.bytes_read > before.validity.bytes_read);
    assert_eq!(after.method.block_sizes, before.method.block_sizes);
    assert_eq!(after.method.footprint_bytes, before.method.footprint_bytes);
    assert_eq!((&after.method.engine, &after.method.budget), (&before.method.engine, &before.method.budget));
    let slices = |p: &DeviceProfile| p.points.iter().map(|point| point.slices.len()).sum::<usize>();
    assert!(slices(&after) > slices(before));
    assert_eq!(names(dir), ["p.json"]);
    after
}

#[test]
fn during_layout() {
    for signal in [Signal::INT, Signal::TERM] {
        let dir = folder();
        // Simulated, so that it neither fills a disk nor is ever done.
        let device = "kind = \"parametric\"\ncapacity = \"512T\"\n[read]\nservice_us = 60\nservers = 8\n\
                      [write]\nservice_us = 60\nservers = 8\n";
        let description = folder();
        fs::write(description.path().join("big.toml"), device).unwrap();
        let target = format!("sim:{}/big.toml", text(description.path()));
        let (_, profile) = interrupted(dir.path(), &target, "layout", signal, "20", "512T", Duration::ZERO);
        assert!(profile.points.is_empty() && profile.parameters.is_empty());
        assert!(profile.validity.bytes_written < 512 << 40, "it was not interrupted while it laid out");
        run(dir.path(), &["report", "p.json", "-o", "page.html"]).succeeded();
        assert!(fs::metadata(dir.path().join("page.html")).unwrap().len() > 10_000);
    }
}

#[test]
fn during_the_search() {
    for signal in [Signal::INT, Signal::TERM] {
        let dir = folder();
        let (_, profile) =
            interrupted(dir.path(), ".", "search", signal, "120", "16M", Duration::from_millis(300));
        assert_eq!(profile.method.epochs, 0);
        assert!(!profile.points.is_empty(), "the search's points are kept");
        run(dir.path(), &["report", "p.json", "-o", "page.html"]).succeeded();
    }
}

#[test]
fn a_run_interrupted_in_its_search_is_resumed() {
    let dir = folder();
    let (_, before) =
        interrupted(dir.path(), ".", "search", Signal::INT, "4", "16M", Duration::from_millis(100));
    let after = resumed(dir.path(), &before);
    // At most two slices per epoch, each repeated once at most: those of the search that was interrupted are
    // not among them.
    assert!(after.points.iter().all(|p| p.slices.len() <= 4 * after.method.epochs as usize));
}

#[test]
fn a_run_interrupted_while_measuring_is_resumed() {
    for signal in [Signal::INT, Signal::TERM] {
        let dir = folder();
        let (_, before) =
            interrupted(dir.path(), ".", "measure", signal, "6", "16M", Duration::from_millis(2000));
        assert!(before.method.epochs > 0 && !before.points.is_empty());
        let after = resumed(dir.path(), &before);
        // The first run's slices are in it, each as it was.
        if before.method.epochs >= 2 {
            for point in &before.points {
                let same = after.points.iter().find(|p| {
                    (p.op, p.pattern, p.block_bytes, p.durable, p.concurrency)
                        == (point.op, point.pattern, point.block_bytes, point.durable, point.concurrency)
                });
                assert!(same.unwrap().slices.starts_with(&point.slices));
            }
        }
        run(dir.path(), &["profile", ".", "--resume", "p.json"]).refused(&[
            "--resume p.json",
            "complete",
            "without --resume",
        ]);
    }
}

#[test]
fn a_resumed_run_keeps_how_it_measured() {
    let dir = folder();
    let long =
        ["profile", ".", "--budget-seconds", "4", "--size", "16M", "--engine", "psync", "--reads-only"];
    let mut running = start(dir.path(), &[&long[..], &LONG].concat());
    running.reaches("measure");
    running.signal(Signal::INT);
    running.end();
    let before = DeviceProfile::load(dir.path().join("p.json")).unwrap();
    assert!(!before.validity.complete);
    run(dir.path(), &["profile", ".", "--resume", "p.json"]).succeeded();
    let after = DeviceProfile::load(dir.path().join("p.json")).unwrap();
    assert!(after.validity.complete);
    assert_eq!(after.method.engine, EngineKind::Psync);
    assert_eq!(after.method.writes, before.method.writes);
    assert_eq!(after.method.max_concurrency, 8);
}

#[test]
fn only_an_interrupted_run_of_the_same_target_is_resumed() {
    let dir = folder();
    let (_, _) = interrupted(dir.path(), ".", "search", Signal::TERM, "20", "16M", Duration::ZERO);
    let kept = fs::read(dir.path().join("p.json")).unwrap();
    fs::create_dir(dir.path().join("other")).unwrap();
    run(dir.path(), &["profile", "other", "--resume", "p.json"])
        .refused(&["--resume p.json", "it measured ., not other"]);
    run(dir.path(), &["profile", "sim:flash", "--resume", "p.json"]).refused(&["--resume p.json"]);
    run(dir.path(), &["profile", ".", "--resume", "none.json"]).refused(&["none.json"]);
    assert_eq!(fs::read(dir.path().join("p.json")).unwrap(), kept);
    assert_eq!(names(dir.path()), ["other", "p.json"]);
}

#[test]
fn kill_9_leaves_nothing_that_the_next_run_does_not_clean_up() {
    let dir = folder();
    let long = ["profile", ".", "--budget-seconds", "20", "--size", "16M", "--json"];
    let mut running = start(dir.path(), &long);
    running.reaches("measure");
    running.signal(Signal::KILL);
    let (ran, status, _) = running.end();
    assert!(!status.success() && ran.stdout.is_empty());
    // With O_TMPFILE there is nothing; elsewhere the next run removes it.
    let ran = small(dir.path(), ".", &["--json"]).succeeded();
    assert!(names(dir.path()).is_empty());

    // What a run leaves that was killed between making its file and removing the name.
    small(dir.path(), ".", &["--json", "--keep-scratch"]).succeeded();
    let left = dir.path().join(".leadline-scratch-00c0ffee");
    fs::rename(dir.path().join("leadline-scratch.dat"), &left).unwrap();
    let next = small(dir.path(), ".", &["--json"]).succeeded();
    assert!(next.stderr.contains("removed ./.leadline-scratch-00c0ffee, left behind"), "{}", next.stderr);
    assert!(!ran.stderr.contains("removed") && names(dir.path()).is_empty());
}
