//! `leadline prove`: what it says before it begins, and how it ends.

use std::path::Path;

use serde_json::Value;

use crate::ran::{Ran, folder, names, run};

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
    prove(dir, "innodb", &["--set", "port=1", "--dry-run"]).refused(&["nothing to try", "--only"]);
    prove(dir, "etcd", &["--set", "a=1"]).refused(&["--set"]);
    prove(dir, "innodb", &["--dry-run", "-o", "x.json"]).refused(&["--dry-run", "--output"]);
    assert!(names(dir).is_empty());
}
