//! The settings in force: what somebody set, and the program's defaults for the rest.

use crate::keys::Keys;
use crate::meaning::{Meaning, Special, When};
use crate::{Config, Entry, Setting, System, Value};

/// What is in force in one configuration of one version of a system.
pub(crate) struct InForce<'a> {
    system: System,
    config: &'a Config,
    keys: Option<&'static Keys>,
    settings: &'a [Setting],
}

/// A value in force.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Held<'a> {
    pub(crate) text: &'a str,
    /// Where it was set; `None` where it is the default.
    pub(crate) entry: Option<&'a Entry>,
}

impl<'a> InForce<'a> {
    pub(crate) fn new(system: System, version: &str, config: &'a Config, settings: &'a [Setting]) -> Self {
        InForce { system, config, keys: system.rules().keys(version), settings }
    }

    /// The value of `key`: the last that was set, else the default, where the program has one that is known.
    pub(crate) fn get(&self, key: &str) -> Option<Held<'a>> {
        if let Some(entry) = self.config.last(key) {
            return Some(Held { text: &entry.value, entry: Some(entry) });
        }
        // What a variable or a file that is not here sets is not known.
        let default = self.keys.filter(|_| self.config.is_unset(key))?.get(key)?.default?;
        Some(Held { text: default, entry: None })
    }

    /// Why `key` has no effect, in a sentence; `None` where it has, or where that is not known.
    pub(crate) fn moot(&self, key: &str) -> Option<String> {
        let meaning = self.meaning(key)?;
        let moot = meaning.moot.iter().find(|moot| moot.when.iter().all(|when| self.holds(when)))?;
        let other = moot.when.first()?.key();
        let held = self.get(other);
        let because = match held.as_ref().and_then(|held| Some((held.text, held.entry?))) {
            Some((text, entry)) => format!("{other} = {text} ({})", entry.place),
            None => format!("{other} is {}, its default", held.map_or("not set", |held| held.text)),
        };
        Some(format!("because {because}: {}", moot.why))
    }

    fn holds(&self, when: &When) -> bool {
        let is_one = |text: &str, words: &[&str]| words.iter().any(|word| self.same(when.key(), text, word));
        match when {
            When::Is(key, words) => self.get(key).is_some_and(|held| is_one(held.text, words)),
            When::IsNot(key, words) => match self.get(key) {
                Some(held) => !is_one(held.text, words),
                None => self.keys.is_some_and(|keys| keys.is_complete && keys.get(key).is_none()),
            },
            When::Lists(key, word) => {
                self.get(key).is_some_and(|held| held.text.split(',').any(|one| self.same(key, one, word)))
            }
            When::IsSet(key, words) => {
                self.config.last(key).is_some_and(|entry| !is_one(&entry.value, words))
            }
        }
    }

    /// What the text of a value stands for where it is no amount.
    pub(crate) fn special(&self, key: &str, text: &str) -> Option<Special> {
        let mut special = self.meaning(key)?.special.iter();
        special.find(|(word, _)| self.same(key, text, word)).map(|(_, special)| *special)
    }

    /// The key to which only the ratio counts, and its number in force.
    pub(crate) fn relative(&self, key: &str) -> Option<(&'static str, f64)> {
        let other = self.meaning(key)?.relative_to?;
        let held = self.get(other)?;
        let number = match self.settings.iter().find(|setting| setting.key == other) {
            Some(setting) => self.system.rules().value(setting, held.text)?.number()?,
            None => held.text.trim().parse().ok()?,
        };
        Some((other, number)).filter(|(_, number)| *number > 0.0 && number.is_finite())
    }

    /// What an advised key takes.
    pub(crate) fn key(&self, key: &str) -> Option<&'static crate::Key> {
        self.keys?.get(key)
    }

    fn meaning(&self, key: &str) -> Option<&'static Meaning> {
        self.system.rules().meanings().iter().find(|meaning| meaning.key == key)
    }

    /// Whether two texts are one value of `key`: words whatever their case, numbers whatever their unit.
    fn same(&self, key: &str, text: &str, word: &str) -> bool {
        let (text, word) = (text.trim(), word.trim());
        if text.eq_ignore_ascii_case(word) {
            return true;
        }
        if let Some(wanted) = truth(word) {
            return truth(text).or_else(|| digit(text)) == Some(wanted);
        }
        let number = |text: &str| {
            let setting = self.settings.iter().find(|setting| setting.key == key);
            let value = setting.and_then(|setting| self.system.rules().value(setting, text));
            value.as_ref().and_then(Value::number).or_else(|| leading_number(text))
        };
        number(text).zip(number(word)).is_some_and(|(one, other)| one == other)
    }
}

/// `on`, `true`, `yes`, and their opposites.
fn truth(text: &str) -> Option<bool> {
    let is = |words: &[&str]| words.iter().any(|word| word.eq_ignore_ascii_case(text));
    if is(&["on", "true", "yes"]) {
        Some(true)
    } else if is(&["off", "false", "no"]) {
        Some(false)
    } else {
        None
    }
}

/// 1 and 0, where a truth is meant.
fn digit(text: &str) -> Option<bool> {
    match text {
        "1" => Some(true),
        "0" => Some(false),
        _ => None,
    }
}

/// 0 is 0 in every unit; other numbers count only without one.
fn leading_number(text: &str) -> Option<f64> {
    if let Ok(number) = text.parse() {
        return Some(number);
    }
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.')?;
    text[..end].parse().ok().filter(|number| *number == 0.0)
}
