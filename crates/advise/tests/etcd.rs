//! etcd, k3s and Consul: the verdict, and timeouts that fit the disk.

use std::io::Write as _;
use std::process::Command;

use leadline_advise::{Advice, Config, Inputs, Lint, System, Verdict, advise, lint, read};
use leadline_profile::DeviceProfile;
use serde_json::json;

use crate::common::{FAST, parsed};

/// A disk on which one writer's fdatasync takes so many milliseconds: the 99th percentile, and the slowest.
fn profile(p99: f64, slowest: f64) -> DeviceProfile {
    let mut document = FAST.document();
    document["experiments"] = json!({"fsync": {
        "log": "file", "append_bytes": 2300, "sent_bytes": 2300,
        "points": [
            {"writers": 1, "commits": 10_000, "seconds": 10.0, "commits_per_second": 1000.0,
             "latency_us": {"mean": 500.0 * p99, "p99": 1000.0 * p99, "p99.99": 1000.0 * slowest}},
            {"writers": 16, "commits": 1, "seconds": 1.0, "commits_per_second": 1.0,
             "latency_us": {"mean": 1e6, "p99": 1e7}},
        ],
    }});
    parsed(&document)
}

fn inputs(version: &str) -> Inputs {
    Inputs { version: Some(version.to_owned()), ..Inputs::default() }
}

fn advice(profile: &DeviceProfile, version: &str) -> Advice {
    advise(System::Etcd, profile, &inputs(version)).unwrap()
}

fn numbers(profile: &DeviceProfile, version: &str) -> Vec<f64> {
    advice(profile, version).settings.iter().map(|setting| setting.value.number().unwrap()).collect()
}

fn config(text: &str) -> Config {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), text).unwrap();
    read(System::Etcd, file.path()).unwrap()
}

fn linted(profile: &DeviceProfile, version: &str, text: &str) -> Lint {
    lint(System::Etcd, &config(text), profile, &inputs(version)).unwrap()
}

fn wrong(lint: &Lint) -> Vec<(&str, Verdict)> {
    let wrong = lint.findings.iter().filter(|finding| finding.verdict.is_wrong());
    wrong.map(|finding| (finding.key.as_str(), finding.verdict)).collect()
}

const HEARTBEAT: &str = "heartbeat-interval";
const ELECTION: &str = "election-timeout";

#[test]
fn the_verdict_is_by_the_99th_percentile_of_one_writer() {
    let said = |p99: f64| advice(&profile(p99, 2.0 * p99), "3.6").notes.join("\n");
    let fast = said(9.99);
    assert!(
        fast.starts_with("verdict: fast enough. The 99th percentile of fdatasync, one writer, is 9.99 ms"),
        "{fast}"
    );
    let slow = said(10.0);
    assert!(slow.starts_with("verdict: too slow.") && slow.contains("not less than 10 ms"), "{slow}");
    assert!(slow.contains("a faster disk is the remedy"), "{slow}");
    let mut other = FAST.document();
    other["experiments"]["fsync"]["log"] = "device".into();
    other["experiments"]["fsync"]["append_bytes"] = 8192.into();
    let notes = advice(&parsed(&other), "3.6").notes.join("\n");
    assert!(notes.contains("on the device itself") && notes.contains("appends of 8192 bytes"), "{notes}");
}

#[test]
fn timeouts_keep_the_distance_that_the_defaults_have_from_a_disk_that_is_fast_enough() {
    assert_eq!(numbers(&profile(2.0, 5.0), "3.6"), [100.0, 1000.0]);
    assert_eq!(numbers(&profile(39.2, 60.0), "3.5"), [400.0, 4000.0]);
    // The slowest decides where it is far from the rest.
    assert_eq!(numbers(&profile(2.0, 1490.0), "3.6"), [100.0, 3000.0]);
    // No longer than etcd takes.
    assert_eq!(numbers(&profile(2700.0, 30_000.0), "3.6"), [5000.0, 50_000.0]);
    // k3s has longer ones to begin with.
    assert_eq!(numbers(&profile(2.0, 5.0), "k3s"), [500.0, 5000.0]);
    assert_eq!(numbers(&profile(80.0, 100.0), "k3s"), [800.0, 8000.0]);
}

#[test]
fn consul_has_one_number() {
    assert_eq!(numbers(&profile(2.0, 5.0), "consul"), [1.0]);
    assert_eq!(numbers(&profile(39.2, 60.0), "consul"), [4.0]);
    assert_eq!(numbers(&profile(2.0, 1490.0), "consul"), [6.0]);
    assert_eq!(numbers(&profile(500.0, 900.0), "consul"), [10.0]);
}

#[test]
fn what_was_not_measured_is_named_with_its_experiment() {
    let mut document = FAST.document();
    document["experiments"] = json!({});
    for version in System::Etcd.versions() {
        let advice = advice(&parsed(&document), version);
        assert!(!advice.missing.is_empty() && advice.settings.is_empty());
        assert!(advice.missing.iter().all(|missing| missing.experiment == "fsync"));
        assert!(advice.notes.is_empty(), "{:?}", advice.notes);
    }
    assert_eq!(System::Etcd.needs(), ["fsync"]);
}

#[test]
fn every_value_that_is_written_is_read_as_fitting() {
    for version in System::Etcd.versions() {
        for (p99, slowest) in [(0.2, 1.0), (12.0, 30.0), (39.2, 1500.0), (2700.0, 30_000.0)] {
            let profile = profile(p99, slowest);
            let advice = advice(&profile, version);
            let text = &advice.files()[0].text;
            let lint = linted(&profile, version, text);
            assert_eq!(lint.findings.len(), advice.settings.len(), "{text}");
            assert_eq!(wrong(&lint), [], "{text}");
            assert_eq!(lint.unset, []);
        }
    }
}

#[test]
fn files_are_in_the_syntax_of_the_program() {
    let text = |version| advice(&profile(39.2, 60.0), version).files()[0].text.clone();
    assert!(text("3.6").ends_with(
        "# As flags: --heartbeat-interval=400 --election-timeout=4000\nheartbeat-interval: \
         400\nelection-timeout: 4000\n"
    ));
    assert!(
        text("k3s").ends_with("etcd-arg:\n  - \"heartbeat-interval=500\"\n  - \"election-timeout=5000\"\n")
    );
    assert!(text("consul").ends_with("performance {\n  raft_multiplier = 4\n}\n"));
}

/// etcd, issue 12027: defaults on hard disks with a 99th percentile of 39 ms; rke, issue 2295: 485 ms.
#[test]
fn defaults_on_a_slow_disk_are_named() {
    for p99 in [39.0, 485.0] {
        let lint = linted(
            &profile(p99, 3.0 * p99),
            "3.5",
            "ETCD_HEARTBEAT_INTERVAL=100\nETCD_ELECTION_TIMEOUT=1000\n",
        );
        assert_eq!(wrong(&lint), [(HEARTBEAT, Verdict::TooLow), (ELECTION, Verdict::TooLow)]);
        let unset = linted(&profile(p99, 3.0 * p99), "3.5", "name: a\n").unset;
        assert_eq!(unset.iter().map(|unset| unset.key).collect::<Vec<_>>(), [HEARTBEAT, ELECTION]);
    }
    // etcd, issue 11828: appends of 2.7 s.
    let lint =
        linted(&profile(120.0, 2670.0), "3.4", "etcd --heartbeat-interval=250 --election-timeout=5000\n");
    assert_eq!(wrong(&lint), [(HEARTBEAT, Verdict::TooLow), (ELECTION, Verdict::TooLow)]);
    let consul = linted(&profile(39.0, 100.0), "consul", "performance { raft_multiplier = 1 }\n");
    assert_eq!(wrong(&consul), [("raft_multiplier", Verdict::TooLow)]);
    let sd_card = linted(
        &profile(95.0, 900.0),
        "k3s",
        "etcd-arg: [\"heartbeat-interval=100\", \"election-timeout=1000\"]\n",
    );
    assert_eq!(wrong(&sd_card), [(HEARTBEAT, Verdict::TooLow), (ELECTION, Verdict::TooLow)]);
}

#[test]
fn sane_configurations_pass() {
    let fast = profile(2.0, 8.0);
    for text in [
        "heartbeat-interval: 100\nelection-timeout: 1000\n",
        "- name: ETCD_HEARTBEAT_INTERVAL\n  value: \"500\"\n- name: ETCD_ELECTION_TIMEOUT\n  value: \
         \"2500\"\n",
        "ExecStart=/usr/bin/etcd --heartbeat-interval=300 --election-timeout=3000\n",
    ] {
        assert_eq!(wrong(&linted(&fast, "3.6", text)), [], "{text}");
    }
    let k3s = "etcd-arg:\n  - heartbeat-interval=500\n  - election-timeout=5000\n";
    assert_eq!(wrong(&linted(&profile(40.0, 200.0), "k3s", k3s)), []);
    for multiplier in [0, 1, 5] {
        let text = format!("{{\"performance\": {{\"raft_multiplier\": {multiplier}}}}}\n");
        assert_eq!(wrong(&linted(&fast, "consul", &text)), [], "{multiplier}");
    }
}

#[test]
fn what_does_not_start_is_invalid_or_out_of_range() {
    let found = |version, text| {
        let lint = linted(&profile(2.0, 8.0), version, text);
        wrong(&lint).into_iter().map(|(key, verdict)| (key.to_owned(), verdict)).collect::<Vec<_>>()
    };
    let invalid = |key: &str| (key.to_owned(), Verdict::Invalid);
    assert!(
        found("3.6", "heartbeat-interval: 300\n").contains(&invalid(HEARTBEAT)),
        "1000 is not five times 300"
    );
    assert!(found("3.6", "heartbeat-interval: 100\nelection-timeout: 400\n").contains(&invalid(ELECTION)));
    let out_of_range = |key: &str| (key.to_owned(), Verdict::OutOfRange);
    assert!(found("3.6", "election-timeout: 60000\n").contains(&out_of_range(ELECTION)));
    assert!(found("3.6", "heartbeat-interval: 0\n").contains(&out_of_range(HEARTBEAT)));
    assert!(found("3.6", "heartbeat-interval: 1s\n").contains(&invalid(HEARTBEAT)));
    assert!(found("consul", "raft_multiplier = 11\n").contains(&out_of_range("raft_multiplier")));
}

#[test]
fn a_key_of_the_other_program_is_not_judged_but_said() {
    let lint = linted(&profile(2.0, 8.0), "3.6", "raft_multiplier = 1\n");
    assert_eq!(lint.findings[0].verdict, Verdict::NotJudged);
    assert!(lint.findings[0].reason.contains("--version consul"), "{:?}", lint.findings);
    let lint = linted(&profile(2.0, 8.0), "consul", "heartbeat-interval: 100\n");
    assert_eq!((lint.findings[0].verdict, lint.is_wrong()), (Verdict::NotJudged, false));
}

/// etcd itself: it gets as far as an address that no machine has, so it never listens. Of an election timeout
/// that is too short it complains before.
#[test]
fn etcd_takes_the_file() {
    if Command::new("etcd").arg("--version").output().is_err() {
        let _ = writeln!(std::io::stderr(), "SKIPPED etcd_takes_the_file: no etcd (etcd-server)");
        return;
    }
    let said = |text: &str| {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("etcd.conf.yml");
        let address = "listen-peer-urls: http://203.0.113.1:0\n";
        let data = format!("data-dir: {}\n", folder.path().join("data").display());
        std::fs::write(&file, format!("{text}{address}{data}")).unwrap();
        let ran = Command::new("etcd").arg("--config-file").arg(&file).current_dir(&folder).output().unwrap();
        assert!(!ran.status.success());
        String::from_utf8_lossy(&ran.stderr).into_owned()
    };
    for (p99, slowest) in [(2.0, 5.0), (39.2, 60.0), (2700.0, 30_000.0)] {
        let text = &advice(&profile(p99, slowest), "3.4").files()[0].text;
        let complaint = said(text);
        assert!(complaint.contains("203.0.113.1") && complaint.contains("cannot assign"), "{complaint}");
        let last = text.lines().last().unwrap();
        let complaint = said(&text.replace(last, "election-timeout: 7"));
        assert!(complaint.contains("--election-timeout[7ms] should be at least as 5 times"), "{complaint}");
    }
}
