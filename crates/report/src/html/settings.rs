//! The settings of real systems, on the page of a profile: a tab per system.

use leadline_advise::{Advice, File, Fits, Inputs, Missing, Setting, System, Value, advise};
use leadline_profile::DeviceProfile;
use serde::Serialize;

/// A tab.
#[derive(Serialize)]
pub(super) struct Tab {
    system: &'static str,
    title: String,
    provable: bool,
    rows: Vec<Row>,
    /// Keys, and what is missing for them: each reason once.
    missing: Vec<(String, String)>,
    notes: Vec<String>,
    files: Vec<Snippet>,
}

/// A key.
#[derive(Serialize)]
struct Row {
    key: &'static str,
    value: String,
    interval: Option<String>,
    /// Which values do as well, in a sentence.
    as_good: Option<String>,
    unit: &'static str,
    default: Option<String>,
    rule: String,
    source: String,
    /// What happens if it is wrong: `too low`, `too high` or `otherwise`, and the sentence.
    wrong: Vec<(&'static str, &'static str)>,
}

/// A file to be copied.
#[derive(Serialize)]
struct Snippet {
    /// Where versions differ, with those that it is for: `leadline.conf for PostgreSQL 13 to 16`.
    name: String,
    place: &'static str,
    text: String,
}

/// What the profile supports, for the assumed version of each system; those without any setting are left out.
pub(super) fn tabs(profile: &DeviceProfile) -> Vec<Tab> {
    let inputs = Inputs::default();
    let advised = System::ALL.into_iter().filter_map(|system| advise(system, profile, &inputs).ok());
    let some = advised.filter(|advice| !advice.settings.is_empty());
    some.map(|advice| tab(&advice, snippets(&advice, profile))).collect()
}

/// The files of the versions that there are: a server may not start with those of another one.
fn snippets(advice: &Advice, profile: &DeviceProfile) -> Vec<Snippet> {
    let plain = |file: File| Snippet { name: file.name.to_owned(), place: file.place, text: file.text };
    if advice.differing.is_empty() {
        return advice.files().into_iter().map(plain).collect();
    }
    let system = advice.system;
    // Versions next to each other that have the same files but for the first line, which names the version.
    let mut groups: Vec<(Vec<&str>, Vec<File>)> = Vec::new();
    for version in system.versions() {
        let inputs = Inputs { version: Some((*version).to_owned()), ..Inputs::default() };
        let Ok(files) = advise(system, profile, &inputs).map(|advice| advice.files()) else { continue };
        let body = |file: &File| file.text.split_once('\n').map(|(_, body)| body.to_owned());
        match groups.last_mut() {
            Some((versions, known)) if known.iter().map(body).eq(files.iter().map(body)) => {
                versions.push(version);
                *known = files;
            }
            _ => groups.push((vec![version], files)),
        }
    }
    let named = |(versions, files): (Vec<&str>, Vec<File>)| {
        let of = match versions.as_slice() {
            [first, .., last] => format!("{} {first} to {last}", system.title()),
            one => format!("{} {}", system.title(), one.concat()),
        };
        let named = move |file: File| Snippet { name: format!("{} for {of}", file.name), ..plain(file) };
        files.into_iter().map(named).collect::<Vec<_>>()
    };
    groups.into_iter().rev().flat_map(named).collect()
}

fn tab(advice: &Advice, files: Vec<Snippet>) -> Tab {
    Tab {
        system: advice.system.name(),
        title: format!("{} {}", advice.system.title(), advice.version),
        provable: advice.provable,
        rows: advice.settings.iter().map(row).collect(),
        missing: by_reason(&advice.missing),
        notes: advice.of_which_version().into_iter().chain(advice.notes.iter().cloned()).collect(),
        files,
    }
}

/// Keys that are left out for one reason in one line, in the order of the reasons.
fn by_reason(missing: &[Missing]) -> Vec<(String, String)> {
    let mut lines: Vec<(String, String)> = Vec::new();
    for Missing { key, reason, .. } in missing {
        match lines.iter_mut().find(|(_, known)| known == reason) {
            Some((keys, _)) => *keys = format!("{keys}, {key}"),
            None => lines.push(((*key).to_owned(), reason.clone())),
        }
    }
    lines
}

fn row(setting: &Setting) -> Row {
    let wrong = match setting.fits {
        Fits::Range(_) => vec![("too low", setting.if_too_low), ("too high", setting.if_too_high)],
        Fits::Words(_) => vec![("otherwise", setting.if_too_low)],
    };
    Row {
        key: setting.key,
        value: setting.value.shown(),
        interval: setting.interval_shown(),
        as_good: setting.as_good_sentence(),
        unit: setting.unit_shown(),
        default: setting.default.as_ref().map(Value::shown),
        rule: setting.rule.clone(),
        source: setting.source.to_string(),
        wrong: wrong.into_iter().filter(|(_, text)| !text.is_empty()).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_out_for_one_reason_is_one_line() {
        let missing = |key, reason: &str| Missing { key, experiment: "sustained", reason: reason.to_owned() };
        let lines = by_reason(&[missing("a", "rate"), missing("b", "flush"), missing("c", "rate")]);
        let line = |keys: &str, reason: &str| (keys.to_owned(), reason.to_owned());
        assert_eq!(lines, [line("a, c", "rate"), line("b", "flush")]);
    }
}
