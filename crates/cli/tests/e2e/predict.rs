//! `leadline predict`: questions to a profile.

use std::path::Path;

use serde_json::Value;

use crate::ran::{folder, run};
use crate::simulated::profiled;

fn document(dir: &Path, arguments: &[&str]) -> Value {
    let ran = run(dir, arguments).succeeded();
    serde_json::from_str(&ran.stdout).unwrap()
}

/// A profile of the simulated flash drive with a ladder: 80 us reads on 80 servers, 22.4 us writes on 8.
fn flash(dir: &Path) {
    let profile = ["profile", "sim:flash", "--quick", "-o", "flash.json"];
    let experiment = ["experiment", "ladder", "sim:flash", "--quick", "--into", "flash.json"];
    profiled(dir, "flash.json", &[&profile, &experiment]);
}

#[test]
fn a_simulated_device_is_predicted_and_its_limits_named() {
    let dir = folder();
    flash(dir.path());
    let ask = |more: &[&str]| document(dir.path(), &[&["predict", "flash.json", "--json"], more].concat());

    // 1e6 reads of 80 us, 16 at a time.
    let few = ask(&["--reads", "1e6", "--concurrency", "16"]);
    let seconds = few["seconds"].as_f64().unwrap();
    assert!((seconds / 5.0 - 1.0).abs() < 0.06, "{few}");
    assert_eq!(few["bound"], "concurrency");
    let interval: Vec<f64> =
        few["seconds_ci"].as_array().unwrap().iter().map(|v| v.as_f64().unwrap()).collect();
    assert!(interval[0] <= 5.0 && 5.0 <= interval[1], "{few}");

    // 1e6 writes of 22.4 us on 8 servers: 64 in flight change nothing.
    let many = ask(&["--writes", "1e6", "--concurrency", "64"]);
    assert!((many["seconds"].as_f64().unwrap() / 2.8 - 1.0).abs() < 0.05, "{many}");
    assert_eq!((many["bound"].as_str(), many["model"].as_str()), (Some("writes"), Some("extrapolated")));

    // No answer is told from the measurement, and a model that is asked by name answers alone.
    let ks = run(dir.path(), &["predict", "flash.json", "--reads", "1e6", "--what-if", "k=1,5,64,1000"]);
    let words = ks.succeeded().stdout;
    let words = words.replace('\n', " ");
    assert!(
        words.contains("measured at k = 1, 64; interpolated at k = 5; extrapolated at k = 1000;"),
        "{words}"
    );
    let by_name = ask(&["--reads", "1e6", "--concurrency", "16", "--model", "mqssd"]);
    assert_eq!(by_name["model"], "mqssd");

    // Reads one at a time, writes eight at a time.
    let pool = ask(&["--reads", "1e6", "--writes", "1e6", "--batch-writes", "8"]);
    assert!((pool["seconds"].as_f64().unwrap() / 82.8 - 1.0).abs() < 0.06, "{pool}");

    let what_if = ask(&["--reads", "1e6", "--what-if", "k=1,2,4"]);
    let times: Vec<f64> =
        what_if["what_if"].as_array().unwrap().iter().map(|e| e["seconds"].as_f64().unwrap()).collect();
    assert!(times.len() == 3 && times[0] > times[1] && times[1] > times[2], "{what_if}");

    // 99 % of exponential service times are below 4.6 means: 369 us. At 1 ms the device may be nearly full.
    let slo = ask(&["--slo", "p99=1ms", "--mix", "100/0"]);
    assert!(slo["load"].as_f64().unwrap() > 0.8, "{slo}");
    run(dir.path(), &["predict", "flash.json", "--slo", "p99=100us"]).refused(&["flash.json", "p99"]);

    let speedup = ask(&["--speedup"]);
    let last = speedup["speedup"].as_array().unwrap().last().unwrap();
    assert_eq!(last["batched_writes"], 1.0, "reads alone gain nothing from batched writes");
    assert_eq!(last["batched_reads"], speedup["k_r"]);
}

#[test]
fn published_numbers_can_be_asked() {
    let dir = folder();
    // 1e6 reads of 12.4 us, and as many writes of 19.6 us, 8 at a time.
    let asked =
        ["predict", "device:p4510", "--reads", "1e6", "--writes", "1e6", "--batch-writes", "8", "--json"];
    let found = document(dir.path(), &asked);
    assert_eq!(found["model"], "pio");
    assert!((found["seconds"].as_f64().unwrap() / (12.4 + 19.6 / 8.0) - 1.0).abs() < 1e-6, "{found}");
    assert!(
        run(dir.path(), &["predict", "device:p4510", "--speedup"]).succeeded().stdout.contains("alpha_1")
    );
    run(dir.path(), &["predict", "device:p4510", "--slo", "p99=1ms"])
        .refused(&["device:p4510: ", "leadline experiment ladder TARGET --into PROFILE"]);
}

#[test]
fn questions_without_an_answer_are_refused() {
    let dir = folder();
    let reads = ["profile", "sim:flash", "--quick", "--reads-only", "-o", "reads.json"];
    profiled(dir.path(), "reads.json", &[&reads]);
    let refused = |more: &[&str], said: &[&str]| {
        run(dir.path(), &[&["predict", "reads.json"], more].concat()).refused(said);
    };
    refused(&[], &["--reads"]);
    refused(&["--writes", "1"], &["reads.json", "no writes"]);
    refused(&["--speedup"], &["reads.json", "writes"]);
    refused(&["--speedup", "--block-size", "64K"], &["reads.json", "64K"]);
    refused(&["--slo", "p99=1ms"], &["reads.json", "experiment ladder"]);
    refused(&["--slo", "p98=1ms"], &["p99"]);
    for ignored in [["--random", "50%"], ["--concurrency", "8"], ["--model", "dam"], ["--batch-reads", "2"]] {
        refused(&[&["--slo", "p99=1ms"], &ignored[..]].concat(), &["--slo", ignored[0]]);
        refused(&[&["--speedup"], &ignored[..]].concat(), &["--speedup", ignored[0]]);
    }
    refused(&["--reads", "nan"], &["--reads"]);
    refused(&["--reads", "1e6", "--concurrency", "0"], &["--concurrency"]);
    refused(&["--reads", "1e6", "--block-size", "0"], &["--block-size"]);
    refused(&["--reads", "1e6", "--random", "200%"], &["--random"]);
    refused(&["--reads", "1", "--model", "affine2"], &["affine2"]);
    run(dir.path(), &["predict", "absent.json", "--reads", "1"]).refused(&["absent.json"]);
    run(dir.path(), &["predict", "device:flash", "--reads", "1"]).refused(&["flash"]);
}
