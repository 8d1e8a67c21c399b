//! Results never take the place of what they are made from, nor of each other.
//!
//! Every pair of arguments of every command is tried in `src/paths/tests.rs`; here some by the program
//! itself.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use crate::ran::{folder, names, run};

const PROFILE: &str = "a profile of hours";

/// A folder in which each input of a command is precious, and has two more names.
fn precious(dir: &Path) -> Vec<String> {
    fs::write(dir.join("p.json"), PROFILE).unwrap();
    fs::write(dir.join("data.bin"), vec![7; 2 << 20]).unwrap();
    symlink("p.json", dir.join("link.json")).unwrap();
    fs::hard_link(dir.join("p.json"), dir.join("hard.json")).unwrap();
    names(dir)
}

#[test]
fn an_output_that_is_an_input_is_refused_and_nothing_is_touched() {
    let dir = folder();
    let dir = dir.path();
    let before = precious(dir);
    let mix = ["--data", "1G", "--key-size", "16", "--value-size", "100"];
    let mix = [&mix[..], &["--mix", "point=100"]].concat();
    let cases: [(&[&str], [&str; 2]); 17] = [
        (&["profile", "data.bin", "--report", "data.bin"], ["--report data.bin", "TARGET data.bin"]),
        (&["profile", "data.bin", "--report", "./data.bin"], ["--report ./data.bin", "TARGET data.bin"]),
        (&["profile", "sim:./p.json", "-o", "p.json"], ["-o p.json", "TARGET sim:./p.json"]),
        (
            &["profile", ".", "--resume", "p.json", "--report", "p.json"],
            ["--report p.json", "--resume p.json"],
        ),
        (
            &["trace", "replay", "p.json", "data.bin", "--report", "data.bin"],
            ["--report data.bin", "TARGET data.bin"],
        ),
        (&["advise", "postgresql", "p.json", "-o", "p.json"], ["-o p.json", "PROFILE p.json"]),
        (&["advise", "linux", "p.json", "-o", "hard.json"], ["-o hard.json", "PROFILE p.json"]),
        (
            &[&["lsm", "advise", "p.json", "-o", "link.json"], &mix[..]].concat(),
            ["-o link.json", "PROFILE p.json"],
        ),
        (&["lsm", "validate", "p.json", ".", "-o", "p.json"], ["-o p.json", "PROFILE p.json"]),
        (
            &[
                "pool",
                "simulate",
                "gen:paper-ms",
                "--frames",
                "10",
                "--profile",
                "p.json",
                "--report",
                "p.json",
            ],
            ["--report p.json", "--profile p.json"],
        ),
        (
            &["place", "p.json", "--fast", "sim:flash", "--slow", "sim:sata", "--report", "p.json"],
            ["--report p.json", "TRACE p.json"],
        ),
        (
            &["place", "data.bin", "--fast", "p.json", "--slow", "sim:sata", "--report", "hard.json"],
            ["--report hard.json", "--fast p.json"],
        ),
        (&["report", "p.json", "-o", "link.json"], ["-o link.json", "PROFILE p.json"]),
        (&["models", "p.json", "--report", "hard.json"], ["--report hard.json", "PROFILE|TABLE.csv p.json"]),
        (
            &["emulate", "sim:flash", "--backing", "b", "--mount", "m", "--faults", "p.json", "-o", "p.json"],
            ["-o p.json", "--faults p.json"],
        ),
        (
            &["emulate", "sim:flash", "--backing", "b", "--mount", "m", "-o", "r", "--trace", "./r"],
            ["--trace ./r", "-o r"],
        ),
        (&["experiment", "ladder", "data.bin", "--into", "data.bin"], ["--into data.bin", "TARGET data.bin"]),
    ];
    for (arguments, said) in cases {
        run(dir, arguments).refused(&[said[0], "is the same file as", said[1], "name another place"]);
        assert_eq!(names(dir), before, "{arguments:?}");
        assert_eq!(fs::read_to_string(dir.join("p.json")).unwrap(), PROFILE, "{arguments:?}");
        assert_eq!(fs::read_to_string(dir.join("hard.json")).unwrap(), PROFILE, "{arguments:?}");
        assert!(fs::read(dir.join("data.bin")).unwrap() == vec![7; 2 << 20], "{arguments:?}");
    }
}

#[test]
fn a_stream_that_is_the_output_is_refused() {
    let dir = folder();
    fs::write(dir.path().join("t.pages"), "R 1\nW 2\n").unwrap();
    let leadline = crate::ran::text(crate::ran::program());
    for line in ["trace convert t.pages - --to msr >> t.pages", "trace convert - t.pages < t.pages"] {
        let mut shell = std::process::Command::new("sh");
        shell.current_dir(dir.path()).args(["-c", &format!("{leadline} {line}")]);
        crate::ran::outcome(&mut shell).refused(&["OUT", "is the same file as IN"]);
        assert_eq!(fs::read_to_string(dir.path().join("t.pages")).unwrap(), "R 1\nW 2\n");
    }
}

#[test]
fn only_a_regular_file_is_replaced_whatever_the_command() {
    let dir = folder();
    let dir = dir.path();
    run(dir, &["profile", "sim:flash", "--budget-seconds", "1", "-o", "p.json"]).succeeded();
    fs::write(dir.join("t.pages"), "R 1\nW 2\n").unwrap();
    fs::write(dir.join("e.el"), "1 2\n").unwrap();
    run(dir, &["graph", "import", "e.el", "g"]).succeeded();
    fs::create_dir(dir.join("folder")).unwrap();
    let mode = rustix::fs::Mode::from_raw_mode(0o600);
    rustix::fs::mknodat(rustix::fs::CWD, dir.join("pipe"), rustix::fs::FileType::Fifo, mode, 0).unwrap();
    let before = names(dir);
    let lsm = ["lsm", "advise", "p.json", "--data", "1G", "--key-size", "16", "--value-size", "100"];
    let commands: [&[&str]; 11] = [
        &["profile", "sim:flash"],
        &["experiment", "ladder", "sim:flash"],
        &["report", "p.json"],
        &["models", "p.json"],
        &["advise", "postgresql", "p.json"],
        &["calibrate", "p.json"],
        &["trace", "info", "t.pages"],
        &["trace", "convert", "t.pages", "--to", "msr"],
        &["pool", "simulate", "t.pages", "--frames", "10"],
        &[&lsm[..], &["--mix", "point=100"]].concat(),
        &["graph", "wcc", "g"],
    ];
    for command in commands {
        for place in ["folder", "pipe", "/dev/null"] {
            let flag = match command[..2] {
                ["experiment", _] => &["--into", place][..],
                ["trace", "convert"] => &[place],
                _ => &["-o", place],
            };
            let ran = run(dir, &[command, flag].concat());
            assert_eq!(ran.code, Some(2), "{command:?} {place}: {}", ran.stderr);
            assert!(ran.stderr.lines().last().unwrap().contains(place), "{command:?}: {}", ran.stderr);
            assert_eq!(names(dir), before, "{command:?} {place}");
            assert!(names(&dir.join("folder")).is_empty(), "{command:?}");
        }
    }
    assert!(!fs::metadata("/dev/null").unwrap().is_file());
}
