//! `leadline emulate`: a drive that is used, commanded, ended in every way, and refused.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use leadline_emulate::Report;
use rustix::process::Signal;
use tempfile::TempDir;

use crate::ran::{Ran, Running, folder, names, outcome, run, start, start_with_descriptors, text};

fn can_mount() -> bool {
    let can = fs::File::options().read(true).write(true).open("/dev/fuse").is_ok();
    if !can {
        eprintln!("SKIPPED emulate: /dev/fuse cannot be opened here");
    }
    can
}

/// A folder with a backing folder, a mount point and a quick device; nothing stays mounted in it.
struct Place(TempDir);

/// A quick drive, on a machine that need not keep up with it.
const EMULATE: [&str; 7] =
    ["emulate", "sim:./quick.toml", "--backing", "data", "--mount", "mnt", "--lenient"];

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
        let mut emulator = start(self.path(), &[&EMULATE, more].concat());
        emulator.says("is mounted on");
        emulator
    }

    /// As a user takes it away.
    fn unmount(&self) {
        let mut command = match rustix::process::geteuid().is_root() {
            true => Command::new("umount"),
            false => Command::new("fusermount3"),
        };
        if !rustix::process::geteuid().is_root() {
            command.arg("-u");
        }
        outcome(command.arg(self.mount())).succeeded();
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
        let emulator = place.emulator(&["-o", "run.json"]);
        fs::write(place.mount().join("file"), vec![7; 100_000]).unwrap();
        fs::File::open(place.mount().join("file")).unwrap().sync_all().unwrap();
        fs::write(place.mount().join("lost"), "lost").unwrap();
        let counters = place.ctl(&["counters", "--json"]).succeeded();
        let counters: Report = serde_json::from_str(&counters.stdout).unwrap();
        assert_eq!((counters.traffic.flushes, counters.traffic.written_bytes), (1, 100_004));
        assert!(place.ctl(&["map", "file"]).succeeded().stdout.contains("102400"));
        place
            .ctl(&["inject", "torn-write", "--operation", "read"])
            .failed(2, &["torn-write does not apply to read"]);
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
fn who_waits_for_a_drive_finds_it_ready() {
    if !can_mount() {
        return;
    }
    let place = Place::new();
    let emulator = start(place.path(), &EMULATE);
    place.ctl(&["wait"]).succeeded();
    assert!(place.is_mounted());
    let counters = place.ctl(&["counters", "--json"]).succeeded();
    let counters: Report = serde_json::from_str(&counters.stdout).unwrap();
    assert!(counters.way_in_us > 0.0, "it is measured by now");
    emulator.signal(Signal::TERM);
    assert_eq!(emulator.end().0.code, Some(0));
    place.ctl(&["wait", "--seconds", "0.1"]).failed(2, &["no emulated drive is mounted there"]);
}

#[test]
fn a_drive_that_is_unmounted_ends() {
    if !can_mount() {
        return;
    }
    let place = Place::new();
    let emulator = place.emulator(&[]);
    fs::write(place.mount().join("file"), "bytes").unwrap();
    place.unmount();
    let (ran, ..) = emulator.end();
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert_eq!(fs::read_to_string(place.path().join("data/file")).unwrap(), "bytes");
}

#[test]
fn what_failed_on_purpose_does_not_make_the_end_fail() {
    if !can_mount() {
        return;
    }
    let faults: [&[&str]; 3] =
        [&["power-cut"], &["power-cut", "--seed", "1"], &["inject", "eio", "--operation", "write"]];
    for fault in faults {
        let place = Place::new();
        let emulator = place.emulator(&["-o", "run.json"]);
        // A program that has it open, and pages that are still the kernel's.
        let mut file = fs::File::create(place.mount().join("file")).unwrap();
        file.write_all(&[7; 100_000]).unwrap();
        place.ctl(fault).succeeded();
        // The kernel takes it, and finds out later that nobody else does.
        let _ = file.write_all(&[8; 100_000]);
        emulator.signal(Signal::TERM);
        let (ran, ..) = emulator.end();
        assert_eq!(ran.code, Some(0), "{fault:?}: {}", ran.stderr);
        assert!(ran.stdout.contains("answers were late"), "{fault:?}: {}", ran.stdout);
        let report: Report =
            serde_json::from_str(&fs::read_to_string(place.path().join("run.json")).unwrap()).unwrap();
        assert_eq!(report.faults.values().sum::<u64>(), 1, "{fault:?}");
        assert!(!place.is_mounted());
    }
}

/// How a drive with files is ended.
#[derive(Debug, Clone, Copy, PartialEq)]
enum End {
    Signal,
    Unmount,
    PowerCut,
}

/// Writes files on a drive that may have few descriptors open, syncs some, ends it, and looks.
fn many_files(count: usize, descriptors: u32, end: End) {
    let place = Place::new();
    let mut emulator = start_with_descriptors(place.path(), descriptors, &EMULATE);
    emulator.says("is mounted on");
    let path =
        |folder: &str, i: usize| place.path().join(folder).join((i / 1000).to_string()).join(i.to_string());
    let is_synced = |i: usize| i.is_multiple_of(10);
    for i in 0..count {
        if i.is_multiple_of(1000) {
            fs::create_dir(path("mnt", i).parent().unwrap()).unwrap();
        }
        let mut file = fs::File::create(path("mnt", i)).unwrap();
        file.write_all(i.to_string().as_bytes()).unwrap();
        if end == End::PowerCut && is_synced(i) {
            file.sync_all().unwrap();
        }
    }
    // All of them can still be read.
    assert_eq!(fs::read_to_string(path("mnt", 1)).unwrap(), "1");
    match end {
        End::PowerCut => assert!(place.ctl(&["power-cut"]).succeeded().stdout.contains("the power was cut")),
        End::Unmount => place.unmount(),
        End::Signal => {}
    }
    if end != End::Unmount {
        emulator.signal(Signal::TERM);
    }
    let (ran, ..) = emulator.end();
    assert_eq!(ran.code, Some(0), "{end:?}: {}", ran.stderr);
    let kept = |i: &usize| fs::read_to_string(path("data", *i)).is_ok_and(|text| text == i.to_string());
    let lost: Vec<usize> =
        (0..count).filter(|&i| end != End::PowerCut || is_synced(i)).filter(|i| !kept(i)).collect();
    assert!(lost.is_empty(), "{end:?}: {} of {count} files are lost, such as {}", lost.len(), lost[0]);
    assert!(!names(&place.path().join("data")).iter().any(|name| name.contains("leadline")));
}

#[test]
fn more_files_than_descriptors_are_all_there_at_the_end() {
    if !can_mount() {
        return;
    }
    let (count, descriptors) = if leadline_testing::exhaustive() { (100_000, 256) } else { (3_000, 64) };
    for end in [End::Signal, End::Unmount, End::PowerCut] {
        many_files(count, descriptors, end);
    }
}

#[test]
fn what_could_not_get_its_name_at_the_end_is_kept() {
    if !can_mount() {
        return;
    }
    let place = Place::new();
    let emulator = place.emulator(&["-o", "run.json"]);
    for name in ["first", "second", "third"] {
        fs::write(place.mount().join(name), name).unwrap();
    }
    // In the way of one of them: nobody else should write there, but that is no reason to lose a file.
    fs::create_dir(place.path().join("data/second")).unwrap();
    emulator.signal(Signal::TERM);
    let (ran, ..) = emulator.end();
    assert_eq!(ran.code, Some(1), "{}", ran.stderr);
    assert!(
        ran.stderr.contains("0 files and 1 changes to names could not be made durable"),
        "{}",
        ran.stderr
    );
    assert!(ran.stderr.contains("data/leadline-unsaved-1"), "{}", ran.stderr);
    // It is told what happened until then, too.
    assert!(ran.stdout.contains("answers were late") && place.path().join("run.json").exists());
    let data = place.path().join("data");
    assert_eq!(names(&data), ["first", "leadline-unsaved-1", "second", "third"]);
    // Nothing empties it: the next mount shows it.
    let emulator = place.emulator(&[]);
    let [kept] = &names(&place.mount().join("leadline-unsaved-1"))[..] else { panic!("one file is kept") };
    assert_eq!(fs::read_to_string(place.mount().join("leadline-unsaved-1").join(kept)).unwrap(), "second");
    emulator.signal(Signal::TERM);
    assert_eq!(emulator.end().0.code, Some(0));
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
    refused("sim:flash", &["-o", "nowhere/run.json"], &["nowhere"]);
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
