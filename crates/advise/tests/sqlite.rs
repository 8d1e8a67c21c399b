//! SQLite: what is advised follows the device, and what is wrong is named.

use std::process::Command;

use leadline_advise::{Inputs, System, Value, Verdict, advise};
use serde_json::json;

use crate::asked::{
    advised, assert_fits_what_is_written, assert_names_what_is_missing, linted, value, wrong,
};
use crate::common::{DISK, FAST, Known, parsed};
use crate::drives::{assert_fits_what_is_measured_again, assert_one_advice};
use crate::programs::{ran, text};

const SQLITE: System = System::Sqlite;

/// A volume in a cloud: 3000 requests per second.
const VOLUME: Known =
    Known { read_us: 1000.0, write_us: 1000.0, servers: 3, bandwidth: 1.25e8, sustained: 4.8e7, ..FAST };

fn one(key: &str, verdict: Verdict) -> [(String, Verdict); 1] {
    [(key.to_owned(), verdict)]
}

#[test]
fn pages_are_larger_where_a_read_of_one_takes_as_long_anyway() {
    let size = |known: Known| value(SQLITE, &known.profile(), "page_size");
    assert_eq!(size(DISK), Value::Bytes(16_384));
    assert_eq!(size(VOLUME), Value::Bytes(4096));
    // 512 bytes were for disks of their time: 9 reads instead of 4.
    assert_eq!(wrong(SQLITE, &DISK.profile(), "PRAGMA page_size=512;"), one("page_size", Verdict::TooLow));
    assert_eq!(
        wrong(SQLITE, &VOLUME.profile(), "PRAGMA page_size=65536;"),
        one("page_size", Verdict::TooHigh)
    );
    assert_eq!(wrong(SQLITE, &DISK.profile(), "PRAGMA page_size=5000;"), one("page_size", Verdict::Invalid));
}

#[test]
fn a_mapped_file_costs_only_where_reading_around_a_page_does() {
    let mapped = "PRAGMA mmap_size = 268435456;";
    // 128 KiB take 1.3 times as long as 4 KiB on the one, 1.08 times on the other.
    assert_eq!(wrong(SQLITE, &FAST.profile(), mapped), one("mmap_size", Verdict::TooHigh));
    assert_eq!(wrong(SQLITE, &DISK.profile(), mapped), []);
    let inputs =
        |data: u64| Inputs { memory_bytes: Some(8 << 30), data_bytes: Some(data << 30), ..Inputs::default() };
    let fits = |data| {
        let advice = advise(SQLITE, &FAST.profile(), &inputs(data)).unwrap();
        advice.setting("mmap_size").unwrap().fits.has(&Value::Bytes(1 << 30))
    };
    assert!(fits(4) && !fits(40));
}

#[test]
fn a_log_is_one_flush_per_commit_and_off_is_never_right() {
    for known in [FAST, DISK] {
        let found = linted(SQLITE, &known.profile(), "3", "PRAGMA journal_mode = TRUNCATE;");
        assert_eq!(found.findings[0].costs, Some((5.0, "a small commit")));
        assert_eq!(found.findings[0].verdict, Verdict::Wrong);
        for level in ["NORMAL", "full", "1", "2", "EXTRA"] {
            assert_eq!(wrong(SQLITE, &known.profile(), &format!("PRAGMA synchronous={level};")), []);
        }
        for level in ["off", "0", "FALSE"] {
            let text = format!("PRAGMA synchronous={level};");
            assert_eq!(wrong(SQLITE, &known.profile(), &text), one("synchronous", Verdict::Wrong));
        }
        // SQLite takes it for NORMAL.
        let found = wrong(SQLITE, &known.profile(), "PRAGMA synchronous=fulll;");
        assert_eq!(found, one("synchronous", Verdict::Invalid));
    }
}

#[test]
fn the_log_is_written_back_when_the_drive_has_time_for_it() {
    let key = "wal_autocheckpoint";
    // 61,000 pages per second; the others do fewer than ten thousand.
    assert_eq!(value(SQLITE, &FAST.profile(), key), Value::Number(4000.0));
    assert_eq!(value(SQLITE, &DISK.profile(), key), Value::Number(1000.0));
    for known in [FAST, DISK] {
        assert_eq!(wrong(SQLITE, &known.profile(), "PRAGMA wal_autocheckpoint=1000;"), []);
        assert_eq!(
            wrong(SQLITE, &known.profile(), "PRAGMA wal_autocheckpoint=1000000;"),
            one(key, Verdict::TooHigh)
        );
        let verdicts = |text: &str| {
            let found = linted(SQLITE, &known.profile(), "3", text).findings;
            found.into_iter().map(|finding| finding.verdict).collect::<Vec<_>>()
        };
        assert_eq!(verdicts("PRAGMA wal_autocheckpoint=-1;"), [Verdict::Off]);
        let other = "PRAGMA journal_mode=delete; PRAGMA wal_autocheckpoint=1000;";
        assert_eq!(verdicts(other), [Verdict::Wrong, Verdict::Moot]);
        let log = "PRAGMA journal_mode=WAL; PRAGMA wal_autocheckpoint=1000;";
        assert_eq!(verdicts(log), [Verdict::Fits, Verdict::Fits]);
    }
}

#[test]
fn what_was_not_measured_is_named_with_its_experiment() {
    let mut document = FAST.document();
    document["experiments"] = json!({});
    let missing = [
        ("page_size", "interleaving"),
        ("mmap_size", "interleaving"),
        ("journal_mode", "fsync"),
        ("synchronous", "fsync"),
        ("wal_autocheckpoint", "sustained"),
    ];
    assert_names_what_is_missing(SQLITE, &parsed(&document), &missing);
}

#[test]
fn every_value_that_is_written_is_read_as_fitting() {
    for known in [FAST, DISK, VOLUME] {
        assert_fits_what_is_written(SQLITE, &known.profile());
    }
    assert_fits_what_is_measured_again(SQLITE);
    assert_one_advice(SQLITE);
}

#[test]
fn what_the_library_has_by_itself_is_left_alone_and_other_pragmas_are_not_judged() {
    let defaults = "PRAGMA cache_size=-2000;\nPRAGMA foreign_keys=ON;\nPRAGMA mmap_size=0;\n\
                    PRAGMA synchronous=FULL;\nPRAGMA page_size=4096;\n";
    assert_eq!(wrong(SQLITE, &VOLUME.profile(), defaults), []);
}

#[test]
fn the_shell_takes_every_line() {
    for known in [FAST, DISK] {
        let folder = tempfile::tempdir().unwrap();
        let advice = advised(SQLITE, &known.profile(), "3");
        let file = &advice.files()[0];
        // What is in force once there is a table.
        let asked = advice.settings.iter().map(|setting| format!("PRAGMA {};\n", setting.key));
        let script = format!("{}CREATE TABLE t (a);\n{}", file.text, asked.collect::<String>());
        std::fs::write(folder.path().join(file.name), script).unwrap();
        let mut command = Command::new("sqlite3");
        let command = command.args(["-bail", "x.db"]).arg(format!(".read {}", file.name));
        let Some(ran) = ran(command.current_dir(folder.path())) else { return };
        assert_eq!(text(&ran.stderr), "");
        let shown = text(&ran.stdout);
        let in_force = advice.settings.iter().map(|setting| match setting.key {
            "synchronous" => "2".to_owned(),
            _ => setting.value.to_string(),
        });
        let in_force: String = in_force.map(|value| format!("{value}\n")).collect();
        assert!(shown.ends_with(&in_force), "{in_force}: {shown}");
    }
}
