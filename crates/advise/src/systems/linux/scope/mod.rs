//! Which lines of a configuration are for the drive, and in force.

mod answer;
mod dirty;
mod hwdb;
mod known;
mod rule;
mod udev;

use super::globs;
use super::reading::scope::LineScope;
use super::reading::udev::RULE;
use super::reading::{HWDB, costs, script};
use super::subject::{Kind, Subject};
use crate::lint::finding;
use crate::syntax::templates;
use crate::systems::Scoped;
use crate::{Config, Drive, Entry, Finding, Inputs, Verdict};
use answer::Answer;
use udev::{Act, Done};

pub(super) fn scoped(config: &Config, drive: &Drive, inputs: &Inputs) -> Scoped {
    let subject = Subject::new(drive, inputs);
    let mut scoped = Scoping { subject: &subject, found: Scoped::default(), others: Vec::new() };
    scoped.found.config = Config { entries: Vec::new(), ..config.clone() };
    scoped.lines(&config.entries);
    scoped.rules(&config.entries);
    let hardware = hwdb::outcome(&config.entries, &subject);
    scoped.found.config.entries.extend(hardware.entries);
    scoped.found.config.notes.extend(hardware.notes);
    scoped.found.findings.extend(hardware.findings);
    let mut found = scoped.finished();
    dirty::judge(&mut found, drive, inputs);
    found
}

struct Scoping<'a> {
    subject: &'a Subject<'a>,
    found: Scoped,
    /// Drives of lines that are not for this one.
    others: Vec<String>,
}

impl Scoping<'_> {
    /// Lines that name drives, and lines that are for all.
    fn lines(&mut self, entries: &[Entry]) {
        for entry in entries.iter().filter(|entry| entry.section != RULE && !entry.section.starts_with(HWDB))
        {
            self.line(entry, entries);
        }
    }

    fn line(&mut self, entry: &Entry, all: &[Entry]) {
        let scope = LineScope::of(&entry.section);
        let is_for_it =
            scope.drives.iter().map(|drive| self.is_for_it(drive, all)).fold(Answer::No, Answer::or);
        let is_for_all = scope.drives.is_empty();
        let said = if is_for_all { Answer::Yes } else { is_for_it };
        let reason = match (said, scope.condition) {
            (Answer::No, _) => {
                self.others.extend(scope.drives);
                return;
            }
            (Answer::Unknown, _) => format!(
                "it cannot be known whether the line is for {}: it is for {}{}",
                self.subject.name,
                scope.drives.join(", "),
                if self.subject.kind == Kind::Unknown { "; say --drive NAME" } else { "" }
            ),
            (Answer::Yes, Some(condition)) => {
                format!("it cannot be known whether the line is run: only if {condition}")
            }
            (Answer::Yes, None) if unfollowed(&entry.value).is_some() => {
                unfollowed(&entry.value).unwrap_or_default()
            }
            (Answer::Yes, None) => {
                // Whether it is for this drive is settled.
                let entry = Entry { section: String::new(), ..entry.clone() };
                self.found.config.entries.push(entry);
                return;
            }
        };
        self.found.findings.push(finding(entry, Verdict::NotJudged, reason));
    }

    /// Whether a name, a pattern or a number of a device is that of the drive.
    fn is_for_it(&self, drive: &str, all: &[Entry]) -> Answer {
        if drive.contains(['$', '`']) {
            return Answer::Unknown;
        }
        if costs::is_number(drive) {
            return self.is_its_number(drive, all);
        }
        match globs::matches(drive, &self.subject.name) {
            true => Answer::Yes,
            false if self.subject.kind == Kind::Unknown => Answer::Unknown,
            false => Answer::No,
        }
    }

    /// `8:16` is sdb, 254:0 vda. Other numbers are given as drives appear: a single one is taken for this
    /// one.
    fn is_its_number(&self, number: &str, all: &[Entry]) -> Answer {
        let Some((major, minor)) = number.split_once(':') else { return Answer::Unknown };
        let (Ok(major), Ok(minor)) = (major.parse::<u32>(), minor.parse::<u32>()) else {
            return Answer::Unknown;
        };
        let is_of_scsi = |major: u32| major == 8 || (65..=71).contains(&major);
        match (self.subject.kind, self.subject.index()) {
            (Kind::Scsi, Some(index)) if index < 128 => {
                let block = if major == 8 { 0 } else { major.saturating_sub(64) };
                Answer::of(is_of_scsi(major) && block * 16 + minor / 16 == index && minor % 16 == 0)
            }
            (Kind::Virtual, Some(index)) => {
                let is_other = is_of_scsi(major) || minor % 16 != 0 || minor / 16 != index;
                Answer::of(!is_other)
            }
            (Kind::Unknown, _) | (Kind::Nvme | Kind::Software | Kind::Card, _) => {
                if self.subject.kind != Kind::Unknown && is_of_scsi(major) {
                    return Answer::No;
                }
                let numbers = all.iter().filter(|entry| costs::is_number(&entry.section));
                let is_alone = numbers.map(|entry| &entry.section).all(|other| other == number);
                if is_alone { Answer::Yes } else { Answer::Unknown }
            }
            _ => Answer::Unknown,
        }
    }

    /// Rules of udev, in the order of files and lines.
    fn rules(&mut self, entries: &[Entry]) {
        let rules = rule::rules(entries.iter());
        let outcome = udev::outcome(&rules, self.subject);
        for done in &outcome.done {
            self.done(done);
        }
        let mut what: Vec<String> = outcome.passed_over.iter().map(|(_, what)| what.clone()).collect();
        what.dedup();
        if !what.is_empty() {
            let number = outcome.passed_over.len();
            let (rules, are) = if number == 1 { ("rule", "is") } else { ("rules", "are") };
            let name = &self.subject.name;
            self.found
                .config
                .notes
                .push(format!("{number} {rules} of udev {are} not for {name}: {}", shortened(&what)));
        }
    }

    fn done(&mut self, done: &Done) {
        let (key, value) = match &done.act {
            Act::Queue(key, value) | Act::Sysctl(key, value) => (key.clone(), value.clone()),
            Act::Run(command) => return self.run(command, done),
        };
        let entry = Entry { section: String::new(), key, value, place: done.place.clone() };
        self.rule(entry, done);
    }

    /// What a rule sets, if it is known whether it matches.
    fn rule(&mut self, entry: Entry, done: &Done) {
        let reason = match &done.unless_known {
            Some(what) => format!("it cannot be known whether the rule matches: {what}"),
            None => match unfollowed(&entry.value) {
                Some(reason) => reason,
                None => {
                    self.found.config.entries.push(entry);
                    return;
                }
            },
        };
        let is_said = |finding: &Finding| {
            finding.key == entry.key && finding.place == entry.place.to_string() && finding.reason == reason
        };
        if !self.found.findings.iter().any(is_said) {
            self.found.findings.push(finding(&entry, Verdict::NotJudged, reason));
        }
    }

    /// A program that udev runs, without a shell.
    fn run(&mut self, command: &str, done: &Done) {
        let is_shell = command.split_whitespace().take(2).any(|word| word.ends_with("sh") || word == "-c");
        if !is_shell && command.contains('>') {
            let note = format!("{}: udev runs no shell: > is a word of {command} there", done.place);
            if !self.found.config.notes.contains(&note) {
                self.found.config.notes.push(note);
            }
            return;
        }
        let read = script(command, &done.place);
        let known = done.unless_known.is_none();
        let before = self.found.config.entries.len();
        for entry in &read.entries {
            if known {
                self.line(entry, &read.entries);
            } else {
                self.rule(Entry { section: String::new(), ..entry.clone() }, done);
            }
        }
        debug_assert!(known || self.found.config.entries.len() == before, "an unknown key has no effect");
    }

    fn finished(mut self) -> Scoped {
        self.others.sort();
        self.others.dedup();
        if !self.others.is_empty() {
            let (name, list) = (&self.subject.name, shortened(&self.others));
            self.found
                .config
                .notes
                .push(format!("lines for other drives than {name} were not judged: {list}"));
        }
        self.found
    }
}

/// Why a value is not known.
fn unfollowed(value: &str) -> Option<String> {
    let is_open = value.contains(['$', '`']);
    let on = templates::depends_on(value).map(|on| format!("it depends on {on}"));
    on.or_else(|| is_open.then(|| format!("{value} cannot be followed")))
}

fn shortened(list: &[String]) -> String {
    match list.len() {
        0..=6 => list.join(", "),
        more => format!("{} and {} more", list[..5].join(", "), more - 5),
    }
}
