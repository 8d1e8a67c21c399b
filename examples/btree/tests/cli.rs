//! The binary itself: a small validation on a real file, an interrupted one, and bad input.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

use leadline_btree::NODE_BYTES;
use leadline_model::{Table, table_profile};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

/// A folder on the file system of the build, which has direct I/O where `/tmp` may have none.
fn folder() -> tempfile::TempDir {
    tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap()
}

/// Runs `btree validate`: exit code, stdout, stderr.
fn validate(args: &[&str]) -> (i32, String, String) {
    let program = assert_cmd::cargo::cargo_bin("btree");
    let output = Command::new(program).arg("validate").args(args).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    (output.status.code().unwrap(), text(&output.stdout), text(&output.stderr))
}

/// A profile of random reads of these sizes, 1 to 16 in flight, that take 80 us and 2 us per page.
fn profile(dir: &Path, blocks: &[u32]) -> String {
    let mut table = String::from("op,random_fraction,concurrency,block_bytes,bytes,seconds\n");
    for block in blocks {
        for k in [1, 2, 4, 8, 16] {
            let seconds = 1e6 * (80e-6 + 2e-6 * f64::from(block / 4096)) / f64::from(k);
            table += &format!("read,1,{k},{block},{},{seconds}\n", 1_000_000 * u64::from(*block));
        }
    }
    let csv = dir.join("reads.csv");
    fs::write(&csv, table).unwrap();
    let Table::Points(work) = Table::load(&csv).unwrap() else { panic!("a table of points") };
    fs::remove_file(csv).unwrap();
    let path = dir.join("profile.json");
    table_profile("reads.csv", work).save(&path).unwrap();
    path.to_str().unwrap().to_owned()
}

const SMALL: [&str; 8] = ["--size", "5M", "--memory", "4608K", "--repeats", "2", "--seconds", "0.05"];

#[test]
fn a_small_validation_measures_every_cell_and_leaves_nothing() {
    let (dir, trees) = (folder(), folder());
    let profile = profile(dir.path(), &NODE_BYTES);
    let args = [&[profile.as_str(), trees.path().to_str().unwrap()], &SMALL[..]].concat();
    let (code, out, said) = validate(&[&args[..], &["--clients", "1,2", "--json"]].concat());
    assert_eq!(code, 0, "{said}");
    let found: Value = serde_json::from_str(&out).unwrap();
    let cells = found["cells"].as_array().unwrap();
    assert_eq!(cells.len(), 2 * 2 * NODE_BYTES.len());
    for cell in cells {
        for name in ["forecast_per_s", "measured_per_s", "forecast_node_reads", "measured_node_reads"] {
            assert!(cell[name].as_f64().unwrap() > 0.0, "{name} of {cell}");
        }
        assert_eq!(cell["measured_per_s_repeats"].as_array().unwrap().len(), 2);
        let ends = cell["measured_per_s_ci"].as_array().unwrap();
        assert!(ends[0].as_f64().unwrap() <= cell["measured_per_s"].as_f64().unwrap());
    }
    // Four groups of five node sizes have ten pairs each; those that are judged are among them.
    assert_eq!(found["pairs_compared"], 40);
    assert!(found["orders"].as_array().unwrap().len() <= 40);
    for tree in found["trees"].as_array().unwrap() {
        assert!(tree["point_visit_us"].as_f64().unwrap() > 0.0, "{tree}");
        assert!(tree["fill"].as_f64().unwrap() > 0.75, "{tree}");
    }
    assert!(said.contains("repeat 2 of 2"), "{said}");
    assert_eq!(fs::read_dir(trees.path()).unwrap().count(), 0);

    let (code, out, said) = validate(&[&args[..], &["--clients", "2"]].concat());
    assert_eq!(code, 0, "{said}");
    // Every pair that is judged has its line, and the sum of both counts is that of all pairs.
    let judged = out.lines().filter(|line| line.contains(" before ")).count();
    let last = out.lines().last().unwrap();
    assert!(last.contains(&format!("of {judged} orders foretold")), "{out}");
    assert!(last.contains(&format!("the intervals of {} of 20 pairs overlap", 20 - judged)), "{out}");
}

#[test]
fn an_interrupted_validation_says_so_and_leaves_nothing() {
    let (dir, trees) = (folder(), folder());
    let profile = profile(dir.path(), &NODE_BYTES);
    let mut child = Command::new(assert_cmd::cargo::cargo_bin("btree"))
        .args(["validate", &profile, trees.path().to_str().unwrap(), "--size", "5M", "--seconds", "600"])
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    // It is measuring.
    assert!(lines.by_ref().any(|line| line.unwrap().contains("repeat 1 of 3")));
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    let last = lines.last().unwrap().unwrap();
    assert!(last.contains("interrupted; nothing is left behind"), "{last}");
    assert_eq!(child.wait().unwrap().code(), Some(1));
    assert_eq!(fs::read_dir(trees.path()).unwrap().count(), 0);
}

#[test]
fn bad_input_is_one_line_and_exit_code_2() {
    let (dir, trees) = (folder(), folder());
    let narrow = profile(dir.path(), &[4096, 8192]);
    let other = folder();
    let wide = profile(other.path(), &NODE_BYTES);
    let trees = trees.path().to_str().unwrap();
    let cases: [(&[&str], &str); 12] = [
        (&[], "<PROFILE>"),
        (&["absent.json", trees], "absent.json"),
        (&[&narrow, trees], "4096 to 8192 bytes were measured"),
        (&[&wide, "/nonexistent", "--size", "5M"], "/nonexistent"),
        (&[&wide, trees, "--size", "1M"], "--size"),
        (&[&wide, trees, "--size", "1000T"], "--size"),
        (&[&wide, trees, "--size", "5M", "--memory", "1M"], "--memory"),
        (&[&wide, trees, "--clients", "0"], "--clients"),
        (&[&wide, trees, "--clients", "1,many"], "many"),
        (&[&wide, trees, "--repeats", "1"], "--repeats"),
        (&[&wide, trees, "--range-bytes", "0"], "--range-bytes"),
        (&[&wide, trees, "--model", "shared2"], "shared2"),
    ];
    for (args, named) in cases {
        let (code, out, said) = validate(args);
        assert_eq!((code, out.as_str()), (2, ""), "{args:?}: {said}");
        assert!(said.lines().count() == 1 && said.contains(named), "{args:?}: {said}");
    }
}
