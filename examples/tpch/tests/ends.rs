//! However a run ends, no server is left.

use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use crate::shared::{Loaded, can_run, is_on_a_command_line, outcome, temporary_folder, tpch};

/// Waits for something that comes for certain.
fn wait_for(what: &str, is_there: impl Fn() -> bool) {
    let began = Instant::now();
    while !is_there() {
        assert!(began.elapsed() < Duration::from_secs(120), "{what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// A run that takes for ever, with its server at work.
fn start(loaded: &Loaded) -> Child {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin("tpch"));
    command.arg("run").arg(loaded.path()).args(["--device", &loaded.drive(1000), "--queries", "q1,q9"]);
    command.args(["--repeats", "100"]).env("TMPDIR", loaded.temporary.path());
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mount = loaded.path().canonicalize().unwrap().join("mount").display().to_string();
    wait_for("no server was started", || is_on_a_command_line(&mount));
    child
}

#[test]
fn an_interrupted_run_leaves_nothing() {
    if !can_run() {
        return;
    }
    let loaded = Loaded::new(0.01);
    for signal in [Signal::INT, Signal::TERM] {
        let child = start(&loaded);
        kill_process(Pid::from_child(&child), signal).unwrap();
        let (code, _, said) = outcome(child.wait_with_output().unwrap());
        assert_eq!(code, 1, "{said}");
        assert!(said.lines().count() == 1 && said.contains("interrupted"), "{said}");
        assert!(loaded.is_left_alone() && !loaded.path().join("mount").exists());
    }
}

#[test]
fn a_killed_run_takes_its_server_along_and_the_next_one_runs() {
    if !can_run() {
        return;
    }
    let loaded = Loaded::new(0.01);
    let mut child = start(&loaded);
    child.kill().unwrap();
    child.wait().unwrap();
    let path = loaded.path().display().to_string();
    wait_for("the server outlives the run", || !is_on_a_command_line(&path));
    let drive = loaded.drive(1);
    let (code, out, said) = loop {
        let outcome = tpch(&["run", &path, "--device", &drive, "--queries", "q6"]);
        // For a second, the kernel knows the dead drive's folder by heart.
        if !outcome.2.contains("mounted there already") {
            break outcome;
        }
    };
    assert_eq!(code, 0, "{said}");
    assert!(out.lines().any(|line| line.starts_with("q6 ")), "{out}");
    assert!(loaded.is_left_alone());
}

#[test]
fn a_killed_load_takes_its_server_along_and_leaves_no_loaded_folder() {
    if !can_run() {
        return;
    }
    let folder = temporary_folder();
    let path = folder.path().join("tables").display().to_string();
    let mut command = Command::new(assert_cmd::cargo::cargo_bin("tpch"));
    // More than is loaded by the time it is killed.
    command.args(["load", &path, "--scale", "0.25"]).env("TMPDIR", folder.path());
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    wait_for("no rows are loaded", || folder.path().join("tables/drive/data/tpch/region.ibd").exists());
    child.kill().unwrap();
    child.wait().unwrap();
    wait_for("the server outlives the load", || !is_on_a_command_line(&path));
    let (code, _, said) = tpch(&["run", &path, "--device", "sim:optane"]);
    assert!(code == 2 && said.contains("tpch load"), "{said}");
}
