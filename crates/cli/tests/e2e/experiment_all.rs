//! `leadline experiment all`: everything into one profile, skipped where it is there, gone on with after
//! Ctrl-C.

use std::fs;
use std::path::Path;

use leadline_measure::experiment::{self, Experiment};
use leadline_profile::DeviceProfile;
use leadline_testing::machine::{Mounted, needs_root, skipped};
use rustix::process::Signal;

use crate::ran::{folder, names, run, start, text};

const BRIEF: [&str; 4] = ["--into", "p.json", "--seconds", "0.5"];

fn all(target: &str) -> Vec<&str> {
    [&["experiment", "all", target], &BRIEF[..]].concat()
}

/// Names of the experiments in `p.json` that ran to their end.
fn complete(profile: &DeviceProfile) -> Vec<&str> {
    let whole = profile.experiments.procedures().filter(|(_, procedure)| procedure.stopped_by.is_none());
    whole.map(|(name, _)| name).collect()
}

/// How many can be made on a real directory.
fn without_wear() -> usize {
    experiment::ALL.iter().copied().filter(|one| !one.needs_wear()).count()
}

/// What is said of the time that these take.
fn seconds(measured: impl Fn(&'static dyn Experiment) -> bool) -> String {
    let count = experiment::ALL.iter().copied().filter(|&one| measured(one)).count();
    format!("measures for at most {} s", 0.5 * count as f64)
}

#[test]
fn everything_goes_into_one_profile_and_is_skipped_the_second_time() {
    let dir = folder();
    let ran = run(dir.path(), &all("sim:flash")).succeeded();
    assert!(ran.stderr.contains("skipped (need a directory): sync-methods"), "{}", ran.stderr);
    // Those that use all of a simulated drive open it anew.
    let first = seconds(|one| !one.needs_directory() && !one.uses_whole_drive());
    assert!(ran.stderr.contains(&format!("{first}: r-by-k, mixed, ladder")), "{}", ran.stderr);
    assert!(ran.stdout.contains("IOPS by share of reads") && ran.stdout.contains("etcd"), "{}", ran.stdout);
    let before = DeviceProfile::load(dir.path().join("p.json")).unwrap();
    assert!(ran.stderr.contains("its medium): write-amplification"), "{}", ran.stderr);
    assert_eq!(complete(&before).len(), experiment::ALL.len() - 2, "{:?}", complete(&before));
    let again = run(dir.path(), &all("sim:flash")).succeeded();
    assert!(again.stderr.contains("skipped (complete in p.json): r-by-k, mixed"), "{}", again.stderr);
    assert!(again.stderr.contains("nothing is left"), "{}", again.stderr);
    assert_eq!(DeviceProfile::load(dir.path().join("p.json")).unwrap(), before);
    // One that was cut short is measured again, and it alone.
    let mut cut = before.clone();
    cut.experiments.mixed.as_mut().unwrap().procedure.stopped_by = Some("interrupted".to_owned());
    cut.save(dir.path().join("p.json")).unwrap();
    let again = run(dir.path(), &all("sim:flash")).succeeded();
    assert!(again.stderr.contains("measures for 0.5 s: mixed\n"), "{}", again.stderr);
    assert_eq!(complete(&DeviceProfile::load(dir.path().join("p.json")).unwrap()), complete(&before));
    run(dir.path(), &all("sim:optane")).refused(&["--into p.json", "sim:flash", "sim:optane"]);
}

#[test]
fn what_an_interrupted_run_finished_is_kept_and_the_next_one_goes_on() {
    let dir = folder();
    let arguments = [all("."), vec!["--size", "32M"]].concat();
    let mut running = start(dir.path(), &arguments);
    running.reaches("ladder");
    running.signal(Signal::INT);
    let (ran, ..) = running.end();
    assert_eq!(ran.code, Some(1), "{}", ran.stderr);
    assert!(ran.stderr.contains("interrupted") && ran.stderr.contains("the same command"), "{}", ran.stderr);
    assert_eq!(names(dir.path()), ["p.json"], "the scratch file is gone");
    let before = DeviceProfile::load(dir.path().join("p.json")).unwrap();
    assert_eq!(complete(&before)[..2], ["r-by-k", "mixed"]);
    let ran = run(dir.path(), &arguments).succeeded();
    assert!(ran.stderr.contains("skipped (complete in p.json): r-by-k, mixed"), "{}", ran.stderr);
    let after = DeviceProfile::load(dir.path().join("p.json")).unwrap();
    assert_eq!(complete(&after).len(), without_wear());
    assert_eq!(after.experiments.r_by_k, before.experiments.r_by_k);
    assert_eq!(names(dir.path()), ["p.json"]);
}

#[test]
fn writes_are_shared_out_and_reads_go_on() {
    let dir = folder();
    let arguments = [all("sim:flash"), vec!["--size", "16M", "--max-writes", "24M"]].concat();
    let ran = run(dir.path(), &arguments);
    assert_eq!(ran.code, Some(2), "{}", ran.stderr);
    let last = ran.stderr.lines().last().unwrap();
    assert!(
        last.contains("--max-writes 24M: not enough for r-by-k") && last.contains("allow more"),
        "{last}"
    );
    let profile = DeviceProfile::load(dir.path().join("p.json")).unwrap();
    assert!(profile.experiments.burst.is_some() && profile.experiments.r_by_k.is_none());
    let written: u64 = profile.experiments.procedures().map(|(_, procedure)| procedure.bytes_written).sum();
    assert!(written <= 24 << 20, "{written}");
}

#[test]
fn what_is_only_read_gets_what_only_reads() {
    let dir = folder();
    fs::write(dir.path().join("theirs"), vec![7u8; 16 << 20]).unwrap();
    let arguments = [all("./theirs"), vec!["--max-bytes", "64M"]].concat();
    let ran = run(dir.path(), &arguments).succeeded();
    assert!(ran.stderr.contains("this target is only read): mixed, pio-classes"), "{}", ran.stderr);
    let profile = DeviceProfile::load(dir.path().join("p.json")).unwrap();
    assert_eq!(complete(&profile)[..2], ["r-by-k", "ladder"]);
    assert!(fs::read(dir.path().join("theirs")).unwrap().iter().all(|&byte| byte == 7));
    run(dir.path(), &["experiment", "all", "./theirs"]).refused(&["all", "--into PROFILE"]);
}

#[test]
fn where_requests_of_1k_need_the_page_cache_unaligned_comes_last_and_through_it() {
    needs_root!();
    let Some(mounted) = Mounted::new("tmpfs", Path::new("none"), "size=1300m") else {
        return skipped("no tmpfs to be mounted");
    };
    let dir = folder();
    let everything = [&["experiment", "all", text(mounted.path())], &BRIEF[..], &["--size", "16M"]].concat();
    let ran = run(dir.path(), &everything).succeeded();
    let first = seconds(|one| !one.needs_wear() && one != experiment::UNALIGNED);
    let places =
        [&format!("{first}: r-by-k"), "measures for at most 0.5 s: unaligned\n", "through the page cache"];
    let at: Vec<Option<usize>> = places.iter().map(|words| ran.stderr.find(words)).collect();
    assert!(at.is_sorted() && at[0].is_some(), "{at:?} in {}", ran.stderr);
    let profile = DeviceProfile::load(dir.path().join("p.json")).unwrap();
    assert_eq!(complete(&profile).len(), without_wear());
    let direct = |name: &str| profile.experiments.procedures().find(|(n, _)| *n == name).unwrap().1.direct;
    assert!(direct("r-by-k") && direct("tail") && !direct("unaligned"));
    assert!(profile.experiments.unaligned.as_ref().unwrap().durable);
    assert!(names(mounted.path()).is_empty(), "both scratch files are gone");
}
