//! Ceph: capacities by its own definition, and what its benchmark leaves in force.

use std::process::Command;

use std::io::Write as _;

use leadline_advise::{Config, Inputs, Lint, System, Verdict, advise, lint, read};
use leadline_profile::DeviceProfile;
use serde_json::json;

use crate::common::{DISK, FAST, Known, parsed};

/// A solid-state drive that makes 600 writes durable per second, as cheap ones do.
const CHEAP: Known = Known { write_us: 50.0, sustained: 2e8, ..FAST };

fn document(known: Known, durable: f64) -> serde_json::Value {
    let mut document = known.document();
    for entry in document["parameters"].as_array_mut().unwrap() {
        if entry["pattern"] == "random" && entry["block_bytes"] == 4096 {
            entry["max_durable_write_iops"] = durable.into();
        }
    }
    document
}

fn profile(known: Known, durable: f64) -> DeviceProfile {
    parsed(&document(known, durable))
}

/// The drives, and how many writes they make durable.
const DRIVES: [(Known, f64); 3] = [(FAST, 40_000.0), (CHEAP, 600.0), (DISK, 120.0)];

fn inputs(version: &str) -> Inputs {
    Inputs { version: Some(version.to_owned()), ..Inputs::default() }
}

fn config(text: &str) -> Config {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), text).unwrap();
    read(System::Ceph, file.path()).unwrap()
}

fn linted(profile: &DeviceProfile, text: &str) -> Lint {
    lint(System::Ceph, &config(text), profile, &Inputs::default()).unwrap()
}

/// As the configuration of one OSD.
fn linted_for(osd: u32, profile: &DeviceProfile, text: &str) -> Lint {
    lint(System::Ceph, &config(text), profile, &Inputs { osd: Some(osd), ..Inputs::default() }).unwrap()
}

fn wrong(lint: &Lint) -> Vec<(&str, Verdict)> {
    let wrong = lint.findings.iter().filter(|finding| finding.verdict.is_wrong());
    wrong.map(|finding| (finding.key.as_str(), finding.verdict)).collect()
}

fn number(profile: &DeviceProfile, key: &str) -> f64 {
    advise(System::Ceph, profile, &Inputs::default())
        .unwrap()
        .setting(key)
        .expect(key)
        .value
        .number()
        .unwrap()
}

#[test]
fn an_osd_does_what_the_drive_makes_durable_for_long() {
    let ssd = "osd_mclock_max_capacity_iops_ssd";
    assert_eq!(number(&profile(FAST, 40_000.0), ssd), 40_000.0);
    assert_eq!(number(&profile(CHEAP, 600.0), ssd), 600.0);
    assert_eq!(number(&profile(DISK, 120.0), "osd_mclock_max_capacity_iops_hdd"), 120.0);
    assert_eq!(number(&profile(FAST, 40_000.0), "osd_mclock_max_sequential_bandwidth_ssd"), 1e9);
    // 50 MB/s of random writes for long, and 100 per second without credit.
    assert_eq!(number(&profile(Known { sustained: 2e8, ..FAST }, 40_000.0), ssd), (5e7_f64 / 4096.0).round());
    let mut on_credit = document(FAST, 40_000.0);
    on_credit["experiments"]["burst"] = json!({
        "operation": "write", "block_bytes": 4096, "concurrency": 32, "moved_bytes": 1u64 << 30,
        "peak_iops": 3000.0, "baseline_iops": 100.0, "loads": [],
    });
    assert_eq!(number(&parsed(&on_credit), ssd), 100.0);
    // What nobody would believe.
    let huge = Known { bandwidth: 1e12, sustained: 1e12, write_us: 1.0, ..FAST };
    assert_eq!(number(&profile(huge, 1e6), ssd), 80_000.0);
}

#[test]
fn without_durable_writes_those_that_are_not_are_taken() {
    let advice = advise(System::Ceph, &DISK.profile(), &Inputs::default()).unwrap();
    let setting = advice.setting("osd_mclock_max_capacity_iops_hdd").unwrap();
    assert_eq!(setting.value.number(), Some(125.0));
    assert!(setting.rule.starts_with("the most random writes of 4K, 125 per second"), "{}", setting.rule);
}

#[test]
fn a_measurement_that_ceph_rejects_is_told() {
    let notes = |known, durable| {
        advise(System::Ceph, &profile(known, durable), &inputs("19")).unwrap().notes.join("\n")
    };
    assert!(notes(CHEAP, 600.0).contains("600 writes per second are less than 1000"));
    assert!(notes(CHEAP, 600.0).contains("goes on with 21500 unless"));
    assert_eq!(notes(FAST, 40_000.0), "");
    let unknown = {
        let mut document = document(FAST, 40_000.0);
        document["device"]["rotational"] = serde_json::Value::Null;
        advise(System::Ceph, &parsed(&document), &Inputs::default()).unwrap()
    };
    assert!(unknown.notes[0].contains("did not say whether the drive spins"), "{:?}", unknown.notes);
}

#[test]
fn versions_have_their_own_keys() {
    let keys =
        |version: &str| advise(System::Ceph, &profile(FAST, 4e4), &inputs(version)).unwrap().settings.len();
    assert_eq!((keys("17"), keys("18"), keys("20")), (1, 2, 2));
    let older = advise(System::Ceph, &FAST.profile(), &inputs("16")).unwrap();
    assert!(older.version == "17" && older.notes.iter().any(|note| note.starts_with("version 16 is not")));
    let unknown = advise(System::Ceph, &FAST.profile(), &inputs("reef")).unwrap_err().to_string();
    assert!(unknown.contains("--version reef"), "{unknown}");
}

#[test]
fn what_was_not_measured_is_named_with_its_experiment() {
    let mut document = FAST.document();
    document["experiments"] = json!({});
    document["parameters"] = json!([]);
    let advice = advise(System::Ceph, &parsed(&document), &Inputs::default()).unwrap();
    let missing: Vec<(&str, &str)> =
        advice.missing.iter().map(|missing| (missing.key, missing.experiment)).collect();
    let want = [
        ("osd_mclock_max_capacity_iops_ssd", "profile"),
        ("osd_mclock_max_sequential_bandwidth_ssd", "sustained"),
    ];
    assert_eq!(missing, want);
}

#[test]
fn every_value_that_is_written_is_read_as_fitting() {
    for (known, durable) in DRIVES {
        for version in System::Ceph.versions() {
            let profile = profile(known, durable);
            let advice = advise(System::Ceph, &profile, &inputs(version)).unwrap();
            let text = &advice.files()[0].text;
            let lint = lint(System::Ceph, &config(text), &profile, &inputs(version)).unwrap();
            assert_eq!(lint.findings.len(), advice.settings.len(), "{text}");
            assert_eq!(wrong(&lint), [], "{text}");
            assert!(text.contains("# Not proven here"), "{text}");
        }
    }
}

/// What stays after "OSD bench result ... exceeded the threshold limit", on a drive that makes 600 writes
/// durable.
#[test]
fn the_default_on_a_slow_drive_is_named_with_its_reason() {
    let lint = linted(&profile(CHEAP, 600.0), "[osd]\nosd mclock max capacity iops ssd = 21500 ; default\n");
    let key = "osd_mclock_max_capacity_iops_ssd";
    assert_eq!(wrong(&lint), [(key, Verdict::TooHigh)]);
    assert!(lint.findings[0].times.unwrap() > 30.0);
    assert!(lint.findings[0].reason.starts_with("the default, which stays where"), "{:?}", lint.findings[0]);
    // The default on a drive that does as much is no more than a coincidence.
    assert_eq!(wrong(&linted(&profile(FAST, 22_000.0), &format!("[osd]\n{key} = 21500\n"))), []);
    // Unset, it is in force all the same.
    let unset = linted(&profile(CHEAP, 600.0), "[global]\nfsid = 1\n").unset;
    assert!(unset.iter().any(|unset| unset.key == key), "{unset:?}");
}

#[test]
fn capacities_of_another_kind_of_drive_are_named() {
    // An HDD's OSD with the number of a solid-state drive, after the kernel was told that it does not spin.
    let lint = linted(&profile(DISK, 120.0), "[osd]\nosd_mclock_max_capacity_iops_hdd = 18000\n");
    let key = "osd_mclock_max_capacity_iops_hdd";
    assert_eq!(wrong(&lint), [(key, Verdict::TooHigh)]);
    assert!(lint.findings[0].reason.contains("osd_mclock_iops_capacity_threshold_hdd, 500"));
    let other = linted(&profile(FAST, 40_000.0), "[osd]\nosd_mclock_max_capacity_iops_hdd = 315\n");
    assert_eq!(wrong(&other), [(key, Verdict::Meaningless)]);
}

#[test]
fn sane_configurations_pass() {
    let ssd = "[global]\nosd_mclock_max_capacity_iops_ssd = 38000\nosd_mclock_max_capacity_iops_hdd = 315\n\
               osd_mclock_max_sequential_bandwidth_ssd = 1000M\n[mon]\nosd_mclock_max_capacity_iops_ssd = \
               1\n";
    assert_eq!(wrong(&linted(&profile(FAST, 40_000.0), ssd)), []);
    // An OSD's own benchmark on a drive that is faster than its software.
    let own = "[osd.0]\nosd_mclock_max_capacity_iops_ssd = 6439.35\n";
    assert_eq!(wrong(&linted_for(0, &profile(FAST, 40_000.0), own)), []);
    // The example of the documentation.
    let disk = "[global]\nosd_mclock_max_capacity_iops_hdd = 111.000000\n";
    assert_eq!(wrong(&linted(&profile(DISK, 120.0), disk)), []);
}

#[test]
fn sections_are_judged_for_the_osd_that_has_the_drive() {
    let key = "osd_mclock_max_capacity_iops_ssd";
    let text = format!("[osd.3]\n{key} = 600\n[osd.4]\n{key} = 70000\n[osd]\n{key} = 90000\n");
    let drive = profile(CHEAP, 600.0);
    let found = |lint: &Lint| -> Vec<(String, Verdict)> {
        lint.findings.iter().map(|one| (one.found.clone(), one.verdict)).collect()
    };
    let own = linted_for(3, &drive, &text);
    assert_eq!(found(&own), [("600".to_owned(), Verdict::Fits)]);
    assert!(
        own.notes.iter().any(|note| note == "sections of other OSDs than osd.3: [osd.4]"),
        "{:?}",
        own.notes
    );
    assert_eq!(found(&linted_for(4, &drive, &text)), [("70000".to_owned(), Verdict::TooHigh)]);
    assert_eq!(found(&linted_for(5, &drive, &text)), [("90000".to_owned(), Verdict::TooHigh)]);
    // Without a number, neither section is known to be the drive's.
    let unknown = linted(&drive, &text);
    let verdicts: Vec<Verdict> = unknown.findings.iter().map(|one| one.verdict).collect();
    assert_eq!(verdicts, [Verdict::TooHigh, Verdict::NotJudged, Verdict::NotJudged]);
    assert!(unknown.findings[1].reason.contains("say --osd 3"), "{}", unknown.findings[1].reason);
}

#[test]
fn capacities_count_only_for_mclock() {
    let key = "osd_mclock_max_capacity_iops_ssd";
    let drive = profile(FAST, 40_000.0);
    let lint = linted(&drive, &format!("[osd]\nosd_op_queue = wpq\n{key} = 100\n"));
    assert_eq!(wrong(&lint), []);
    assert_eq!(lint.findings[0].verdict, Verdict::Moot);
    assert!(lint.findings[0].reason.contains("osd_op_queue = wpq"), "{}", lint.findings[0].reason);
    assert_eq!(lint.unset, [], "what has no effect need not be set");
    let lint = linted(&drive, &format!("[osd]\nosd_op_queue = mclock_scheduler\n{key} = 100\n"));
    assert_eq!(wrong(&lint), [(key, Verdict::TooLow)]);
    let forced = format!("[osd]\nosd_mclock_force_run_benchmark_on_init = true\n{key} = 100\n");
    assert_eq!(linted(&drive, &forced).findings[0].verdict, Verdict::Moot);
}

#[test]
fn values_of_another_kind_are_invalid() {
    let text =
        "[osd]\nosd_mclock_max_capacity_iops_ssd = fast\nosd_mclock_max_sequential_bandwidth_ssd = 1.7x\n";
    let found = linted(&profile(FAST, 40_000.0), text);
    assert!(wrong(&found).iter().all(|(_, verdict)| *verdict == Verdict::Invalid));
    assert_eq!(wrong(&found).len(), 2);
}

/// Ceph's own program reads each value back.
#[test]
fn ceph_conf_takes_every_line() {
    if Command::new("ceph-conf").arg("--version").output().is_err() {
        let _ = writeln!(std::io::stderr(), "SKIPPED ceph_conf_takes_every_line: no ceph-conf (ceph-common)");
        return;
    }
    for (known, durable) in DRIVES {
        let advice = advise(System::Ceph, &profile(known, durable), &Inputs::default()).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("ceph.conf");
        std::fs::write(&file, &advice.files()[0].text).unwrap();
        for setting in &advice.settings {
            let ran = Command::new("ceph-conf")
                .arg("-c")
                .arg(&file)
                .args(["-s", "osd.0", "-s", "osd", setting.key])
                .output()
                .unwrap();
            assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
            assert_eq!(String::from_utf8_lossy(&ran.stdout).trim(), setting.value.to_string());
        }
    }
}

#[test]
fn a_drive_of_which_only_durable_writes_are_known_has_a_capacity_with_their_interval() {
    let entry = json!({"pattern": "random", "block_bytes": 4096, "max_durable_write_iops": 800.0,
        "max_durable_write_iops_ci": [640.0, 1000.0], "capped": "unknown", "censored": {}});
    let mut document = json!({"schema": "leadline.profile/1", "device": {"rotational": false}, "method": {},
        "validity": {}, "points": [], "parameters": [entry]});
    let advised =
        |document: &serde_json::Value| advise(System::Ceph, &parsed(document), &inputs("19")).unwrap();
    let advice = advised(&document);
    let setting = advice.setting("osd_mclock_max_capacity_iops_ssd").unwrap();
    assert_eq!((setting.value.number(), setting.low, setting.high), (Some(800.0), Some(640.0), Some(1000.0)));
    document["parameters"] = json!([]);
    let missing = &advised(&document).missing[0];
    assert_eq!((missing.key, missing.experiment), ("osd_mclock_max_capacity_iops_ssd", "profile"));
}
