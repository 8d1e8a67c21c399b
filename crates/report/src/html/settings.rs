//! The settings of real systems, on the page of a profile: a tab per system.

use leadline_advise::{Advice, Fits, Inputs, Setting, System, Value, advise};
use leadline_profile::DeviceProfile;
use serde::Serialize;

/// A tab.
#[derive(Serialize)]
pub(super) struct Tab {
    system: &'static str,
    title: String,
    provable: bool,
    rows: Vec<Row>,
    /// `key: what is missing`.
    missing: Vec<String>,
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
    name: &'static str,
    place: &'static str,
    text: String,
}

/// What the profile supports, for the assumed version of each system; those without any setting are left out.
pub(super) fn tabs(profile: &DeviceProfile) -> Vec<Tab> {
    let inputs = Inputs::default();
    let advised = System::ALL.into_iter().filter_map(|system| advise(system, profile, &inputs).ok());
    advised.filter(|advice| !advice.settings.is_empty()).map(|advice| tab(&advice)).collect()
}

fn tab(advice: &Advice) -> Tab {
    let snippet =
        |file: leadline_advise::File| Snippet { name: file.name, place: file.place, text: file.text };
    Tab {
        system: advice.system.name(),
        title: format!("{} {}", advice.system.title(), advice.version),
        provable: advice.provable,
        rows: advice.settings.iter().map(row).collect(),
        missing: advice.missing.iter().map(|one| format!("{}: {}", one.key, one.reason)).collect(),
        notes: advice.notes.clone(),
        files: advice.files().into_iter().map(snippet).collect(),
    }
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
