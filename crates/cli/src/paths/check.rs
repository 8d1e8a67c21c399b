//! Refuses command lines that would replace what they read, or write two things to one place.

use std::path::PathBuf;

use clap::{Arg, ArgMatches, Command};

use super::place::Place;
use super::{Kind, Use, stamp};
use crate::failure::Failure;
use crate::messages;

/// What `--output` of a command is called.
const OUTPUT: &str = "output";

/// An argument that was given, and where it leads.
struct Given {
    argument: String,
    /// As the user has it: `-o p.json`, `PROFILE p.json`.
    shown: String,
    what: Use,
    places: Vec<Place>,
}

/// How two places lie to each other.
enum Relation {
    Same,
    Holds,
    IsInside,
}

/// Checks all arguments of a command line that lead to files, with each other.
///
/// # Errors
/// [`Failure::Input`] names two of them of which one would replace or change the other.
pub(crate) fn check(command: &Command, matches: &ArgMatches) -> Result<(), Failure> {
    let mut given = Vec::new();
    collect(command, matches, &mut given);
    check_all(&given)?;
    given.iter().for_each(Given::say);
    Ok(())
}

impl Given {
    /// Says what is done with it, where steps are told.
    fn say(&self) {
        let does = match self.what {
            Use::Read => "reads",
            Use::Place => "works in",
            Use::Change => "changes",
            Use::Continue => "goes on from",
            Use::Write => "writes",
        };
        messages::step(&format!("{does} {}", self.shown));
    }
}

/// A file or directory that a function of a program uses.
#[derive(Debug, Clone)]
pub struct UsedPath {
    argument: &'static str,
    what: Use,
    path: PathBuf,
}

impl UsedPath {
    /// By this argument it is read.
    pub fn read(argument: &'static str, path: impl Into<PathBuf>) -> UsedPath {
        UsedPath { argument, what: Use::Read, path: path.into() }
    }

    /// By this argument it is gone on from; only what `output` names may take its place.
    pub fn continued(argument: &'static str, path: impl Into<PathBuf>) -> UsedPath {
        UsedPath { argument, what: Use::Continue, path: path.into() }
    }

    /// By this argument it is written.
    pub fn written(argument: &'static str, path: impl Into<PathBuf>) -> UsedPath {
        UsedPath { argument, what: Use::Write, path: path.into() }
    }
}

/// Checks files that a function of a program uses, as on a command line.
///
/// # Errors
/// [`Failure::Input`] names two of them of which one would replace or change the other.
pub fn check_used(used: &[UsedPath]) -> Result<(), Failure> {
    let given = used.iter().map(|UsedPath { argument, what, path }| {
        let files = std::iter::once(path.clone()).chain(what.writes().then(|| stamp(path)).flatten());
        Given {
            argument: (*argument).to_owned(),
            shown: format!("{argument}={}", path.display()),
            what: *what,
            places: files.filter_map(|path| Place::of(&path)).collect(),
        }
    });
    check_all(&given.collect::<Vec<_>>())
}

fn check_all(given: &[Given]) -> Result<(), Failure> {
    for (at, one) in given.iter().enumerate() {
        for other in &given[at + 1..] {
            // What is written is named first, and of two the later one.
            let earlier_is_written = one.what == Use::Write && other.what != Use::Write;
            let (first, second) = if earlier_is_written { (one, other) } else { (other, one) };
            let refused = refusal(first, second).or_else(|| refusal(second, first));
            if let Some(line) = refused {
                return Err(Failure::Input(line));
            }
        }
    }
    Ok(())
}

/// The arguments of this command and of its subcommand that was called.
fn collect(command: &Command, matches: &ArgMatches, given: &mut Vec<Given>) {
    for argument in command.get_arguments() {
        let Some(kind) = Kind::of_argument(argument) else { continue };
        let id = argument.get_id().as_str();
        let written = matches.try_get_raw(id).ok().flatten().into_iter().flatten();
        for (text, files) in written.zip((kind.files)(matches, id)) {
            given.push(Given {
                argument: id.to_owned(),
                shown: format!("{} {}", name(argument), text.display()),
                what: kind.what,
                places: files.iter().filter_map(|path| Place::of(path)).collect(),
            });
        }
    }
    if let Some((name, matches)) = matches.subcommand()
        && let Some(command) = command.find_subcommand(name)
    {
        collect(command, matches, given);
    }
}

/// `-o`, `--report`, or what stands for it in the line of usage.
pub(super) fn name(argument: &Arg) -> String {
    match (argument.get_short(), argument.get_long()) {
        (Some(short), _) => format!("-{short}"),
        (None, Some(long)) => format!("--{long}"),
        _ => {
            let names = argument.get_value_names().and_then(|names| names.first());
            names.map_or_else(|| argument.get_id().as_str().to_uppercase(), ToString::to_string)
        }
    }
}

/// Why `writer` may not be given with `other`, if it writes at all.
fn refusal(writer: &Given, other: &Given) -> Option<String> {
    if !writer.what.writes() || goes_on(writer, other) || goes_on(other, writer) {
        return None;
    }
    let pairs = writer.places.iter().flat_map(|one| other.places.iter().map(move |other| (one, other)));
    let relation =
        pairs.filter_map(|(one, place)| relation((one, writer.what), (place, other.what))).next()?;
    let lost = match (&relation, writer.what, other.what) {
        (Relation::IsInside, _, Use::Read) => "all of which is read",
        (_, Use::Change | Use::Continue, Use::Read | Use::Place) => "which is read while it is changed",
        (_, _, Use::Read | Use::Place) => "which it would replace",
        (_, _, Use::Write) => "and one would replace the other",
        (_, _, Use::Change | Use::Continue) => "which the command changes",
    };
    let relation = match relation {
        Relation::Same => "is the same file as",
        Relation::Holds => "is a directory that holds",
        Relation::IsInside => "is inside",
    };
    Some(format!("{}: {relation} {}, {lost}; name another place", writer.shown, other.shown))
}

/// Whether `output` takes the place of what is gone on from.
fn goes_on(earlier: &Given, output: &Given) -> bool {
    earlier.what == Use::Continue && output.what == Use::Write && output.argument == OUTPUT
}

/// How a place that is written lies to another one, if they are in each other's way.
fn relation((written, how): (&Place, Use), (other, what): (&Place, Use)) -> Option<Relation> {
    // What lies in a folder that is changed, and is only read, stays as it is.
    let stays = how == Use::Change && !what.writes();
    match () {
        () if written.is_same(other) => Some(Relation::Same),
        () if !stays && written.holds(other) => Some(Relation::Holds),
        // A folder that is measured or worked in is a usual place for results.
        () if what != Use::Place && other.holds(written) => Some(Relation::IsInside),
        () => None,
    }
}
