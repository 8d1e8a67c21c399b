//! Limits that a shell or a batch system sets, and streams that are closed or full.

use std::fs;
use std::path::Path;
use std::process::Command;

use rustix::process::Signal;

use crate::ran::{Ran, folder, names, outcome, program, run, start, text};

/// Runs a line of the shell, in which `leadline` is the program.
#[track_caller]
fn shell(dir: &Path, line: &str) -> Ran {
    let defined = format!("leadline() {{ {} \"$@\"; }}; {line}", text(program()));
    outcome(Command::new("bash").current_dir(dir).args(["-c", &defined]))
}

/// A folder with a profile, a trace, edges and a store.
fn inputs() -> tempfile::TempDir {
    let dir = folder();
    run(dir.path(), &["profile", "sim:flash", "--budget-seconds", "1", "--block-size", "4K", "-o", "p.json"])
        .succeeded();
    run(dir.path(), &["trace", "generate", "gen:paper-ms?ops=100000", "-o", "t.pages"]).succeeded();
    let edges: String =
        (0..40_000u32).map(|n| format!("{} {}\n", n, n.wrapping_mul(7919) % 40_000)).collect();
    fs::write(dir.path().join("e.el"), edges).unwrap();
    run(dir.path(), &["graph", "import", "e.el", "g"]).succeeded();
    dir
}

#[test]
fn a_file_that_would_grow_beyond_its_limit_is_an_error_that_leaves_nothing() {
    let dir = inputs();
    let before = names(dir.path());
    let bytes = fs::read(dir.path().join("g")).unwrap();
    for command in [
        "trace generate gen:paper-ms -o out.pages",
        "trace convert t.pages out.csv --to msr",
        "trace info t.pages -o page.html",
        "report p.json -o page.html",
        "models p.json -o page.html",
        "graph import e.el store",
        "graph export g edges.csv",
        "graph export g edges/",
        "graph wcc g -o r.csv",
        "graph wcc g -o r.bin",
        "graph walk g -o w.csv",
        "graph info g --report page.html",
        "man pages",
        "profile . --size 64M --budget-seconds 1",
        "profile sim:flash --budget-seconds 1 -o new.json",
        "pool replay t.pages . --frames 100",
        "trace replay t.pages . --size 64M",
    ] {
        // One kilobyte.
        let ran = shell(dir.path(), &format!("ulimit -f 1; leadline {command}"));
        // A scratch file that cannot be made is a bad target.
        let code = if command.contains(" . ") { 2 } else { 1 };
        assert_eq!(ran.code, Some(code), "{command}: {}", ran.stderr);
        let last = ran.stderr.lines().last().unwrap_or_default();
        assert!(last.starts_with("error: ") && last.contains("File too large"), "{command}: {}", ran.stderr);
        let mut left = names(dir.path());
        // The folder itself is made before the pages, and empty.
        left.retain(|name| name != "pages");
        assert_eq!(left, before, "{command}");
        let _ = fs::remove_dir(dir.path().join("pages"));
        assert!(fs::read(dir.path().join("g")).unwrap() == bytes, "{command}");
    }
}

#[test]
fn a_program_that_is_started_has_the_signals_as_usual() {
    let dir = folder();
    fs::create_dir(dir.path().join("db")).unwrap();
    // What is ignored would be ignored by the command that is captured too.
    let ran = shell(
        dir.path(),
        "leadline trace capture db -o x.capture -- grep SigIgn /proc/self/status && grep SigIgn /proc/self/status",
    );
    if ran.code != Some(0) && ran.stderr.contains("fuse") {
        return leadline_testing::machine::skipped("nothing can be mounted");
    }
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let lines: Vec<&str> = ran.stdout.lines().filter(|line| line.contains("SigIgn")).collect();
    assert_eq!(lines.len(), 2, "{}", ran.stdout);
    assert_eq!(lines[0], lines[1]);
}

#[test]
fn a_reader_that_goes_away_is_no_failure_and_no_noise() {
    let dir = inputs();
    let adds: String = (0..200_000u32).map(|n| format!("+ {n} {}\n", n + 1)).collect();
    fs::write(dir.path().join("c.txt"), adds).unwrap();
    for command in [
        "report p.json",
        "report p.json --json",
        "devices",
        "--help",
        "trace generate gen:paper-ms",
        "trace convert t.pages - --to msr",
        "graph update g c.txt --commit-every 10000",
    ] {
        let ran = shell(dir.path(), &format!("leadline {command} | head -1; exit ${{PIPESTATUS[0]}}"));
        assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""), "{command}");
        assert_eq!(ran.stdout.lines().count(), 1, "{command}: {}", ran.stdout);
    }
    let info = run(dir.path(), &["graph", "info", "g", "--json"]).succeeded();
    assert!(info.stdout.contains("\"version\": 200000"), "all was committed: {}", info.stdout);
}

#[test]
fn nothing_is_printed_into_a_file_where_streams_are_closed() {
    let dir = inputs();
    run(dir.path(), &["report", "p.json", "-o", "page.html"]).succeeded();
    let page = fs::read(dir.path().join("page.html")).unwrap();
    for closed in ["<&- >&- 2>&-", ">&- 2>&-", "2>&-", "<&-"] {
        let ran = shell(dir.path(), &format!("(leadline report p.json -o other.html) {closed}"));
        assert_eq!(ran.code, Some(0), "{closed}: {}", ran.stderr);
        assert!(fs::read(dir.path().join("other.html")).unwrap() == page, "{closed}");
        let ran = shell(dir.path(), &format!("(leadline graph import e.el g2) {closed}"));
        assert_eq!(ran.code, Some(0), "{closed}: {}", ran.stderr);
        run(dir.path(), &["graph", "verify", "g2"]).succeeded();
    }
}

#[test]
fn results_that_cannot_be_printed_are_a_failure() {
    let dir = inputs();
    for command in [
        "report p.json",
        "report p.json --json",
        "models p.json",
        "predict p.json --reads 1e6",
        "advise postgresql p.json",
        "trace info t.pages",
        "graph info g",
        "graph wcc g --json",
        "man --help",
        "profile sim:flash --budget-seconds 1 --json",
    ] {
        let ran = shell(dir.path(), &format!("leadline {command} > /dev/full"));
        let last = ran.stderr.lines().last().unwrap_or_default();
        assert_eq!(
            (ran.code, last.contains("stdout: No space left")),
            (Some(1), true),
            "{command}: {}",
            ran.stderr
        );
    }
}

#[test]
fn used_up_processor_time_ends_a_run_in_order() {
    let dir = folder();
    // Never done by itself.
    let arguments = ["profile", "sim:flash", "--budget-seconds", "86400", "--size", "16M", "-o", "p.json"];
    let mut running = start(dir.path(), &arguments);
    running.reaches("search");
    // The kernel sends it every second until the hard limit.
    running.signal(Signal::XCPU);
    running.signal(Signal::XCPU);
    let (ran, ..) = running.end();
    ran.failed(1, &["interrupted", "what was measured is kept"]);
    assert_eq!(names(dir.path()), ["p.json"]);
}

#[test]
fn too_few_open_files_are_an_error_that_leaves_nothing() {
    let dir = inputs();
    let before = names(dir.path());
    for command in
        ["graph wcc g -o r.csv", "graph import e.el store", "trace info t.pages -o x.html", "man pages"]
    {
        for most in [5, 6, 7, 8] {
            let ran = shell(dir.path(), &format!("ulimit -n {most}; leadline {command}"));
            assert!(matches!(ran.code, Some(0..=2)), "{command}, {most}: {:?} {}", ran.code, ran.stderr);
            assert!(!ran.stderr.contains("panicked"), "{command}, {most}: {}", ran.stderr);
            if ran.code != Some(0) {
                let last = ran.stderr.lines().last().unwrap_or_default();
                assert!(last.contains("Too many open files"), "{command}, {most}: {}", ran.stderr);
                let mut left = names(dir.path());
                left.retain(|name| name != "pages");
                assert_eq!(left, before, "{command}, {most}: {}", ran.stderr);
            }
            for made in ["r.csv", "store", "x.html"] {
                let _ = fs::remove_file(dir.path().join(made));
            }
            let _ = fs::remove_dir_all(dir.path().join("pages"));
        }
    }
}
