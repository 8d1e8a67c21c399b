//! foyer: what is advised follows the device, and what is wrong is named.

use leadline_advise::{System, Value, Verdict};
use serde_json::json;

use crate::asked::{
    advised, assert_fits_what_is_written, assert_names_what_is_missing, linted, value, wrong,
};
use crate::common::{DISK, FAST, Known, parsed};
use crate::drives::{assert_fits_what_is_measured_again, assert_one_advice};

const FOYER: System = System::Foyer;

/// A card that writes 20 MB/s for long.
const CARD: Known = Known { sustained: 2e7, ..FAST };

fn number(known: Known, key: &str) -> f64 {
    value(FOYER, &known.profile(), key).number().unwrap()
}

#[test]
fn as_many_requests_are_under_way_as_saturate_the_device() {
    // 36 reads and some writes.
    assert_eq!(number(FAST, "io_depth"), 64.0);
    assert_eq!(number(DISK, "io_depth"), 4.0);
    // Blocks are read at as many places.
    assert_eq!(number(FAST, "recover_concurrency"), 32.0);
    assert_eq!(number(DISK, "recover_concurrency"), 8.0);
    let few = linted(FOYER, &FAST.profile(), "0.22", "x.with_io_depth(4).with_flushers(64)");
    let found: Vec<_> = few.findings.iter().map(|finding| (finding.key.as_str(), finding.verdict)).collect();
    assert_eq!(found, [("io_depth", Verdict::TooLow), ("flushers", Verdict::TooHigh)]);
    // 4 of 36 reads.
    assert!(few.findings[0].costs.unwrap().0 > 8.0);
}

#[test]
fn no_more_is_admitted_than_the_drive_writes_for_long() {
    // 1 GB/s and 20 MB/s.
    assert_eq!(number(FAST, "write_throughput"), f64::from(1 << 29));
    assert_eq!(number(CARD, "write_throughput"), f64::from(8 << 20));
    let text = "Throttle::new().with_write_throughput(100 * 1024 * 1024)";
    assert_eq!(wrong(FOYER, &CARD.profile(), text), [("write_throughput".into(), Verdict::TooHigh)]);
    let off = linted(FOYER, &CARD.profile(), "0.22", "Throttle::new().with_write_throughput(0)");
    assert_eq!(off.findings[0].verdict, Verdict::Off);
    // A burst of 100 ms is held.
    assert_eq!(value(FOYER, &FAST.profile(), "buffer_pool_size"), Value::Bytes(64 << 20));
    assert_eq!(value(FOYER, &CARD.profile(), "buffer_pool_size"), Value::Bytes(16 << 20));
}

#[test]
fn each_release_has_its_own_builders() {
    let text = |version| advised(FOYER, &FAST.profile(), version).files()[0].text.clone();
    assert!(
        !text("0.18").contains("io_depth") && text("0.18").contains("LargeEngineOptions::new()\n    .with_")
    );
    assert!(text("0.21").contains("UringIoEngineBuilder::new()\n    .with_io_depth(64)"));
    assert!(text("0.22").contains("BlockEngineConfig::new(device)\n    .with_flushers("));
}

#[test]
fn what_was_not_measured_is_named_with_its_experiment() {
    let mut document = FAST.document();
    document["experiments"] = json!({});
    let missing = [
        ("io_depth", "interleaving"),
        ("weight", "interleaving"),
        ("flushers", "interleaving"),
        ("buffer_pool_size", "sustained"),
        ("write_throughput", "sustained"),
    ];
    assert_names_what_is_missing(FOYER, &parsed(&document), &missing);
}

#[test]
fn every_value_that_is_written_is_read_as_fitting() {
    for known in [FAST, DISK, CARD] {
        assert_fits_what_is_written(FOYER, &known.profile());
    }
    assert_fits_what_is_measured_again(FOYER);
    assert_one_advice(FOYER);
}

#[test]
fn the_defaults_are_left_alone_and_what_cannot_be_is_invalid() {
    let defaults = "io.with_io_depth(64).with_weight(1.0); e.with_flushers(1)";
    assert_eq!(wrong(FOYER, &FAST.profile(), defaults), []);
    let all = format!("{defaults}.with_recover_concurrency(8).with_buffer_pool_size(16 * 1024 * 1024)");
    assert_eq!(wrong(FOYER, &DISK.profile(), &all), []);
    let none = "e.with_flushers(0)";
    assert_eq!(wrong(FOYER, &FAST.profile(), none), [("flushers".into(), Verdict::Invalid)]);
}
