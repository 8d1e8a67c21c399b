//! Which sections of a ceph.conf are for the OSD of the drive: `[osd.3]` is for OSD 3 only.

use std::collections::BTreeSet;

use crate::lint::finding;
use crate::systems::Scoped;
use crate::{Config, Entry, Inputs, Verdict};

/// What is for the OSD that `inputs` name. Without one, sections for single OSDs are not judged, since any of
/// them, or none, may have the drive. `config` has the most special sections last.
pub(super) fn scoped(config: &Config, inputs: &Inputs) -> Scoped {
    let own = inputs.osd.map(|number| format!("osd.{number}"));
    let is_single = |entry: &Entry| entry.section.starts_with("osd.");
    let is_own = |entry: &Entry| Some(&entry.section) == own.as_ref();
    let mut scoped = Scoped { config: config.clone(), ..Scoped::default() };
    scoped.config.entries.retain(|entry| !is_single(entry) || is_own(entry));
    let others: Vec<&Entry> =
        config.entries.iter().filter(|entry| is_single(entry) && !is_own(entry)).collect();
    match &own {
        Some(own) => {
            let sections: BTreeSet<String> = others.iter().map(|entry| format!("[{}]", entry.section)).collect();
            if !sections.is_empty() {
                let list: Vec<String> = sections.into_iter().collect();
                scoped.config.notes.push(format!("sections of other OSDs than {own}: {}", list.join(", ")));
            }
            overridden(&mut scoped.config, own);
        }
        None => scoped.findings.extend(others.iter().map(|entry| {
            let number = entry.section.trim_start_matches("osd.");
            let reason = format!(
                "for {} only, and which OSD has this drive is not known: say --osd {number} if it is that one",
                entry.section
            );
            finding(entry, Verdict::NotJudged, reason)
        })),
    }
    scoped
}

/// Takes out what the OSD's own section overrides.
fn overridden(config: &mut Config, own: &str) {
    let special: Vec<Entry> = config.entries.iter().filter(|entry| entry.section == own).cloned().collect();
    let by = |entry: &Entry| special.iter().find(|other| other.key == entry.key && entry.section != own);
    let notes: Vec<String> = config
        .entries
        .iter()
        .filter_map(|entry| {
            Some(format!("{}: {} is overridden for {own} in {}", entry.place, entry.key, by(entry)?.place))
        })
        .collect();
    config.notes.extend(notes);
    config.entries.retain(|entry| by(entry).is_none());
}
