//! What is refused: in one line that names it, with exit code 2, and nothing is left behind.

use std::fs;

use crate::shared::{Loaded, can_run, tpch};

fn refused(args: &[&str], named: &str) {
    let (code, out, said) = tpch(args);
    assert_eq!(code, 2, "{args:?}: {said}{out}");
    assert!(said.lines().count() == 1 && said.contains(named), "{args:?}: {said}");
}

#[test]
fn bad_usage_is_one_line_and_exit_code_2() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (new, full, junk) = (path("new"), path("full"), path("junk.json"));
    fs::create_dir(&full).unwrap();
    fs::write(path("full/file"), "mine").unwrap();
    fs::write(&junk, "{}").unwrap();
    refused(&[], "tpch --help");
    refused(&["load"], "FOLDER");
    for scale in ["0", "-1", "nan", "inf", "1e6", "much", "1e-9", "0.001", "0.012"] {
        refused(&["load", &new, &format!("--scale={scale}")], "--scale");
    }
    refused(&["load", &full], "has something in it");
    refused(&["load", &new, "--scale", "1000"], "smaller --scale");
    refused(&["run", &new, "--device", "sim:optane"], "tpch load");
    refused(&["run", &full, "--device", "sim:optane"], "tpch load");
    refused(&["run", &new], "--device");
    refused(&["run", &new, "--device", "sim:optane", "--queries", "q3,q23"], "q23");
    refused(&["run", &new, "--device", "sim:optane", "--queries", "3"], "q1 to q22");
    refused(&["run", &new, "--device", "sim:optane", "--plans", "best"], "best");
    refused(&["run", &new, "--device", "sim:optane", "--limit", "0"], "--limit");
    refused(&["explain", &new], "tpch load");
    refused(&["compare"], "RESULT");
    refused(&["compare", &junk], "junk.json");
    assert_eq!(fs::read_to_string(path("full/file")).unwrap(), "mine");
    assert!(!folder.path().join("new").exists());
}

#[test]
fn a_folder_of_another_scale_version_or_drive_is_refused() {
    if !can_run() {
        return;
    }
    let loaded = Loaded::new(0.01);
    let folder = loaded.path().display().to_string();
    let run = |device: &str, more: &[&str], named: &str| {
        refused(&[&["run", &folder, "--device", device], more].concat(), named);
    };
    run("sim:optane", &["--scale", "0.25"], "have scale 0.01");
    run("sim:meteor", &[], "meteor");
    run(&loaded.temporary.path().join("no.toml").display().to_string(), &[], "no.toml");
    let small = loaded.temporary.path().join("small.toml");
    let text = "kind = \"parametric\"\ncapacity = \"16M\"\n[read]\nservice_us = 1\nservers = 1\n[write]\n\
                service_us = 1\nservers = 1\n";
    fs::write(&small, text).unwrap();
    run(&small.display().to_string(), &[], "tables");
    let marker = loaded.path().join("leadline-tpch.json");
    let text = fs::read_to_string(&marker).unwrap();
    fs::write(&marker, text.replace("\"version\": 1", "\"version\": 0")).unwrap();
    run("sim:optane", &[], "another version");
    fs::write(&marker, "{").unwrap();
    run("sim:optane", &[], "leadline-tpch.json");
    assert!(loaded.is_left_alone() && !loaded.path().join("mount").exists());
}

#[test]
fn a_server_that_does_not_start_says_why() {
    if !can_run() {
        return;
    }
    let loaded = Loaded::new(0.01);
    let (folder, drive) = (loaded.path().display().to_string(), loaded.drive(1));
    let (code, _, said) = tpch(&["run", &folder, "--device", &drive, "--set", "no-such-setting=1"]);
    assert_eq!(code, 1, "{said}");
    let log = loaded.path().canonicalize().unwrap().join("server.log");
    assert!(said.lines().count() == 1 && said.contains("no-such-setting"), "{said}");
    assert!(said.contains(&log.display().to_string()), "{said}");
    assert!(fs::read_to_string(log).unwrap().contains("no-such-setting"));
    assert!(loaded.is_left_alone() && !loaded.path().join("mount").exists());
    // The folder is as good as before.
    let (code, _, said) = tpch(&["run", &folder, "--device", &drive, "--queries", "q22"]);
    assert_eq!(code, 0, "{said}");
}
