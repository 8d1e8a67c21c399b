//! Cassandra: what is advised follows the device, and what is wrong is named.

use leadline_advise::{System, Value, Verdict};
use serde_json::json;

use crate::asked::{
    advised, assert_fits_what_is_written, assert_names_what_is_missing, linted, value, wrong,
};
use crate::common::{DISK, FAST, Known, parsed};
use crate::drives::{assert_fits_what_is_measured_again, assert_one_advice};

const CASSANDRA: System = System::Cassandra;

/// An array that needs many requests in flight.
const ARRAY: Known = Known { servers: 200, bandwidth: 1e11, ..FAST };

fn verdicts(known: Known, version: &str, text: &str) -> Vec<(String, Verdict)> {
    let found = linted(CASSANDRA, &known.profile(), version, text).findings;
    found.into_iter().map(|finding| (finding.key, finding.verdict)).collect()
}

#[test]
fn as_many_threads_read_as_saturate_the_device() {
    let reads = |known: Known| value(CASSANDRA, &known.profile(), "concurrent_reads");
    assert_eq!(reads(ARRAY), Value::Number(128.0));
    assert_eq!(reads(FAST), Value::Number(32.0));
    assert_eq!(reads(DISK), Value::Number(32.0));
    let many = "concurrent_reads: 512\nconcurrent_counter_writes: 1\n";
    let want = [("concurrent_reads", Verdict::TooHigh), ("concurrent_counter_writes", Verdict::OutOfRange)];
    assert_eq!(verdicts(DISK, "5.0", many), want.map(|(key, verdict)| (key.to_owned(), verdict)));
}

#[test]
fn compactions_take_half_of_what_lasts() {
    let rate = |known: Known| value(CASSANDRA, &known.profile(), "compaction_throughput");
    // 1 GB/s and 100 MB/s.
    assert_eq!(rate(FAST), Value::Bytes(256 << 20));
    assert_eq!(rate(DISK), Value::Bytes(64 << 20));
    let one = |verdict| vec![("compaction_throughput".to_owned(), verdict)];
    assert_eq!(verdicts(FAST, "5.0", "compaction_throughput: 16MiB/s"), one(Verdict::TooLow));
    assert_eq!(verdicts(DISK, "5.0", "compaction_throughput: 1024MiB/s"), one(Verdict::TooHigh));
    assert_eq!(verdicts(DISK, "5.0", "compaction_throughput: 0MiB/s"), one(Verdict::Off));
    // Both names mean the same; only later releases have both.
    assert_eq!(verdicts(FAST, "4.0", "compaction_throughput_mb_per_sec: 16"), one(Verdict::TooLow));
    assert_eq!(verdicts(FAST, "5.0", "compaction_throughput_mb_per_sec: 256"), one(Verdict::Fits));
    assert_eq!(verdicts(FAST, "4.0", "compaction_throughput: 256MiB/s"), one(Verdict::Unknown));
    assert_eq!(verdicts(FAST, "5.0", "compaction_throughput: 256"), one(Verdict::Invalid));
}

#[test]
fn strategies_and_flushes_are_of_the_kind_of_device() {
    let strategy = "disk_optimization_strategy: spinning\n";
    assert_eq!(wrong(CASSANDRA, &DISK.profile(), strategy), []);
    let found = wrong(CASSANDRA, &FAST.profile(), strategy);
    assert_eq!(found, [("disk_optimization_strategy".into(), Verdict::Wrong)]);
    assert_eq!(verdicts(FAST, "5.0", "commitlog_sync: batch\n")[0].1, Verdict::Fits);
    assert_eq!(verdicts(DISK, "5.0", "commitlog_sync: batch\n")[0].1, Verdict::Wrong);
    assert_eq!(verdicts(DISK, "5.0", "trickle_fsync: false\n")[0].1, Verdict::Fits);
    assert_eq!(verdicts(FAST, "5.0", "trickle_fsync: false\n")[0].1, Verdict::Wrong);
    let unread = "trickle_fsync: false\ntrickle_fsync_interval: 1KiB\n";
    assert_eq!(verdicts(DISK, "5.0", unread)[1].1, Verdict::Moot);
    // The server starts with one of them only.
    let both = "commitlog_sync: group\ncommitlog_sync_period: 10000ms\n";
    assert_eq!(verdicts(FAST, "5.0", both)[1].1, Verdict::Invalid);
}

#[test]
fn what_was_not_measured_is_named_with_its_experiment() {
    let mut document = FAST.document();
    document["experiments"] = json!({});
    let missing = [
        ("compaction_throughput", "sustained"),
        ("disk_optimization_strategy", "interleaving"),
        ("commitlog_sync", "fsync"),
        ("commitlog_sync_period", "fsync"),
        ("trickle_fsync", "sustained"),
        ("trickle_fsync_interval", "fsync"),
    ];
    assert_names_what_is_missing(CASSANDRA, &parsed(&document), &missing);
}

#[test]
fn every_value_that_is_written_is_read_as_fitting() {
    for known in [FAST, DISK, ARRAY] {
        assert_fits_what_is_written(CASSANDRA, &known.profile());
    }
    assert_fits_what_is_measured_again(CASSANDRA);
    assert_one_advice(CASSANDRA);
    let text = |version| advised(CASSANDRA, &FAST.profile(), version).files()[0].text.clone();
    assert!(text("4.0").contains("\ncompaction_throughput_mb_per_sec: 256\n"), "{}", text("4.0"));
    assert!(text("4.1").contains("\ncommitlog_sync_period: 10000ms\n"), "{}", text("4.1"));
}
