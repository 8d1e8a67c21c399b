//! `leadline profile import`: files of other programs in, a profile that every command takes out.

use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::Command;

use crate::ran::{Ran, folder, made_folder, names, run};

/// A device that serves 32 reads of 8K or 8 writes at once, each in 100 us, as fio 3 writes it.
fn sweep() -> String {
    let mut jobs = Vec::new();
    for (rw, side, servers) in [("randread", "read", 32_u64), ("randwrite", "write", 8)] {
        for depth in [1, 4, 16, 64, 256] {
            let busy = depth.min(servers);
            let (ios, mean) = (100_000 * busy, 100_000 * depth / busy);
            let other = if side == "read" { "write" } else { "read" };
            jobs.push(format!(
                r#"{{"jobname": "{rw}-{depth}", "groupid": {}, "error": 0,
    "job options": {{"rw": "{rw}", "bs": "8k", "iodepth": "{depth}"}},
    "{side}": {{"io_bytes": {}, "total_ios": {ios}, "runtime": 10000,
      "lat_ns": {{"mean": {mean}, "max": {mean}, "N": {ios}}},
      "clat_ns": {{"mean": {mean}, "percentile": {{"50.000000": {mean}, "99.000000": {mean}}}}},
      "iops_mean": 1.0, "iops_stddev": 0.0, "iops_samples": 20}},
    "{other}": {{}}}}"#,
                jobs.len(),
                ios * 8192
            ));
        }
    }
    format!(
        "fio: a note\n{{\"fio version\": \"fio-3.33\", \"timestamp\": 1795726042,\n\"global options\": {{\"direct\": \
         \"1\", \"ioengine\": \"io_uring\"}},\n\"jobs\": [{}], \"disk_util\": [{{\"name\": \"nvme0n1\"}}]}}\n",
        jobs.join(",\n")
    )
}

/// etcd's histogram: 99 % within 4 ms.
fn metrics() -> String {
    let mut text = String::new();
    for (bound, count) in [("0.001", 200), ("0.002", 900), ("0.004", 1000), ("+Inf", 1000)] {
        writeln!(text, "etcd_disk_wal_fsync_duration_seconds_bucket{{le=\"{bound}\"}} {count}").unwrap();
    }
    text + "etcd_disk_wal_fsync_duration_seconds_sum 1.5\n"
}

/// A folder with both, and the profile of them.
fn imported() -> (tempfile::TempDir, Ran) {
    let dir = folder();
    fs::write(dir.path().join("sweep.json"), sweep()).unwrap();
    fs::write(dir.path().join("metrics.txt"), metrics()).unwrap();
    let import = ["profile", "import", "sweep.json", "metrics.txt", "-o", "p.json", "--details"];
    let ran = run(dir.path(), &import).succeeded();
    (dir, ran)
}

#[test]
fn it_says_what_was_read_of_each_file_and_which_keys_follow() {
    let (_dir, ran) = imported();
    for part in [
        "nvme0n1 (sweep.json, metrics.txt)",
        "Measured by fio 3.33, etcd, not by Leadline: reads and writes of 8K.",
        "sweep.json: read: as fio's output, since line 2 has \"fio version\"",
        "sweep.json: read: job \"randread-64\": random reads of 8K, 64 in flight:",
        "metrics.txt: assumed: an append has 2300 bytes, as in etcd's documentation",
        "state: imported",
        "Next: leadline advise postgresql p.json",
        "heartbeat-interval, election-timeout",
        "effective_io_concurrency",
        "innodb_read_io_threads",
    ] {
        let said = ran.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(said.contains(part), "{part}: {}", ran.stdout);
    }
    assert_eq!(ran.stderr, "");
}

#[test]
fn every_command_takes_the_profile_and_claims_nothing_that_was_not_measured() {
    let (dir, _) = imported();
    let ran = |arguments: &[&str]| run(dir.path(), arguments).succeeded().stdout;
    assert!(ran(&["models", "p.json"]).contains("was chosen"));
    assert!(
        ran(&["predict", "p.json", "--reads", "1e6", "--block-size", "8K", "--concurrency", "64"])
            .contains("320k")
    );
    assert!(
        ran(&["report", "p.json", "-o", "p.html"]).contains("Numbers by fio 3.33, etcd, not by Leadline")
    );
    let page = fs::read_to_string(dir.path().join("p.html")).unwrap();
    assert!(page.contains("Imported: measured by fio 3.33, etcd, not by Leadline"));
    assert!(ran(&["report", "p.json", "device:p4510"]).contains("2 devices"));
    let advice = ran(&["advise", "postgresql", "p.json"]);
    assert!(advice.contains("effective_io_concurrency") && advice.contains("left out: random_page_cost"));
    assert!(ran(&["advise", "etcd", "p.json"]).contains("verdict: fast enough"));
    assert!(ran(&["advise", "all", "p.json"]).contains("left out: osd_mclock_max_capacity_iops_ssd"));
    fs::write(dir.path().join("etcd.yml"), "heartbeat-interval: 100\nelection-timeout: 1000\n").unwrap();
    assert!(ran(&["lint", "etcd", "etcd.yml", "p.json"]).contains("fit: heartbeat-interval"));
    let failed = run(dir.path(), &["predict", "p.json", "--slo", "p99=1ms"]);
    assert_eq!(failed.code, Some(2), "{failed:?}");
}

#[test]
fn json_is_the_profile_and_without_a_name_a_folder_holds_it_with_the_page() {
    let (dir, _) = imported();
    let printed =
        run(dir.path(), &["profile", "import", "metrics.txt", "--json", "--name", "sda"]).succeeded();
    let profile = printed.profile();
    assert_eq!((profile.device.name.as_str(), printed.stderr.as_str()), ("sda", ""));
    assert!(profile.experiments.fsync.is_some() && profile.points.is_empty());
    let own = folder();
    fs::copy(dir.path().join("metrics.txt"), own.path().join("m")).unwrap();
    run(own.path(), &["profile", "import", "m"]).succeeded();
    fs::remove_file(own.path().join("m")).unwrap();
    assert_eq!(names(&made_folder(own.path())), ["profile.json", "report.html"]);
}

#[test]
fn what_cannot_be_imported_is_refused_in_one_line_and_nothing_is_written() {
    let (dir, _) = imported();
    fs::write(dir.path().join("hdparm.txt"), "/dev/sda:\n Timing buffered disk reads: 400 MB in 3 seconds\n")
        .unwrap();
    let buffered = sweep().replace("\"direct\": \"1\"", "\"direct\": \"0\"");
    fs::write(dir.path().join("cached.json"), buffered).unwrap();
    let raw = "2000 200000000 10000 40960123 69865 100000 179259 10000 2001 202000000\n";
    fs::write(dir.path().join("ioping.txt"), raw).unwrap();
    for (arguments, said) in [
        (vec!["hdparm.txt"], "error: hdparm.txt: line 2: is output of hdparm"),
        (
            vec!["cached.json"],
            "error: cached.json: nothing can be used: job \"randread-1\": went through the page",
        ),
        (vec!["none.json"], "error: none.json: No such file"),
        (vec!["ioping.txt"], "error: ioping.txt: ioping's output does not say where it read"),
        (vec!["sweep.json", "--format", "etcd"], "error: sweep.json: line 1: the buckets"),
        (vec!["sweep.json", "--format", "bonnie"], "error: invalid value 'bonnie' for '--format <FORMAT>'"),
    ] {
        let mut all = vec!["profile", "import"];
        all.extend(arguments);
        all.extend(["-o", "new.json"]);
        let failed = run(dir.path(), &all);
        assert_eq!((failed.code, failed.stdout.as_str()), (Some(2), ""), "{all:?}");
        assert!(failed.stderr.starts_with(said) && failed.stderr.lines().count() == 1, "{}", failed.stderr);
        assert!(!dir.path().join("new.json").exists());
    }
    let over = run(dir.path(), &["profile", "import", "sweep.json", "-o", "sweep.json"]);
    assert!(over.code == Some(2) && over.stderr.contains("which it would replace"), "{over:?}");
    assert_eq!(fs::read_to_string(dir.path().join("sweep.json")).unwrap(), sweep());
    run(dir.path(), &["profile", "import", "ioping.txt", "--pattern", "random", "-o", "i.json"]).succeeded();
}

#[test]
fn a_folder_named_import_is_measured_by_its_path() {
    let dir = folder();
    fs::create_dir(dir.path().join("import")).unwrap();
    let failed = run(dir.path(), &["profile", "import"]);
    assert_eq!(failed.code, Some(2));
    assert_eq!(
        failed.stderr,
        "error: profile import: name the files to import; what is named import here is measured by leadline \
         profile ./import\n"
    );
    let measured = run(dir.path(), &["profile", "./import", "--dry-run"]).succeeded();
    assert!(measured.stdout.starts_with("./import: "), "{}", measured.stdout);
    assert_eq!(names(Path::new(&dir.path().join("import"))), [""; 0]);
}

/// What fio itself says of a run is what the profile has.
#[test]
fn a_run_of_fio_has_the_rate_and_latency_that_fio_says() {
    let dir = folder();
    let fio = Command::new("fio")
        .current_dir(dir.path())
        .args(["--output-format=json+", "--output=f.json", "--name=r", "--filename=f", "--size=4m"])
        .args(["--rw=randread", "--bs=4k", "--direct=1", "--ioengine=psync", "--runtime=1", "--time_based"])
        .output();
    if !fio.is_ok_and(|done| done.status.success()) {
        let _ = writeln!(std::io::stderr(), "SKIPPED a_run_of_fio: fio is missing, or direct I/O fails here");
        return;
    }
    let text = fs::read_to_string(dir.path().join("f.json")).unwrap();
    let said: serde_json::Value = serde_json::from_str(&text[text.find('{').unwrap()..]).unwrap();
    let read = &said["jobs"][0]["read"];
    let profile = run(dir.path(), &["profile", "import", "f.json", "--json"]).succeeded().profile();
    let [point] = profile.points.as_slice() else { panic!("{:?}", profile.method.imported) };
    let near = |found: f64, said: &serde_json::Value, unit: f64| {
        assert!((found * unit / said.as_f64().unwrap() - 1.0).abs() < 0.02, "{found} {said}");
    };
    near(point.iops, &read["iops"], 1.0);
    near(point.latency_us.mean, &read["lat_ns"]["mean"], 1e3);
    near(point.latency_us.p99, &read["clat_ns"]["percentile"]["99.000000"], 1e3);
    assert_eq!((point.concurrency, point.block_bytes), (1, 4096));
    let version = said["fio version"].as_str().unwrap().trim_start_matches("fio-");
    assert_eq!(profile.method.imported[0].version.as_deref(), Some(version));
}
