//! `leadline emulate`: a drive that is used, commanded, ended in every way, and refused.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use leadline_emulate::Report;
use rustix::process::Signal;
use tempfile::TempDir;

use crate::ran::{Ran, Running, folder, names, outcome, run, start, text};

fn can_mount() -> bool {
    let can = fs::File::options().read(true).write(true).open("/dev/fuse").is_ok();
    if !can {
        eprintln!("SKIPPED emulate: /dev/fuse cannot be opened here");
    }
    can
}

/// A folder with a backing folder, a mount point and a quick device; nothing stays mounted in it.
struct Place(TempDir);

impl Place {
    fn new() -> Place {
        let dir = folder();
        fs::create_dir(dir.path().join("data")).unwrap();
        fs::create_dir(dir.path().join("mnt")).unwrap();
        let device = "kind = \"parametric\"\ncapacity = \"1G\"\n[read]\nservice_us = 1\nservers = 8\n[write]\n\
                      service_us = 1\nservers = 8\n";
        fs::write(dir.path().join("quick.toml"), device).unwrap();
        Place(dir)
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn mount(&self) -> PathBuf {
        self.path().join("mnt")
    }

    /// An emulator that has said that it is ready.
    fn emulator(&self, more: &[&str]) -> Running {
        let arguments = ["emulate", "sim:./quick.toml", "--backing", "data", "--mount", "mnt", "--lenient"];
        let mut emulator = start(self.path(), &[&arguments, more].concat());
        emulator.says("is mounted on");
        emulator
    }

    fn ctl(&self, arguments: &[&str]) -> Ran {
        run(self.path(), &[&["emulate", "ctl", "mnt"], arguments].concat())
    }

    fn is_mounted(&self) -> bool {
        fs::read_to_string("/proc/self/mountinfo").unwrap().contains(text(&self.mount()))
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        if self.is_mounted() {
            // What a test that failed has left.
            let _ = Command::new("fusermount3").args(["-u", "-z"]).arg(self.mount()).status();
        }
    }
}

#[test]
fn a_drive_is_used_commanded_and_reports_at_ctrl_c() {
    if !can_mount() {
        return;
    }
    for signal in [Signal::INT, Signal::TERM] {
        let place = Place::new();
        let emulator = place.emulator(&["--report", "run.json"]);
        fs::write(place.mount().join("file"), vec![7; 100_000]).unwrap();
        fs::File::open(place.mount().join("file")).unwrap().sync_all().unwrap();
        fs::write(place.mount().join("lost"), "lost").unwrap();
        let counters = place.ctl(&["counters", "--json"]).succeeded();
        let counters: Report = serde_json::from_str(&counters.stdout).unwrap();
        assert_eq!((counters.traffic.flushes, counters.traffic.written_bytes), (1, 100_004));
        assert!(place.ctl(&["map", "file"]).succeeded().stdout.contains("102400"));
        place
            .ctl(&["inject", "torn-write", "--operation", "read"])
            .failed(2, &["torn-write does not befall read"]);
        assert!(place.ctl(&["power-cut"]).succeeded().stdout.contains("the power was cut"));
        assert_eq!(names(&place.mount()), ["file"]);
        fs::write(place.mount().join("kept"), "kept").unwrap();
        emulator.signal(signal);
        let (ran, ..) = emulator.end();
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
        assert!(ran.stdout.contains("answers were late"), "{}", ran.stdout);
        assert!(!place.is_mounted());
        assert_eq!(names(&place.path().join("data")), ["file", "kept"]);
        let report: Report =
            serde_json::from_str(&fs::read_to_string(place.path().join("run.json")).unwrap()).unwrap();
        assert_eq!((report.schema.as_str(), report.power_cuts.len()), ("leadline.emulate/1", 1));
        assert_eq!(report.device, "sim:./quick.toml");
    }
}

#[test]
fn a_drive_that_is_unmounted_ends() {
    if !can_mount() {
        return;
    }
    let place = Place::new();
    let emulator = place.emulator(&[]);
    fs::write(place.mount().join("file"), "bytes").unwrap();
    outcome(Command::new("fusermount3").arg("-u").arg(place.mount())).succeeded();
    let (ran, ..) = emulator.end();
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert_eq!(fs::read_to_string(place.path().join("data/file")).unwrap(), "bytes");
}

#[test]
fn what_cannot_be_is_refused_and_nothing_is_mounted() {
    let place = Place::new();
    let refused = |device: &str, more: &[&str], said: &[&str]| {
        let arguments = ["emulate", device, "--backing", "data", "--mount", "mnt"];
        run(place.path(), &[&arguments, more].concat()).refused(said);
        assert!(!place.is_mounted());
    };
    refused("flash", &[], &["flash: is not a modelled device", "sim:NAME"]);
    refused("sim:meteor", &[], &["meteor", "flash"]);
    refused("device:p4510", &["--slowdown", "0.5"], &["--slowdown", "must be from 1"]);
    fs::write(place.path().join("bad.toml"), "[[fault]]\nkind = \"meteor\"\n").unwrap();
    refused("sim:flash", &["--faults", "bad.toml"], &["bad.toml: line 2, column 8", "meteor"]);
    refused("sim:flash", &["--faults", "none.toml"], &["none.toml: No such file"]);
    refused("sim:flash", &["--report", "nowhere/run.json"], &["nowhere"]);
    run(place.path(), &["emulate", "sim:flash", "--backing", "data"]).refused(&["--mount"]);
    if !can_mount() {
        return;
    }
    fs::create_dir(place.path().join("mnt/inside")).unwrap();
    refused("sim:flash", &[], &["mnt: is not empty"]);
    let nested = ["emulate", "sim:flash", "--backing", "mnt", "--mount", "mnt/inside"];
    run(place.path(), &nested).refused(&["--mount mnt/inside: is inside --backing mnt"]);
    run(place.path(), &["emulate", "ctl", "data", "counters"])
        .refused(&["no emulated drive is mounted there"]);
}
