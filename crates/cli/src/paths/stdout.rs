//! `-` in the place of a file: the standard output.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use clap::{ArgMatches, Command};
use leadline_files::STDOUT;
pub(crate) use leadline_files::is_stdout;
use leadline_trace::STDIN;

use super::Kind;
use super::check::name;
use crate::console;
use crate::failure::Failure;

/// As on the command line for input, so for output. A file of this name is `./-`.
const DASH: &str = STDIN;

/// A file for a document, or standard output.
pub(super) fn or_file(path: PathBuf) -> Result<PathBuf, String> {
    Ok(if path == Path::new(DASH) { STDOUT.into() } else { path })
}

/// A place that no stream can take.
pub(super) fn no_stream(path: PathBuf) -> Result<PathBuf, String> {
    let names_stream = path == Path::new(DASH) || is_stdout(&path);
    let refused = "must be a name: standard output cannot take its place (./- is a file called -)";
    if names_stream { Err(refused.to_owned()) } else { Ok(path) }
}

/// The argument, as it was given, that writes to standard output: then nothing else is printed there.
///
/// # Errors
/// [`Failure::Input`] where two documents would be printed, or where a program called the command: its own
/// standard output is not for that.
pub(crate) fn written_to_stdout(command: &Command, matches: &ArgMatches) -> Result<Option<String>, Failure> {
    let mut given = Vec::new();
    collect(command, matches, &mut given);
    if let (Some(first), true) = (given.first(), console::call().is_some()) {
        let line = format!("{first}: is standard output, which is for the command line; name a file");
        return Err(Failure::Input(line));
    }
    if prints_json(command, matches) && !given.is_empty() {
        given.push("--json".to_owned());
    }
    match &given[..] {
        [first, second, ..] => Err(Failure::Input(format!(
            "{first} and {second}: both go to standard output; name a file for one of them"
        ))),
        _ => Ok(given.pop()),
    }
}

/// The arguments of this command, and of its subcommand that was called, that write to standard output.
fn collect(command: &Command, matches: &ArgMatches, given: &mut Vec<String>) {
    for argument in command.get_arguments() {
        if Kind::of_argument(argument).is_none_or(|kind| kind.what != super::Use::Write) {
            continue;
        }
        let values = matches.try_get_raw(argument.get_id().as_str()).ok().flatten().into_iter().flatten();
        let streams = values.filter(|value| *value == DASH || *value == OsStr::new(STDOUT));
        // Programs know the argument by its name.
        let name = match console::call() {
            Some(_) => format!("--{}", argument.get_long().unwrap_or(argument.get_id().as_str())),
            None => name(argument),
        };
        given.extend(streams.map(|value| format!("{name} {}", value.display())));
    }
    if let Some((command, matches)) = called(command, matches) {
        collect(command, matches, given);
    }
}

/// Whether the command that is called was told to print its document.
fn prints_json(command: &Command, matches: &ArgMatches) -> bool {
    match called(command, matches) {
        Some((command, matches)) => prints_json(command, matches),
        None => matches.try_get_one::<bool>("json").ok().flatten().copied().unwrap_or(false),
    }
}

/// The subcommand that was called.
fn called<'a>(command: &'a Command, matches: &'a ArgMatches) -> Option<(&'a Command, &'a ArgMatches)> {
    let (name, matches) = matches.subcommand()?;
    Some((command.find_subcommand(name)?, matches))
}
