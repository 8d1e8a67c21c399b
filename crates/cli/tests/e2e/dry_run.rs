//! `--dry-run`: what would be read and written is said, and nothing is.

use std::fs;
use std::path::Path;

use leadline_profile::DeviceProfile;
use serde_json::Value;
use tempfile::TempDir;

use crate::ran::{folder, names, run};

/// Edges of a small graph.
const EDGES: &str = "0,1\n1,2\n2,0\n";

/// A folder with a trace, edges, stores with and without changes, and places to mount.
fn things() -> TempDir {
    let dir = folder();
    let at = |name: &str| dir.path().join(name);
    run(dir.path(), &["trace", "generate", "gen:paper-ms?ops=50", "-o", "t.pages"]).succeeded();
    fs::write(at("edges.csv"), EDGES).unwrap();
    for store in ["g.store", "h.store"] {
        run(dir.path(), &["graph", "import", "edges.csv", store]).succeeded();
    }
    fs::write(at("changes"), "+ 2 1\n").unwrap();
    run(dir.path(), &["graph", "update", "h.store", "changes"]).succeeded();
    fs::create_dir(at("data")).unwrap();
    fs::create_dir(at("mnt")).unwrap();
    dir
}

/// All files below a folder, with their contents.
fn contents(dir: &Path) -> Vec<(String, Vec<u8>)> {
    let mut all = Vec::new();
    for name in names(dir) {
        let path = dir.join(&name);
        match path.is_dir() {
            true => all
                .extend(contents(&path).into_iter().map(|(inner, bytes)| (format!("{name}/{inner}"), bytes))),
            false => all.push((name.clone(), fs::read(&path).unwrap())),
        }
        all.push((name, Vec::new()));
    }
    all
}

#[test]
fn nothing_is_done_and_what_would_be_is_said() {
    let dir = things();
    let before = contents(dir.path());
    for (arguments, said) in [
        (&["trace", "replay", "t.pages", ".", "--pace", "closed:2", "--size", "16M"][..], "a scratch file"),
        (&["trace", "replay", "t.pages", "sim:flash"], "writes  nothing"),
        (&["pool", "replay", "t.pages", ".", "--frames", "4"], "pages, laid out first"),
        (&["trace", "capture", "data", "-o", "run.capture", "--", "ls"], "ends    when ls ends"),
        (&["emulate", "sim:flash", "--backing", "data", "--mount", "mnt"], "mounts  a drive of 64G on mnt"),
        (&["graph", "import", "edges.csv", "new.store"], "edges, read as csv"),
        (&["graph", "update", "g.store", "changes"], "the file becomes a directory"),
        (&["graph", "update", "h.store", "-"], "standard input: the changes"),
        (&["graph", "compact", "g.store"], "the store has no changes"),
        (&["graph", "compact", "h.store"], "the new lists, at most as large"),
        (&["index", "load", "i", "edges.csv", "--key-type", "integer"], "a new index"),
        (&["index", "load", "i"], "standard input: keys and values"),
        (&["index", "bench", "."], "a scratch directory: 1,000,000 entries, 5 times"),
        (&["graph", "export", "g.store", "out.csv"], "3 edges"),
        (&["graph", "export", "g.store", "out/"], "a directory of Parquet files"),
    ] {
        let split = arguments.iter().position(|word| *word == "--").unwrap_or(arguments.len());
        let (own, rest) = arguments.split_at(split);
        let ran = run(dir.path(), &[own, &["--dry-run"], rest].concat()).succeeded();
        assert!(ran.stdout.contains(said), "{arguments:?}: {}", ran.stdout);
        assert!(ran.stdout.contains("ends "), "{}", ran.stdout);
        assert!(!ran.stderr.contains(" ...\n") || arguments[0] == "pool", "{}", ran.stderr);
        assert!(contents(dir.path()) == before, "{arguments:?} left {:?}", names(dir.path()));
    }
}

#[test]
fn programs_are_told_in_a_document() {
    let dir = things();
    let ran = run(dir.path(), &["pool", "replay", "t.pages", ".", "--frames", "4", "--dry-run", "--json"]);
    let said: Value = serde_json::from_str(&ran.succeeded().stdout).unwrap();
    assert_eq!(said["dry_run"], true);
    assert_eq!(said["reads"][0]["place"], "t.pages");
    let bytes = fs::metadata(dir.path().join("t.pages")).unwrap().len();
    assert_eq!(said["reads"][0]["bytes"], bytes);
    let written = said["writes"][0]["bytes"].as_u64().unwrap();
    assert!(written > 0 && written.is_multiple_of(4096), "{said}");
}

#[test]
fn what_a_run_would_refuse_is_refused() {
    let dir = things();
    fs::write(dir.path().join("mnt/file"), "x").unwrap();
    for (arguments, said) in [
        (&["emulate", "sim:flash", "--backing", "none", "--mount", "mnt"][..], "none: is not a directory"),
        (&["emulate", "sim:flash", "--backing", "data", "--mount", "mnt"], "mnt: is not empty"),
        (&["trace", "capture", "none", "-o", "run.capture"], "none: is not a directory"),
        (&["trace", "capture", "data", "-o", "no/run.capture"], "no/run.capture"),
        (&["graph", "import", "none.csv", "new.store"], "none.csv"),
        (&["graph", "export", "g.store", "edges.csv"], "edges.csv: exists"),
        (&["graph", "compact", "edges.csv"], "edges.csv"),
        (&["pool", "replay", "t.pages", "sim:flash", "--frames", "4"], "sim:flash"),
    ] {
        run(dir.path(), &[arguments, &["--dry-run"]].concat()).refused(&[said]);
    }
}

#[test]
fn a_profile_is_still_only_announced() {
    let dir = folder();
    let ran = run(dir.path(), &["profile", ".", "--size", "16M", "--dry-run"]).succeeded();
    assert!(ran.stdout.starts_with(".: writes 16M before measuring"), "{}", ran.stdout);
    assert!(names(dir.path()).is_empty() && DeviceProfile::parse(&ran.stdout, "stdout").is_err());
}
