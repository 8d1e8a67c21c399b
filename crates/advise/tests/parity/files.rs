//! Programs that read a file and say what is in it.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use leadline_advise::System;

use super::{assert_parity, latin1};
use crate::corpus::{Case, MARIADB, OSDS, Pairs, assert_same, cases, escaped, refused};
use crate::programs::{ran, skipped};

/// What `my_print_defaults` is told that the server reads (`load_default_groups`).
const GROUPS: [&str; 9] = [
    "mysqld",
    "server",
    "mysqld-10.11",
    "mariadb",
    "mariadb-10.11",
    "mariadbd",
    "mariadbd-10.11",
    "client-server",
    "galera",
];

/// Prints the properties of a file through the Java that is here.
const PROPERTIES: &str = r#"
import sys
from py4j.java_gateway import GatewayParameters, JavaGateway, launch_gateway
port, token = launch_gateway(die_on_exit=True, enable_auth=True)
gateway = JavaGateway(gateway_parameters=GatewayParameters(port=port, auth_token=token))
properties = gateway.jvm.java.util.Properties()
properties.load(gateway.jvm.java.io.FileInputStream(sys.argv[1]))
for key in sorted(properties.stringPropertyNames()):
    value = properties.getProperty(key).strip()
    sys.stdout.buffer.write((key + "\0" + value + "\0\n").encode())
gateway.shutdown()
"#;

#[test]
fn my_print_defaults_reads_the_same() {
    assert!(GROUPS.contains(&MARIADB));
    assert_parity(System::Innodb, |case| {
        let mut command = Command::new("my_print_defaults");
        command.arg("--defaults-file=my.cnf").args(GROUPS).current_dir(&case.folder);
        let output = ran(&mut command)?;
        if !output.status.success() {
            return Some(refused(""));
        }
        Some(latin1(&output.stdout).lines().map(option).collect())
    });
}

/// `--skip-x` as the server takes it, with underscores.
fn option(line: &str) -> (String, String) {
    let option = line.strip_prefix("--").expect(line);
    let (key, value) = option.split_once('=').unwrap_or((option, ""));
    let key = key.replace('-', "_");
    let key = key.strip_prefix("loose_").unwrap_or(&key);
    let is_own = ["skip_name_resolve", "skip_external_locking"].contains(&key);
    let switched =
        [("skip_", "0"), ("disable_", "0"), ("enable_", "1")].into_iter().find_map(|(prefix, value)| {
            Some((key.strip_prefix(prefix)?.to_owned(), value.to_owned())).filter(|_| !is_own)
        });
    switched.unwrap_or_else(|| (key.to_owned(), escaped(value)))
}

/// What the server makes of the options, where it takes the whole file: `--help --verbose` ends with a table.
#[test]
fn mariadbd_has_the_same_values() {
    let mut compared = 0;
    for case in cases(System::Innodb) {
        let mut command = Command::new("mariadbd");
        command
            .args(["--defaults-file=my.cnf", "--user=root", "--help", "--verbose"])
            .current_dir(&case.folder);
        let Some(output) = ran(&mut command) else { return };
        if !output.status.success() || latin1(&output.stderr).contains("[ERROR]") {
            continue;
        }
        let said = latin1(&output.stdout);
        let (_, table) = said.split_once("Value (after reading options)").expect("a table");
        let row = |line: &str| {
            let (key, value) = line.split_once(' ')?;
            Some((key.replace('-', "_"), value.trim().to_owned()))
        };
        let values: BTreeMap<String, String> = table.lines().filter_map(row).collect();
        let ours: BTreeMap<String, String> = case.ours(System::Innodb).into_iter().collect();
        let known =
            ours.into_iter().filter(|(key, _)| key.starts_with("innodb_") && values.contains_key(key));
        let ours: Pairs = known.collect();
        let theirs = ours.iter().map(|(key, _)| (key.clone(), values[key].clone())).collect();
        compared += assert_same(System::Innodb, &case, &ours, &theirs);
    }
    assert!(compared >= 25, "{compared} values were compared");
}

#[test]
fn ceph_conf_reads_the_same() {
    assert_parity(System::Ceph, |case| {
        let text = latin1(&std::fs::read(case.file("ceph.conf")).unwrap());
        let mut found = BTreeMap::new();
        for osd in OSDS {
            for key in mentioned(&text) {
                let mut command = Command::new("ceph-conf");
                command.args(["-c", "ceph.conf", "--name", osd, "--lookup", &key]).current_dir(&case.folder);
                let output = ran(&mut command)?;
                if latin1(&output.stderr).contains("parse error") {
                    return Some(refused(""));
                }
                if output.status.success() {
                    let value = latin1(&output.stdout);
                    found.insert(format!("{osd} {key}"), escaped(value.strip_suffix('\n').unwrap_or(&value)));
                }
            }
        }
        Some(found.into_iter().collect())
    });
}

/// All that may be a key in a file: what is before each equals sign of a line.
fn mentioned(text: &str) -> Vec<String> {
    let key = |line: &str| Some(line.split_once('=')?.0.split_whitespace().collect::<Vec<_>>().join("_"));
    let mut keys: Vec<String> = text.lines().filter_map(key).filter(|key| !key.is_empty()).collect();
    keys.push("osd_max_backfills".to_owned());
    keys.sort();
    keys.dedup();
    keys
}

#[test]
fn modprobe_reads_the_same() {
    assert_parity(System::Zfs, |case| {
        let mut command = Command::new("modprobe");
        command.arg("-C").arg(&case.folder).arg("--showconfig");
        let output = ran(&mut command)?;
        let options = latin1(&output.stdout);
        let options = options.lines().filter_map(|line| line.strip_prefix("options zfs "));
        // As the kernel takes them apart: what has no value is no parameter of these.
        let words = options.flat_map(|line| line.split_whitespace().filter_map(|word| word.split_once('=')));
        let plain = |value: &str| value.trim_matches('"').to_owned();
        Some(words.map(|(key, value)| (key.replace('-', "_"), escaped(&plain(value)))).collect())
    });
}

#[test]
fn java_reads_the_same() {
    let python = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/python/bin/python");
    assert_parity(System::Kafka, |case| {
        let mut command = Command::new(&python);
        command.args(["-c", PROPERTIES]).arg(case.file("server.properties"));
        let output = ran(&mut command)?;
        let said = latin1(&output.stdout);
        if !output.status.success() {
            skipped(&command, latin1(&output.stderr).lines().last().unwrap_or("it failed"));
            return None;
        }
        let pair = |line: &str| {
            let mut parts = line.split('\0');
            Some((parts.next()?.to_owned(), escaped(parts.next()?)))
        };
        Some(said.split_inclusive("\0\n").filter_map(pair).collect())
    });
}

#[test]
fn rocksdb_reads_the_same() {
    assert_parity(System::Rocksdb, |case| {
        let folder = tempfile::tempdir().unwrap();
        let (file, database) = (case.file("OPTIONS"), folder.path().join("db"));
        let mut command = Command::new("db_bench");
        command.arg(format!("--options_file={}", file.display())).arg(format!("--db={}", database.display()));
        command.args(["--benchmarks=fillseq", "--num=1"]).current_dir(folder.path());
        let output = ran(&mut command)?;
        Some(if output.status.success() { of_database(case, &database) } else { refused("") })
    });
}

/// What RocksDB wrote of the options that the case has, in the order of the case.
fn of_database(case: &Case, folder: &Path) -> Pairs {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let is_options =
        |path: &std::path::PathBuf| path.file_name().unwrap().to_str().unwrap().starts_with("OPTIONS-");
    let newest = entries.filter(is_options).max().expect("RocksDB leaves an OPTIONS file");
    let written: BTreeMap<String, String> =
        options(&std::fs::read_to_string(newest).unwrap()).into_iter().collect();
    let mut mine: Pairs = Vec::new();
    for (key, value) in options(&std::fs::read_to_string(case.file("OPTIONS")).unwrap()) {
        if mine.iter().all(|(before, _)| *before != key) {
            // It does not write its caches, nor what it has no option for any more.
            mine.push((key.clone(), written.get(&key).cloned().unwrap_or(value)));
        }
    }
    mine
}

fn options(text: &str) -> Pairs {
    let mut section = String::new();
    let mut found = Vec::new();
    for line in text.lines() {
        let line = line.split('#').next().unwrap_or_default().trim();
        if let Some(title) = line.strip_prefix('[') {
            section = title.split(['"', ']']).next().unwrap_or_default().trim().to_owned();
        } else if let Some((key, value)) = line.split_once('=').filter(|_| section != "Version") {
            found.push((format!("{section} {}", key.trim()), value.trim().to_owned()));
        }
    }
    found
}
