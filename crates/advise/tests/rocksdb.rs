//! RocksDB: the keys that depend on the device.

use leadline_advise::{Inputs, Lint, System, Verdict, advise, lint, parse};

use crate::common::{DISK, FAST, Known, parsed};

fn inputs(cores: u32) -> Inputs {
    Inputs { cores: Some(cores), ..Inputs::default() }
}

fn number(known: Known, cores: u32, key: &str) -> f64 {
    let advice = advise(System::Rocksdb, &known.profile(), &inputs(cores)).unwrap();
    advice.setting(key).expect(key).value.number().expect(key)
}

fn linted(known: Known, text: &str) -> Lint {
    let config = parse(System::Rocksdb, text, std::path::Path::new("OPTIONS")).unwrap();
    lint(System::Rocksdb, &config, &known.profile(), &inputs(8)).unwrap()
}

fn wrong(lint: &Lint) -> Vec<(&str, Verdict)> {
    let wrong = lint.findings.iter().filter(|finding| finding.verdict.is_wrong());
    wrong.map(|finding| (finding.key.as_str(), finding.verdict)).collect()
}

#[test]
fn compactions_are_as_many_as_keep_the_device_busy_and_the_processors_allow() {
    // 1 GB/s that last, 200 MB/s per compaction.
    assert_eq!(number(FAST, 16, "max_subcompactions"), 5.0);
    assert_eq!(number(FAST, 16, "max_background_jobs"), 6.0);
    assert_eq!(number(FAST, 2, "max_subcompactions"), 2.0);
    // One alone takes all that the drive has.
    assert_eq!(number(DISK, 16, "max_background_jobs"), 2.0);
    assert_eq!(number(DISK, 16, "max_subcompactions"), 1.0);
}

#[test]
fn compactions_read_ahead_as_much_as_saturates_the_device_and_pays_for_moving() {
    // Reads of 256K take 50 us and the same transfer, 101 us; the bandwidth allows one per 52 us.
    assert_eq!(number(FAST, 8, "compaction_readahead_size"), f64::from(2 * (256 << 10)));
    // One is enough, but a random one takes 8 ms more, in which 1.6 MB could be read.
    assert_eq!(number(DISK, 8, "compaction_readahead_size"), f64::from(8 << 20));
    let slow = Known { rotational: false, read_us: 50.0, ..DISK };
    assert_eq!(number(slow, 8, "compaction_readahead_size"), f64::from(256 << 10));
    // One per 5.2 us, each of which takes 55: more than eight have to be in flight.
    let wide = Known { bandwidth: 5e10, ..FAST };
    assert_eq!(number(wide, 8, "compaction_readahead_size"), f64::from(16 * (256 << 10)));
}

#[test]
fn what_is_written_in_the_background_is_what_lasts() {
    assert_eq!(number(FAST, 8, "rate_limiter_bytes_per_sec"), 750e6);
    assert_eq!(number(DISK, 8, "rate_limiter_bytes_per_sec"), 75e6);
    assert_eq!(number(FAST, 8, "bytes_per_sync"), f64::from(8 << 20));
    assert_eq!(number(DISK, 8, "bytes_per_sync"), f64::from(1 << 20));
}

#[test]
fn what_was_not_measured_is_named_with_its_experiment() {
    let mut document = FAST.document();
    document["experiments"] = serde_json::json!({});
    let advice = advise(System::Rocksdb, &parsed(&document), &inputs(8)).unwrap();
    let needs = System::Rocksdb.needs();
    assert_eq!(advice.missing.len(), 6, "{:?}", advice.missing);
    assert!(advice.missing.iter().all(|missing| needs.contains(&missing.experiment)));
    assert_eq!(advice.settings.len(), 1, "max_open_files needs no measurement");
}

#[test]
fn every_value_that_is_written_is_read_as_fitting() {
    for known in [FAST, DISK] {
        let advice = advise(System::Rocksdb, &known.profile(), &inputs(8)).unwrap();
        let text = &advice.files()[0].text;
        let lint = linted(known, text);
        // All but the rate limiter, which stands in a comment.
        assert_eq!(lint.findings.len(), advice.settings.len() - 1, "{text}");
        assert_eq!(wrong(&lint), [], "{text}");
        assert!(text.contains("--rate_limiter_bytes_per_sec="), "{text}");
    }
}

#[test]
fn options_of_another_drive_are_named_and_sane_ones_are_left_alone() {
    let of_a_small_drive = "[DBOptions]\n  max_background_jobs=2\n  max_subcompactions=1\n  bytes_per_sync=0\n  \
                            max_open_files=500\n  compaction_readahead_size=0\n";
    let found = linted(FAST, of_a_small_drive);
    let want = [
        ("max_background_jobs", Verdict::TooLow),
        ("max_subcompactions", Verdict::TooLow),
        ("max_open_files", Verdict::Wrong),
        ("compaction_readahead_size", Verdict::TooLow),
    ];
    assert_eq!(wrong(&found), want);
    let of_a_server = "[DBOptions]\n  max_background_jobs=128\n  rate_limiter_bytes_per_sec=10G\n";
    let want = [("max_background_jobs", Verdict::TooHigh), ("rate_limiter_bytes_per_sec", Verdict::TooHigh)];
    assert_eq!(wrong(&linted(DISK, of_a_server)), want);
    let sane = "[DBOptions]\n  max_background_jobs=6\n  max_subcompactions=4\n  bytes_per_sync=4M\n  \
                max_open_files=-1\n  compaction_readahead_size=2M\n";
    assert_eq!(wrong(&linted(FAST, sane)), []);
}

#[test]
fn the_first_of_equal_keys_is_in_force() {
    let text = "[DBOptions]\n  max_open_files=-1\n  max_open_files=5\n[CFOptions \"default\"]\n";
    let lint = linted(FAST, text);
    assert_eq!(wrong(&lint), []);
    assert!(lint.notes.iter().any(|note| note.contains("line 3: max_open_files is set above")), "{lint:?}");
}
