//! `leadline advise` and `leadline lint`: settings of real systems for a device, and those in use.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::{Mutex, PoisonError};

use serde_json::Value;

use crate::ran::{folder, names, outcome, program, run};
use crate::simulated::profiled;

/// `pg_virtualenv` has one cluster at a time: its port is the first of PostgreSQL's.
static CLUSTER: Mutex<()> = Mutex::new(());

/// Runs a script while a new cluster runs that has these settings; it is gone afterwards.
fn with_cluster(dir: &Path, settings: &[&str], script: &str) {
    let _one = CLUSTER.lock().unwrap_or_else(PoisonError::into_inner);
    // Part of PostgreSQL's Debian packages.
    let mut command = Command::new("pg_virtualenv");
    command.arg("-t");
    settings.iter().for_each(|setting| {
        command.args(["-o", setting]);
    });
    outcome(command.args(["sh", "-c", script]).current_dir(dir)).succeeded();
}

/// A simulated drive with all that PostgreSQL's keys need, but for the ways to sync a file: it has no files.
fn flash(dir: &Path) {
    let measured = ["profile", "sim:flash", "--quick", "--for", "postgresql", "-o", "flash.json"];
    let said = profiled(dir, "flash.json", &[&measured]);
    assert!(said.contains("skipped (need a directory): sync-methods"), "{said}");
}

#[test]
fn a_profile_for_a_system_has_what_its_advice_needs() {
    let dir = folder();
    flash(dir.path());
    let ran = run(
        dir.path(),
        &["advise", "postgresql", "flash.json", "--memory", "16G", "--version", "18.1", "--json"],
    )
    .succeeded();
    let advice: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(advice["system"], "postgresql");
    assert_eq!(advice["version"], "18");
    let missing: Vec<&str> =
        advice["missing"].as_array().unwrap().iter().map(|one| one["experiment"].as_str().unwrap()).collect();
    assert_eq!(missing, ["sync-methods"]);
    let settings = advice["settings"].as_array().unwrap();
    for setting in settings {
        for field in ["key", "unit", "rule", "source"] {
            assert!(setting[field].as_str().is_some_and(|text| !text.is_empty()), "{field} of {setting}");
        }
        let (low, high) = (setting["low"].as_f64(), setting["high"].as_f64());
        assert!(low.zip(high).is_none_or(|(low, high)| low <= high), "{setting}");
    }
    // 80 servers: 72 of them are 90 %, and twice as many pages are asked for ahead.
    let prefetch = settings.iter().find(|setting| setting["key"] == "effective_io_concurrency").unwrap();
    assert!((140.0..=148.0).contains(&prefetch["exact"].as_f64().unwrap()), "{prefetch}");
    assert_eq!(prefetch["value"], 256, "{prefetch}");
    let [low, high] = [0, 1].map(|end| prefetch["fits"]["range"][end].as_f64().unwrap());
    assert!(low <= 72.0 && high >= 1000.0, "{prefetch}");
}

#[test]
fn settings_are_written_in_the_systems_own_syntax_and_read_back_as_fitting() {
    let dir = folder();
    flash(dir.path());
    let of = ["postgresql", "flash.json", "--version", "16"];
    let ran = run(dir.path(), &[&["advise"], &of[..], &["-o", "leadline.conf"]].concat()).succeeded();
    assert!(ran.stdout.contains("effective_io_concurrency"), "{}", ran.stdout);
    assert!(ran.stderr.contains("settings in leadline.conf"), "{}", ran.stderr);
    let lint = run(dir.path(), &["lint", "postgresql", "leadline.conf", "flash.json", "--version", "16"]);
    assert!(lint.succeeded().stdout.contains("fit: effective_io_concurrency"));
    let explained = run(dir.path(), &[&["advise"], &of[..], &["--explain"]].concat()).succeeded().stdout;
    assert!(ran.stdout.contains("does as well"), "{}", ran.stdout);
    for word in ["any value from ", " does as well", "rule: ", "defined in: ", "too low: ", "too high: "] {
        assert!(explained.contains(word), "no {word} in {explained}");
    }
}

#[test]
fn every_system_is_advised_at_once_into_a_folder_of_each() {
    let dir = folder();
    flash(dir.path());
    let ran = run(dir.path(), &["advise", "all", "flash.json", "-o", "settings", "--json"]).succeeded();
    let all: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(all["systems"].as_array().unwrap().len(), 18);
    let folders = names(&dir.path().join("settings"));
    assert!(folders.contains(&"redis".to_owned()), "{folders:?}");
    // Their versions differ, and nobody said which.
    assert!(!folders.contains(&"ceph".to_owned()), "{folders:?}");
    assert!(ran.stderr.contains("none is known: ") && ran.stderr.contains("ceph"), "{}", ran.stderr);
    let again = run(dir.path(), &["advise", "all", "flash.json", "-o", "settings"]);
    again.refused(&["settings: exists already; name a new directory"]);
    run(dir.path(), &["advise", "all", "flash.json", "--version", "16"]).refused(&["--version", "name one"]);
}

#[test]
fn what_is_wrong_is_named_with_its_line_and_ends_with_1() {
    let dir = folder();
    flash(dir.path());
    fs::write(dir.path().join("bad.conf"), "port = 5432\neffective_io_concurrency = 1\n").unwrap();
    let wrong = "bad.conf: 1 of 1 keys do not fit this device";
    let ran = run(dir.path(), &["lint", "postgresql", "bad.conf", "flash.json"]);
    ran.failed(1, &[wrong]);
    assert!(
        ran.stdout.contains("bad.conf, line 2: effective_io_concurrency = 1: too low by"),
        "{}",
        ran.stdout
    );
    let ran = run(dir.path(), &["lint", "postgresql", "bad.conf", "flash.json", "--json"]);
    ran.failed(1, &[wrong]);
    let found: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(found["findings"][0]["verdict"], "too-low");
    assert!(found["findings"][0]["costs"][0].as_f64().unwrap() > 10.0, "{found}");
}

#[test]
fn nothing_that_was_judged_is_told_apart_from_all_that_fits() {
    let dir = folder();
    flash(dir.path());
    fs::write(dir.path().join("other.conf"), "port = 5432\ncheckpoint_flush_after = 0\n").unwrap();
    let of = |file: &str| run(dir.path(), &["lint", "postgresql", file, "flash.json", "--version", "15"]);
    let ran = of("other.conf");
    ran.failed(3, &["other.conf: nothing was judged"]);
    assert!(ran.stdout.contains("checkpoint_flush_after = 0: off (meant?), "), "{}", ran.stdout);
    fs::write(dir.path().join("good.conf"), "effective_io_concurrency = 256\n").unwrap();
    of("good.conf").succeeded();
    fs::write(dir.path().join("new.conf"), "io_method = worker\n").unwrap();
    let ran = of("new.conf");
    ran.failed(1, &["new.conf: 1 of 1 keys do not fit"]);
    assert!(ran.stdout.contains("15 does not start with it"), "{}", ran.stdout);
    // Nobody says that it is for the version that is installed here.
    let ran = run(dir.path(), &["lint", "postgresql", "new.conf", "flash.json"]);
    ran.failed(3, &["nothing was judged"]);
    assert!(ran.stdout.contains("fits in version 18, unknown in 17: say --version"), "{}", ran.stdout);
}

/// As the README says it, on a server of whichever version is installed.
#[test]
fn a_postgresql_starts_with_what_is_written_for_it_and_has_it_in_force() {
    let dir = folder();
    flash(dir.path());
    run(dir.path(), &["advise", "postgresql", "flash.json", "--memory", "4G", "-o", "leadline.conf"])
        .succeeded();
    let leadline = program().display().to_string();
    let keys = fs::read_to_string(dir.path().join("leadline.conf")).unwrap();
    let keys: Vec<&str> = keys
        .lines()
        .filter(|line| !line.starts_with('#'))
        .filter_map(|line| line.split_once(" = "))
        .map(|(key, _)| key)
        .collect();
    assert!(keys.len() >= 10, "{keys:?}");
    let script = format!(
        "{leadline} lint postgresql postgresql:///postgres flash.json --memory 4G --json > lint.json"
    );
    let include = format!("include={}", dir.path().join("leadline.conf").display());
    with_cluster(dir.path(), &["fsync=on", &include], &script);
    let found: Value =
        serde_json::from_str(&fs::read_to_string(dir.path().join("lint.json")).unwrap()).unwrap();
    for key in keys {
        let of_key = |one: &&Value| one["key"] == key;
        let one = found["findings"].as_array().unwrap().iter().find(of_key);
        let is_default = found["advice"]["settings"]
            .as_array()
            .unwrap()
            .iter()
            .any(|setting| setting["key"] == key && setting["value"] == setting["default"]);
        assert!(one.map_or(is_default, |one| one["verdict"] == "fits"), "{key}: {one:?}");
    }
}

#[test]
fn settings_are_written_for_a_version_that_is_known() {
    let dir = folder();
    flash(dir.path());
    let write = |more: &[&str]| {
        run(dir.path(), &[&["advise", "ceph", "flash.json", "-o", "ceph.conf"], more].concat())
    };
    write(&[]).refused(&[
        "for which version of Ceph?",
        "osd_mclock_max_sequential_bandwidth_ssd",
        "--version",
    ]);
    write(&["--version", "16.2.1"]).refused(&["--version 16.2.1: older than all", "17, 18, 19, 20"]);
    assert!(!dir.path().join("ceph.conf").exists());
    write(&["--version", "ceph version 18.2.4 (e7ad) reef (stable)"]).succeeded();
    let ran = run(dir.path(), &["advise", "ceph", "flash.json"]).succeeded();
    assert!(ran.stdout.contains("these are the rules of Ceph 20; other versions"), "{}", ran.stdout);
}

#[test]
fn lines_for_other_drives_are_left_alone_and_a_drive_is_named_by_an_option() {
    let dir = folder();
    flash(dir.path());
    let rules =
        "KERNEL==\"sd*\", ATTR{queue/scheduler}=\"bfq\"\nKERNEL==\"nvme*\", ATTR{queue/scheduler}=\"none\"\n";
    fs::write(dir.path().join("60.rules"), rules).unwrap();
    let lint = ["lint", "linux", "60.rules", "flash.json", "--version", "6"];
    let with = |drive| run(dir.path(), &[&lint[..], &["--drive", drive]].concat());
    let said = with("nvme0n1").succeeded().stdout;
    assert!(said.contains("fit: queue/scheduler"), "{said}");
    assert!(said.contains("1 rule of udev is not for nvme0n1: sd*"), "{said}");
    with("sdb").failed(1, &["60.rules: 1 of 1 keys do not fit this device"]);
    with("sdb1").refused(&["--drive", "is a partition; name the drive, sdb"]);
    let said = run(dir.path(), &lint).stdout;
    assert!(
        said.contains("not judged: queue/scheduler: it cannot be known whether the rule matches"),
        "{said}"
    );
}

#[test]
fn a_copied_tree_is_read_with_its_includes() {
    let dir = folder();
    let mysql = dir.path().join("copy/etc/mysql");
    fs::create_dir_all(mysql.join("of-a-test")).unwrap();
    fs::write(mysql.join("my.cnf"), "[mysqld]\ninnodb_io_capacity = 10\n!includedir /etc/mysql/of-a-test/\n")
        .unwrap();
    fs::write(mysql.join("of-a-test/a.cnf"), "[mysqld]\n# f\u{fc}r\ninnodb_page_cleaners = 200#x\n").unwrap();
    let lint = ["lint", "innodb", "copy/etc/mysql/my.cnf", "device:p4510", "--version", "mariadb-10.11"];
    let without = run(dir.path(), &lint);
    without.failed(3, &["nothing was judged"]);
    let without = without.stdout;
    assert!(without.contains("is not here") && !without.contains("not set,"), "{without}");
    let ran = run(dir.path(), &[&lint[..], &["--config-root", "copy"]].concat());
    ran.failed(1, &["copy/etc/mysql/my.cnf: 1 of"]);
    assert!(
        ran.stdout.contains("of-a-test/a.cnf, line 3: innodb_page_cleaners = 200: meaningless"),
        "{}",
        ran.stdout
    );
    assert!(ran.stdout.contains("read with one file that it includes"), "{}", ran.stdout);
    run(dir.path(), &[&lint[..], &["--config-root", "none"]].concat()).refused(&["--config-root none"]);
}

/// A cluster of its own, made for the command and gone with it.
#[test]
fn a_running_postgresql_is_asked_for_what_was_set_and_for_its_version() {
    let dir = folder();
    flash(dir.path());
    let leadline = program().display().to_string();
    let script = format!(
        // In force for every session that begins after it.
        "psql -q -c 'ALTER DATABASE postgres SET effective_io_concurrency = 1' postgres && \
         {{ {leadline} lint postgresql postgresql:///postgres flash.json --json > lint.json; test $? = 1; }} && \
         {{ {leadline} lint postgresql --connect dbname=postgres flash.json --json > by.json; test $? = 1; }} && \
         psql -qX --csv -c 'TABLE pg_settings' postgres > settings.csv && \
         psql -qX -c 'SELECT name, setting, unit, source FROM pg_settings' postgres > settings.txt && \
         {{ {leadline} lint postgresql settings.csv flash.json --json > csv.json; test $? = 1; }} && \
         {{ {leadline} lint postgresql settings.txt flash.json --json > table.json; test $? = 1; }}"
    );
    with_cluster(dir.path(), &[], &script);
    let verdicts = |file: &str| -> Vec<(String, String)> {
        let found: Value = serde_json::from_str(&fs::read_to_string(dir.path().join(file)).unwrap()).unwrap();
        let text = |one: &Value, key: &str| one[key].as_str().unwrap().to_owned();
        let all = found["findings"].as_array().unwrap().iter();
        let mut all: Vec<_> = all.map(|one| (text(one, "key"), text(one, "verdict"))).collect();
        all.sort();
        all
    };
    // Whichever way it says them, they are the same settings.
    for file in ["by.json", "csv.json", "table.json"] {
        assert_eq!(verdicts(file), verdicts("lint.json"), "{file}");
    }
    let found: Value =
        serde_json::from_str(&fs::read_to_string(dir.path().join("lint.json")).unwrap()).unwrap();
    assert_eq!(found["findings"][0]["key"], "effective_io_concurrency");
    assert_eq!(found["findings"][0]["verdict"], "too-low");
    assert_eq!(found["findings"][0]["place"], "postgresql:///postgres");
    // The newest that is assumed of a file is not what runs here.
    let version = found["advice"]["version"].as_str().unwrap().parse::<u32>().unwrap();
    assert_eq!(version, server_version());
}

/// Of the newest that is installed.
fn server_version() -> u32 {
    let versions = fs::read_dir("/usr/lib/postgresql").unwrap();
    versions.filter_map(|one| one.unwrap().file_name().to_str()?.parse().ok()).max().unwrap()
}

#[test]
fn bad_input_is_refused_in_a_line() {
    let dir = folder();
    fs::write(dir.path().join("p.json"), "{}").unwrap();
    fs::write(dir.path().join("a.conf"), "nonsense\n").unwrap();
    let dir = dir.path();
    run(dir, &["advise", "oracle", "device:p4510"]).refused(&["oracle", "postgresql"]);
    run(dir, &["advise", "postgresql", "none.json"]).refused(&["none.json"]);
    run(dir, &["advise", "postgresql", "p.json"]).refused(&["p.json"]);
    run(dir, &["advise", "postgresql", "device:p4510", "--version", "9"]).succeeded();
    run(dir, &["advise", "postgresql", "device:p4510", "--version", "new"])
        .refused(&["--version new", "13, 14, 15, 16, 17, 18"]);
    run(dir, &["lint", "postgresql", "none.conf", "device:p4510"]).refused(&["none.conf"]);
    run(dir, &["lint", "postgresql", "a.conf", "device:p4510"]).refused(&["a.conf, line 1", "KEY = VALUE"]);
    run(dir, &["lint", "postgresql", "postgresql://localhost:1/x", "device:p4510"])
        .refused(&["postgresql://localhost:1/x", "psql"]);
    run(dir, &["profile", "sim:flash", "--for", "postgresql", "--json"]).refused(&["--for", "-o"]);
    let prove = |more: &[&str]| run(dir, &[&["prove"], more].concat());
    prove(&["ceph", "device:p4510", "."]).refused(&["ceph", "postgresql"]);
    prove(&["postgresql", "device:p4510", "none"]).refused(&["none: is not a directory"]);
    prove(&["postgresql", "none.json", "."]).refused(&["none.json"]);
    prove(&["postgresql", "device:p4510", ".", "--only", "x"]).refused(&["--only x", "scans"]);
    prove(&["postgresql", "device:p4510", ".", "--bin", "none"]).refused(&["none/"]);
    prove(&["innodb", "device:p4510", ".", "--bin", "/usr/bin"]).refused(&["--bin"]);
    prove(&["etcd", "device:p4510", "."]).refused(&["device:p4510", "leadline experiment fsync"]);
    prove(&["seastar", "device:p4510", "."]).refused(&["device:p4510", "mix-line"]);
    assert_eq!(names(dir), ["a.conf", "p.json"]);
}
