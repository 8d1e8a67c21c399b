//! The binary itself: a database in a directory.

use std::path::Path;

use assert_cmd::Command;
use serde_json::Value;

fn tpcc(args: &[&str]) -> (i32, String, String) {
    let output = Command::cargo_bin("tpcc").unwrap().args(args).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    (output.status.code().unwrap(), text(&output.stdout), text(&output.stderr))
}

fn good(args: &[&str]) -> String {
    let (code, out, said) = tpcc(args);
    assert_eq!(code, 0, "{args:?}: {said}");
    out
}

fn load_in(dir: &Path) {
    let dir = dir.to_str().unwrap();
    let loaded = good(&["load", "--dir", dir, "--warehouses", "2", "--scale", "0.02"]);
    assert!(loaded.contains("2 warehouses in "), "{loaded}");
}

#[test]
fn a_database_is_loaded_run_and_checked() {
    let dir = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    load_in(dir.path());
    let path = dir.path().to_str().unwrap();
    // A tenth of the database in memory, so that pages come and go.
    for when in ["every-commit", "5", "never"] {
        let mut args =
            vec!["run", "--dir", path, "--cache", "600K", "--terminals", "4", "--durability", when];
        args.extend(["--transactions", "200", "--json"]);
        let run: Value = serde_json::from_str(&good(&args)).unwrap();
        assert_eq!(run["run"]["transactions"], 200);
        assert!(run["run"]["transactions_per_s"].as_f64().unwrap() > 0.0, "{run}");
        assert!(run["run"]["commits"].as_u64().unwrap() > 150, "{run}");
        assert!(run["run"]["bytes_written_per_transaction"].as_f64().unwrap() > 1000.0, "{run}");
        assert!(run["run"]["commit_p50_us"].as_f64() <= run["run"]["commit_p99_us"].as_f64(), "{run}");
        assert!(run["pool"]["misses"].as_u64().unwrap() > 100, "{run}");
        assert!(run["pool"]["writes"].as_u64().unwrap() > 100, "{run}");
        assert!(good(&["check", "--dir", path]).starts_with("consistent"));
    }
    let shown = good(&["run", "--dir", path, "--transactions", "50"]);
    for part in ["transactions a second", "bytes written per transaction", "commits, p50", "pool:"] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
}

#[test]
fn one_terminal_leaves_the_same_trace_on_disk_and_in_memory() {
    let dir = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    load_in(dir.path());
    let path = |name: &str| dir.path().join(name).to_str().unwrap().to_owned();
    let run = ["--transactions", "200", "--trace"];
    good(&[&["run", "--dir", &path("")], &run[..], &[&path("a.trace")]].concat());
    let memory = ["run", "--memory", "--warehouses", "2", "--scale", "0.02"];
    good(&[&memory[..], &run[..], &[&path("b.trace")]].concat());
    // An index that was opened again gives out other pages for new nodes; the work is the same.
    let kinds = |name: &str| {
        let text = std::fs::read_to_string(path(name)).unwrap();
        text.lines().map(|line| line.as_bytes()[0]).collect::<Vec<u8>>()
    };
    assert!(kinds("a.trace").len() > 2000);
    assert!(kinds("a.trace") == kinds("b.trace"));
}

/// The kernel takes an io_uring apart after its process is gone, and holds the file and its lock until then.
fn after_the_kernel_let_go(args: &[&str]) -> (i32, String, String) {
    loop {
        let answer = tpcc(args);
        if !answer.2.contains("open already") {
            return answer;
        }
    }
}

#[test]
fn a_run_that_was_killed_leaves_a_consistent_database() {
    let dir = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    load_in(dir.path());
    let path = dir.path().to_str().unwrap();
    let program = assert_cmd::cargo::cargo_bin("tpcc");
    let mut run = std::process::Command::new(program)
        .args(["run", "--dir", path, "--seconds", "600", "--trace"])
        .arg(dir.path().join("trace"))
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap();
    // It is at work once the trace has begun to reach the disk.
    while std::fs::metadata(dir.path().join("trace")).map_or(0, |file| file.len()) == 0 {
        assert!(run.try_wait().unwrap().is_none(), "it ended by itself");
        std::thread::yield_now();
    }
    run.kill().unwrap();
    run.wait().unwrap();
    let (code, out, said) = after_the_kernel_let_go(&["check", "--dir", path]);
    assert!(code == 0 && out.starts_with("consistent"), "{out} {said}");
    good(&["run", "--dir", path, "--transactions", "100"]);
    load_again(path);
}

/// `load` replaces what it made.
fn load_again(path: &str) {
    good(&["load", "--dir", path, "--warehouses", "2", "--scale", "0.02", "--replace"]);
    good(&["check", "--dir", path]);
}

#[test]
fn bad_input_is_one_line_and_exit_code_2() {
    let dir = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let path = dir.path().to_str().unwrap();
    let foreign = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let theirs_index = foreign.path().join("leadline-tpcc.index");
    let index = leadline_index::Index::open(&theirs_index).unwrap();
    index.insert("theirs", "1").unwrap();
    index.close().unwrap();
    let theirs = foreign.path().to_str().unwrap();
    let cases: [(&[&str], &str); 14] = [
        (&[], "tpcc --help"),
        (&["load", "--dir", path], "--warehouses"),
        (&["load", "--dir", path, "--warehouses", "0"], "--warehouses 0"),
        (&["load", "--dir", path, "--warehouses", "1", "--scale", "2"], "--scale 2"),
        (&["load", "--dir", path, "--warehouses", "1", "--node", "5000"], "5000"),
        (&["load", "--dir", path, "--warehouses", "90000"], path),
        (&["load", "--dir", "/nonexistent", "--warehouses", "1"], "/nonexistent"),
        (&["run", "--dir", path], "tpcc load"),
        (&["run"], "--dir"),
        (&["run", "--dir", path, "--durability", "often"], "often"),
        (&["run", "--memory", "--warehouses", "1", "--mix", "1,2,3"], "1,2,3"),
        (&["run", "--memory", "--warehouses", "1", "--only", "buy"], "buy"),
        (&["run", "--dir", theirs], "no TPC-C database"),
        (
            &["load", "--dir", theirs, "--warehouses", "1", "--replace", "--scale", "0.01"],
            "no TPC-C database",
        ),
    ];
    for (args, named) in cases {
        let (code, out, said) = tpcc(args);
        assert_eq!((code, out.as_str()), (2, ""), "{args:?}: {said}");
        assert!(said.lines().count() == 1 && said.contains(named), "{args:?}: {said}");
    }
    // What was refused was not touched.
    let index = leadline_index::Index::open(&theirs_index).unwrap();
    assert_eq!(index.get("theirs").unwrap().as_deref(), Some(&b"1"[..]));
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
}

#[test]
fn a_database_that_is_there_is_not_written_over() {
    let dir = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    load_in(dir.path());
    let path = dir.path().to_str().unwrap();
    let (code, _, said) = tpcc(&["load", "--dir", path, "--warehouses", "1", "--scale", "0.01"]);
    assert_eq!(code, 2);
    assert!(said.contains("--replace"), "{said}");
    let (code, _, said) = tpcc(&["run", "--dir", path, "--warehouses", "3"]);
    assert_eq!(code, 2);
    assert!(said.contains("has 2"), "{said}");
    good(&["check", "--dir", path]);
}
