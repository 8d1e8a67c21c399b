//! `leadline trace predict`.

use std::fs;
use std::path::Path;

use leadline_trace::capture::{Event, Operation, Thread, Writer};
use serde_json::Value;

use crate::ran::{folder, run};

/// 1000 reads of 16K, one after the other, of 200 us each and with 50 us of computing before each.
fn capture(dir: &Path) {
    let mut writer = Writer::new(Vec::new());
    writer.file("tpch/lineitem.ibd").unwrap();
    writer.thread(&Thread { tid: 7, pid: 7, name: "query".to_owned() }).unwrap();
    for i in 0..1000 {
        let issued_ns = i * 250_000 + 50_000;
        let event = Event {
            issued_ns,
            completed_ns: issued_ns + 200_000,
            thread: 0,
            file: 0,
            operation: Operation::Read,
            offset: i * 7919 % 1000 * (1 << 20),
            length: 16384,
        };
        writer.event(&event).unwrap();
    }
    fs::write(dir.join("q3.capture"), writer.finish(1000 * 250_000).unwrap()).unwrap();
    let device = |us: u32, capacity: &str| {
        let server = format!("{{ service_us = {us}, servers = 4 }}");
        format!("kind = \"parametric\"\ncapacity = \"{capacity}\"\nread = {server}\nwrite = {server}\n")
    };
    fs::write(dir.join("slow.toml"), device(200, "2G")).unwrap();
    fs::write(dir.join("fast.toml"), device(40, "2G")).unwrap();
    fs::write(dir.join("small.toml"), device(40, "64M")).unwrap();
}

#[test]
fn the_time_on_each_device_is_predicted() {
    let dir = folder();
    capture(dir.path());
    let devices = ["sim:slow.toml", "sim:fast.toml"];
    let ran = run(dir.path(), &[&["trace", "predict", "q3.capture"][..], &devices, &["--json"]].concat());
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let found: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(found["schema"], "leadline.trace-prediction/1");
    let near = |value: &Value, expected: f64| {
        let value = value.as_f64().unwrap();
        assert!((value - expected).abs() < 1e-6, "{value} instead of {expected}");
    };
    for (of, io) in [(&found["recorded"], 0.2), (&found["devices"][0], 0.2), (&found["devices"][1], 0.04)] {
        near(&of["io_seconds"], io);
        near(&of["computing_seconds"], 0.05);
        near(&of["total_seconds"], io + 0.05);
    }
    near(&found["devices"][1]["speedup"], 0.25 / 0.09);

    let ran = run(dir.path(), &[&["trace", "predict", "q3.capture"][..], &devices].concat());
    assert!(ran.stdout.contains("sim:fast.toml") && ran.stdout.contains("2.78x"), "{ran:?}");
}

#[test]
fn what_cannot_be_predicted_is_named() {
    let dir = folder();
    capture(dir.path());
    fs::write(dir.path().join("a.pages"), "R 1\n").unwrap();
    for (trace, device, named) in [
        ("a.pages", "sim:slow.toml", "a.pages: is not a capture"),
        ("none.capture", "sim:slow.toml", "none.capture: "),
        ("q3.capture", "sim:small.toml", "sim:small.toml holds 67108864"),
        ("q3.capture", "/dev/null", "/dev/null"),
    ] {
        let ran = run(dir.path(), &["trace", "predict", trace, device]);
        assert_eq!(ran.code, Some(2), "{ran:?}");
        assert!(ran.stderr.contains(named), "{named}: {ran:?}");
    }
}
