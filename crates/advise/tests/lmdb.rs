//! LMDB and libmdbx: what is advised follows the device, and what is wrong is named.

use leadline_advise::{Config, Inputs, System, Value, Verdict, advise, lint, parse};
use serde_json::json;

use crate::asked::{advised, assert_fits_what_is_written, assert_names_what_is_missing, linted};
use crate::common::{DISK, FAST, Known, parsed};
use crate::drives::{assert_fits_what_is_measured_again, assert_one_advice};

const LMDB: System = System::Lmdb;
const FLAG: &str = "MDB_NORDAHEAD";
const SYNC: &str = "MDBX_opt_sync_bytes";

fn inputs(data: u64) -> Inputs {
    Inputs {
        version: Some("0.9".to_owned()),
        memory_bytes: Some(8 << 30),
        data_bytes: Some(data << 30),
        ..Inputs::default()
    }
}

fn verdict(known: Known, data: u64, text: &str) -> Verdict {
    let config: Config = parse(LMDB, text, "e.c".as_ref()).unwrap();
    lint(LMDB, &config, &known.profile(), &inputs(data)).unwrap().findings[0].verdict
}

#[test]
fn the_kernel_reads_ahead_only_where_that_is_free() {
    let flag = |known: Known, data: u64| {
        let advice = advise(LMDB, &known.profile(), &inputs(data)).unwrap();
        advice.setting(FLAG).unwrap().value.clone()
    };
    // 128 KiB take 1.3 times as long as 4 KiB on the one, 1.08 times on the other.
    assert_eq!(flag(FAST, 80), Value::word("on"));
    assert_eq!(flag(DISK, 80), Value::word("off"));
    assert_eq!(flag(FAST, 4), Value::word("off"));
    let (with, without) =
        ("mdb_env_open(e, p, MDB_NORDAHEAD, 0644);", "mdb_env_open(e, p, MDB_NOTLS, 0644);");
    assert_eq!(verdict(FAST, 80, with), Verdict::Fits);
    assert_eq!(verdict(FAST, 80, without), Verdict::Wrong);
    assert_eq!(verdict(DISK, 80, with), Verdict::Wrong);
    assert_eq!(verdict(FAST, 4, with), Verdict::Fits);
    assert_eq!(verdict(FAST, 80, "lmdb.open(path, readahead=True)"), Verdict::Wrong);
    // The advice of each is read back as it is.
    for (known, data) in [(FAST, 80), (DISK, 80), (FAST, 4)] {
        let advice = advise(LMDB, &known.profile(), &inputs(data)).unwrap();
        assert_eq!(verdict(known, data, &advice.files()[0].text), Verdict::Fits);
    }
}

#[test]
fn without_the_size_of_the_data_nothing_is_said_of_it() {
    let advice = advised(LMDB, &FAST.profile(), "0.9");
    assert!(advice.settings.is_empty() && advice.files().is_empty());
    assert!(advice.notes.iter().any(|note| note.contains("give --data and --memory")), "{:?}", advice.notes);
    assert!(advice.notes[0].contains("5000 commits per second"), "{:?}", advice.notes);
}

#[test]
fn lazy_commits_are_flushed_after_what_makes_a_flush_cheap() {
    let bytes = |known: Known| advised(LMDB, &known.profile(), "mdbx").setting(SYNC).unwrap().value.clone();
    // 0.9 ms of 250 MB/s, and 144 ms of 25 MB/s.
    assert_eq!(bytes(FAST), Value::Bytes(1 << 20));
    assert_eq!(bytes(DISK), Value::Bytes(4 << 20));
    let set = |bytes: u32| format!("mdbx_env_set_option(env, MDBX_opt_sync_bytes, {bytes});");
    let judged = |text: &str| linted(LMDB, &DISK.profile(), "mdbx", text).findings[0].verdict;
    assert_eq!(judged(&set(65_536)), Verdict::TooLow);
    assert_eq!(judged(&set(1 << 30)), Verdict::TooHigh);
    assert_eq!(judged(&set(0)), Verdict::Off);
    // The text tells that it is libmdbx.
    let config = parse(LMDB, &set(65_536), "e.c".as_ref()).unwrap();
    let found = lint(LMDB, &config, &DISK.profile(), &Inputs::default()).unwrap();
    assert_eq!(found.findings[0].verdict, Verdict::TooLow);
}

#[test]
fn what_was_not_measured_is_named_with_its_experiment() {
    let mut document = FAST.document();
    document["experiments"] = json!({});
    let without = parsed(&document);
    assert_names_what_is_missing(LMDB, &without, &[]);
    let advice = advise(LMDB, &without, &inputs(80)).unwrap();
    assert_eq!((advice.missing[0].key, advice.missing[0].experiment), (FLAG, "interleaving"));
    let advice = advised(LMDB, &without, "mdbx");
    assert_eq!((advice.missing[0].key, advice.missing[0].experiment), (SYNC, "fsync"));
}

#[test]
fn every_value_that_is_written_is_read_as_fitting() {
    for known in [FAST, DISK] {
        assert_fits_what_is_written(LMDB, &known.profile());
    }
    assert_fits_what_is_measured_again(LMDB);
    assert_one_advice(LMDB);
}
