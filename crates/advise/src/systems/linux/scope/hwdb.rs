//! Which entries of the hardware database are for the drive, and which of their solutions is in force.
//!
//! systemd's rules.d/90-iocost.rules asks for `block::name:MODEL:fwrev:FIRMWARE:`. Of a property that several
//! entries have, the last one counts (systemd's src/libsystemd/sd-hwdb/sd-hwdb.c), and of the solutions the
//! first that `IOCOST_SOLUTIONS` names (src/udev/iocost/iocost.c).

use std::collections::BTreeMap;

use super::super::globs;
use super::super::reading::HWDB;
use super::super::reading::costs::costs;
use super::super::subject::Subject;
use super::answer::Answer;
use crate::lint::finding;
use crate::{Entry, Finding, Verdict};

const SOLUTIONS: &str = "IOCOST_SOLUTIONS";

/// What came of the entries.
#[derive(Default)]
pub(super) struct Outcome {
    /// Keys of the solution in force.
    pub(super) entries: Vec<Entry>,
    pub(super) findings: Vec<Finding>,
    pub(super) notes: Vec<String>,
}

pub(super) fn outcome(entries: &[Entry], subject: &Subject) -> Outcome {
    let mut outcome = Outcome::default();
    let mut properties: BTreeMap<&str, &Entry> = BTreeMap::new();
    let mut others: Vec<&str> = Vec::new();
    for entry in entries {
        let Some(patterns) = entry.section.strip_prefix(HWDB) else { continue };
        match matches(patterns, subject) {
            Answer::Yes => {
                properties.insert(&entry.key, entry);
            }
            Answer::No => others.push(patterns),
            Answer::Unknown => {
                let reason = format!(
                    "it cannot be known whether the entry is for this drive: {}",
                    patterns.replace('\n', ", ")
                );
                outcome.findings.push(finding(entry, Verdict::NotJudged, reason));
            }
        }
    }
    others.dedup();
    if !others.is_empty() {
        let models: Vec<&str> = others.iter().filter_map(|patterns| model(patterns)).collect();
        let (entries, are) = if others.len() == 1 { ("entry", "is") } else { ("entries", "are") };
        outcome.notes.push(format!(
            "{} {entries} of the hardware database {are} for other drives: {}",
            others.len(),
            few(&models)
        ));
    }
    solution(&properties, &mut outcome);
    outcome
}

/// The first of the solutions, if it is whole.
fn solution(properties: &BTreeMap<&str, &Entry>, outcome: &mut Outcome) {
    let Some(solutions) = properties.get(SOLUTIONS) else {
        for (key, entry) in properties.iter().filter(|(key, _)| key.starts_with("IOCOST_")) {
            let reason = format!("no {SOLUTIONS} of this drive names it, so {key} has no effect");
            outcome.findings.push(finding(entry, Verdict::Meaningless, reason));
        }
        return;
    };
    let mut names = solutions.value.split(' ').filter(|name| !name.is_empty());
    let Some(name) = names.next() else { return };
    let keys = ["MODEL", "QOS"].map(|kind| format!("IOCOST_{kind}_{}", name.to_ascii_uppercase()));
    if let Some(missing) = keys.iter().find(|key| !properties.contains_key(key.as_str())) {
        let reason = format!("{missing} is missing, so systemd applies nothing of {name}");
        outcome.findings.push(finding(solutions, Verdict::Meaningless, reason));
        return;
    }
    for entry in keys.iter().filter_map(|key| properties.get(key.as_str())) {
        for (key, value) in costs(&entry.value) {
            let (section, value, place) = (String::new(), value.to_owned(), entry.place.clone());
            outcome.entries.push(Entry { section, key, value, place });
        }
    }
    let rest: Vec<&str> = names.collect();
    if !rest.is_empty() {
        outcome.notes.push(format!(
            "{}: {name} is in force, the first solution; {} left out",
            solutions.place,
            rest.join(", ")
        ));
    }
}

/// Whether one of the patterns matches what udev asks for.
fn matches(patterns: &str, subject: &Subject) -> Answer {
    patterns.lines().map(|pattern| one(pattern, subject)).fold(Answer::No, Answer::or)
}

/// Whether a pattern matches, with every model and firmware that the drive may have.
fn one(pattern: &str, subject: &Subject) -> Answer {
    // What no pattern has in it but by a star.
    let any = ["", "\u{1}", "\u{1}0\u{2}"].map(str::to_owned);
    let models = match subject.models() {
        Some(models) if !subject.is_model_cut() => models,
        Some(models) => {
            models.iter().flat_map(|model| any.iter().map(move |end| format!("{model}{end}"))).collect()
        }
        None => any.to_vec(),
    };
    let firmware = subject.firmware().unwrap_or_else(|| any.to_vec());
    let asked = models.iter().flat_map(|model| {
        firmware.iter().map(move |firmware| format!("block::name:{model}:fwrev:{firmware}:"))
    });
    let answer = Answer::agreed(asked.map(|text| Answer::of(globs::matches(pattern, &text))));
    // None of those matches, but another may.
    let is_sure = subject.firmware().is_some() && subject.model.is_some() && !subject.is_model_cut();
    let is_asked = pattern.contains(":fwrev:") && globs::matches(head(pattern), "block:");
    match answer {
        Answer::No if !is_sure && is_asked && may_be(pattern, subject) => Answer::Unknown,
        other => other,
    }
}

/// What stands before the name.
fn head(pattern: &str) -> &str {
    pattern.split_once(":name:").map_or("", |(head, _)| head)
}

/// Whether the pattern may be for a model of which only the beginning is known, or for any of its firmware.
fn may_be(pattern: &str, subject: &Subject) -> bool {
    let (Some(name), Some(models)) = (model_of(pattern), subject.models()) else { return true };
    let is_cut = subject.is_model_cut();
    models.iter().any(|model| globs::matches(name, model) || is_cut && begins(name, model))
}

/// Whether the pattern may go on after `model`.
fn begins(pattern: &str, model: &str) -> bool {
    let end = pattern.find(['*', '?', '[']).unwrap_or(pattern.len());
    pattern[..end].starts_with(model) || model.starts_with(&pattern[..end]) && end < pattern.len()
}

fn model_of(pattern: &str) -> Option<&str> {
    pattern.split_once(":name:")?.1.split(':').next()
}

fn model(patterns: &str) -> Option<&str> {
    patterns.lines().next().and_then(model_of)
}

/// The first of a list, and how many more.
fn few(names: &[&str]) -> String {
    match names.len() {
        0..=4 => names.join(", "),
        more => format!("{} and {} more", names[..3].join(", "), more - 3),
    }
}
