//! `leadline report`: summary, page, comparison, fio jobs, and what it refuses.

use std::fs;
use std::path::Path;

use crate::ran::{folder, names, run, small};

fn profiles(dir: &Path) {
    for name in ["flash", "sata"] {
        let (target, file) = (format!("sim:{name}"), format!("{name}.json"));
        run(dir, &["profile", &target, "--budget-seconds", "2", "--json", "-o", &file]).succeeded();
    }
}

#[test]
fn one_profile_is_summed_up_shown_and_exported() {
    let dir = folder();
    profiles(dir.path());
    let ran = run(dir.path(), &["report", "flash.json"]).succeeded();
    assert!(ran.stdout.contains("One write is worth") && ran.stderr.is_empty());
    assert!(!ran.stdout.contains("k_r_90") && ran.stdout.lines().count() <= 20, "{}", ran.stdout);
    let details = run(dir.path(), &["report", "flash.json", "--details"]).succeeded().stdout;
    for part in ["alpha_1", "k_r_90", "Kneedle", "IOPS over requests in flight", "ok       little: "] {
        assert!(details.contains(part), "no {part:?} in {details}");
    }
    run(dir.path(), &["report", "flash.json", "sata.json", "--details"])
        .refused(&["--details", "one profile"]);
    run(dir.path(), &["report", "flash.json", "--json", "--details"]).refused(&["--details", "--json"]);
    let ran = run(dir.path(), &["report", "flash.json", "--json"]).succeeded();
    assert!(ran.stdout == fs::read_to_string(dir.path().join("flash.json")).unwrap());
    run(dir.path(), &["report", "flash.json", "-o", "page.html"]).succeeded();
    assert!(fs::read_to_string(dir.path().join("page.html")).unwrap().starts_with("<!doctype html>"));
    run(dir.path(), &["report", "flash.json", "--fio-jobs", "jobs"]).failed(2, &["sim:flash", "simulated"]);
    assert_eq!(names(dir.path()), ["flash.json", "page.html", "sata.json"]);
}

#[test]
fn a_profile_of_a_real_target_becomes_fio_jobs() {
    let dir = folder();
    let ran = small(dir.path(), ".", &["--json", "-o", "p.json"]).succeeded();
    run(dir.path(), &["report", "p.json", "--fio-jobs", "jobs"]).succeeded();
    let jobs = names(&dir.path().join("jobs"));
    assert!(jobs.len() >= ran.profile().points.len(), "{jobs:?}");
    assert!(jobs.iter().all(|job| job.ends_with(".fio")), "{jobs:?}");
    // Somebody's file of that name is not replaced.
    fs::write(dir.path().join("jobs").join(&jobs[0]), "mine").unwrap();
    run(dir.path(), &["report", "p.json", "--fio-jobs", "jobs"]).failed(2, &[&jobs[0], "differs"]);
    assert_eq!(fs::read_to_string(dir.path().join("jobs").join(&jobs[0])).unwrap(), "mine");
}

#[test]
fn several_profiles_are_compared() {
    let dir = folder();
    profiles(dir.path());
    let ran = run(dir.path(), &["report", "flash.json", "sata.json", "-o", "both.html"]).succeeded();
    assert!(ran.stdout.contains("sim-flash") && ran.stdout.contains("sim-sata"), "{}", ran.stdout);
    let ran = run(dir.path(), &["report", "flash.json", "sata.json", "--json"]).succeeded();
    let document: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    assert!(!document.is_null() && ran.stderr.is_empty());
    run(dir.path(), &["report", "flash.json", "sata.json", "--fio-jobs", "jobs"]).refused(&["--fio-jobs"]);
    assert_eq!(names(dir.path()), ["both.html", "flash.json", "sata.json"]);
}

#[test]
fn what_is_no_profile_is_refused_with_its_place() {
    let dir = folder();
    let write = |text: &str| fs::write(dir.path().join("p.json"), text).unwrap();
    write("{\n  \"schema\": }");
    run(dir.path(), &["report", "p.json"]).refused(&["p.json", "line 2"]);
    write(r#"{"schema": "leadline.profile/2"}"#);
    run(dir.path(), &["report", "p.json"]).refused(&["p.json", "leadline.profile/2"]);
    write(r#"{"schema": "leadline.profile/1"}"#);
    run(dir.path(), &["report", "p.json"]).refused(&["p.json", "device"]);
    run(dir.path(), &["report", "none.json"]).refused(&["none.json", "No such file"]);
    run(dir.path(), &["report"]).refused(&["<PROFILE>"]);
}

#[test]
fn a_page_never_replaces_a_profile_or_a_device() {
    let dir = folder();
    profiles(dir.path());
    let before = fs::read(dir.path().join("flash.json")).unwrap();
    run(dir.path(), &["report", "flash.json", "-o", "flash.json"]).refused(&["flash.json", "another place"]);
    assert_eq!(fs::read(dir.path().join("flash.json")).unwrap(), before);
    run(dir.path(), &["report", "flash.json", "-o", "/dev/null"]).refused(&["/dev/null", "another place"]);
    assert!(!fs::metadata("/dev/null").unwrap().is_file());
    run(dir.path(), &["report", "flash.json", "-o", "none/x.html"]).refused(&["none/x.html"]);
}
