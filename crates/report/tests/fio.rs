//! Every job parses in real fio, and one runs.

mod common;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use leadline_report::fio_jobs;

fn fio(file: &Path, arguments: &[&str], jobs: &[PathBuf]) -> Output {
    Command::new("fio")
        .args(arguments)
        .args(jobs)
        .env("LEADLINE_FILE", file)
        .output()
        .unwrap_or_else(|e| panic!("fio does not start ({e}): install fio or run cargo xtask test"))
}

fn said(output: &Output) -> String {
    format!("{}\n{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

#[test]
fn every_job_parses() {
    let folder = tempfile::tempdir().expect("a folder");
    for engine in ["io_uring", "psync"] {
        let mut profile =
            common::Shape { blocks: vec![4096, 65536], deepest: 32, ..Default::default() }.profile();
        profile.method.engine = engine.into();
        let jobs = fio_jobs(&profile, folder.path().join(engine)).expect("jobs");
        assert_eq!(jobs.len(), profile.points.len());
        for some in jobs.chunks(12) {
            let output = fio(&folder.path().join("none"), &["--parse-only"], some);
            assert!(output.status.success(), "{some:?}: {}", said(&output));
        }
    }
    assert!(!folder.path().join("none").exists());
}

#[test]
fn a_job_without_a_file_named_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let jobs = fio_jobs(&common::reads_only(), folder.path()).expect("jobs");
    let output = Command::new("fio")
        .arg("--parse-only")
        .arg(&jobs[0])
        .env_remove("LEADLINE_FILE")
        .output()
        .expect("fio");
    assert!(!output.status.success(), "{}", said(&output));
}

#[test]
fn jobs_run_and_move_data() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut profile = common::Shape {
        blocks: vec![4096],
        patterns: vec![leadline_profile::Pattern::Random],
        ..Default::default()
    }
    .profile();
    profile.points.retain(|p| p.concurrency == 4);
    assert_eq!(profile.points.len(), 3, "a read, a write and a durable write");
    profile.method.engine = "psync".into(); // runs wherever the tests run
    profile.method.direct = false;
    profile.method.footprint_bytes = 4 << 20;
    profile.points.iter_mut().for_each(|p| p.slices.truncate(1));
    let file = folder.path().join("scratch");
    for job in fio_jobs(&profile, folder.path()).expect("jobs") {
        let output = fio(&file, &["--output-format=json"], std::slice::from_ref(&job));
        assert!(output.status.success(), "{}", said(&output));
        let text = String::from_utf8_lossy(&output.stdout);
        let start = text.find('{').expect("a JSON document");
        let result: serde_json::Value = serde_json::from_str(&text[start..]).expect("fio's JSON");
        let ios = |op: &str| result["jobs"][0][op]["total_ios"].as_u64().unwrap_or(0);
        assert!(ios("read") + ios("write") > 0, "{text}");
        assert_eq!(ios("write") > 0, job.to_string_lossy().contains("write-"), "{}", job.display());
        // The header of a scratch file is left alone.
        assert_eq!(std::fs::metadata(&file).expect("the scratch file").len(), (1 << 20) + (4 << 20));
    }
}
