//! `leadline calibrate`: a measured device becomes a simulated one.

use std::fs;
use std::path::Path;

use leadline_profile::{DeviceProfile, OpKind};
use serde_json::Value;

use crate::ran::{folder, names, run};

/// A drive with 8 dies.
const DRIVE: &str = "kind = \"flash\"\ncapacity = \"64G\"\nover_provisioning = 0.2\nstate = \"filled\"\n\
    [geometry]\nchannels = 4\ndies_per_channel = 2\nplanes = 2\npages_per_block = 64\npage_bytes = \"16K\"\n\
    [timing]\nread_us = 70\nprogram_us = 200\nerase_us = 3000\nbus_mb_per_s = 800\ncontroller_us = 8\n\
    suspend_us = 20\n[buffer]\nwrite = \"1M\"\nhit_us = 6\n[link]\nmb_per_s = 2000\nrequest_us = 3\n";

/// A profile of it in `profile.json`.
fn measure(dir: &Path, target: &str, output: &str) -> DeviceProfile {
    let arguments = ["--quick", "--block-size", "4K", "--max-concurrency", "64", "-o", output];
    run(dir, &[&["profile", target], &arguments[..]].concat()).succeeded();
    DeviceProfile::load(dir.join(output)).unwrap()
}

/// The most random operations per second.
fn fastest(profile: &DeviceProfile, op: OpKind) -> f64 {
    let points = profile.points.iter().filter(|point| point.op == op && !point.durable);
    points.map(|point| point.iops).fold(0.0, f64::max)
}

#[test]
fn a_fitted_drive_measures_like_the_one_it_was_fitted_to() {
    let dir = folder();
    fs::write(dir.path().join("true.toml"), DRIVE).unwrap();
    let known = measure(dir.path(), "sim:./true.toml", "true.json");
    run(dir.path(), &["experiment", "mixed", "sim:./true.toml", "--quick", "--into", "true.json"])
        .succeeded();

    let fit = ["calibrate", "true.json", "-o", "mine.toml", "--check", "--json"];
    let ran = run(dir.path(), &fit).succeeded();
    assert!(ran.stderr.contains("description in mine.toml"), "{}", ran.stderr);
    let found: Value = serde_json::from_str(&ran.stdout).unwrap();
    let text = fs::read_to_string(dir.path().join("mine.toml")).unwrap();
    assert_eq!(found["description"], text);
    let parameters = found["parameters"].as_array().unwrap();
    let of = |name: &str| parameters.iter().find(|one| one["name"] == name).unwrap();
    for (name, truth) in [("dies", 8.0), ("timing.read_us", 70.0)] {
        let off = of(name)["value"].as_f64().unwrap() / truth;
        assert!((0.7..1.4).contains(&off), "{}", of(name));
        let [low, high] = [0, 1].map(|end| of(name)["range"][end].as_f64().unwrap());
        assert!((low..=high).contains(&truth), "{}", of(name));
    }
    assert_eq!(of("timing.read_us")["origin"], "identified");
    assert_eq!(of("timing.sigma")["origin"], "default");
    assert!(text.contains("# fitted: ") && text.contains("# default: "), "{text}");
    let mixed = &found["checks"][0];
    assert_eq!((&mixed["experiment"], &mixed["holds"]), (&"mixed".into(), &true.into()), "{mixed}");
    assert!(mixed["model_percent"].is_number() && mixed["repeat_percent"].is_null());

    let mine = measure(dir.path(), "sim:./mine.toml", "mine.json");
    for op in [OpKind::Read, OpKind::Write] {
        let off = fastest(&mine, op) / fastest(&known, op);
        assert!((0.85..1.15).contains(&off), "{op:?}: {off} times as many");
    }
}

#[test]
fn the_summary_says_what_the_profile_shows_and_what_it_does_not() {
    let dir = folder();
    fs::write(dir.path().join("true.toml"), DRIVE).unwrap();
    let reads = ["profile", "sim:./true.toml", "--reads-only", "--quick", "--block-size", "4K"];
    let arguments = [&reads[..], &["--max-concurrency", "32", "-o", "true.json"]].concat();
    run(dir.path(), &arguments).succeeded();
    let ran = run(dir.path(), &["calibrate", "true.json"]).succeeded();
    for said in ["timing.read_us", "the profile", "buffer.hit_us", "default: DRAM", "4K random reads"] {
        assert!(ran.stdout.contains(said), "no {said} in {}", ran.stdout);
    }
    assert_eq!(names(dir.path()), ["true.json", "true.toml"], "nothing is written without -o");
}

#[test]
fn what_cannot_be_calibrated_is_refused_before_anything_is_written() {
    let dir = folder();
    fs::write(dir.path().join("true.toml"), DRIVE).unwrap();
    run(dir.path(), &["experiment", "mixed", "sim:./true.toml", "--quick", "--into", "mixed.json"])
        .succeeded();
    let before = names(dir.path());
    let output = ["-o", "mine.toml"];
    for (arguments, said) in [
        (&["mixed.json"][..], &["mixed.json: holds no measured point; measure the device"][..]),
        (&["device:p4510"], &["device:p4510: holds published numbers"]),
        (&["sim:flash"], &["sim:flash: is a device, not a profile of one"]),
        (&["none.json"], &["none.json"]),
        (&["true.toml"], &["true.toml"]),
        (&["mixed.json", "--again", "mixed.json"], &["--check"]),
    ] {
        run(dir.path(), &[&["calibrate"], arguments, &output].concat()).refused(said);
    }
    run(dir.path(), &["calibrate", "mixed.json", "-o", "mixed.json"])
        .refused(&["-o mixed.json: is the same file as PROFILE mixed.json, which it would replace"]);
    run(dir.path(), &["calibrate", "mixed.json", "-o", "none/mine.toml"]).refused(&["none/mine.toml"]);
    assert_eq!(names(dir.path()), before);
}
