//! `burst`, `fsync` and `sync-methods` from the command line.

use std::fs;
use std::path::Path;

use leadline_profile::{DeviceProfile, EngineKind, LogKind, OpKind};
use leadline_testing::machine::{Mounted, needs_root, skipped};
use rustix::process::Signal;

use crate::ran::{folder, names, run, start, text};

#[test]
fn credit_is_found_in_virtual_time_and_shown() {
    let dir = folder();
    let volume = "kind = \"parametric\"\ncapacity = \"1G\"\n[read]\nservice_us = 100\nservers = 64\n\
                  [write]\nservice_us = 100\nservers = 64\n\
                  [cap]\niops = 3000\ncredit = 20000\nrefill = 100\n";
    fs::write(dir.path().join("volume.toml"), volume).unwrap();
    let burst = ["experiment", "burst", "sim:./volume.toml", "--seconds", "3000", "--size", "16M"];
    let ran = run(dir.path(), &[&burst[..], &["--into", "p.json"]].concat()).succeeded();
    for words in ["3.00k", "while there is credit, then at 100", "The credit is", "come back per second"] {
        let said = ran.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(said.contains(words), "no {words:?} in {said}");
    }
    let found = DeviceProfile::load(dir.path().join("p.json")).unwrap().experiments.burst.unwrap();
    // The layout took 16 of them.
    assert!((found.credit_ops.unwrap() / 20_000.0 - 1.0).abs() < 0.02, "{:?}", found.credit_ops);
    run(dir.path(), &["report", "p.json", "-o", "page.html"]).succeeded();
    assert!(fs::read_to_string(dir.path().join("page.html")).unwrap().contains("Burst credit"));
    let writes = run(dir.path(), &[&burst[..], &["--writes", "--max-bytes", "64M", "--json"]].concat());
    let found = writes.succeeded().profile().experiments.burst.unwrap();
    assert_eq!((found.operation, found.credit_ops, found.moved_bytes), (OpKind::Write, None, 64 << 20));
}

#[test]
fn durable_writes_in_a_directory_leave_nothing_behind() {
    let dir = folder();
    let brief = ["--seconds", "0.5", "--into", "p.json"];
    let ran = run(dir.path(), &[&["experiment", "fsync", "."], &brief[..]].concat()).succeeded();
    assert!(ran.stderr.contains("fills a file of 64M again and again"), "{}", ran.stderr);
    assert!(ran.stdout.contains("16 writers") && ran.stdout.contains("below 10 ms"), "{}", ran.stdout);
    let ran = run(dir.path(), &[&["experiment", "sync-methods", "."], &brief[..]].concat()).succeeded();
    assert!(ran.stdout.contains("O_DSYNC") && ran.stdout.contains("preallocated"), "{}", ran.stdout);
    assert_eq!(names(dir.path()), ["p.json"]);
    let experiments = DeviceProfile::load(dir.path().join("p.json")).unwrap().experiments;
    let (fsync, methods) = (experiments.fsync.unwrap(), experiments.sync_methods.unwrap());
    assert_eq!(
        (fsync.log, &fsync.procedure.engine, fsync.procedure.direct),
        (LogKind::File, &EngineKind::Psync, false)
    );
    assert_eq!((fsync.procedure.footprint_bytes, methods.procedure.footprint_bytes), (64 << 20, 16 << 20));
    assert_eq!(methods.points.len(), 12);
}

#[test]
fn an_interrupted_or_killed_run_of_fsync_leaves_no_file() {
    for signal in [Signal::INT, Signal::KILL] {
        let dir = folder();
        let mut running =
            start(dir.path(), &["experiment", "fsync", ".", "--seconds", "300", "--into", "p.json"]);
        running.reaches("fsync");
        running.signal(signal);
        running.end();
        // Without a name it is gone with the process; where it has one, the next run sweeps it.
        run(dir.path(), &["experiment", "fsync", ".", "--seconds", "0.1", "--into", "q.json"]).succeeded();
        assert_eq!(names(dir.path()), ["q.json"]);
    }
}

#[test]
fn a_disk_that_is_nearly_full_is_refused_before_anything_is_written() {
    needs_root!();
    let Some(mounted) = Mounted::new("tmpfs", Path::new("none"), "size=1080m") else {
        return skipped("no tmpfs to be mounted");
    };
    let dir = folder();
    let ran = run(dir.path(), &["experiment", "fsync", text(mounted.path())]);
    ran.refused(&["68M more would leave less than 1G", "at most 56M would fit"]);
    assert!(!ran.stderr.contains("--size"), "{}", ran.stderr);
    assert!(names(mounted.path()).is_empty() && names(dir.path()).is_empty());
}

#[test]
fn what_makes_no_sense_is_refused_in_one_line() {
    let dir = folder();
    fs::write(dir.path().join("theirs"), vec![7u8; 16 << 20]).unwrap();
    let cases: [(&[&str], &[&str]); 8] = [
        (&["sync-methods", "sim:flash"], &["sync-methods", "name a directory"]),
        (&["sync-methods", "./theirs"], &["sync-methods", "name a directory"]),
        (&["fsync", "./theirs"], &["fsync needs writes"]),
        (&["fsync", ".", "--size", "1G"], &["--size", "64M of its own", "leave --size out"]),
        (&["sync-methods", ".", "--reads-only"], &["--reads-only", "needs writes", "burst"]),
        (&["mixed", "sim:flash", "--writes"], &["--writes", "for burst"]),
        (&["fsync", "sim:flash", "--max-bytes", "1G"], &["--max-bytes", "for burst"]),
        (&["burst", "./theirs", "--writes"], &["burst needs writes"]),
    ];
    for (arguments, said) in cases {
        run(dir.path(), &[&["experiment"], arguments].concat()).refused(said);
    }
    assert_eq!(names(dir.path()), ["theirs"]);
}
