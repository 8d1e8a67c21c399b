//! Whether the options that a line names are those of the command, or of another one that it names too.

use std::collections::{BTreeSet, HashMap};
use std::process::Command;
use std::sync::{LazyLock, Mutex, PoisonError};

use crate::ran::program;

/// Commands that are made of others.
const GROUPS: [&str; 7] = ["trace", "pool", "graph", "index", "lsm", "btree", "emulate"];

/// The options of each command, as its help lists them.
static OPTIONS: LazyLock<Mutex<HashMap<Vec<String>, BTreeSet<String>>>> = LazyLock::new(Mutex::default);

fn options(command: &[&str]) -> BTreeSet<String> {
    let key: Vec<String> = command.iter().map(|word| (*word).to_owned()).collect();
    let mut known = OPTIONS.lock().unwrap_or_else(PoisonError::into_inner);
    known
        .entry(key)
        .or_insert_with(|| {
            let help = Command::new(program()).args(command).arg("--help").output().unwrap();
            let help = String::from_utf8(help.stdout).unwrap();
            let is_listed = |line: &&str| line.trim_start().starts_with('-') || line.contains("alias");
            help.lines().filter(is_listed).flat_map(named).map(|(_, option)| option.to_owned()).collect()
        })
        .clone()
}

/// The options that a text names, with their places.
fn named(text: &str) -> Vec<(usize, &str)> {
    let starts = text.match_indices("--").filter(|(at, _)| {
        !text[..*at].ends_with(|c: char| c.is_alphanumeric() || c == '-')
            && text[at + 2..].starts_with(|c: char| c.is_ascii_lowercase())
    });
    let end = |at: usize| {
        let name = text[at + 2..].find(|c: char| !(c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-'));
        name.map_or(text.len(), |length| at + 2 + length)
    };
    starts.map(|(at, _)| (at, text[at..end(at)].trim_end_matches('-'))).collect()
}

/// The command among the words of a line of the shell or of a message.
fn command<'a>(words: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let words: Vec<&str> = words.into_iter().take(2).collect();
    match words[..] {
        ["emulate", "ctl"] => vec!["emulate", "ctl"],
        ["profile", "import"] => vec!["profile", "import"],
        ["emulate", ..] => vec!["emulate"],
        [group, second] if GROUPS.contains(&group) => {
            vec![group, second.trim_end_matches(|c: char| !c.is_ascii_lowercase())]
        }
        [first, ..] => vec![first.trim_end_matches(|c: char| !c.is_ascii_lowercase())],
        [] => vec![],
    }
}

/// Asserts that the command called with `arguments`, which ended with this line, has the options that the
/// line names, or that another command that it names has them.
#[track_caller]
pub(crate) fn checked(arguments: &[String], line: &str) {
    for (at, option) in named(line) {
        // What was given is named too, whether or not it exists.
        let is_given = arguments.iter().any(|given| given.starts_with(option));
        if is_given || ["--help", "--version"].contains(&option) {
            continue;
        }
        let clause = &line[line[..at].rfind("; ").map_or(0, |end| end + 1)..at];
        let words: Vec<&str> = match clause.rfind("leadline ") {
            Some(named) => clause[named + "leadline ".len()..].split_whitespace().collect(),
            None => arguments.iter().map(String::as_str).collect(),
        };
        let mut options = options(&command(words.iter().copied()));
        if let ["emulate", "ctl", rest @ ..] = &words[..] {
            // The mount and the action; help of the one is that of `ctl`.
            options.extend(rest.iter().take(2).flat_map(|action| self::options(&["emulate", "ctl", action])));
        }
        assert!(options.contains(option), "{arguments:?} advises {option}, which is not there: {line}");
    }
}
