//! A good configuration changed in one place: the verdict on that place is the right one, and no other
//! changes.
//!
//! The changes come from the tables: beyond each range, each value that stands for something else, each key
//! that makes another moot, each key of another version.

use leadline_advise::{
    Config, Entry, Fits, Inputs, Kind, Lint, Place, Setting, Special, System, Value, Verdict, When, advise,
    lint, parse,
};
use leadline_profile::DeviceProfile;

use crate::common::{DISK, FAST, Known};
use crate::own_advice::measured;

/// A change and what it must come to.
struct Change {
    /// What it is, for messages.
    what: String,
    config: Config,
    key: String,
    /// One of these.
    verdicts: Vec<Verdict>,
}

#[test]
fn every_change_in_one_place_has_its_verdict() {
    let mut changes = 0;
    for system in System::ALL {
        for version in system.versions() {
            for known in [FAST, DISK] {
                changes += judge_changes(system, version, known);
            }
        }
    }
    assert!(changes >= 300, "{changes} changes");
}

fn judge_changes(system: System, version: &str, known: Known) -> usize {
    let profile = measured(known, 0);
    let version = Some(version.to_owned());
    let inputs = Inputs { version, cores: Some(8), memory_bytes: Some(1 << 34), ..Inputs::default() };
    let advice = advise(system, &profile, &inputs).unwrap();
    let mut count = 0;
    for file in advice.files() {
        let good = parse(system, &file.text, file.name.as_ref()).unwrap();
        let changes = advice.settings.iter().filter(|setting| good.last(setting.key).is_some());
        let changes: Vec<Change> =
            changes.flat_map(|setting| changes_of(system, advice.version, setting, &good)).collect();
        for change in changes {
            check(system, &good, &change, &profile, &inputs);
            count += 1;
        }
    }
    count
}

fn check(system: System, good: &Config, change: &Change, profile: &DeviceProfile, inputs: &Inputs) {
    let what = format!("{system} {:?}: {}", inputs.version, change.what);
    let lint = lint(system, &change.config, profile, inputs).unwrap();
    let of = |lint: &Lint, key: &str| lint.findings.iter().find(|one| one.key == key).cloned();
    let found = of(&lint, &change.key).unwrap_or_else(|| panic!("{what}: nothing is said"));
    assert!(change.verdicts.contains(&found.verdict), "{what}: {found:?}, not {:?}", change.verdicts);
    // What another key makes moot, and what is judged by the ratio to it, depends on it.
    let depends = |key: &str| {
        let meaning = system.meanings().iter().find(|meaning| meaning.key == key);
        meaning.is_some_and(|one| !one.moot.is_empty() || one.relative_to == Some(change.key.as_str()))
    };
    let is_same = |entry: &&Entry| change.config.last(&entry.key).is_some_and(|now| now.value == entry.value);
    for entry in good.entries.iter().filter(is_same).filter(|entry| !depends(&entry.key)) {
        let one = of(&lint, &entry.key);
        // Several keys together may be wrong because of the one.
        let fits = one
            .is_none_or(|one| matches!(one.verdict, Verdict::Fits | Verdict::Meaningless | Verdict::Invalid));
        assert!(fits, "{what}: {} was good", entry.key);
    }
}

fn changes_of(system: System, version: &str, setting: &Setting, good: &Config) -> Vec<Change> {
    let mut changes = Vec::new();
    let mut add = |text: String, verdicts: &[Verdict]| {
        let what = format!("{} = {text}", setting.key);
        changes.push(Change {
            what,
            config: with(good, setting.key, &text),
            key: setting.key.to_owned(),
            verdicts: verdicts.to_vec(),
        });
    };
    let key = system.keys(version).and_then(|keys| keys.get(setting.key));
    if let Some(key) = key.filter(|key| matches!(key.kind, Kind::Int | Kind::Real)) {
        let [least, most] = key.range.map(|end| end / key.unit);
        let refused = [Verdict::OutOfRange, Verdict::Invalid];
        if most < 1e9 {
            add(format!("{}", most + 1.0), &refused);
            add(format!("{}", 16.0 * most), &refused);
        }
        if least.abs() < 1e9 {
            add(format!("{}", least - 1.0), &refused);
        }
        add("12 parsecs".to_owned(), &[Verdict::Invalid]);
        add("nan".to_owned(), &refused);
    }
    if key.is_some_and(|key| key.kind == Kind::Enum) {
        add("sideways".to_owned(), &[Verdict::Invalid]);
    }
    let meaning = system.meanings().iter().find(|meaning| meaning.key == setting.key);
    for (value, special) in meaning.iter().flat_map(|meaning| meaning.special) {
        match special {
            Special::Off(_) => add((*value).to_owned(), &[Verdict::Off, Verdict::Fits]),
            Special::Automatic(_) => add((*value).to_owned(), &[Verdict::NotJudged, Verdict::Fits]),
            _ => {}
        }
    }
    if let (Fits::Range([low, high]), None, Value::Number(_)) =
        (&setting.fits, meaning.and_then(|meaning| meaning.relative_to), &setting.value)
    {
        let range = key.map_or([0.0, 1e12], |key| key.range);
        let (below, above) = ((low / 3.0).floor(), (high * 3.0).ceil());
        if below >= range[0] && below > 0.0 && below < *low {
            add(format!("{below}"), &[Verdict::TooLow, Verdict::Meaningless, Verdict::Invalid]);
        }
        if above <= range[1] && above < 1e12 && above > *high {
            add(format!("{above}"), &[Verdict::TooHigh, Verdict::Meaningless, Verdict::Invalid]);
        }
    }
    for moot in meaning.iter().flat_map(|meaning| meaning.moot) {
        let config =
            moot.when.iter().try_fold(good.clone(), |config, when| made_so(system, version, config, when));
        let what = format!("{} where {:?}", setting.key, moot.when);
        if let Some(config) = config {
            changes.push(Change { what, config, key: setting.key.to_owned(), verdicts: vec![Verdict::Moot] });
        }
    }
    for other in system.versions() {
        let Some(keys) = system.keys(version).filter(|keys| keys.is_complete) else { continue };
        let Some(newer) = ["io_workers", "io_method"].into_iter().find(|key| {
            keys.get(key).is_none() && system.keys(other).is_some_and(|keys| keys.get(key).is_some())
        }) else {
            continue;
        };
        let config = with(good, newer, "3");
        let what = format!("{newer}, a key of {other}");
        changes.push(Change { what, config, key: newer.to_owned(), verdicts: vec![Verdict::Unknown] });
    }
    changes
}

/// With a condition met, where a value that meets it is known.
fn made_so(system: System, version: &str, config: Config, when: &When) -> Option<Config> {
    let table = system.keys(version);
    let value = match when {
        When::Is(_, words) => words.first()?.to_string(),
        When::IsNot(key, words) => match table.and_then(|keys| keys.get(key)) {
            Some(known) => known.words.iter().find(|word| !words.contains(word))?.to_string(),
            // The version has no such key, which is enough.
            None => return table.is_some_and(|keys| keys.is_complete).then_some(config),
        },
        When::IsSet(_, _) => "8".to_owned(),
        When::Lists(_, word) => (*word).to_owned(),
        _ => return None,
    };
    if table.is_some_and(|keys| keys.is_complete && keys.get(when.key()).is_none()) {
        return None;
    }
    Some(with(&config, when.key(), &value))
}

/// With another value of a key, where it stands or at the end.
fn with(config: &Config, key: &str, value: &str) -> Config {
    let mut config = config.clone();
    match config.entries.iter_mut().rfind(|entry| entry.key == key) {
        Some(entry) => value.clone_into(&mut entry.value),
        None => {
            let section = config.entries.last().map_or(String::new(), |entry| entry.section.clone());
            let place = Place::Line { path: "added".into(), line: 1 };
            config.entries.push(Entry { section, key: key.to_owned(), value: value.to_owned(), place });
        }
    }
    config
}
