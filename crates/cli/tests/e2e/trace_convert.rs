//! `leadline trace convert` and `generate` from the outside.

use std::fs;
use std::path::Path;
use std::process::Command;

use rustix::process::Signal;

use crate::ran::{folder, names, outcome, program, run, start, text};

fn write(dir: &Path, name: &str, text: &str) {
    fs::write(dir.join(name), text).unwrap();
}

fn read(dir: &Path, name: &str) -> String {
    fs::read_to_string(dir.join(name)).unwrap()
}

#[test]
fn a_generated_trace_goes_through_every_format_and_compression() {
    let dir = folder();
    let dir = dir.path();
    run(dir, &["trace", "generate", "gen:paper-ms?ops=5000", "-o", "a.pages"]).succeeded();
    let steps = ["a.iolog.gz", "a.spc.zst", "a.msr.xz", "b.pages"];
    let mut from = "a.pages";
    for to in steps {
        let ran = run(dir, &["trace", "convert", from, to]).succeeded();
        assert!(ran.stdout.is_empty() && ran.stderr.contains(&format!("5000 requests in {to}")), "{ran:?}");
        from = to;
    }
    assert_eq!(read(dir, "a.pages"), read(dir, "b.pages"));
    let printed = run(dir, &["trace", "generate", "gen:paper-ms?ops=5000"]).succeeded();
    assert_eq!(printed.stdout, read(dir, "a.pages"), "standard output has the same, and nothing else");
    assert!(printed.stderr.is_empty(), "{}", printed.stderr);
}

#[test]
fn what_is_lost_is_said() {
    let dir = folder();
    let dir = dir.path();
    write(dir, "t.spc", "0,8,512,W,0.5\n0,16,512,R,0.75\n");
    let ran = run(dir, &["trace", "convert", "t.spc", "t.oracleGeneral"]).succeeded();
    assert!(ran.stderr.contains("1 writes became reads"), "{}", ran.stderr);
    let ran = run(dir, &["trace", "convert", "t.spc", "t.pages", "--page-size", "512"]).succeeded();
    assert!(ran.stderr.contains("pages has no times"), "{}", ran.stderr);
    assert_eq!(read(dir, "t.pages"), "W 8\nR 16\n");
}

#[test]
fn bad_lines_stop_it_or_are_left_out_and_counted() {
    let dir = folder();
    let dir = dir.path();
    write(dir, "t.pages", "R 1\nR x\nW 2\nQ\n");
    let ran = run(dir, &["trace", "convert", "t.pages", "t.iolog"]);
    ran.failed(2, &["t.pages:2: page: found \"x\"", "--skip-bad"]);
    assert_eq!(names(dir), ["t.pages"], "nothing is left");
    let ran = run(dir, &["trace", "convert", "t.pages", "t.iolog", "--skip-bad"]).succeeded();
    assert!(ran.stderr.contains("bad lines skipped: 2; the first: t.pages:2: "), "{}", ran.stderr);
    assert!(read(dir, "t.iolog").contains("volume0 write 8192 4096"));
}

#[test]
fn what_cannot_be_done_is_refused_in_one_line() {
    let dir = folder();
    let dir = dir.path();
    write(dir, "t.pages", "R 1\n");
    write(dir, "odd", "what is this\n");
    fs::hard_link(dir.join("t.pages"), dir.join("same.pages")).unwrap();
    let before = names(dir);
    for (arguments, parts) in [
        (&["convert", "t.pages", "t.pages"][..], &["OUT t.pages: is the same file as IN t.pages"][..]),
        (&["convert", "t.pages", "same.pages"], &["OUT same.pages: is the same file as IN t.pages"]),
        (&["convert", "t.pages", "x.lis"], &["arc", "only read", "spc"]),
        (&["convert", "t.pages", "x"], &["x: its ending does not tell the format", "--to"]),
        (
            &["convert", "odd", "x.pages"],
            &["odd: is in a format that is not recognised", "--format", "blkparse"],
        ),
        (&["convert", "none.pages", "x.pages"], &["none.pages: No such file"]),
        (&["convert", "t.pages", "no/x.pages"], &["no/x.pages: its directory cannot be written"]),
        (&["convert", "t.pages", "x.pages", "--format", "elf"], &["--format", "oraclegeneral"]),
        (
            &["convert", "gen:paper-ms", "x.pages", "--format", "spc"],
            &["gen:paper-ms", "leave the format out"],
        ),
        (&["generate", "gen:zipf?page=1"], &["no option \"page\"", "theta=0.99"]),
        (&["generate", "paper-ms"], &["gen:NAME"]),
        (&["generate"], &["GENERATOR"]),
    ] {
        let ran = run(dir, &[&["trace"], arguments].concat());
        ran.failed(2, parts);
        assert_eq!(names(dir), before, "{arguments:?}");
    }
    assert_eq!(read(dir, "t.pages"), "R 1\n");
}

#[test]
fn generators_are_listed_with_their_options() {
    let ran = run(Path::new("/"), &["trace", "generate", "--list"]).succeeded();
    for part in ["gen:paper-ms\n", "gen:ycsb-f\n", "pages=344066", "theta=0.99"] {
        assert!(ran.stdout.contains(part), "{part}: {}", ran.stdout);
    }
}

#[test]
fn a_reader_that_goes_away_is_no_failure() {
    let unread = "set -o pipefail; \"$0\" trace generate gen:uniform?ops=100000000000 | :";
    let ran = outcome(Command::new("bash").args(["-c", unread, text(program())])).succeeded();
    assert_eq!(ran.stderr, "");
}

#[test]
fn an_interrupted_conversion_leaves_nothing_behind() {
    for (signal, name) in [(Signal::INT, "t.pages"), (Signal::TERM, "t.pages.zst")] {
        let dir = folder();
        let dir = dir.path();
        write(dir, name, "what was there\n");
        let running = start(dir, &["trace", "convert", "gen:zipf?ops=100000000000", name]);
        // What it wrote has no name yet.
        running.has_written(1 << 20);
        running.signal(signal);
        let (ran, _, _) = running.end();
        ran.failed(1, &["interrupted; nothing was written"]);
        assert_eq!(names(dir), [name]);
        assert_eq!(read(dir, name), "what was there\n");
    }
}
