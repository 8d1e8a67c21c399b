//! Kafka: what is advised follows the device, and what is wrong is named.

use leadline_advise::{System, Value, Verdict};
use serde_json::json;

use crate::asked::{
    advised, assert_fits_what_is_written, assert_names_what_is_missing, linted, value, wrong,
};
use crate::common::{DISK, FAST, parsed};

const KAFKA: System = System::Kafka;
const MESSAGES: &str = "log.flush.interval.messages";
const INTERVAL: &str = "log.flush.interval.ms";

#[test]
fn flushes_take_one_percent_of_the_time() {
    // The 99th percentile is twice the mean: 0.2 ms and 32 ms.
    assert_eq!(value(KAFKA, &FAST.profile(), INTERVAL), Value::Seconds(1.0));
    assert_eq!(value(KAFKA, &DISK.profile(), INTERVAL), Value::Seconds(4.0));
    // 10 ms of 1 GB/s and 1.6 s of 100 MB/s, in KiB.
    assert_eq!(value(KAFKA, &FAST.profile(), MESSAGES), Value::Number(9766.0));
    assert_eq!(value(KAFKA, &DISK.profile(), MESSAGES), Value::Number(156_250.0));
}

#[test]
fn logs_are_read_by_as_many_threads_as_keep_the_device_busy() {
    let key = "num.recovery.threads.per.data.dir";
    assert_eq!(value(KAFKA, &FAST.profile(), key), Value::Number(2.0));
    assert_eq!(value(KAFKA, &DISK.profile(), key), Value::Number(1.0));
}

#[test]
fn what_was_not_measured_is_named_with_its_experiment() {
    let mut document = FAST.document();
    document["experiments"] = json!({});
    let missing = [
        (INTERVAL, "fsync"),
        ("log.flush.scheduler.interval.ms", "fsync"),
        (MESSAGES, "fsync"),
        ("num.recovery.threads.per.data.dir", "interleaving"),
    ];
    assert_names_what_is_missing(KAFKA, &parsed(&document), &missing);
    let document = json!({"fsync": FAST.document()["experiments"]["fsync"]});
    let mut without = FAST.document();
    without["experiments"] = document;
    let missing = [(MESSAGES, "sustained"), ("num.recovery.threads.per.data.dir", "interleaving")];
    assert_names_what_is_missing(KAFKA, &parsed(&without), &missing);
}

#[test]
fn every_value_that_is_written_is_read_as_fitting() {
    assert_fits_what_is_written(KAFKA, &FAST.profile());
    assert_fits_what_is_written(KAFKA, &DISK.profile());
    let text = &advised(KAFKA, &DISK.profile(), "4").files()[0].text;
    assert!(text.contains("\nlog.flush.interval.ms=4000\n") && text.contains("Not proven here"), "{text}");
}

/// Facts of configurations that people use.
#[test]
fn flushes_that_are_too_frequent_are_named() {
    let one = |key: &str, verdict| [(key.to_owned(), verdict)];
    let sure = format!("{MESSAGES}=1\n");
    assert_eq!(wrong(KAFKA, &DISK.profile(), &sure), one(MESSAGES, Verdict::TooLow));
    assert_eq!(wrong(KAFKA, &FAST.profile(), &sure), one(MESSAGES, Verdict::TooLow));
    // The sample file's values, taken over: nobody looks at the interval.
    let sample = format!("{MESSAGES}=10000\n{INTERVAL}=1000\n");
    let moot = linted(KAFKA, &FAST.profile(), "4", &sample).findings.remove(1);
    assert_eq!((moot.key.as_str(), moot.verdict), (INTERVAL, Verdict::Moot));
    assert!(
        moot.reason
            .starts_with("because log.flush.scheduler.interval.ms is 9223372036854775807, its default")
    );
    assert_eq!(wrong(KAFKA, &FAST.profile(), &sample), []);
    assert_eq!(wrong(KAFKA, &DISK.profile(), &sample), one(MESSAGES, Verdict::TooLow));
    let often = format!("{INTERVAL}=10\nlog.flush.scheduler.interval.ms=10\n");
    let want = [INTERVAL, "log.flush.scheduler.interval.ms"].map(|key| (key.to_owned(), Verdict::TooLow));
    assert_eq!(wrong(KAFKA, &DISK.profile(), &often), want);
    assert_eq!(wrong(KAFKA, &DISK.profile(), &format!("{MESSAGES}=0\n")), one(MESSAGES, Verdict::Invalid));
    let threads = "num.recovery.threads.per.data.dir=2147483648\n";
    let key = "num.recovery.threads.per.data.dir";
    assert_eq!(wrong(KAFKA, &FAST.profile(), threads), one(key, Verdict::OutOfRange));
}

#[test]
fn sane_settings_are_left_alone() {
    let defaults =
        format!("broker.id=1\n{MESSAGES}=9223372036854775807\nnum.recovery.threads.per.data.dir=1\n");
    for known in [FAST, DISK] {
        assert_eq!(wrong(KAFKA, &known.profile(), &defaults), []);
        assert_eq!(wrong(KAFKA, &known.profile(), "num.io.threads=8\nlog.dirs=/data\n"), []);
    }
}
