//! What clap has to say of a command line.

mod closest;

use std::ffi::OsString;

use clap::Command;
use clap::error::{ContextKind, ContextValue, ErrorKind};

pub(crate) use self::closest::closest;

use self::closest::closest_value;
use crate::failure::Failure;
use crate::{console, output};

/// What stands before the values that a parser takes.
const ONE_OF: &str = "must be one of ";

/// What clap has to say of `words`, a command line of `leadline`: help and version are printed as they are,
/// an error becomes one line.
pub(crate) fn usage(error: &clap::Error, leadline: &Command, words: &[OsString]) -> Result<(), Failure> {
    if !error.use_stderr() {
        if console::call().is_some() {
            return output::print(&error.to_string());
        }
        return match error.print() {
            Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
                Err(Failure::Operation(format!("stdout: {error}")))
            }
            // A closed pipe (`--help | head`) is not a failure.
            _ => Ok(()),
        };
    }
    let words: Vec<&str> = words.iter().skip(1).map_while(|word| word.to_str()).collect();
    let called = Called::by(leadline, &words);
    let Refusal { what, instead } = called.refusal(error);
    let help = format!("{} --help", called.path.join(" "));
    Err(Failure::Input(match instead {
        Some(instead) => format!("{what}; did you mean '{instead}'? See {help}"),
        None => format!("{what}; see {help}"),
    }))
}

/// What is wrong with a command line, and what may have been meant.
struct Refusal {
    what: String,
    instead: Option<String>,
}

impl Refusal {
    fn plain(what: impl Into<String>) -> Refusal {
        Refusal { what: what.into(), instead: None }
    }
}

/// The command that a command line calls, as far as it is right.
struct Called<'a> {
    /// `leadline`, `trace`, `info`.
    path: Vec<&'a str>,
    command: &'a Command,
}

impl<'a> Called<'a> {
    fn by(leadline: &'a Command, words: &[&str]) -> Called<'a> {
        let mut called = Called { path: vec![leadline.get_name()], command: leadline };
        let mut words = words.iter();
        while let Some(word) = words.next() {
            match word.strip_prefix('-') {
                Some("-") => break,
                // Its value may be called like a command.
                Some(_) if called.takes_value(word) => drop(words.next()),
                Some(_) => {}
                None => {
                    if let Some(inner) = called.command.find_subcommand(word) {
                        called.path.push(inner.get_name());
                        called.command = inner;
                    }
                }
            }
        }
        called
    }

    /// Whether this option of the command is followed by a value.
    fn takes_value(&self, option: &str) -> bool {
        let known = self.command.get_arguments().find(|arg| match option.strip_prefix("--") {
            Some(long) => {
                arg.get_long() == Some(long) || arg.get_all_aliases().unwrap_or_default().contains(&long)
            }
            None => arg.get_short().is_some_and(|short| option == format!("-{short}")),
        });
        known.is_some_and(|arg| arg.get_action().takes_values())
    }

    fn refusal(&self, error: &clap::Error) -> Refusal {
        let given = |kind| match error.get(kind) {
            Some(ContextValue::String(given)) => Some(given.as_str()),
            _ => None,
        };
        match error.kind() {
            ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand | ErrorKind::MissingSubcommand => {
                Refusal::plain("a command is missing")
            }
            ErrorKind::InvalidSubcommand => self.no_command(given(ContextKind::InvalidSubcommand)),
            ErrorKind::UnknownArgument => self.no_argument(error, given(ContextKind::InvalidArg)),
            ErrorKind::MissingRequiredArgument => missing(error),
            _ => {
                let value = given(ContextKind::InvalidValue).filter(|value| !value.is_empty());
                let (Some(value), Some(argument)) = (value, given(ContextKind::InvalidArg)) else {
                    return Refusal::plain(said(error));
                };
                no_value(error, value, argument)
            }
        }
    }

    fn no_command(&self, given: Option<&str>) -> Refusal {
        let given = given.unwrap_or_default();
        let names = self.command.get_subcommands().filter(|command| !command.is_hide_set());
        let instead = closest(given, names.map(Command::get_name)).map(str::to_owned);
        Refusal { what: format!("there is no command '{given}'"), instead }
    }

    fn no_argument(&self, error: &clap::Error, given: Option<&str>) -> Refusal {
        let given = given.unwrap_or_default();
        let Some(option) = given.strip_prefix("--") else {
            // A number below zero, or a word that is one too many; a tip says how to pass the first.
            let tip = tips(error).into_iter().find(|tip| tip.contains(" as a value"));
            let tip = tip.map_or(String::new(), |tip| format!("; {tip}"));
            return Refusal::plain(format!("unexpected argument '{given}'{tip}"));
        };
        let option = option.split('=').next().unwrap_or(option);
        let has = |command: &Command| command.get_arguments().any(|arg| arg.get_long() == Some(option));
        if has(self.command) {
            let path = self.path.join(" ");
            return Refusal::plain(format!(
                "'--{option}' is given before its command: write {path} --{option}"
            ));
        }
        if let Some(inner) = self.command.get_subcommands().find(|inner| has(inner)) {
            let (path, name) = (self.path.join(" "), inner.get_name());
            let example = format!("write it behind a command, such as {path} {name} --{option}");
            return Refusal::plain(format!("'--{option}' is an option of commands: {example}"));
        }
        let shown = self.command.get_arguments().filter(|arg| !arg.is_hide_set());
        let instead = closest(option, shown.filter_map(|arg| arg.get_long()));
        Refusal {
            what: format!("there is no option '--{option}'"),
            instead: instead.map(|name| format!("--{name}")),
        }
    }
}

fn missing(error: &clap::Error) -> Refusal {
    let names = match error.get(ContextKind::InvalidArg) {
        Some(ContextValue::Strings(names)) => names.as_slice(),
        _ => &[],
    };
    Refusal::plain(format!("missing: {}", names.join(" ")))
}

/// A value that an argument does not take: the one that may have been meant, else those that it takes.
fn no_value(error: &clap::Error, value: &str, argument: &str) -> Refusal {
    let what = format!("invalid value '{value}' for '{argument}'");
    let reason = match error.get(ContextKind::ValidValue) {
        Some(ContextValue::Strings(values)) => format!("{ONE_OF}{}", values.join(", ")),
        _ => match std::error::Error::source(error) {
            Some(source) => plainly(&source.to_string()),
            None => return Refusal::plain(said(error)),
        },
    };
    let values: Vec<&str> = reason.strip_prefix(ONE_OF).map_or(Vec::new(), |list| list.split(", ").collect());
    match closest_value(value, &values) {
        Some(instead) => Refusal { what, instead: Some(instead.to_owned()) },
        None => Refusal::plain(format!("{what}: {reason}")),
    }
}

/// What clap says, in one line.
fn said(error: &clap::Error) -> String {
    let text = error.to_string();
    let said: Vec<&str> = text
        .lines()
        .map(str::trim)
        .take_while(|line| !line.starts_with("Usage:") && !line.starts_with("For more information"))
        .filter(|line| !line.is_empty())
        .collect();
    said.join("; ").replace("error: ", "").replace(":;", ":")
}

/// What clap would do instead.
fn tips(error: &clap::Error) -> Vec<String> {
    let text = error.to_string();
    text.lines().filter_map(|line| line.trim().strip_prefix("tip: ")).map(str::to_owned).collect()
}

/// What Rust's parsers of numbers and clap's ranges say, in the words that all other refusals have.
fn plainly(reason: &str) -> String {
    match reason {
        "invalid digit found in string" => "must be a whole number that is not negative".to_owned(),
        "number too large to fit in target type" => "is too large".to_owned(),
        "invalid float literal" => "must be a number".to_owned(),
        _ => match reason.split_once(" is not in ").and_then(|(_, range)| range.split_once("..")) {
            Some((least, "" | "=18446744073709551615")) => format!("must be {least} or more"),
            Some((least, most)) => format!("must be from {least} to {}", most.trim_start_matches('=')),
            None => reason.to_owned(),
        },
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;
    use crate::Cli;

    /// The line for a command line that is refused.
    fn refused(line: &str) -> String {
        let words: Vec<OsString> = line.split(' ').map(OsString::from).collect();
        let mut command = Cli::command();
        let error = command.try_get_matches_from_mut(&words).unwrap_err();
        usage(&error, &command, &words).unwrap_err().line()
    }

    #[test]
    fn the_line_names_what_was_meant_and_the_help_of_the_command() {
        for (line, expected) in [
            ("leadline profil", "there is no command 'profil'; did you mean 'profile'? See leadline --help"),
            (
                "leadline trace inf",
                "there is no command 'inf'; did you mean 'info'? See leadline trace --help",
            ),
            ("leadline zzz", "there is no command 'zzz'; see leadline --help"),
            (
                "leadline profile . --quik",
                "there is no option '--quik'; did you mean '--quick'? See leadline profile --help",
            ),
            (
                "leadline trace info t --jsn=x",
                "there is no option '--jsn'; did you mean '--json'? See leadline trace info --help",
            ),
            (
                "leadline --json profile",
                "'--json' is given before its command: write leadline profile --json; see leadline profile \
                 --help",
            ),
            (
                "leadline --quick",
                "'--quick' is an option of commands: write it behind a command, such as leadline profile \
                 --quick; see leadline --help",
            ),
            (
                "leadline advise mysqll p.json",
                "invalid value 'mysqll' for '<SYSTEM>'; did you mean 'innodb'? See leadline advise --help",
            ),
            (
                "leadline profile --max-concurrency 0",
                "invalid value '0' for '--max-concurrency <K>': must be from 1 to 4096; see leadline profile \
                 --help",
            ),
            ("leadline report", "missing: <PROFILE>...; see leadline report --help"),
            ("leadline graph", "a command is missing; see leadline graph --help"),
            (
                "leadline graph neighbors g -5",
                "unexpected argument '-5'; to pass '-5' as a value, use '-- -5'; see leadline graph neighbors",
            ),
            (
                "leadline profile --quick --full",
                "the argument '--quick' cannot be used with '--full'; see leadline profile --help",
            ),
        ] {
            let said = refused(line);
            assert!(said.starts_with(expected), "{line}: {said}");
        }
        let values = refused("leadline trace replay t . --format xyz");
        assert!(
            values.contains("must be one of ") && values.contains("see leadline trace replay"),
            "{values}"
        );
    }

    #[test]
    fn the_value_of_an_option_is_no_command() {
        let command = Cli::command();
        let called = |words: &[&str]| Called::by(&command, words).path.join(" ");
        assert_eq!(called(&["profile", "-o", "import"]), "leadline profile");
        assert_eq!(called(&["profile", "--output", "import", "import"]), "leadline profile import");
        assert_eq!(called(&["emulate", "ctl", "/mnt", "inject"]), "leadline emulate ctl inject");
        assert_eq!(called(&["trace", "--", "info"]), "leadline trace");
    }

    #[test]
    fn refusals_of_numbers_are_in_plain_words() {
        for (said, plain) in [
            ("invalid digit found in string", "must be a whole number that is not negative"),
            ("0 is not in 1..=4096", "must be from 1 to 4096"),
            ("0 is not in 1..", "must be 1 or more"),
            ("0 is not in 1..=18446744073709551615", "must be 1 or more"),
            ("must be from 512 to 16M", "must be from 512 to 16M"),
        ] {
            assert_eq!(plainly(said), plain);
        }
    }
}
