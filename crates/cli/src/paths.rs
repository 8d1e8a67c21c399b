//! Arguments that name files and directories: what a command does with each is told by the argument's type.
//!
//! Every argument of every command that leads to a file has one of these types, so that one check covers them
//! all: [`check`](check::check) refuses a command line that would replace what it reads.

mod check;
mod names;
mod place;
mod stdout;
#[cfg(test)]
mod tests;

use std::any::TypeId;
use std::ffi::OsString;
use std::ops::Deref;
use std::path::{Path, PathBuf};

use clap::builder::{PathBufValueParser, TryMapValueParser, TypedValueParser as _, ValueParserFactory};
use clap::{ArgMatches, Command, ValueHint};
use leadline_graph::algorithms::Stamp;
use leadline_graph::output::Format;

pub(crate) use check::check;
pub use check::{UsedPath, check_used};
pub use names::MEMORY;
pub(crate) use names::{
    CatalogueName, ChangesName, ConfigName, DeviceName, ProfileName, ProgramName, TargetName, TraceName,
    TraceOutput,
};
pub(crate) use stdout::{is_stdout, written_to_stdout};

/// What a command does with a file or folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Use {
    /// Reads it, of a folder all that is in it.
    Read,
    /// Measures it, or works in it: what a folder holds is not read.
    Place,
    /// Changes it where it is.
    Change,
    /// Reads it and goes on from it: `--output` may replace it, and nothing else.
    Continue,
    /// Writes it: a file is replaced, a folder made or filled.
    Write,
}

impl Use {
    /// Whether something else in this place would be lost.
    fn writes(self) -> bool {
        matches!(self, Use::Change | Use::Continue | Use::Write)
    }
}

/// The value of an argument that may lead to files.
trait Leads: Clone + Send + Sync + 'static {
    const USE: Use;

    /// The files and folders that the command uses by this argument; none where it names something else.
    fn files(&self) -> Vec<PathBuf>;
}

/// A type of such arguments.
struct Kind {
    id: TypeId,
    what: Use,
    /// The files of each value that was given.
    files: fn(&ArgMatches, &str) -> Vec<Vec<PathBuf>>,
}

impl Kind {
    fn of<T: Leads>() -> Kind {
        let files = |matches: &ArgMatches, argument: &str| {
            // An argument of another subcommand, or of another type, has no values here.
            let values = matches.try_get_many::<T>(argument).ok().flatten();
            values.into_iter().flatten().map(Leads::files).collect()
        };
        Kind { id: TypeId::of::<T>(), what: T::USE, files }
    }

    /// That of an argument; `None` where it never leads to a file.
    fn of_argument(argument: &clap::Arg) -> Option<Kind> {
        let id = argument.get_value_parser().type_id();
        Kind::all().into_iter().find(|kind| id == kind.id)
    }

    fn all() -> [Kind; 19] {
        [
            Kind::of::<InputPath>(),
            Kind::of::<EdgesPath>(),
            Kind::of::<WorkFolder>(),
            Kind::of::<ChangedPath>(),
            Kind::of::<ContinuedPath>(),
            Kind::of::<ContinuedResult>(),
            Kind::of::<OutputPath>(),
            Kind::of::<OutputPlace>(),
            Kind::of::<ResultPath>(),
            Kind::of::<JournaledPath>(),
            Kind::of::<ProfileName>(),
            Kind::of::<DeviceName>(),
            Kind::of::<CatalogueName>(),
            Kind::of::<TargetName>(),
            Kind::of::<TraceName>(),
            Kind::of::<TraceOutput>(),
            Kind::of::<ChangesName>(),
            Kind::of::<ConfigName>(),
            Kind::of::<ProgramName>(),
        ]
    }
}

/// Whether an argument names files or folders.
pub(crate) fn leads_to_files(argument: &clap::Arg) -> bool {
    Kind::of_argument(argument).is_some()
}

/// Tells shells which arguments are completed with the names of files.
pub(crate) fn hinted(command: Command) -> Command {
    let hint = |argument: clap::Arg| match leads_to_files(&argument) {
        true => argument.value_hint(ValueHint::AnyPath),
        false => argument,
    };
    command.mut_args(hint).mut_subcommands(hinted)
}

/// A type of arguments that are paths, which `$parser` reads; `$also` names the files that are used with it.
macro_rules! path_argument {
    ($(#[$doc:meta])* $name:ident, $what:expr, $parser:expr, $also:expr) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq)]
        pub(crate) struct $name(PathBuf);

        impl Leads for $name {
            const USE: Use = $what;

            fn files(&self) -> Vec<PathBuf> {
                let also: fn(&Path) -> Option<PathBuf> = $also;
                let also = if is_stdout(&self.0) { None } else { also(&self.0) };
                std::iter::once(self.0.clone()).chain(also).collect()
            }
        }

        impl ValueParserFactory for $name {
            type Parser = TryMapValueParser<PathBufValueParser, fn(PathBuf) -> Result<Self, String>>;

            fn value_parser() -> Self::Parser {
                PathBufValueParser::new().try_map(|path| $parser(path).map($name))
            }
        }

        impl Deref for $name {
            type Target = Path;

            fn deref(&self) -> &Path {
                &self.0
            }
        }

        impl AsRef<Path> for $name {
            fn as_ref(&self) -> &Path {
                &self.0
            }
        }
    };
}

path_argument!(
    /// A file that is read, or a folder all of which is read.
    InputPath, Use::Read, Ok, |_| None
);
path_argument!(
    /// A file of edges, with Graphalytics' file of vertices next to it; or a folder.
    EdgesPath, Use::Read, Ok, |path| match path.extension()?.to_str()? {
        "e" => Some(path.with_extension("v")),
        "v" => Some(path.with_extension("e")),
        _ => None,
    }
);
path_argument!(
    /// A folder in which files of the command's own are made and removed.
    WorkFolder, Use::Place, Ok, |_| None
);
path_argument!(
    /// A file or folder that is changed where it is, or that programs change meanwhile.
    ChangedPath, Use::Change, stdout::no_stream, |_| None
);
path_argument!(
    /// A file that the command goes on from, and that its output may replace.
    ContinuedPath, Use::Continue, stdout::no_stream, |_| None
);
path_argument!(
    /// A graph algorithm's result that a run goes on from, with what says of which version it is.
    ContinuedResult, Use::Continue, stdout::no_stream, stamp
);
path_argument!(
    /// A document that is written: a file, which is replaced where it exists, or `-` for standard output.
    OutputPath, Use::Write, stdout::or_file, |_| None
);
path_argument!(
    /// A file that cannot be written piece by piece, so that no stream takes its place; or a folder that is
    /// made, or that files are put into.
    OutputPlace, Use::Write, stdout::no_stream, |_| None
);
path_argument!(
    /// A graph algorithm's result, with what says of which version it is.
    ResultPath, Use::Write, stdout::or_file, stamp
);
path_argument!(
    /// A result, and its journal until the result is whole.
    JournaledPath, Use::Write, stdout::or_file, |path| Some(journal(path))
);

impl From<PathBuf> for ChangedPath {
    fn from(path: PathBuf) -> ChangedPath {
        ChangedPath(path)
    }
}

/// What lies beside a result that later runs can go on from.
fn stamp(result: &Path) -> Option<PathBuf> {
    (Format::of_ending(result) == Some(Format::Binary)).then(|| Stamp::path(result))
}

/// The journal of a result: `results.json.part`.
pub(crate) fn journal(result: &Path) -> PathBuf {
    let mut name = OsString::from(result);
    name.push(".part");
    name.into()
}
