//! Advice for a system and a judged configuration, for a terminal.

use leadline_figures::number::{known, significant};
use leadline_figures::{Table, Text};

use crate::words::ENDLESS;
use crate::{Advice, Finding, Fits, Key, Lint, Moot, Setting, Special, Unset, Value, Verdict};

impl Advice {
    /// What is advised: one line per key with the values that do as well, or with `explain` also its
    /// interval, its rule, its source, and what happens if it is wrong.
    pub fn text(&self, explain: bool) -> Text {
        let mut text = Text::new();
        text.say(self.title());
        if explain {
            self.settings.iter().for_each(|setting| explained(self, setting, &mut text));
        } else if !self.settings.is_empty() {
            text.table(self.table());
        }
        text.say_all(self.of_which_version().map(|which| format!("{which}; say --version")));
        text.say_all(&self.notes);
        let missing = self.missing.iter();
        text.say_all(missing.map(|missing| format!("left out: {}: {}", missing.key, missing.reason)));
        text
    }

    /// For which version the advice is, where nobody said which and versions differ.
    pub fn of_which_version(&self) -> Option<String> {
        let (title, version) = (self.system.title(), self.version);
        let keys = self.differing.join(", ");
        (!keys.is_empty()).then(|| {
            format!(
                "these are the rules of {title} {version}; other versions have no such keys, or other values: \
                 {keys}"
            )
        })
    }

    fn title(&self) -> String {
        let proven = if self.provable { "" } else { "; not proven here, Leadline does not run it" };
        format!("{} {} on {}{proven}", self.system.title(), self.version, self.device)
    }

    fn table(&self) -> Table {
        let row = |setting: &Setting| {
            [
                setting.key.to_owned(),
                setting.value.shown(),
                known(setting.as_good()),
                setting.unit_shown().to_owned(),
                known(setting.default.as_ref().map(Value::shown)),
            ]
        };
        Table::new(["key", "value", "does as well", "unit", "default"])
            .words(2)
            .words(3)
            .rows(self.settings.iter().map(row))
    }
}

fn explained(advice: &Advice, setting: &Setting, text: &mut Text) {
    let interval = setting.interval_shown().map_or(String::new(), |interval| format!(" ({interval})"));
    text.gap();
    let head = format!("{} = {}{interval} {}", setting.key, setting.value.shown(), setting.unit_shown());
    text.say(head.trim_end());
    let mut say = |what: &str, words: &str| {
        if !words.is_empty() {
            text.set(format!("{what}{words}"), [2, 4]);
        }
    };
    say("", &setting.as_good_sentence().unwrap_or_default());
    let exact = setting.exact.map(|exact| setting.in_unit(exact));
    if let Some(exact) = exact.filter(|exact| *exact != setting.value.shown()) {
        let why = "by the rule; the nearest step of a ladder, so that profiles of one device agree";
        say(&format!("{exact} "), why);
    }
    say("rule: ", &setting.rule);
    say("defined in: ", &setting.source.to_string());
    match setting.fits {
        Fits::Range(_) => {
            say("too low: ", setting.if_too_low);
            say("too high: ", setting.if_too_high);
        }
        Fits::Words(_) => say("otherwise: ", setting.if_too_low),
    }
    if let Some(key) = advice.system.keys(advice.version).and_then(|keys| keys.get(setting.key)) {
        say("takes ", &taken(setting, key).unwrap_or_default());
    }
    for meaning in advice.system.meanings().iter().filter(|meaning| meaning.key == setting.key) {
        for (value, special) in meaning.special {
            let (Special::Off(what) | Special::Automatic(what)) = special;
            say(&format!("{value}: "), what);
        }
        meaning.moot.iter().for_each(|moot| say("without effect ", &without_effect(moot)));
    }
}

/// `0 to 1000`, and whether a change needs a restart.
fn taken(setting: &Setting, key: &Key) -> Option<String> {
    let [least, most] = key.range;
    let values = match (least.is_finite() && least > -ENDLESS, most.is_finite() && most < ENDLESS) {
        (true, true) => format!("{} to {}", setting.in_unit(least), setting.in_unit(most)),
        (true, false) => format!("{} or more", setting.in_unit(least)),
        (false, _) if !key.words.is_empty() => key.words.join(", "),
        _ => return None,
    };
    let restart = if key.needs_restart { "; a change needs a restart" } else { "" };
    Some(format!("{values}{restart}"))
}

/// `where io_method is not worker: there are no workers`.
fn without_effect(moot: &Moot) -> String {
    let conditions: Vec<String> = moot.when.iter().map(ToString::to_string).collect();
    format!("where {}: {}", conditions.join(" and "), moot.why)
}

impl Lint {
    /// What is wrong with its reasons, what has no effect or is off, then what fits.
    pub fn text(&self) -> Text {
        let mut text = Text::new();
        text.say(self.advice.title());
        let with = |verdicts: fn(Verdict) -> bool| {
            self.findings.iter().filter(move |finding| verdicts(finding.verdict))
        };
        let to_check = |verdict: Verdict| matches!(verdict, Verdict::Off | Verdict::Moot);
        for finding in with(Verdict::is_wrong).chain(with(to_check)) {
            let judged = judged(finding);
            text.set(format!("{}: {} = {}: {judged}", finding.place, finding.key, finding.found), [0, 4]);
            text.set(&finding.reason, [2, 2]);
        }
        let names = |findings: Vec<&Finding>| -> String {
            findings.iter().map(|finding| finding.key.as_str()).collect::<Vec<_>>().join(", ")
        };
        let fit: Vec<&Finding> = with(|verdict| verdict == Verdict::Fits).collect();
        if !fit.is_empty() {
            text.say(format!("fit: {}", names(fit)));
        }
        let told = with(|verdict| verdict == Verdict::Fits).filter(|finding| !finding.reason.is_empty());
        text.say_all(told.map(|finding| format!("{} = {}: {}", finding.key, finding.found, finding.reason)));
        let not_judged = with(|verdict| verdict == Verdict::NotJudged);
        text.say_all(not_judged.map(|finding| format!("not judged: {}: {}", finding.key, finding.reason)));
        let restart: Vec<&Finding> =
            with(Verdict::is_wrong).filter(|finding| finding.needs_restart).collect();
        if !restart.is_empty() {
            text.say(format!("in force only after a restart: {}", names(restart)));
        }
        if self.judged() == 0 {
            text.say("nothing was judged");
        }
        let unset = |one: &Unset| {
            format!("{} ({}, where {} fits)", one.key, one.default.shown(), one.advised.shown())
        };
        if !self.unset.is_empty() {
            let list: Vec<String> = self.unset.iter().map(unset).collect();
            text.say(format!("not set, and the default does not fit: {}", list.join(", ")));
        }
        text.say_all(&self.notes);
        text
    }
}

/// `too low by 36 times, 36 fits; a cold bitmap heap scan takes 12 times as long as with the best`.
fn judged(finding: &Finding) -> String {
    let by = match (finding.verdict, finding.times) {
        (Verdict::TooLow | Verdict::TooHigh, Some(times)) => format!(" by {} times", significant(times)),
        _ => String::new(),
    };
    let advised = match (&finding.advised, finding.verdict) {
        (Some(value), Verdict::Off) => format!(", {} would fit", value.shown()),
        (Some(value), _) => format!(", {} fits", value.shown()),
        (None, _) => String::new(),
    };
    // What is within the noise of a measurement is not worth a word.
    let costs = match finding.costs {
        Some((times, of)) if times >= 1.1 => {
            format!("; {of} takes {} times as long as with the best", significant(times))
        }
        _ => String::new(),
    };
    format!("{}{by}{advised}{costs}", finding.verdict.words())
}
