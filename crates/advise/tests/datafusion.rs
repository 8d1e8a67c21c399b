//! DataFusion: what is advised follows the device, and what is wrong is named.

use leadline_advise::{Inputs, System, Value, Verdict, advise};
use serde_json::json;

use crate::asked::{
    advised, assert_fits_what_is_written, assert_names_what_is_missing, linted, value, wrong,
};
use crate::common::{DISK, FAST, Known, parsed};
use crate::drives::{assert_fits_what_is_measured_again, assert_one_advice};

const DATAFUSION: System = System::Datafusion;
const FILES: &str = "datafusion.execution.meta_fetch_concurrency";
const HINT: &str = "datafusion.execution.parquet.metadata_size_hint";
const COMPRESSION: &str = "datafusion.execution.spill_compression";
const PARTITIONS: &str = "datafusion.execution.target_partitions";

/// An array that needs many requests in flight.
const ARRAY: Known = Known { read_us: 2000.0, servers: 200, bandwidth: 1e10, sustained: 1.5e10, ..FAST };

fn set(key: &str, value: &str) -> String {
    format!("SET {key} = {value};\n")
}

#[test]
fn as_many_are_read_at_a_time_as_keep_the_device_busy() {
    assert_eq!(value(DATAFUSION, &ARRAY.profile(), FILES), Value::Number(128.0));
    assert_eq!(value(DATAFUSION, &DISK.profile(), FILES), Value::Number(32.0));
    let found = wrong(DATAFUSION, &ARRAY.profile(), &set(FILES, "32"));
    assert_eq!(found, [(FILES.to_owned(), Verdict::TooLow)]);
    let partitions = |known: Known, cores: u32| {
        let inputs = Inputs { cores: Some(cores), ..Inputs::default() };
        let advice = advise(DATAFUSION, &known.profile(), &inputs).unwrap();
        advice.setting(PARTITIONS).unwrap().value.number().unwrap()
    };
    assert_eq!((partitions(FAST, 8), partitions(ARRAY, 1), partitions(DISK, 1)), (8.0, 4.0, 1.0));
    // One per processor.
    let automatic = linted(DATAFUSION, &FAST.profile(), "55", &set(PARTITIONS, "0"));
    assert_eq!(automatic.findings[0].verdict, Verdict::NotJudged);
}

#[test]
fn as_much_is_read_of_the_end_of_a_file_as_takes_as_long_as_another_read() {
    assert_eq!(value(DATAFUSION, &DISK.profile(), HINT), Value::Bytes(1 << 20));
    assert_eq!(value(DATAFUSION, &FAST.profile(), HINT), Value::Bytes(64 << 10));
    let found = wrong(DATAFUSION, &DISK.profile(), &set(HINT, "8"));
    assert_eq!(found, [(HINT.to_owned(), Verdict::TooLow)]);
}

#[test]
fn what_is_spilled_is_compressed_where_the_drive_is_slower_than_the_processors() {
    assert_eq!(value(DATAFUSION, &ARRAY.profile(), COMPRESSION), Value::word("uncompressed"));
    assert_eq!(value(DATAFUSION, &FAST.profile(), COMPRESSION), Value::word("lz4_frame"));
    assert_eq!(value(DATAFUSION, &DISK.profile(), COMPRESSION), Value::word("zstd"));
    let plain = linted(DATAFUSION, &DISK.profile(), "55", &set(COMPRESSION, "'uncompressed'"));
    assert_eq!(plain.findings[0].verdict, Verdict::Wrong);
    let (times, _) = plain.findings[0].costs.unwrap();
    assert!((2.0..3.0).contains(&times), "{times}");
    let typo = wrong(DATAFUSION, &DISK.profile(), &set(COMPRESSION, "'lz4'"));
    assert_eq!(typo, [(COMPRESSION.to_owned(), Verdict::Invalid)]);
    // A key of later releases.
    assert!(advised(DATAFUSION, &DISK.profile(), "48").setting(COMPRESSION).is_none());
    let early = linted(DATAFUSION, &DISK.profile(), "48", &set(COMPRESSION, "'zstd'"));
    assert_eq!(early.findings[0].verdict, Verdict::Unknown);
}

#[test]
fn both_files_say_the_same() {
    let advice = advised(DATAFUSION, &DISK.profile(), "55");
    let files = advice.files();
    let found: Vec<usize> = files
        .iter()
        .map(|file| linted(DATAFUSION, &DISK.profile(), "55", &file.text).findings.len())
        .collect();
    assert_eq!(found, [advice.settings.len(); 2]);
}

#[test]
fn what_was_not_measured_is_named_with_its_experiment() {
    let mut document = FAST.document();
    document["experiments"] = json!({});
    let missing = [
        (PARTITIONS, "interleaving"),
        (COMPRESSION, "sustained"),
        (FILES, "interleaving"),
        (HINT, "interleaving"),
    ];
    assert_names_what_is_missing(DATAFUSION, &parsed(&document), &missing);
}

#[test]
fn every_value_that_is_written_is_read_as_fitting() {
    for known in [FAST, DISK, ARRAY] {
        assert_fits_what_is_written(DATAFUSION, &known.profile());
    }
    assert_fits_what_is_measured_again(DATAFUSION);
    assert_one_advice(DATAFUSION);
}
