//! DuckDB: what is advised follows the device, and what is wrong is named.

use std::path::Path;
use std::process::Command;

use leadline_advise::{Inputs, System, Value, Verdict, advise};
use serde_json::json;

use crate::asked::{
    advised, assert_fits_what_is_written, assert_names_what_is_missing, linted, value, wrong,
};
use crate::common::{DISK, FAST, Known, parsed};
use crate::drives::{assert_fits_what_is_measured_again, assert_one_advice};
use crate::programs::{ran, text};

const DUCKDB: System = System::Duckdb;
const GAP: &str = "parquet_prefetch_column_gap";

/// An array that needs many requests in flight.
const ARRAY: Known = Known { read_us: 2000.0, servers: 200, bandwidth: 1e10, ..FAST };

fn one(key: &str, verdict: Verdict) -> [(String, Verdict); 1] {
    [(key.to_owned(), verdict)]
}

#[test]
fn as_many_read_as_keep_the_device_busy() {
    let within = |known: Known, version: &str, memory_bytes: Option<u64>| {
        let version = Some(version.into());
        let inputs = Inputs { version, cores: Some(2), memory_bytes, ..Inputs::default() };
        let advice = advise(DUCKDB, &known.profile(), &inputs).unwrap();
        let number = |key| advice.setting(key).map(|one| one.value.number().unwrap());
        (number("threads"), number("async_threads"))
    };
    let threads = |known: Known, version: &str| within(known, version, Some(1 << 30));
    // Before 2.0 each thread reads for itself, where there is memory for it.
    assert_eq!(threads(FAST, "1.4"), (Some(2.0), None));
    assert_eq!(threads(ARRAY, "1.4"), (Some(4.0), None));
    assert_eq!(within(ARRAY, "1.4", Some(375_000_000)), (Some(3.0), None));
    assert_eq!(within(ARRAY, "1.4", None), (Some(2.0), None));
    let slow = Known { read_us: 50_000.0, ..ARRAY };
    assert_eq!(threads(slow, "2.0"), (Some(2.0), Some(256.0)));
    assert_eq!(threads(ARRAY, "2.0"), (Some(2.0), Some(128.0)));
    assert_eq!(threads(DISK, "2.0"), (Some(2.0), Some(8.0)));
    let few = linted(DUCKDB, &ARRAY.profile(), "2.0", "SET async_threads = 8;");
    assert_eq!(few.findings[0].verdict, Verdict::TooLow);
    // 8 of 80 in flight.
    let (times, _) = few.findings[0].costs.unwrap();
    assert!((8.0..12.0).contains(&times), "{times}");
}

#[test]
fn columns_are_read_together_where_a_request_costs_more_than_what_lies_between() {
    let gap = |known: Known| value(DUCKDB, &known.profile(), GAP);
    // A move of the heads takes as long as 1.6 MB.
    assert_eq!(gap(DISK), Value::Bytes(1 << 20));
    // With 8 in flight one more takes as long as 78 KB.
    assert_eq!(gap(FAST), Value::Bytes(64 << 10));
    assert_eq!(wrong(DUCKDB, &DISK.profile(), &format!("SET {GAP} = 16384;")), one(GAP, Verdict::TooLow));
    assert_eq!(wrong(DUCKDB, &FAST.profile(), &format!("SET {GAP} = 4194304;")), one(GAP, Verdict::TooHigh));
    // DuckDB finds it out by itself.
    assert_eq!(wrong(DUCKDB, &DISK.profile(), &format!("SET {GAP} = NULL;")), []);
    assert_eq!(wrong(DUCKDB, &DISK.profile(), &format!("SET {GAP} = '1MB';")), one(GAP, Verdict::Invalid));
}

#[test]
fn a_checkpoint_writes_more_than_it_flushes() {
    let key = "checkpoint_threshold";
    // Three flushes of 16 ms are a tenth of 43 MB.
    assert_eq!(value(DUCKDB, &DISK.profile(), key), Value::Bytes(64 << 20));
    assert_eq!(value(DUCKDB, &FAST.profile(), key), Value::Bytes(16 << 20));
    for known in [FAST, DISK] {
        assert_eq!(wrong(DUCKDB, &known.profile(), "SET checkpoint_threshold = '16.0 MiB';"), []);
        let found = wrong(DUCKDB, &known.profile(), "PRAGMA wal_autocheckpoint='1kb';");
        assert_eq!(found, one(key, Verdict::TooLow));
        assert_eq!(
            wrong(DUCKDB, &known.profile(), "SET checkpoint_threshold = 1000;"),
            one(key, Verdict::Invalid)
        );
        let never = linted(DUCKDB, &known.profile(), "2.0", "SET checkpoint_threshold = '-1';");
        assert_eq!(never.findings[0].verdict, Verdict::Off);
    }
}

#[test]
fn versions_have_their_own_keys_and_what_is_left_out_is_said() {
    let old = advised(DUCKDB, &FAST.profile(), "1.5");
    assert!(old.setting(GAP).is_none() && old.setting("threads").is_some());
    assert!(old.notes.iter().any(|note| note.starts_with("temp_directory: ")), "{:?}", old.notes);
    assert_eq!(DUCKDB.version_of("v1.3.2 (Ossivalis) 71c5c07cdd"), Some("1.2"));
    let newer = linted(DUCKDB, &FAST.profile(), "1.4", "SET async_threads = 64;");
    assert_eq!(newer.findings[0].verdict, Verdict::Unknown);
}

#[test]
fn what_was_not_measured_is_named_with_its_experiment() {
    let mut document = FAST.document();
    document["experiments"] = json!({});
    let missing =
        [("async_threads", "interleaving"), (GAP, "interleaving"), ("checkpoint_threshold", "fsync")];
    assert_names_what_is_missing(DUCKDB, &parsed(&document), &missing);
}

#[test]
fn every_value_that_is_written_is_read_as_fitting() {
    for known in [FAST, DISK, ARRAY] {
        assert_fits_what_is_written(DUCKDB, &known.profile());
    }
    assert_fits_what_is_measured_again(DUCKDB);
    assert_one_advice(DUCKDB);
}

#[test]
fn what_other_statements_set_is_not_judged() {
    let text = "SET memory_limit = '4GB';\nSET threads TO 8;\nUPDATE t SET threads = 1000;\nSELECT 1;\n";
    assert_eq!(wrong(DUCKDB, &FAST.profile(), text), []);
}

/// The shell that the set-up of the tests installs, else the one on PATH.
fn shell() -> Command {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap();
    let installed = target.join("python/bin/duckdb");
    let mut shell = Command::new(if installed.is_file() { installed } else { "duckdb".into() });
    shell.args(["-init", "/dev/null", "-bail", "-noheader", "-list", "-c"]);
    shell
}

#[test]
fn the_shell_takes_every_line() {
    let Some(told) = ran(shell().arg("SELECT version()")) else { return };
    let version = DUCKDB.version_of(text(&told.stdout).trim()).unwrap();
    for known in [FAST, DISK, ARRAY] {
        let advice = advised(DUCKDB, &known.profile(), version);
        let asked = advice.settings.iter().map(|one| format!("SELECT current_setting('{}');\n", one.key));
        let script = format!("{}{}", advice.files()[0].text, asked.collect::<String>());
        let Some(ran) = ran(shell().arg(script)) else { return };
        assert_eq!(text(&ran.stderr), "");
        let in_force: Vec<Value> = text(&ran.stdout)
            .lines()
            .zip(&advice.settings)
            .map(|(shown, setting)| {
                let config = format!("SET {} = '{shown}';", setting.key);
                let lint = linted(DUCKDB, &known.profile(), version, &config);
                assert_eq!(lint.findings[0].verdict, Verdict::Fits, "{config}");
                setting.value.clone()
            })
            .collect();
        assert_eq!(in_force.len(), advice.settings.len(), "{}", text(&ran.stdout));
    }
}
