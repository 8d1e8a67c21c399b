//! Seastar: four rates that explain mixes, and what iotune gets wrong.

use leadline_advise::{
    Advice, AdviseError, Config, Inputs, Lint, System, Value, Verdict, advise, lint, read,
};
use leadline_profile::DeviceProfile;
use serde_json::json;

use crate::common::{DISK, FAST, Known, parsed};

/// A disk whose requests and bytes take time, as Seastar has it.
#[derive(Debug, Clone, Copy)]
struct Law {
    read_iops: f64,
    read_bandwidth: f64,
    write_iops: f64,
    write_bandwidth: f64,
    duplex: bool,
}

const SHARED: Law = Law {
    read_iops: 200_000.0,
    read_bandwidth: 2e9,
    write_iops: 100_000.0,
    write_bandwidth: 1e9,
    duplex: false,
};

/// A drive whose writes last.
const LASTING: Known = Known { sustained: 1e15, ..FAST };

impl Law {
    fn seconds(&self, block_bytes: u32, read_share: f64) -> f64 {
        let size = f64::from(block_bytes);
        let reads = read_share * (1.0 / self.read_iops + size / self.read_bandwidth);
        let writes = (1.0 - read_share) * (1.0 / self.write_iops + size / self.write_bandwidth);
        if self.duplex { reads.max(writes) } else { reads + writes }
    }
}

/// With `mix-line` by a law, off by a few per cent from point to point.
pub(crate) fn document(known: Known, seconds: impl Fn(u32, f64) -> f64) -> serde_json::Value {
    let mut points = Vec::new();
    let mut add = |block_bytes: u32, reads: u64| {
        for k in [16, 64] {
            // Twice as slow with less in flight: only the faster is taken.
            let times = if k == 16 { 2.0 } else { 1.0 + 0.02 * (points.len() as f64).sin() };
            let took = times * 1000.0 * seconds(block_bytes, reads as f64 / 1000.0);
            points.push(json!({
                "reads": reads, "writes": 1000 - reads, "block_bytes": block_bytes, "random_fraction": 1.0,
                "concurrency": k, "seconds": took, "seconds_ci": [0.97 * took, 1.03 * took],
            }));
        }
    };
    for block_bytes in [4096, 262_144] {
        for reads in [1000, 750, 500, 250, 0] {
            add(block_bytes, reads);
        }
    }
    for block_bytes in [16384, 65536, 1 << 20] {
        add(block_bytes, 1000);
        add(block_bytes, 0);
    }
    let mut document = known.document();
    document["experiments"]["mix-line"] = json!({"procedure": {}, "points": points});
    document
}

fn profile(law: Law) -> DeviceProfile {
    parsed(&document(LASTING, |size, share| law.seconds(size, share)))
}

fn advice(profile: &DeviceProfile) -> Advice {
    advise(System::Seastar, profile, &Inputs::default()).unwrap()
}

fn number(advice: &Advice, key: &str) -> f64 {
    advice.setting(key).expect(key).value.number().expect(key)
}

/// The disk that the advice describes.
fn law(advice: &Advice) -> Law {
    Law {
        read_iops: number(advice, "read_iops"),
        read_bandwidth: number(advice, "read_bandwidth"),
        write_iops: number(advice, "write_iops"),
        write_bandwidth: number(advice, "write_bandwidth"),
        duplex: advice.setting("duplex").is_some(),
    }
}

fn read_text(text: &str) -> Result<Config, AdviseError> {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), text).unwrap();
    read(System::Seastar, file.path())
}

fn linted(profile: &DeviceProfile, text: &str) -> Lint {
    lint(System::Seastar, &read_text(text).unwrap(), profile, &Inputs::default()).unwrap()
}

fn file(read_iops: f64, read_bandwidth: f64, write_iops: f64, write_bandwidth: f64) -> String {
    format!(
        "disks:\n  - mountpoint: /var/lib/scylla\n    read_iops: {read_iops}\n    read_bandwidth: \
         {read_bandwidth}\n    write_iops: {write_iops}\n    write_bandwidth: {write_bandwidth}\n"
    )
}

fn wrong(lint: &Lint) -> Vec<(&str, Verdict)> {
    let wrong = lint.findings.iter().filter(|finding| finding.verdict.is_wrong());
    wrong.map(|finding| (finding.key.as_str(), finding.verdict)).collect()
}

const MIXES: [(u32, f64); 10] = [
    (4096, 0.9),
    (4096, 0.4),
    (8192, 0.7),
    (8192, 0.3),
    (16384, 0.5),
    (16384, 0.8),
    (32768, 0.5),
    (65536, 0.2),
    (131_072, 0.6),
    (262_144, 0.35),
];

#[test]
fn the_rates_explain_mixes_that_were_not_measured() {
    let requests_only = Law { read_bandwidth: 1e15, write_bandwidth: 1e15, ..SHARED };
    let bytes_only = Law { read_iops: 1e15, write_iops: 1e15, ..SHARED };
    let apart = Law { duplex: true, ..SHARED };
    for law_of_disk in [SHARED, apart, requests_only, bytes_only] {
        let found = law(&advice(&profile(law_of_disk)));
        assert_eq!(found.duplex, law_of_disk.duplex, "{law_of_disk:?}");
        for (size, share) in MIXES {
            let ratio = found.seconds(size, share) / law_of_disk.seconds(size, share);
            assert!((ratio - 1.0).abs() < 0.08, "{law_of_disk:?}: {size} {share}: {ratio}");
        }
    }
}

#[test]
fn rates_lie_above_those_of_requests_measured_alone() {
    let advice = advice(&profile(SHARED));
    let alone = 1.0 / SHARED.seconds(4096, 1.0);
    assert!(number(&advice, "read_iops") > 1.3 * alone);
    let setting = advice.setting("read_iops").unwrap();
    assert!(setting.low.unwrap() < 200_000.0 && setting.high.unwrap() > 200_000.0, "{setting:?}");
    assert!(setting.rule.contains("requests alone, 4K, reach 1"), "{}", setting.rule);
}

#[test]
fn a_disk_with_a_limit_on_requests_and_one_on_bytes_is_told_apart() {
    let capped = |size: u32, _: f64| (1.0 / 4000.0_f64).max(f64::from(size) / 250e6);
    let advice = advice(&parsed(&document(LASTING, capped)));
    assert!(
        advice.notes.iter().any(|note| note.contains("do not describe this disk well: 64K with")),
        "{:?}",
        advice.notes
    );
    assert!(!self::advice(&profile(SHARED)).notes.iter().any(|note| note.contains("do not describe")));
}

#[test]
fn writes_count_as_they_last() {
    let slow_later = Known { sustained: 2e8, ..FAST };
    let limited = advice(&parsed(&document(slow_later, |size, share| SHARED.seconds(size, share))));
    assert!((number(&limited, "write_bandwidth") / 2e8 - 1.0).abs() < 0.03);
    // 50 MB/s of random 4K: 82 us each, of which 4096 bytes at 200 MB/s take 20.
    let found = law(&limited);
    assert!((found.seconds(4096, 0.0) / (4096.0 / 5e7) - 1.0).abs() < 0.03, "{found:?}");
    assert!((number(&limited, "read_iops") / 200_000.0 - 1.0).abs() < 0.1);
    assert!(limited.setting("write_iops").unwrap().rule.contains("it sustains 200 MB/s"));

    // What lasts as measured changes nothing.
    let same = Known { sustained: 0.98e9, ..FAST };
    let mut document = self::document(same, |size, share| SHARED.seconds(size, share));
    document["experiments"]["sustained"]["loads"][1]["sustained_bytes_per_second"] =
        (4096.0 / SHARED.seconds(4096, 0.0)).into();
    let found = law(&advice(&parsed(&document)));
    assert!((found.write_bandwidth / 1e9 - 1.0).abs() < 0.05, "{found:?}");
    assert!((found.write_iops / 100_000.0 - 1.0).abs() < 0.05, "{found:?}");

    let mut on_credit = self::document(LASTING, |size, share| SHARED.seconds(size, share));
    on_credit["experiments"]["burst"] = json!({
        "operation": "read", "block_bytes": 4096, "concurrency": 128, "moved_bytes": 1u64 << 30,
        "peak_iops": 100_000.0, "baseline_iops": 3000.0, "loads": [],
    });
    let found = law(&advice(&parsed(&on_credit)));
    for share in [0.0, 1.0] {
        assert!((found.seconds(4096, share) * 3000.0 - 1.0).abs() < 0.03, "{found:?}");
    }
}

#[test]
fn what_was_not_measured_is_named_with_its_experiment() {
    let mut document = FAST.document();
    document["experiments"] = json!({});
    let bare = advice(&parsed(&document));
    let missing: Vec<(&str, &str)> =
        bare.missing.iter().map(|missing| (missing.key, missing.experiment)).collect();
    assert!(missing.contains(&("read_iops", "mix-line")), "{missing:?}");
    assert!(missing.contains(&("read_saturation_length", "interleaving")), "{missing:?}");
    let needs = System::Seastar.needs();
    assert!(bare.missing.iter().all(|missing| needs.contains(&missing.experiment)));
    assert!(bare.files().is_empty());
    // Reads alone are not enough.
    let mut reads_only = self::document(FAST, |size, share| SHARED.seconds(size, share));
    let points = reads_only["experiments"]["mix-line"]["points"].as_array_mut().unwrap();
    points.retain(|point| point["writes"] == 0);
    let advice = advice(&parsed(&reads_only));
    assert!(advice.missing.iter().any(|missing| missing.key == "write_iops"), "{:?}", advice.missing);
}

#[test]
fn a_request_that_saturates_the_disk_alone_is_where_splitting_ends() {
    // 64K alone take 8 ms and the transfer on this disk in random order, but nothing is sought in sequence.
    let disk = advice(&parsed(&document(DISK, |size, share| SHARED.seconds(size, share))));
    let length = number(&disk, "read_saturation_length");
    assert!((4096.0..=262_144.0).contains(&length), "{length}");
    // One request of 256K of 40 is far from all that the fast one does.
    let fast = advice(&profile(SHARED));
    assert!(fast.setting("read_saturation_length").is_none());
    assert!(fast.missing.is_empty(), "{:?}", fast.missing);
}

#[test]
fn every_value_that_is_written_is_read_as_fitting() {
    for law in [SHARED, Law { duplex: true, ..SHARED }] {
        for version in System::Seastar.versions() {
            let inputs = Inputs { version: Some((*version).to_owned()), ..Inputs::default() };
            let profile = profile(law);
            let advice = advise(System::Seastar, &profile, &inputs).unwrap();
            let text = &advice.files()[0].text;
            let lint = lint(System::Seastar, &read_text(text).unwrap(), &profile, &inputs).unwrap();
            assert_eq!(lint.findings.len(), advice.settings.len(), "{text}");
            assert_eq!(wrong(&lint), [], "{text}");
            assert!(lint.notes.is_empty(), "{:?}", lint.notes);
        }
    }
}

/// scylla-machine-image, pull request 961: Azure Standard_L8s_v3, and what it really does.
#[test]
fn rates_of_requests_of_256k_are_recognised() {
    let l8s_v3 = Law {
        read_iops: 1.2e6,
        read_bandwidth: 3.74e9,
        write_iops: 8e5,
        write_bandwidth: 2.5e9,
        duplex: false,
    };
    let text = file(14245.0, 3_734_856_960.0, 10017.0, 2_612_137_984.0);
    let lint = linted(&profile(l8s_v3), &text);
    let found = wrong(&lint);
    for key in ["read_iops", "write_iops"] {
        assert!(found.contains(&(key, Verdict::Meaningless)), "{found:?}");
    }
    assert_eq!(found.len(), 2, "{found:?}");
    let read = lint.findings.iter().find(|finding| finding.key == "read_iops").unwrap();
    let (times, of) = read.costs.unwrap();
    assert!(times > 10.0 && of == "a read of 4K", "{times}");
    // The true ones, as iotune measures them, pass.
    let honest = file(456_000.0, 3_740_749_056.0, 347_000.0, 2_494_925_312.0);
    assert_eq!(wrong(&linted(&profile(l8s_v3), &honest)), []);
}

/// Seastar, issue 1030: iotune on a volume of 128 MB/s and 3000 requests per second, while it had credit.
#[test]
fn rates_of_a_burst_are_recognised() {
    let mut document = document(LASTING, |size, _| (1.0 / 3000.0) + f64::from(size) / 1.28e8);
    document["experiments"]["burst"] = json!({
        "operation": "read", "block_bytes": 4096, "concurrency": 128, "moved_bytes": 1u64 << 30,
        "peak_iops": 32_000.0, "baseline_iops": 3000.0, "loads": [],
    });
    let text = file(32004.0, 262_607_760.0, 34608.0, 265_524_816.0);
    let lint = linted(&parsed(&document), &text);
    let keys: Vec<&str> = wrong(&lint).iter().map(|(key, _)| *key).collect();
    for key in ["read_iops", "read_bandwidth", "write_iops", "write_bandwidth"] {
        assert!(keys.contains(&key), "{keys:?}");
    }
    assert!(wrong(&lint).iter().all(|(_, verdict)| *verdict == Verdict::TooHigh));
    let credit = "the volume does 32000 per second on credit, and 3000 when that is spent";
    assert!(lint.findings.iter().any(|finding| finding.reason.contains(credit)), "{:?}", lint.findings);
}

/// AWS i3.large, as ScyllaDB's image has it, on a disk that does that.
#[test]
fn what_iotune_measures_on_a_steady_disk_passes() {
    let i3_large = |size: u32, share: f64| {
        let reads = share * (1.0 / 111_000.0_f64).max(f64::from(size) / 653_925_080.0);
        let writes = (1.0 - share) * (1.0 / 36_800.0_f64).max(f64::from(size) / 215_066_473.0);
        reads + writes
    };
    let text = file(111_000.0, 653_925_080.0, 36800.0, 215_066_473.0);
    assert_eq!(wrong(&linted(&parsed(&document(LASTING, i3_large)), &text)), []);
    assert_eq!(wrong(&linted(&profile(SHARED), &file(141_000.0, 2e9, 71_000.0, 1e9))), []);
}

#[test]
fn what_seastar_does_not_start_with_is_invalid_or_refused() {
    let lint = linted(&profile(SHARED), &file(0.0, 2e9, 1.5, 1e9));
    let found = wrong(&lint);
    assert!(found.contains(&("read_iops", Verdict::Invalid)), "{found:?}");
    assert!(found.contains(&("write_iops", Verdict::Invalid)), "{found:?}");
    let said = read_text("disks:\n  - mountpoint: /x\n    read_iops: 5\n").unwrap_err().to_string();
    assert!(said.contains("line 2: is a disk without read_bandwidth"), "{said}");
}

#[test]
fn a_budget_each_for_reads_and_writes_that_share_the_disk_is_wrong() {
    let text = format!("{}    duplex: true\n", file(200_000.0, 2e9, 100_000.0, 1e9));
    assert_eq!(wrong(&linted(&profile(SHARED), &text)), [("duplex", Verdict::Wrong)]);
    assert_eq!(wrong(&linted(&profile(Law { duplex: true, ..SHARED }), &text)), []);
    let advised = advice(&profile(Law { duplex: true, ..SHARED }));
    assert_eq!(advised.setting("duplex").unwrap().value, Value::word("true"));
}
