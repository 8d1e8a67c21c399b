//! Which rules of udev match the drive, in udev's order, and what they assign.
//!
//! systemd's src/udev/udev-rules.c: in a rule, all comparisons come before all assignments; comparisons with
//! parents (`KERNELS`, `ATTRS`) must hold for one and the same parent; programs are run after the last rule.

use std::collections::HashMap;

use super::super::reading::udev::Token;
use super::super::subject::{Kind, Subject};
use super::answer::{Answer, Known};
use super::known::{self, Parent};
use super::rule::{Rule, is_of_parents, is_same_file, shown};
use crate::Place;

/// What a rule does that matters here.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Act {
    /// `ATTR{queue/...}`: key and value.
    Queue(String, String),
    /// `SYSCTL{...}`.
    Sysctl(String, String),
    /// A program.
    Run(String),
}

/// An act, and whether it happens: `Err` with what would have to be known.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Done {
    pub(super) act: Act,
    pub(super) place: Place,
    pub(super) unless_known: Option<String>,
}

/// What came of the rules.
#[derive(Debug, Default)]
pub(super) struct Outcome {
    pub(super) done: Vec<Done>,
    /// Rules that set something of the kind and do not match: the place, and what does not.
    pub(super) passed_over: Vec<(Place, String)>,
}

/// What the rules do as the drive appears, and then as something of it changes, which happens again and
/// again.
pub(super) fn outcome(rules: &[Rule], subject: &Subject) -> Outcome {
    let [mut first, second] =
        ["add", "change"].map(|action| Device { action, ..Device::new(subject) }.run(rules));
    // Whatever is done again when it changes is done later.
    first.done.retain(|done| !second.done.contains(done));
    first.done.extend(second.done);
    let either = second.passed_over;
    first.passed_over.retain(|(place, _)| either.iter().any(|(other, _)| other == place));
    first
}

/// The drive while rules are applied to it.
struct Device<'a> {
    subject: &'a Subject<'a>,
    action: &'static str,
    environment: HashMap<String, Known>,
    attributes: HashMap<String, Known>,
    runs: Vec<Done>,
    /// Whether no later rule can add a program.
    is_run_final: bool,
    /// The file, the label that was jumped to, and what would have to be known to say whether.
    jump: Option<(Place, String, Option<String>)>,
}

impl<'a> Device<'a> {
    fn new(subject: &'a Subject<'a>) -> Self {
        Device {
            subject,
            action: "add",
            environment: HashMap::new(),
            attributes: HashMap::new(),
            runs: Vec::new(),
            is_run_final: false,
            jump: None,
        }
    }

    fn run(&mut self, rules: &[Rule]) -> Outcome {
        let mut outcome = Outcome::default();
        for (at, rule) in rules.iter().enumerate() {
            self.land(rule);
            let jumped = self.jump.clone();
            if let Some((_, label, None)) = &jumped {
                if rule.acts() {
                    let reason = format!("left out by GOTO=\"{label}\"");
                    outcome.passed_over.push((rule.place.clone(), reason));
                }
                continue;
            }
            let (answer, reason) = self.matches(rule);
            let doubt = match (answer, jumped) {
                (Answer::No, _) => {
                    if rule.acts() {
                        outcome.passed_over.push((rule.place.clone(), reason));
                    }
                    continue;
                }
                (Answer::Unknown, _) => Some(reason),
                (Answer::Yes, Some((_, _, doubt))) => doubt,
                (Answer::Yes, None) => None,
            };
            self.assign(rule, doubt, &rules[at + 1..], &mut outcome);
        }
        outcome.done.append(&mut self.runs);
        outcome
    }

    /// Ends a jump at its label, or at the end of its file.
    fn land(&mut self, rule: &Rule) {
        let is_there = |(place, label, _): &(Place, String, Option<String>)| {
            rule.label() == Some(label) || !is_same_file(place, &rule.place)
        };
        if self.jump.as_ref().is_some_and(is_there) {
            self.jump = None;
        }
    }

    /// Whether all comparisons hold, and the one that decides.
    fn matches(&self, rule: &Rule) -> (Answer, String) {
        let mut unknown = None;
        let (of_parents, own): (Vec<&Token>, Vec<&Token>) =
            rule.tokens.iter().filter(|token| token.is_match()).partition(|token| is_of_parents(token));
        for token in own {
            match self.own(token) {
                Answer::No => return (Answer::No, shown(token)),
                Answer::Unknown => unknown = unknown.or_else(|| Some(token.to_string())),
                Answer::Yes => {}
            }
        }
        if !of_parents.is_empty() {
            let parents = known::parents(self.subject);
            let one = |parent: &Parent| {
                of_parents.iter().map(|token| self.of_parent(token, parent)).fold(Answer::Yes, Answer::and)
            };
            let text = || of_parents.iter().map(|token| shown(token)).collect::<Vec<_>>().join(", ");
            match parents.iter().map(one).fold(Answer::No, Answer::or) {
                Answer::No => return (Answer::No, text()),
                Answer::Unknown => unknown = unknown.or_else(|| Some(text())),
                Answer::Yes => {}
            }
        }
        match unknown {
            Some(text) => (Answer::Unknown, text),
            None => (Answer::Yes, String::new()),
        }
    }

    /// A comparison with the drive itself.
    fn own(&self, token: &Token) -> Answer {
        if token.any_case {
            return Answer::Unknown;
        }
        let patterns = token.value.as_str();
        let answer = match token.key.as_str() {
            "KERNEL" => known::name(self.subject, patterns),
            "ACTION" => Known::is(self.action).matches(patterns),
            "SUBSYSTEM" => Known::is("block").matches(patterns),
            "DRIVER" => Known::is("").matches(patterns),
            "ENV" => self.property(&token.attribute).matches(patterns),
            "TEST" => known::exists(self.subject, patterns),
            "ATTR" => {
                let found = self.attribute(&token.attribute);
                // A file that is not there does not differ from anything.
                if found == Known::Absent {
                    return Answer::No;
                }
                found.matches(patterns)
            }
            _ => Answer::Unknown,
        };
        if token.operator == "!=" { answer.not() } else { answer }
    }

    fn of_parent(&self, token: &Token, parent: &Parent) -> Answer {
        if token.any_case {
            return Answer::Unknown;
        }
        let patterns = token.value.as_str();
        let answer = match token.key.as_str() {
            "KERNELS" => parent.is_called(patterns),
            "SUBSYSTEMS" => parent.subsystem.matches(patterns),
            "DRIVERS" => parent.driver.matches(patterns),
            "ATTRS" => match parent.attribute(self.subject, &token.attribute) {
                Known::Absent => return Answer::No,
                found => found.matches(patterns),
            },
            _ => Answer::Unknown,
        };
        if token.operator == "!=" { answer.not() } else { answer }
    }

    fn property(&self, key: &str) -> Known {
        let set = self.environment.get(key).cloned();
        set.unwrap_or_else(|| known::property(self.subject, key, self.action))
    }

    /// A file, as it is after what earlier rules wrote.
    fn attribute(&self, name: &str) -> Known {
        if name == "queue/scheduler" {
            // It has all schedulers, the one in force in brackets: no single word.
            return Known::Not(&["none", "mq-deadline", "kyber", "bfq", "noop", "deadline", "cfq"])
                .clone_if(!matches!(self.subject.kind, Kind::Software | Kind::Unknown));
        }
        self.attributes.get(name).cloned().unwrap_or_else(|| known::attribute(self.subject, name))
    }

    /// Does what a rule assigns.
    fn assign(&mut self, rule: &Rule, doubt: Option<String>, later: &[Rule], outcome: &mut Outcome) {
        for token in rule.tokens.iter().filter(|token| !token.is_match()) {
            let value = self.substituted(&token.value);
            let known = |value: &str| match doubt.is_none() && !value.contains('$') {
                true => Known::is(value),
                false => Known::Unknown,
            };
            let done = |act: Act| Done { act, place: rule.place.clone(), unless_known: doubt.clone() };
            match token.key.as_str() {
                "ATTR" => {
                    self.attributes.insert(token.attribute.clone(), known(&value));
                    if token.attribute.starts_with("queue/") {
                        outcome.done.push(done(Act::Queue(token.attribute.clone(), value)));
                    }
                }
                "SYSCTL" => {
                    let key = token.attribute.replace('/', ".");
                    outcome.done.push(done(Act::Sysctl(key, value)));
                }
                "ENV" => {
                    let known = if token.operator == "=" { known(&value) } else { Known::Unknown };
                    self.environment.insert(token.attribute.clone(), known);
                }
                "RUN" if token.attribute != "builtin" && !self.is_run_final => {
                    if token.operator != "+=" && doubt.is_none() {
                        self.runs.clear();
                    }
                    self.is_run_final = token.operator == ":=" && doubt.is_none();
                    self.runs.push(done(Act::Run(value)));
                }
                "GOTO" if self.jump.as_ref().is_none_or(|(_, _, known)| known.is_some()) => {
                    let is_there = |one: &Rule| {
                        is_same_file(&one.place, &rule.place) && one.label() == Some(&token.value)
                    };
                    // udev ignores a jump whose label is not below it.
                    if later.iter().any(is_there) {
                        self.jump = Some((rule.place.clone(), token.value.clone(), doubt.clone()));
                    }
                }
                _ => {}
            }
        }
    }

    /// With the name of the drive where udev puts it.
    fn substituted(&self, text: &str) -> String {
        let name = &self.subject.name;
        let folder = format!("/block/{name}");
        let node = format!("/dev/{name}");
        let text = text.replace("%%", "\u{1}");
        let text = [("$kernel", name), ("%k", name), ("$name", name), ("$devpath", &folder), ("%p", &folder)]
            .into_iter()
            .chain([("$devnode", &node), ("%N", &node), ("$env{DEVNAME}", &node), ("%E{DEVNAME}", &node)])
            .fold(text, |text, (from, to)| text.replace(from, to));
        text.replace("$sys", "/sys").replace("%S", "/sys").replace('\u{1}', "%").replace("$$", "$")
    }
}

impl Known {
    fn clone_if(self, is_known: bool) -> Known {
        if is_known { self } else { Known::Unknown }
    }
}
