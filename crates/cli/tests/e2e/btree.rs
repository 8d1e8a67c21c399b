//! `leadline btree advise`: node sizes of B-trees on a device.

use std::path::Path;

use serde_json::Value;

use crate::ran::{folder, run};
use crate::simulated::profiled;

const TREE: [&str; 6] = ["--data", "100G", "--key-size", "16", "--value-size", "100"];

/// A profile of the simulated flash drive with requests of 4K to 4M: 80 us reads on 80 servers, 22.4 us
/// writes on 8.
fn flash(dir: &Path) {
    let profile = ["profile", "sim:flash", "--quick", "-o", "flash.json"];
    let experiment = ["experiment", "r-by-k", "sim:flash", "--quick", "--into", "flash.json"];
    profiled(dir, "flash.json", &[&profile, &experiment]);
}

fn advise(dir: &Path, more: &[&str]) -> Value {
    let ran = run(dir, &[&["btree", "advise", "flash.json"], &TREE[..], more, &["--json"]].concat());
    serde_json::from_str(&ran.succeeded().stdout).unwrap()
}

#[test]
fn node_sizes_are_compared_on_a_simulated_drive() {
    let dir = folder();
    flash(dir.path());
    let found = advise(dir.path(), &["--mix", "point=60,range=10,insert=30", "--clients", "4"]);
    let sizes = found["sizes"].as_array().unwrap();
    let bytes: Vec<u64> = sizes.iter().map(|size| size["node_bytes"].as_u64().unwrap()).collect();
    assert_eq!(bytes, (9..=22).map(|doubling| 1 << doubling).collect::<Vec<u64>>());
    for size in sizes {
        for name in ["point_us", "range_us", "insert_us", "update_us", "mix_per_s"] {
            let value = size[name].as_f64().unwrap();
            let ci: Vec<f64> =
                size[format!("{name}_ci")].as_array().unwrap().iter().map(|v| v.as_f64().unwrap()).collect();
            assert!(0.0 < ci[0] && ci[0] <= value && value <= ci[1], "{name} of {size}");
        }
        let per_pair = size["write_amplification"].as_f64().unwrap();
        assert!(per_pair >= size["node_bytes"].as_f64().unwrap() / 116.0, "{size}");
    }
    // Five levels, each a read of about 80 us: four clients do not get in each other's way.
    let four = sizes.iter().find(|size| size["node_bytes"] == 4096).unwrap();
    assert_eq!(four["height"], 5);
    let point = four["point_us"].as_f64().unwrap();
    assert!((point / 400.0 - 1.0).abs() < 0.15, "{point} us");
    // The one chosen is the best of those measured.
    let rate = |size: &Value| size["mix_per_s"].as_f64().unwrap();
    let measured = sizes.iter().filter(|size| size["measured"] == true);
    let best = measured.max_by(|a, b| rate(a).total_cmp(&rate(b))).unwrap();
    assert_eq!(found["chosen"]["node_bytes"], best["node_bytes"]);
    assert!(found["chosen"]["reason"].as_str().unwrap().contains("operations/s"));
    let at: Vec<u64> = found["by_concurrency"]
        .as_array()
        .unwrap()
        .iter()
        .map(|best| best["clients"].as_u64().unwrap())
        .collect();
    assert_eq!(at, [1, 2, 4, 8, 16, 32, 64, 128]);
    assert_eq!(found["measured_in_flight"][0], 1);
    // A lookup wants smaller nodes than a range of 64K.
    let of = |operation: &str| found["by_operation"][operation].as_u64().unwrap();
    assert!(of("point") < of("range"), "{}", found["by_operation"]);
    let models: Vec<&str> =
        found["by_model"].as_array().unwrap().iter().map(|best| best["model"].as_str().unwrap()).collect();
    assert_eq!(models, ["dam", "pdam", "affine", "pio", "mqssd", "shared"]);

    // Memory shortens a lookup to about its leaf; another model answers otherwise.
    let cached = advise(dir.path(), &["--mix", "point=100", "--memory", "8G"]);
    let lookup = |found: &Value| {
        let sizes = found["sizes"].as_array().unwrap();
        sizes.iter().find(|size| size["node_bytes"] == 4096).unwrap()["point_us"].as_f64().unwrap()
    };
    assert!(lookup(&cached) < 110.0, "{}", lookup(&cached));
    let dam = advise(dir.path(), &["--mix", "point=100", "--model", "dam"]);
    assert_eq!((&dam["model"], &dam["chosen"]["node_bytes"]), (&"dam".into(), &4096.into()));
    // Full nodes hold more: fewer of them are needed.
    let nodes = |fill: &str| {
        let found = advise(dir.path(), &["--mix", "point=100", "--fill", fill]);
        found["chosen"]["nodes_per_level"].as_array().unwrap().last().unwrap().as_f64().unwrap()
    };
    assert!((nodes("50") / nodes("100") - 2.0).abs() < 0.01);
}

#[test]
fn the_table_says_which_size_and_why() {
    let dir = folder();
    flash(dir.path());
    let mix = ["--mix", "point=60,range=10,insert=30"];
    let asked = [&["btree", "advise", "flash.json"], &TREE[..], &mix].concat();
    let shown = run(dir.path(), &asked).succeeded().stdout;
    for said in [
        "operations/s of the",
        " * ",
        "is advised",
        "instead of",
        "Best by operation: point",
        "k = 1",
        "dam",
        "Affine model",
    ] {
        assert!(shown.contains(said), "no {said:?} in {shown}");
    }
    assert!(shown.lines().all(|line| line.chars().count() <= 100), "{shown}");
    let help = run(dir.path(), &["btree", "advise", "--help"]).succeeded().stdout;
    assert!(help.contains("leadline btree advise profile.json --data 100G"), "{help}");
    assert!(run(dir.path(), &["--help"]).succeeded().stdout.contains("  btree "));
}

#[test]
fn questions_about_trees_without_an_answer_are_refused() {
    let dir = folder();
    let reads = ["profile", "sim:flash", "--quick", "--reads-only", "-o", "reads.json"];
    profiled(dir.path(), "reads.json", &[&reads]);
    let asked = |profile: &str, tree: &[&str], mix: &str, said: &[&str]| {
        let arguments = [&["btree", "advise", profile], tree, &["--mix", mix]].concat();
        run(dir.path(), &arguments).refused(said);
    };
    asked("reads.json", &TREE, "insert=100", &["reads.json", "no writes"]);
    asked("reads.json", &TREE, "point=60,range=10", &["--mix", "70 %", "100 %"]);
    asked("reads.json", &TREE, "point=60,scan=40", &["--mix", "scan", "point, range, insert and update"]);
    asked(
        "reads.json",
        &["--data", "0", "--key-size", "16", "--value-size", "100"],
        "point=100",
        &["--data", "1 byte"],
    );
    asked(
        "reads.json",
        &["--data", "9B", "--key-size", "16", "--value-size", "100"],
        "point=100",
        &["pairs is 0", "--data"],
    );
    asked(
        "reads.json",
        &["--data", "1G", "--key-size", "0", "--value-size", "100"],
        "point=100",
        &["--key-size", "1 byte"],
    );
    asked(
        "reads.json",
        &["--data", "1G", "--key-size", "16", "--value-size", "4M"],
        "point=100",
        &["4194304", "--value-size"],
    );
    asked(
        "reads.json",
        &["--data", "1G", "--key-size", "16", "--value-size", "1M"],
        "point=100",
        &["reads.json", "r-by-k"],
    );
    asked("absent.json", &TREE, "point=100", &["absent.json"]);
    // Published numbers are of requests of one size.
    asked("device:p4510", &TREE, "point=100", &["device:p4510", "4096 bytes", "r-by-k"]);
    asked("sim:flash", &TREE, "point=100", &["sim:flash", "measure it first"]);
    for (flag, value, said) in [
        ("--fill", "20", "50 to 100"),
        ("--range-size", "0", "1 byte"),
        ("--clients", "0", "1"),
        ("--memory", "lots", "lots"),
        ("--model", "affine2", "affine2"),
    ] {
        let tree = [&TREE[..], &[flag, value]].concat();
        asked("reads.json", &tree, "point=100", &[flag, said]);
    }
    // A profile of reads answers for reads.
    let arguments = [&["btree", "advise", "reads.json"], &TREE[..], &["--mix", "point=100"]].concat();
    run(dir.path(), &arguments).succeeded();
}
