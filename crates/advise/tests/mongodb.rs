//! MongoDB: what is advised follows the device, and what is wrong is named.

use leadline_advise::{Inputs, System, Value, Verdict, advise};
use serde_json::json;

use crate::asked::{
    advised, assert_fits_what_is_written, assert_names_what_is_missing, linted, value, wrong,
};
use crate::common::{DISK, FAST, Known, parsed};
use crate::drives::{assert_fits_what_is_measured_again, assert_one_advice};

const MONGODB: System = System::Mongodb;
const COMMIT: &str = "storage.journal.commitIntervalMs";

/// An array that needs many requests in flight.
const ARRAY: Known = Known { servers: 400, bandwidth: 1e11, ..FAST };

/// A card: 1 MB/s at random, and flushes of 30 ms.
const CARD: Known = Known { sustained: 4e6, flush_us: 30_000.0, ..FAST };

fn with_string(known: Known, string: &str) -> Vec<(String, Verdict)> {
    let text = format!("storage:\n  wiredTiger:\n    engineConfig:\n      configString: {string}\n");
    wrong(MONGODB, &known.profile(), &text)
}

#[test]
fn dirty_pages_are_written_by_as_many_as_the_device_can_serve() {
    let key = "eviction.threads_max";
    // One per processor of 8 at most.
    assert_eq!(value(MONGODB, &FAST.profile(), key), Value::Number(8.0));
    assert_eq!(value(MONGODB, &DISK.profile(), key), Value::Number(4.0));
    let one = with_string(FAST, "eviction=(threads_min=1,threads_max=1)");
    assert_eq!(one, [(key.to_owned(), Verdict::TooLow)]);
    let many = with_string(FAST, "eviction=(threads_min=1,threads_max=30)");
    assert_eq!(many, [(key.to_owned(), Verdict::OutOfRange)]);
}

#[test]
fn a_checkpoint_has_no_more_to_write_than_the_drive_can() {
    let shares = |known: Known, memory: u64| {
        let inputs = Inputs { memory_bytes: Some(memory), ..Inputs::default() };
        let advice = advise(MONGODB, &known.profile(), &inputs).unwrap();
        ["eviction_dirty_target", "eviction_dirty_trigger"]
            .map(|key| advice.setting(key).unwrap().value.number().unwrap())
    };
    assert_eq!(shares(FAST, 64 << 30), [5.0, 20.0]);
    // 30 MB in half a minute, of a cache of 31 GiB.
    assert_eq!(shares(CARD, 64 << 30), [1.25, 5.0]);
    assert_eq!(shares(CARD, 2 << 30), [1.25, 5.0]);
    let found = with_string(CARD, "eviction_dirty_target=5,eviction_dirty_trigger=20");
    let want =
        ["eviction_dirty_target", "eviction_dirty_trigger"].map(|key| (key.to_owned(), Verdict::TooHigh));
    assert_eq!(found, want);
}

#[test]
fn the_journal_is_flushed_as_often_as_the_device_can_bear() {
    assert_eq!(value(MONGODB, &FAST.profile(), COMMIT), Value::Seconds(0.1));
    assert_eq!(value(MONGODB, &CARD.profile(), COMMIT), Value::Seconds(0.5));
    let set = |ms: u32| format!("storage.journal.commitIntervalMs: {ms}\n");
    assert_eq!(wrong(MONGODB, &FAST.profile(), &set(5)), []);
    assert_eq!(wrong(MONGODB, &CARD.profile(), &set(5)), [(COMMIT.to_owned(), Verdict::TooLow)]);
    assert_eq!(wrong(MONGODB, &CARD.profile(), &set(1000)), [(COMMIT.to_owned(), Verdict::OutOfRange)]);
    let off = "storage:\n  journal:\n    enabled: false\n    commitIntervalMs: 5\n";
    assert_eq!(linted(MONGODB, &CARD.profile(), "5.0", off).findings[0].verdict, Verdict::Moot);
}

#[test]
fn as_many_operations_read_as_saturate_the_device() {
    let readers = |known: Known, version: &str| {
        let advice = advised(MONGODB, &known.profile(), version);
        advice.setting("wiredTigerConcurrentReadTransactions").map(|one| one.value.clone())
    };
    assert_eq!(readers(ARRAY, "6.0"), Some(Value::Number(512.0)));
    assert_eq!(readers(DISK, "6.0"), Some(Value::Number(128.0)));
    // Since then the server finds out.
    assert_eq!(readers(ARRAY, "7.0"), None);
}

#[test]
fn what_was_not_measured_is_named_with_its_experiment() {
    let mut document = FAST.document();
    document["experiments"] = json!({});
    let missing =
        [(COMMIT, "fsync"), ("eviction_dirty_target", "sustained"), ("eviction_dirty_trigger", "sustained")];
    assert_names_what_is_missing(MONGODB, &parsed(&document), &missing);
}

#[test]
fn every_value_that_is_written_is_read_as_fitting() {
    for known in [FAST, DISK, ARRAY, CARD] {
        assert_fits_what_is_written(MONGODB, &known.profile());
    }
    assert_fits_what_is_measured_again(MONGODB);
    assert_one_advice(MONGODB);
}
