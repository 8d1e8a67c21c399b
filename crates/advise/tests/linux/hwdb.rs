//! Entries of the hardware database: those for the drive's model count, as systemd takes them.

use std::collections::BTreeMap;
use std::fs;
use std::process::Command;

use leadline_advise::Verdict;

use super::machine::{MACHINES, Machine, corpus};
use super::{found, linted_for};
use crate::common::FAST;
use crate::programs::{ran, text};

/// What systemd would write for the drive: keys and values of the first solution.
fn applied(machine: &Machine, file: &std::path::Path) -> Option<BTreeMap<String, String>> {
    let folder = tempfile::tempdir().unwrap();
    let database = folder.path().join("etc/udev/hwdb.d");
    fs::create_dir_all(&database).unwrap();
    fs::copy(file, database.join("99.hwdb")).unwrap();
    let root = format!("--root={}", folder.path().display());
    let hwdb = |arguments: &[&str]| ran(Command::new("systemd-hwdb").args(arguments));
    assert_eq!(text(&hwdb(&["update", "--strict", &root])?.stderr), "");
    let asked = format!("block::name:{}:fwrev:5108AGLA:", machine.model);
    let found = text(&hwdb(&["query", &root, &asked])?.stdout);
    let properties: BTreeMap<&str, &str> = found.lines().filter_map(|line| line.split_once('=')).collect();
    let solution = properties.get("IOCOST_SOLUTIONS").and_then(|names| names.split(' ').next());
    let solution = solution.unwrap_or_default().to_uppercase();
    let model = properties.get(format!("IOCOST_MODEL_{solution}").as_str());
    let qos = properties.get(format!("IOCOST_QOS_{solution}").as_str());
    let (Some(model), Some(qos)) = (model, qos) else { return Some(BTreeMap::new()) };
    let pairs = |file: &str, line: &str| {
        let pairs = line.split(' ').filter_map(|word| word.split_once('='));
        pairs.map(|(key, value)| (format!("{file} {key}"), value.to_owned())).collect::<Vec<_>>()
    };
    let mut all: BTreeMap<String, String> = pairs("io.cost.model", model).into_iter().collect();
    all.extend(pairs("io.cost.qos", qos));
    // A latency whose percentile is 0 is without effect.
    if all.get("io.cost.qos rpct").is_some_and(|value| value == "0.00") {
        all.remove("io.cost.qos rlat");
    }
    Some(all)
}

#[test]
fn the_same_solution_is_in_force_as_with_systemd() {
    let files = corpus("hwdb");
    assert_eq!(files.len(), 8);
    let mut compared = 0;
    for machine in &MACHINES {
        for file in &files {
            let Some(want) = applied(machine, file) else { return };
            let findings = machine.findings(file);
            let is_cost = |key: &str| key.starts_with("io.cost.");
            if findings.iter().any(|one| one.verdict == Verdict::NotJudged && !is_cost(&one.key)) {
                continue;
            }
            let judged: BTreeMap<String, String> = findings
                .iter()
                .filter(|one| is_cost(&one.key) && one.verdict != Verdict::Meaningless)
                .map(|one| (one.key.clone(), one.found.clone()))
                .collect();
            assert_eq!(judged, want, "{} on {}: {findings:#?}", file.display(), machine.name);
            compared += want.len();
        }
    }
    assert!(compared >= 80, "only {compared} keys were compared");
}

#[test]
fn entries_of_other_models_are_left_alone_and_counted() {
    let entry = |model: &str| {
        format!(
            "block:*:name:{model}:fwrev:*:\n IOCOST_SOLUTIONS=naive\n IOCOST_MODEL_NAIVE=rbps=1 wbps=1\n \
             IOCOST_QOS_NAIVE=min=75.00\n\n"
        )
    };
    let text = [entry("WDC*"), entry("Samsung*")].concat();
    let lint = linted_for(FAST, "nvme0n1", &text);
    assert_eq!(lint.findings, []);
    assert_eq!(lint.notes, ["2 entries of the hardware database are for other drives: WDC*, Samsung*"]);
    let lint = linted_for(FAST, "nvme0n1", &entry("KXG6*"));
    assert_eq!(found(&lint)[0], ("io.cost.model rbps", "1", Verdict::TooLow));
}

#[test]
fn a_solution_without_its_other_half_is_not_applied() {
    let text = "block:*:name:KXG6*:fwrev:*:\n IOCOST_SOLUTIONS=naive\n IOCOST_MODEL_NAIVE=rbps=1\n";
    let lint = linted_for(FAST, "nvme0n1", text);
    assert_eq!(found(&lint), [("IOCOST_SOLUTIONS", "naive", Verdict::Meaningless)]);
    let text = "block:*:name:KXG6*:fwrev:*:\n IOCOST_MODEL_NAIVE=rbps=1\n";
    assert_eq!(
        found(&linted_for(FAST, "nvme0n1", text)),
        [("IOCOST_MODEL_NAIVE", "rbps=1", Verdict::Meaningless)]
    );
}
