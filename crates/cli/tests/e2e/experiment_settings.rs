//! `mix-line`, `durable-writes` and `io-cost` from the command line.

use std::fs;

use leadline_profile::DeviceProfile;
use rustix::process::Signal;

use crate::ran::{folder, names, run, start};

/// Each with words of its table and of its section on the page.
const EXPERIMENTS: [(&str, &str, &str); 3] = [
    ("mix-line", "256K random, IOPS by share of reads", "id=\"mix-line\""),
    ("durable-writes", "during durable writes", "id=\"durable-writes\""),
    ("io-cost", "ctrl=user model=linear rbps=", "id=\"io-cost\""),
];

const BRIEF: [&str; 6] = ["--seconds", "0.5", "--size", "32M", "--into", "p.json"];

#[test]
fn each_is_measured_in_virtual_time_and_shown() {
    let dir = folder();
    for (name, table, section) in EXPERIMENTS {
        let ran = run(dir.path(), &[&["experiment", name, "sim:capped"], &BRIEF[..]].concat()).succeeded();
        assert!(ran.stdout.contains(table), "{name}: {}", ran.stdout);
        run(dir.path(), &["report", "p.json", "-o", "page.html"]).succeeded();
        let page = fs::read_to_string(dir.path().join("page.html")).unwrap();
        assert!(page.contains(section), "{name} is not on the page");
    }
    let found = DeviceProfile::load(dir.path().join("p.json")).unwrap().experiments;
    let (mixes, durable, cost) =
        (found.mix_line.unwrap(), found.durable_writes.unwrap(), found.io_cost.unwrap());
    assert!(mixes.points.iter().any(|p| p.reads > 0 && p.writes > 0 && p.block_bytes == 256 << 10));
    assert_eq!((durable.block_bytes, durable.points.len()), (16 << 10, 10));
    assert!(cost.large_bytes <= 8 << 20 && cost.small_bytes == 4096, "a region of 32M is small");
    for procedure in [&mixes.procedure, &durable.procedure, &cost.procedure] {
        assert!(procedure.direct && procedure.epochs >= 3 && procedure.stopped_by.is_none());
    }
}

/// How much of it depends on how fast the disk is.
#[test]
fn each_is_measured_in_a_directory() {
    let dir = folder();
    for (name, ..) in EXPERIMENTS {
        run(dir.path(), &[&["experiment", name, "."], &BRIEF[..]].concat()).succeeded();
    }
    assert_eq!(names(dir.path()), ["p.json"], "the scratch file is gone");
    let found = DeviceProfile::load(dir.path().join("p.json")).unwrap().experiments;
    assert_eq!(
        found.procedures().map(|(name, _)| name).collect::<Vec<_>>(),
        EXPERIMENTS.map(|(name, ..)| name)
    );
}

#[test]
fn the_rates_of_a_volume_are_its_limits() {
    let dir = folder();
    let ran = run(dir.path(), &["experiment", "io-cost", "sim:gp3", "--quick", "--json"]).succeeded();
    let found = ran.profile().experiments.io_cost.unwrap();
    for rate in [&found.rseqiops, &found.rrandiops, &found.wseqiops, &found.wrandiops] {
        assert!((rate.per_second / 3000.0 - 1.0).abs() < 0.02, "{rate:?}");
    }
    // 125 MiB a second.
    for rate in [&found.rbps, &found.wbps] {
        assert!((rate.per_second / f64::from(125 << 20) - 1.0).abs() < 0.05, "{rate:?}");
    }
}

#[test]
fn an_interrupted_run_keeps_nothing_that_is_not_whole_and_leaves_no_file() {
    for (name, ..) in EXPERIMENTS {
        let dir = folder();
        let arguments = ["experiment", name, ".", "--seconds", "30", "--size", "32M", "--into", "p.json"];
        let mut running = start(dir.path(), &arguments);
        running.reaches(name);
        running.signal(Signal::INT);
        let (ran, ..) = running.end();
        assert_eq!(ran.code, Some(1), "{name}: {}", ran.stderr);
        assert!(names(dir.path()).is_empty(), "{name}: {:?}", names(dir.path()));
    }
}

#[test]
fn what_makes_no_sense_is_refused_in_one_line() {
    let dir = folder();
    fs::write(dir.path().join("theirs"), vec![7u8; 16 << 20]).unwrap();
    for (name, ..) in EXPERIMENTS {
        run(dir.path(), &["experiment", name, "./theirs"]).refused(&[name, "needs writes"]);
        let alone = ["experiment", name, ".", "--reads-only"];
        run(dir.path(), &alone).refused(&["--reads-only", name, "needs writes"]);
        let little = ["experiment", name, "sim:flash", "--size", "16M", "--max-writes", "17M"];
        run(dir.path(), &little).failed(2, &["17M that may be written"]);
    }
    assert_eq!(names(dir.path()), ["theirs"]);
}
