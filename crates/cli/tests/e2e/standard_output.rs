//! `-` in the place of a file: one document on standard output, and nothing else there.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use leadline_profile::DeviceProfile;
use leadline_testing::machine::skipped;
use serde_json::Value;
use tempfile::TempDir;

use crate::at_terminal::{Stream, at_terminal};
use crate::ran::{folder, names, outcome, program, run};

/// A folder with a profile, a trace and a graph.
fn things() -> TempDir {
    let dir = folder();
    run(dir.path(), &["profile", "sim:flash", "--budget-seconds", "0.5", "-o", "p.json"]).succeeded();
    run(dir.path(), &["trace", "generate", "gen:paper-ms?ops=50", "-o", "t.pages"]).succeeded();
    fs::write(dir.path().join("edges.csv"), "0,1\n1,2\n2,0\n").unwrap();
    run(dir.path(), &["graph", "import", "edges.csv", "g.store", "--undirected"]).succeeded();
    dir
}

/// What a command prints that writes its document to standard output; nothing is left in the folder.
#[track_caller]
fn printed(dir: &Path, arguments: &[&str]) -> String {
    let before = names(dir);
    let ran = run(dir, arguments).succeeded();
    assert_eq!(names(dir), before, "{arguments:?}");
    assert!(!ran.stderr.contains("in /dev/stdout") && !ran.stderr.contains(" in -"), "{}", ran.stderr);
    ran.stdout
}

#[test]
fn a_document_goes_to_standard_output_and_nothing_else_does() {
    let dir = things();
    let json = |arguments: &[&str]| {
        let text = printed(dir.path(), arguments);
        serde_json::from_str::<Value>(&text).unwrap_or_else(|error| panic!("{arguments:?}: {error}: {text}"))
    };
    let profile = ["profile", "sim:flash", "--budget-seconds", "0.5", "--seed", "1", "-o"];
    let text = printed(dir.path(), &[&profile[..], &["-"]].concat());
    assert_eq!(DeviceProfile::parse(&text, "stdout").unwrap().device.target, "sim:flash");
    assert_eq!(json(&[&profile[..], &["/dev/stdout"]].concat())["schema"], "leadline.profile/1");

    for page in [
        &["report", "p.json", "-o", "-"][..],
        &["models", "p.json", "-o", "-"],
        &["trace", "info", "t.pages", "-o", "-"],
        &["trace", "replay", "t.pages", "sim:flash", "--pace", "closed:4", "-o", "-"],
        &["pool", "simulate", "t.pages", "--frames", "10", "-o", "-"],
        &["graph", "info", "g.store", "--report", "-"],
    ] {
        let page_text = printed(dir.path(), page);
        assert!(
            page_text.starts_with("<!doctype html>") && page_text.trim_end().ends_with("</html>"),
            "{page:?}"
        );
    }
    let settings = printed(dir.path(), &["advise", "postgresql", "p.json", "--version", "16", "-o", "-"]);
    assert!(
        settings.contains("effective_io_concurrency = ") && !settings.contains("PostgreSQL\n"),
        "{settings}"
    );
    let rows = printed(dir.path(), &["graph", "bfs", "g.store", "--source", "0", "-o", "-"]);
    assert!(rows.starts_with("vertex,") && rows.lines().count() == 4, "{rows}");
    let edges = printed(dir.path(), &["graph", "export", "g.store", "-"]);
    assert_eq!(edges.lines().count(), 4, "{edges}");
    let trace = printed(dir.path(), &["trace", "convert", "t.pages", "-", "--to", "msr"]);
    assert_eq!(trace.lines().count(), 50, "{trace}");
}

#[test]
fn two_documents_for_standard_output_are_refused_with_both_names() {
    let dir = things();
    let before = names(dir.path());
    for (arguments, said) in [
        (&["report", "p.json", "-o", "-", "--json"][..], "-o - and --json: both go to standard output"),
        (&["profile", "sim:flash", "-o", "-", "--report", "-"], "-o - and --report -: both"),
        (&["profile", "sim:flash", "-o", "-", "--report", "/dev/stdout"], "-o - and --report /dev/stdout"),
        (&["trace", "convert", "t.pages", "-", "--to", "msr", "--json"], "OUT - and --json"),
        (&["profile", "sim:flash", "-o", "-", "--for", "etcd"], "--for: name the file"),
        (&["advise", "all", "p.json", "-o", "-"], "-o -: there are"),
        (&["graph", "export", "g.store", "-", "--partitions", "2"], "--partitions"),
        (&["man", "-"], "./- is a file called -"),
        (&["graph", "import", "edges.csv", "-"], "./- is a file called -"),
        (&["report", "p.json", "--fio-jobs", "-"], "./- is a file called -"),
        (&["experiment", "mixed", "sim:flash", "--into", "-"], "./- is a file called -"),
    ] {
        run(dir.path(), arguments).refused(&[said]);
        assert_eq!(names(dir.path()), before, "{arguments:?}");
    }
    // Its own name leads to the file.
    run(dir.path(), &["report", "p.json", "-o", "./-"]).succeeded();
    assert!(fs::read_to_string(dir.path().join("-")).unwrap().starts_with("<!doctype html>"));
}

#[test]
fn a_file_that_is_read_is_not_written_by_standard_output_either() {
    let dir = things();
    let before = fs::read(dir.path().join("p.json")).unwrap();
    let mut command = Command::new("sh");
    command.current_dir(dir.path()).arg("-c").arg("exec \"$0\" report p.json -o - >> p.json").arg(program());
    let ran = outcome(&mut command);
    assert!(
        ran.code == Some(2) && ran.stderr.contains("-o -: is the same file as PROFILE p.json"),
        "{ran:?}"
    );
    assert_eq!(fs::read(dir.path().join("p.json")).unwrap(), before);
}

#[test]
fn a_reader_that_goes_away_is_no_failure_and_a_full_disk_is() {
    let dir = things();
    let mut command = Command::new("sh");
    command.current_dir(dir.path()).args(["-c", "\"$0\" report p.json -o - 2>errors; echo $? >code"]);
    let mut child = command.arg(program()).stdout(Stdio::piped()).spawn().unwrap();
    // Gone before the first byte.
    drop(child.stdout.take());
    child.wait().unwrap();
    let said = |name: &str| fs::read_to_string(dir.path().join(name)).unwrap();
    assert_eq!((said("code").trim(), said("errors").as_str()), ("0", ""));
    let mut command = Command::new("sh");
    let full = "exec \"$0\" report p.json -o - >/dev/full";
    let ran = outcome(command.current_dir(dir.path()).args(["-c", full]).arg(program()));
    assert!(ran.code == Some(1) && ran.stderr.contains("No space left"), "{ran:?}");
}

#[test]
fn what_is_not_text_is_not_written_to_a_terminal() {
    let dir = things();
    for arguments in [
        &["graph", "export", "g.store", "-", "--format", "parquet"][..],
        &["trace", "convert", "t.pages", "-", "--to", "oraclegeneral"],
    ] {
        let mut command = Command::new(program());
        command.args(arguments).current_dir(dir.path());
        let Some((written, code)) = at_terminal(80, command, Stream::Out) else {
            return skipped("no pseudo-terminals");
        };
        assert_eq!((written.as_str(), code), ("", Some(2)), "{arguments:?}");
        // Elsewhere it is.
        let mut elsewhere = Command::new(program());
        let bytes = elsewhere.args(arguments).current_dir(dir.path()).output().unwrap();
        assert!(bytes.status.success() && bytes.stdout.len() > 50, "{arguments:?}");
    }
}
