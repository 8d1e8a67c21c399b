//! CockroachDB: what is advised follows the device, and what is wrong is named.

use leadline_advise::{System, Value, Verdict};
use serde_json::json;

use crate::asked::{
    advised, assert_fits_what_is_written, assert_names_what_is_missing, linted, value, wrong,
};
use crate::common::{DISK, FAST, Known, parsed};

const COCKROACHDB: System = System::Cockroachdb;
const KEY: &str = "provisioned-rate";

#[test]
fn the_rate_is_what_lasts_and_no_more_than_the_reads() {
    assert_eq!(value(COCKROACHDB, &FAST.profile(), KEY), Value::Bytes(953 << 20));
    assert_eq!(value(COCKROACHDB, &DISK.profile(), KEY), Value::Bytes(95 << 20));
    let slow_reads = Known { bandwidth: 1e8, ..FAST };
    assert_eq!(value(COCKROACHDB, &slow_reads.profile(), KEY), Value::Bytes(95 << 20));
}

#[test]
fn releases_before_24_1_are_told_the_disk() {
    let text = |version| advised(COCKROACHDB, &DISK.profile(), version).files()[0].text.clone();
    assert!(text("25.4").ends_with("\nprovisioned-rate=bandwidth=95MiB/s\n"), "{}", text("25.4"));
    assert!(
        text("23.2").ends_with("\nprovisioned-rate=disk-name=known:bandwidth=95MiB/s\n"),
        "{}",
        text("23.2")
    );
    assert!(text("25.4").contains("Not proven here"));
}

#[test]
fn what_was_not_measured_is_named_with_its_experiment() {
    let mut document = FAST.document();
    document["experiments"].as_object_mut().unwrap().remove("sustained");
    assert_names_what_is_missing(COCKROACHDB, &parsed(&document), &[(KEY, "sustained")]);
    document["experiments"] = json!({});
    assert_names_what_is_missing(COCKROACHDB, &parsed(&document), &[(KEY, "interleaving")]);
}

#[test]
fn every_value_that_is_written_is_read_as_fitting() {
    assert_fits_what_is_written(COCKROACHDB, &FAST.profile());
    assert_fits_what_is_written(COCKROACHDB, &DISK.profile());
}

/// Facts of configurations that people use.
#[test]
fn what_is_not_this_device_is_named() {
    let start =
        |rate: &str| format!("cockroach start --store=path=/data,provisioned-rate={rate} --join=a,b\n");
    let verdicts = |text: &str| wrong(COCKROACHDB, &DISK.profile(), text);
    let data_sheet = verdicts(&start("bandwidth=7000MiB/s"));
    assert_eq!(data_sheet, [(KEY.into(), Verdict::TooHigh)]);
    assert_eq!(verdicts(&start("bandwidth=10MB/s")), [(KEY.into(), Verdict::TooLow)]);
    assert_eq!(verdicts(&start("disk-name=sdb:bandwidth=95MiB/s")), [(KEY.into(), Verdict::Invalid)]);
    let old = linted(COCKROACHDB, &DISK.profile(), "23.2", &start("bandwidth=95MiB/s"));
    assert!(
        old.findings.iter().any(|finding| finding.reason.contains("disk-name=DISK")),
        "{:?}",
        old.findings
    );
    let all = "SET CLUSTER SETTING kvadmission.store.provisioned_bandwidth = '1GiB';\n";
    assert_eq!(verdicts(all), [(KEY.into(), Verdict::TooHigh)]);
    assert_eq!(verdicts(&start("bandwidth=much/s")), [(KEY.into(), Verdict::Invalid)]);
    // The default, in words that the cluster shows.
    for zero in ["'0B'", "'0 B'", "'0'"] {
        let text = format!("SET CLUSTER SETTING kvadmission.store.provisioned_bandwidth = {zero};\n");
        assert_eq!(
            linted(COCKROACHDB, &DISK.profile(), "25.4", &text).findings[0].verdict,
            Verdict::Off,
            "{zero}"
        );
    }
    // Sane ones.
    assert_eq!(verdicts(&start("bandwidth=100MB/s")), []);
    assert_eq!(verdicts("SET CLUSTER SETTING kvadmission.store.provisioned_bandwidth='80MiB'\n"), []);
}
