//! `leadline graph export` to folders, and `import` from them, from the outside.

use std::fs;
use std::path::Path;

use leadline_testing::machine::{Mounted, needs_root, skipped};
use rustix::process::Signal;
use serde_json::Value;

use crate::ran::{folder, names, run, start, text};

fn write(dir: &Path, name: &str, bytes: impl AsRef<[u8]>) {
    fs::write(dir.join(name), bytes).unwrap();
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// A store whose export takes a while, in `dir`.
fn large_store(dir: &Path, store: &str) {
    let mut random = 1u32;
    let mut number = || {
        random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        random >> 12
    };
    write(dir, "a.u32", (0..3_000_000).flat_map(|_| number().to_le_bytes()).collect::<Vec<u8>>());
    run(dir, &["graph", "import", "a.u32", store]).succeeded();
    fs::remove_file(dir.join("a.u32")).unwrap();
}

#[test]
fn a_graph_becomes_a_folder_in_parts_and_a_graph_again() {
    let dir = folder();
    let dir = dir.path();
    write(dir, "a.csv", "ann,bob,1.5\nbob,\"c, d\",2\nbob,bob,3\nann,bob,1.5\n");
    run(dir, &["graph", "import", "a.csv", "a.store", "--weights", "--undirected"]).succeeded();
    let ran = run(dir, &["graph", "export", "a.store", "out", "--partitions", "2", "--json"]).succeeded();
    let report = json(&ran.stdout);
    let numbers = ["vertices", "edges", "partitions"].map(|name| report[name].as_u64().unwrap());
    assert_eq!((numbers, &report["out"]), ([3, 4, 2], &"out".into()));
    assert_eq!(names(&dir.join("out/edges")), ["part-00000.parquet", "part-00001.parquet"]);
    run(dir, &["graph", "import", "out", "b.store"]).succeeded();
    assert!(fs::read(dir.join("a.store")).unwrap() == fs::read(dir.join("b.store")).unwrap());
    let ran = run(dir, &["graph", "export", "a.store", "out/"]).succeeded();
    assert!(ran.stdout.contains("4, in 1 parts") && ran.stdout.contains("vertices"), "{}", ran.stdout);
    assert_eq!(names(dir), ["a.csv", "a.store", "b.store", "out"]);
}

#[test]
fn bad_input_is_refused_in_one_line_and_leaves_nothing() {
    let dir = folder();
    let dir = dir.path();
    write(dir, "a.el", "1 2\n2 3\n");
    run(dir, &["graph", "import", "a.el", "s"]).succeeded();
    run(dir, &["graph", "export", "s", "out"]).succeeded();
    fs::create_dir(dir.join("mine")).unwrap();
    write(dir, "mine/thesis.tex", "mine");
    let before = names(dir);
    for (arguments, parts) in [
        (
            &["export", "s", "mine"][..],
            &["mine: exists and is not an exported graph", "another directory"][..],
        ),
        (&["export", "s", "mine", "--force"], &["mine: exists and is not an exported graph"]),
        (&["export", "s", "a.el", "--partitions", "2"], &["a.el: is a file"]),
        (&["export", "s", "s"], &["OUT s: is the same file as STORE s"]),
        (&["export", "s", "no/x"], &["no/x: its directory cannot be written"]),
        (&["export", "s", "x", "--partitions", "0"], &["--partitions", "must be from 1 to 100000"]),
        (&["export", "s", "x", "--partitions", "2", "--format", "csv"], &["--partitions", "--format"]),
        (&["export", "out", "x"], &["out: is not a graph store"]),
        (&["import", "mine", "x"], &["mine/thesis.tex: is not a Parquet file"]),
        (&["import", "out/vertices", "x"], &["part-00000.parquet: expected a column \"source\""]),
        (&["import", "out", "x", "--undirected"], &["its edges lead one way", "--undirected"]),
        (&["import", "out", "x", "--weights"], &["out: has no weights", "--weights"]),
        (&["import", "out", "x", "--format", "csv"], &["out: is a directory", "csv"]),
    ] {
        run(dir, &[&["graph"], arguments].concat()).failed(2, parts);
        assert_eq!(names(dir), before, "{arguments:?}");
    }
    assert_eq!(names(&dir.join("mine")), ["thesis.tex"]);
}

#[test]
fn an_export_that_is_ended_leaves_no_folder() {
    let dir = folder();
    let dir = dir.path();
    large_store(dir, "s");
    write(dir, "b.el", "1 2\n");
    run(dir, &["graph", "import", "b.el", "small"]).succeeded();
    run(dir, &["graph", "export", "small", "old"]).succeeded();
    let old = fs::read(dir.join("old/graph.json")).unwrap();
    for (signal, out) in [(Signal::INT, "new"), (Signal::TERM, "old"), (Signal::KILL, "old")] {
        let mut running = start(dir, &["graph", "export", "s", out, "--memory", "16M"]);
        running.reaches("write");
        running.signal(signal);
        let (ran, status, _) = running.end();
        assert!(!status.success() && ran.stdout.is_empty(), "{ran:?}");
        if signal != Signal::KILL {
            ran.failed(1, &["interrupted; nothing was left behind"]);
            assert_eq!(names(dir), ["b.el", "old", "s", "small"], "{signal:?}");
        }
        assert_eq!(fs::read(dir.join("old/graph.json")).unwrap(), old, "the old one is as it was");
    }
    run(dir, &["graph", "export", "small", "old"]).succeeded();
    assert_eq!(names(dir), ["b.el", "old", "s", "small"], "what was left is removed");
}

#[test]
fn a_full_disk_is_one_line_and_leaves_nothing() {
    needs_root!();
    let Some(mounted) = Mounted::new("tmpfs", Path::new("none"), "size=4m") else {
        return skipped("no tmpfs to be mounted");
    };
    let dir = folder();
    let dir = dir.path();
    large_store(dir, "s");
    let out = mounted.path().join("out");
    let ran = run(dir, &["graph", "export", "s", text(&out), "--partitions", "3"]);
    ran.failed(1, &["out/", ".parquet: cannot be written", "No space left"]);
    assert!(names(mounted.path()).is_empty());
    run(dir, &["graph", "export", "s", text(mounted.path())]).failed(2, &["a file system is mounted"]);
}
