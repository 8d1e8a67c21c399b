//! `leadline trace capture`: a command that ends in every way, and what is refused.

use std::fs;
use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use rustix::fs::OFlags;
use rustix::process::Signal;
use serde_json::Value;
use tempfile::TempDir;

use crate::ran::{Ran, folder, names, run, start, start_with_descriptors, text};

fn can_mount() -> bool {
    let can = fs::File::options().read(true).write(true).open("/dev/fuse").is_ok();
    if !can {
        eprintln!("SKIPPED trace capture: /dev/fuse cannot be opened here");
    }
    can
}

/// A folder `db` with a file of a megabyte; nothing stays mounted in it.
struct Place(TempDir);

impl Place {
    fn new() -> Place {
        let dir = folder();
        fs::create_dir(dir.path().join("db")).unwrap();
        fs::write(dir.path().join("db/t"), vec![7; 1 << 20]).unwrap();
        Place(dir)
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn mount(&self) -> PathBuf {
        self.path().join("db")
    }

    /// Captures a shell's script.
    fn capture(&self, script: &str) -> Ran {
        run(self.path(), &["trace", "capture", "db", "-o", "x.capture", "--", "sh", "-c", script])
    }

    fn is_mounted(&self) -> bool {
        fs::read_to_string("/proc/self/mountinfo").unwrap().contains(text(&self.mount()))
    }

    /// Lets what reads a line of a FIFO go on. If nothing has it open, that is an error and not waited for.
    fn release(&self, fifo: &str) {
        let mut options = fs::File::options();
        options.write(true).custom_flags(OFlags::NONBLOCK.bits() as i32);
        options.open(self.path().join(fifo)).unwrap().write_all(b"\n").unwrap();
    }

    /// What `trace info --by file` says of the capture.
    fn by_file(&self) -> Value {
        let ran = run(self.path(), &["trace", "info", "x.capture", "--by", "file", "--json"]).succeeded();
        serde_json::from_str(&ran.stdout).unwrap()
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
fn a_command_is_captured_and_its_exit_code_kept() {
    if !can_mount() {
        return;
    }
    for (end, code) in [("exit 0", 0), ("exit 7", 7), ("kill -9 $$", 137), ("kill -TERM $$", 143)] {
        let place = Place::new();
        // Each read waits for the one before, where reading ahead keeps several in flight.
        let read = "dd if=db/t bs=64k iflag=direct status=none | wc -c";
        let ran = place.capture(&format!("{read}; echo new > db/n; echo said >&2; {end}"));
        assert_eq!((ran.code, ran.stdout.trim()), (Some(code), "1048576"), "{}", ran.stderr);
        assert!(ran.stderr.contains("said\n") && ran.stderr.contains("2 files in x.capture"));
        assert!(!place.is_mounted());
        assert_eq!(fs::read_to_string(place.mount().join("n")).unwrap(), "new\n");
        let found = place.by_file();
        assert_eq!((&found["files"][0]["name"], &found["files"][1]["name"]), (&"t".into(), &"n".into()));
        assert_eq!(
            (&found["all"]["read_bytes"], &found["all"]["written_bytes"]),
            (&1048576.into(), &4.into())
        );
        assert_eq!(found["files"][0]["class"], "sequential");
    }
}

#[test]
fn more_files_than_descriptors_can_be_captured() {
    if !can_mount() {
        return;
    }
    let place = Place::new();
    for i in 0..1_500 {
        fs::write(place.mount().join(i.to_string()), [1]).unwrap();
    }
    for i in 0..400 {
        fs::create_dir(place.mount().join(format!("d{i}"))).unwrap();
        fs::write(place.mount().join(format!("d{i}/x")), [1]).unwrap();
    }
    let script = "for round in 1 2; do cat db/[0-9t]* db/d*/x | wc -c; done; mv db/7 db/seven; exec 5<db/8
        mv db/d0 db/e0; rm db/8; ls -lR db | wc -l; cat db/seven db/e0/x /dev/fd/5 | wc -c";
    let arguments = ["trace", "capture", "db", "-o", "x.capture", "--", "sh", "-c", script];
    let (ran, ..) = start_with_descriptors(place.path(), 256, &arguments).end();
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    // Of the list: 1,499 files and one more, 400 folders with four lines each, and two lines of its own.
    let printed: Vec<_> = ran.stdout.lines().collect();
    assert_eq!(printed, ["1050476", "1050476", "3502", "3"], "{}", ran.stderr);
}

#[test]
fn every_command_that_takes_a_trace_takes_a_capture() {
    if !can_mount() {
        return;
    }
    let place = Place::new();
    place.capture("cat db/t db/t > /dev/null; cp db/t db/u").succeeded();
    let info = run(place.path(), &["trace", "info", "x.capture"]).succeeded();
    assert!(info.stdout.contains("volumes          2"), "{}", info.stdout);
    run(place.path(), &["trace", "convert", "x.capture", "x.msr"]).succeeded();
    run(place.path(), &["trace", "replay", "x.capture", "sim:flash", "--pace", "closed:4"]).succeeded();
    let arguments = ["pool", "simulate", "x.capture", "--frames", "16", "--page-size", "16K"];
    assert!(run(place.path(), &arguments).succeeded().stdout.contains("lru"));
}

#[test]
fn a_command_that_starts_in_the_folder_is_captured_there() {
    if !can_mount() {
        return;
    }
    let place = Place::new();
    let arguments = ["trace", "capture", ".", "-o", "../x.capture", "--", "sh", "-c", "cat t > /dev/null"];
    run(&place.mount(), &arguments).succeeded();
    assert_eq!(place.by_file()["all"]["read_bytes"], 1 << 20);
}

#[test]
fn signals_go_to_the_command_and_the_capture_is_ended() {
    if !can_mount() {
        return;
    }
    for (signal, code) in [(Signal::INT, 130), (Signal::TERM, 143), (Signal::HUP, 129)] {
        let place = Place::new();
        let script = "cat db/t > /dev/null; echo ready >&2; exec sleep 600";
        let arguments = ["trace", "capture", "db", "-o", "x.capture", "--", "sh", "-c", script];
        let mut capture = start(place.path(), &arguments);
        capture.says("ready");
        capture.signal(signal);
        let (ran, ..) = capture.end();
        assert_eq!(ran.code, Some(code), "{}", ran.stderr);
        assert!(!place.is_mounted());
        assert_eq!(place.by_file()["all"]["read_bytes"], 1 << 20);
    }
}

#[test]
fn without_a_command_all_programs_are_captured_until_a_signal() {
    if !can_mount() {
        return;
    }
    for signal in [Signal::INT, Signal::TERM] {
        let place = Place::new();
        let mut capture = start(place.path(), &["trace", "capture", "db", "-o", "x.capture"]);
        capture.says("db is recorded");
        assert_eq!(fs::read(place.mount().join("t")).unwrap().len(), 1 << 20);
        capture.signal(signal);
        let (ran, ..) = capture.end();
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
        assert!(!place.is_mounted());
        assert_eq!(place.by_file()["all"]["read_bytes"], 1 << 20);
    }
}

#[test]
fn what_a_command_leaves_in_the_background_is_waited_for_or_left() {
    if !can_mount() {
        return;
    }
    // It has the FIFOs open from the start. A relative path leads nowhere once its folder has been taken
    // away, and on a busy machine that may be before it opens them.
    let left = "(read line <&3; cat t; read line <&4) <&- >/dev/null 2>&1 &";
    let script = format!("mkfifo go end; exec 3<>go 4<>end; cd db; {left} exit 3");
    let arguments = ["trace", "capture", "db", "-o", "x.capture", "--", "sh", "-c", &script];
    // It ends by itself.
    let place = Place::new();
    let mut capture = start(place.path(), &arguments);
    capture.says("waiting for their end");
    assert!(place.is_mounted());
    place.release("go");
    place.release("end");
    let (ran, ..) = capture.end();
    assert_eq!(ran.code, Some(3), "{}", ran.stderr);
    assert!(!place.is_mounted());
    assert_eq!(place.by_file()["all"]["read_bytes"], 1 << 20);
    // It is not waited for any longer.
    let place = Place::new();
    let mut capture = start(place.path(), &arguments);
    capture.says("waiting for their end");
    capture.signal(Signal::INT);
    let (ran, ..) = capture.end();
    assert_eq!(ran.code, Some(3), "{}", ran.stderr);
    assert!(ran.stderr.contains("leads nowhere from now on"), "{}", ran.stderr);
    assert!(!place.is_mounted() && place.path().join("x.capture").exists());
    // What is left behind finds nothing, and ends.
    place.release("go");
    place.release("end");
}

#[test]
fn what_cannot_be_captured_is_refused_and_nothing_stays() {
    let place = Place::new();
    fs::write(place.path().join("file"), "").unwrap();
    let cases = [
        ("missing", "x", "true", 2, "is not a directory"),
        ("file", "x", "true", 2, "is not a directory"),
        ("/", "x", "true", 2, "-o x: is inside DIR /"),
        ("db", "db/x", "true", 2, "-o db/x: is inside DIR db"),
        ("db", "nowhere/x", "true", 2, "nowhere"),
    ];
    for (dir, file, command, code, said) in cases {
        let ran = run(place.path(), &["trace", "capture", dir, "-o", file, "--", command]);
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(code), ""), "{}", ran.stderr);
        assert!(ran.stderr.contains(said) && ran.stderr.lines().count() == 1, "{}", ran.stderr);
    }
    let ran = run(place.path(), &["trace", "capture", "db", "-o", "x", "make"]);
    assert_eq!(ran.code, Some(2), "{}", ran.stderr);
    if can_mount() {
        let of = |command| run(place.path(), &["trace", "capture", "db", "-o", "x", "--", command]);
        let ran = of("no-such-command");
        assert_eq!(ran.code, Some(127), "{}", ran.stderr);
        assert!(ran.stderr.contains("no-such-command"), "{}", ran.stderr);
        assert_eq!(of("./file").code, Some(126));
    }
    assert!(!place.is_mounted());
    assert_eq!(
        (names(place.path()), names(&place.mount())),
        (vec!["db".into(), "file".into()], vec!["t".into()])
    );
}

#[test]
fn a_folder_that_is_captured_is_refused_at_once() {
    if !can_mount() {
        return;
    }
    let place = Place::new();
    let script = "echo ready >&2; exec sleep 600 >/dev/null 2>&1";
    let arguments = ["trace", "capture", "db", "-o", "x.capture", "--", "sh", "-c", script];
    let mut capture = start(place.path(), &arguments);
    capture.says("ready");
    place.capture("true").failed(2, &["is being captured already"]);
    capture.signal(Signal::TERM);
    assert_eq!(capture.end().0.code, Some(143));
}

#[test]
fn a_full_disk_ends_the_capture_and_not_the_command() {
    if !can_mount() || !rustix::process::geteuid().is_root() {
        return;
    }
    let place = Place::new();
    let small = place.path().join("small");
    fs::create_dir(&small).unwrap();
    // One page: no capture of so many requests fits.
    let mount = |arguments: &[&str]| Command::new("mount").args(arguments).arg(&small).status();
    if !mount(&["-t", "tmpfs", "-o", "size=4k", "none"]).is_ok_and(|status| status.success()) {
        eprintln!("SKIPPED: cannot mount a small file system here");
        return;
    }
    let script = "dd if=db/t of=/dev/null bs=64 count=16384 iflag=direct 2>/dev/null
                  for i in 1 2 3 4; do dd if=db/t of=db/u bs=64 count=4000 2>/dev/null; done; wc -c < db/u";
    let ran = run(place.path(), &["trace", "capture", "db", "-o", "small/x", "--", "sh", "-c", script]);
    let left = names(&small);
    Command::new("umount").arg(&small).status().unwrap();
    assert_eq!((ran.code, ran.stdout.trim()), (Some(1), "256000"), "{}", ran.stderr);
    assert!(ran.stderr.contains("No space left"), "{}", ran.stderr);
    assert!(left.is_empty(), "{left:?}");
    assert!(!place.is_mounted());
}
