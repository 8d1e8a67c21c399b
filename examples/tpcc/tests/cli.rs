//! The binary itself: a database in a file, through the pool.

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
    let loaded = good(&["load", "--dir", dir, "--warehouses", "2", "--scale", "0.02", "--room", "16M"]);
    assert!(loaded.contains("2 warehouses in "), "{loaded}");
}

#[test]
fn a_database_is_loaded_run_and_checked() {
    let dir = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    load_in(dir.path());
    let path = dir.path().to_str().unwrap();
    // A pool of a tenth of the database, so that pages come and go.
    for options in [["--ace", "off", "--cleaner", "off"], ["--ace", "cow-x", "--cleaner", "auto"]] {
        let mut args = vec!["run", "--dir", path, "--frames", "160", "--terminals", "4"];
        args.extend(["--transactions", "200", "--json"]);
        args.extend(options);
        let run: Value = serde_json::from_str(&good(&args)).unwrap();
        assert_eq!(run["run"]["transactions"], 200);
        assert!(run["pool"]["misses"].as_u64().unwrap() > 100, "{run}");
        assert!(run["pool"]["writes"].as_u64().unwrap() > 100, "{run}");
        assert!(good(&["check", "--dir", path]).starts_with("consistent"));
    }
}

#[test]
fn one_terminal_leaves_the_same_trace_in_a_file_and_in_memory() {
    let dir = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    load_in(dir.path());
    let path = |name: &str| dir.path().join(name).to_str().unwrap().to_owned();
    let run = ["--transactions", "200", "--trace"];
    good(&[&["run", "--dir", &path("")], &run[..], &[&path("a.trace")]].concat());
    let memory = ["run", "--memory", "--warehouses", "2", "--scale", "0.02"];
    good(&[&memory[..], &run[..], &[&path("b.trace")]].concat());
    let text = |name: &str| std::fs::read_to_string(path(name)).unwrap();
    let shape = |text: String| text.lines().map(|line| line.starts_with('W')).collect::<Vec<_>>();
    let (file, memory) = (shape(text("a.trace")), shape(text("b.trace")));
    // Pages of the file are a few bytes shorter (checksums), so numbers and a few splits differ, the work
    // does not.
    let difference = file.len().abs_diff(memory.len());
    assert!(difference < memory.len() / 50, "{} and {} accesses", file.len(), memory.len());
}

/// The kernel takes an io_uring apart after its process is gone, and holds the file and its lock until then.
fn after_the_kernel_let_go(args: &[&str]) -> (i32, String, String) {
    loop {
        let answer = tpcc(args);
        if !answer.2.contains("in use") {
            return answer;
        }
    }
}

#[test]
fn a_run_that_was_killed_leaves_a_database_that_says_so() {
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
    for command in ["run", "check"] {
        let (code, out, said) = after_the_kernel_let_go(&[command, "--dir", path]);
        assert_eq!((code, out.as_str()), (2, ""), "{said}");
        assert!(said.contains("killed") && said.lines().count() == 1, "{said}");
    }
    let dir_args = ["load", "--dir", path, "--warehouses", "2", "--scale", "0.02", "--room", "16M"];
    good(&[&dir_args[..], &["--replace"]].concat());
    good(&["check", "--dir", path]);
}

#[test]
fn bad_input_is_one_line_and_exit_code_2() {
    let dir = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let path = dir.path().to_str().unwrap();
    let foreign = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    std::fs::write(foreign.path().join("leadline-tpcc.db"), [7; 8192]).unwrap();
    let theirs = foreign.path().to_str().unwrap();
    let cases: [(&[&str], &str); 14] = [
        (&[], "tpcc --help"),
        (&["load", "--dir", path], "--warehouses"),
        (&["load", "--dir", path, "--warehouses", "0"], "--warehouses 0"),
        (&["load", "--dir", path, "--warehouses", "1", "--scale", "2"], "--scale 2"),
        (&["load", "--dir", path, "--warehouses", "1", "--page", "5000"], "5000"),
        (&["load", "--dir", path, "--warehouses", "90000"], path),
        (&["load", "--dir", "/nonexistent", "--warehouses", "1"], "/nonexistent"),
        (&["run", "--dir", path], "tpcc load"),
        (&["run"], "--dir"),
        (&["run", "--memory", "--warehouses", "1", "--policy", "nru2"], "nru2"),
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
    assert_eq!(std::fs::read(foreign.path().join("leadline-tpcc.db")).unwrap(), [7; 8192]);
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
