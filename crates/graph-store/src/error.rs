//! What can go wrong with a graph.

use std::io;
use std::path::Path;

use leadline_device::error_in_words;
use leadline_files::FileError;

/// Why a graph could not be imported, opened or worked on. Each is one line that names the input, the place
/// and the remedy.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GraphError {
    /// An input is not of its format.
    #[error("{place}: {what}")]
    Malformed {
        /// The file, and the line where there are lines.
        place: String,
        /// What was expected there, and what was found.
        what: String,
    },
    /// A place where no file can be made.
    #[error(transparent)]
    Place(FileError),
    /// A path that cannot be used for what it was named for.
    #[error("{path}: {what}")]
    Path {
        /// The path.
        path: String,
        /// What is wrong with it, and what to name instead.
        what: String,
    },
    /// A size of blocks that no store has.
    #[error("a block of {given} bytes: must be 4K, 8K, 16K, 32K or 64K")]
    BlockSize {
        /// The size, bytes.
        given: u32,
    },
    /// More vertices than a store holds, or than an algorithm takes.
    #[error("{found} vertices: {what} at most {most}; split the graph")]
    TooManyVertices {
        /// How many there are.
        found: u64,
        /// What takes no more: "a store holds".
        what: String,
        /// How many it takes.
        most: u64,
    },
    /// node2vec's p or q is out of range.
    #[error("{parameter} {given}: must be above 0 and at most 1e6")]
    WalkBias {
        /// "p" or "q".
        parameter: &'static str,
        /// What was given.
        given: f64,
    },
    /// An option of an algorithm cannot be what was given.
    #[error("{argument}: {what}")]
    Argument {
        /// The option, and its value where that is what is wrong.
        argument: String,
        /// What it must be.
        what: String,
    },
    /// The system would not start the threads.
    #[error("{threads} threads: {reason}")]
    Threads {
        /// How many were asked for.
        threads: usize,
        /// The system's reason.
        reason: String,
    },
    /// An input that another value of an option would fit, said in full.
    #[error("{text}")]
    Option {
        /// What is wrong, where, and what helps.
        text: String,
        /// The option that helps.
        option: InputOption,
    },
    /// An input that can be read in two ways, or in none.
    #[error("{place}: {}", undecided.text(|option, value| format!("{option} {value}")))]
    Undecided {
        /// The input and the line.
        place: String,
        /// The readings, and the option that decides.
        undecided: Box<leadline_text::Undecided>,
    },
    /// PageRank's damping is not a probability.
    #[error("the damping {given} is not from 0 to 1; give a probability")]
    Damping {
        /// The damping that was given.
        given: f64,
    },
    /// The resolution of modularity is out of range.
    #[error("the resolution {given} is not a finite number above 0; 1 is usual")]
    Resolution {
        /// The resolution that was given.
        given: f64,
    },
    /// The graph has no vertex of an id.
    #[error("{name}: has no vertex {id}; {known}")]
    NoVertex {
        /// The store.
        name: String,
        /// The id that was asked for.
        id: String,
        /// Which ids there are.
        known: String,
    },
    /// The algorithm needs weights, and the graph has none.
    #[error("{name}: {what} needs weights, which this graph does not have; import it again with its weights")]
    NeedsWeights {
        /// The store.
        name: String,
        /// The algorithm.
        what: String,
    },
    /// Incoming edges are needed, and a directed graph was imported without them.
    #[error(
        "{name}: {what} needs incoming edges, which this graph does not have; import it again with reverse lists"
    )]
    NeedsReverse {
        /// The store.
        name: String,
        /// What needs them.
        what: String,
    },
    /// Not a store at all.
    #[error("{name}: is not a graph store; make one with leadline graph import EDGES STORE")]
    NoStore {
        /// The file.
        name: String,
    },
    /// A store of another version.
    #[error(
        "{name}: is a graph store of version {found}, this program reads version {known}; import it again"
    )]
    Version {
        /// The file.
        name: String,
        /// Its version.
        found: u32,
        /// Ours.
        known: u32,
    },
    /// A store whose bytes are not the bytes that were written.
    #[error("{name}: is damaged: {what}; import it again or restore it from a copy")]
    Damaged {
        /// The file.
        name: String,
        /// What is wrong, and where.
        what: String,
    },
    /// The system would not read.
    #[error("{name}: cannot be read: {}", error_in_words(.source))]
    Read {
        /// The file.
        name: String,
        /// The system's reason.
        source: io::Error,
    },
    /// The system would not write.
    #[error("{name}: cannot be written: {}", error_in_words(.source))]
    Write {
        /// The file.
        name: String,
        /// The system's reason.
        source: io::Error,
    },
    /// The cap is too small.
    #[error(
        "{what} needs at least {}; that is more than the {} of memory it may take",
        rounded_up(*needed),
        leadline_device::format_size(*given)
    )]
    Memory {
        /// What was to be done.
        what: String,
        /// The cap, bytes.
        given: u64,
        /// The least that would do, bytes.
        needed: u64,
    },
    /// The device failed.
    #[error("{name}: {source}")]
    Device {
        /// The file.
        name: String,
        /// The device's reason.
        source: leadline_device::DeviceError,
    },
    /// Changes of what is not there, where that is an error.
    #[error("{name}: does not have {what}{}; nothing of this commit was made", others(*count))]
    Missing {
        /// The store.
        name: String,
        /// The first of them.
        what: String,
        /// How many there are.
        count: u64,
    },
    /// Somebody asked to stop.
    #[error("interrupted; nothing was left behind")]
    Interrupted,
}

/// How many more changes than the one that is named are of what is not there.
fn others(count: u64) -> String {
    match count {
        0 | 1 => String::new(),
        2 => ", nor what another change is about".to_owned(),
        _ => format!(", nor what {} other changes are about", count - 1),
    }
}

/// An option of an input or of a run that an error asks to change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum InputOption {
    /// [`InputOptions::format`](crate::input::InputOptions::format).
    Format,
    /// [`InputOptions::directed`](crate::input::InputOptions::directed).
    Directed,
    /// [`InputOptions::ids`](crate::input::InputOptions::ids).
    Ids,
    /// [`ImportOptions::undirected`](crate::import::ImportOptions::undirected).
    Undirected,
    /// [`InputOptions::weights`](crate::input::InputOptions::weights).
    Weights,
    /// [`TextOptions::delimiter`](crate::input::TextOptions::delimiter).
    Delimiter,
    /// [`TextOptions::header`](crate::input::TextOptions::header).
    Header,
    /// [`TextOptions::skip`](crate::input::TextOptions::skip).
    Skip,
    /// [`TextOptions::skip`](crate::input::TextOptions::skip) of a line that is no edge, or
    /// [`TextOptions::header`](crate::input::TextOptions::header) where it is one.
    Counts,
    /// [`TextOptions::comment`](crate::input::TextOptions::comment).
    Comment,
    /// [`EdgeColumns::source`](crate::input::EdgeColumns::source), and its target.
    SourceColumn,
    /// [`EdgeColumns::target`](crate::input::EdgeColumns::target).
    TargetColumn,
    /// [`EdgeColumns::weight`](crate::input::EdgeColumns::weight).
    WeightColumn,
    /// [`InputOptions::weights`](crate::input::InputOptions::weights) keeps a column, or
    /// [`InputOptions::ignore_columns`](crate::input::InputOptions::ignore_columns) leaves it out.
    IgnoredWeight,
    /// [`InputOptions::bipartite`](crate::input::InputOptions::bipartite).
    Bipartite,
    /// [`InputOptions::ignore_columns`](crate::input::InputOptions::ignore_columns) leaves out a column that
    /// says which edges are undirected, and
    /// [`ImportOptions::undirected`](crate::import::ImportOptions::undirected) says it of all.
    IgnoredDirection,
    /// [`InputOptions::memory`](crate::input::InputOptions::memory) or [`Options::memory`](crate::Options).
    Memory,
}

impl From<FileError> for GraphError {
    fn from(error: FileError) -> Self {
        match error {
            FileError::Write { path, source } => GraphError::write(&path, source),
            place => GraphError::Place(place),
        }
    }
}

impl GraphError {
    /// A store, called `name`, whose bytes are not the bytes that were written.
    pub fn damaged(name: &str, what: String) -> GraphError {
        GraphError::Damaged { name: name.into(), what }
    }

    /// An input that is not of its format, and where.
    pub fn malformed(place: impl std::fmt::Display, what: impl Into<String>) -> GraphError {
        GraphError::Malformed { place: place.to_string(), what: what.into() }
    }

    /// A path that cannot be used for what it was named for.
    pub fn path(path: &Path, what: impl Into<String>) -> GraphError {
        GraphError::Path { path: path.display().to_string(), what: what.into() }
    }

    /// An option of an algorithm that cannot be what was given.
    pub fn argument(argument: impl Into<String>, what: impl Into<String>) -> GraphError {
        GraphError::Argument { argument: argument.into(), what: what.into() }
    }

    /// A file, called `name`, that the system would not read.
    pub fn read(name: &str, source: io::Error) -> GraphError {
        GraphError::Read { name: name.into(), source }
    }

    /// A file that cannot be opened: one that is not there, or not for this user, is the user's mistake and
    /// not a failure of the device.
    pub fn opening(path: &Path, error: io::Error) -> GraphError {
        match error.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::PermissionDenied => {
                GraphError::path(path, format!("cannot be opened: {error}"))
            }
            _ => GraphError::read(&path.display().to_string(), error),
        }
    }

    /// A file that the system would not write.
    pub fn write(path: &Path, source: io::Error) -> GraphError {
        GraphError::Write { name: path.display().to_string(), source }
    }

    /// A request that a device failed, of a file called `name`.
    pub fn device(name: &str, source: leadline_device::DeviceError) -> GraphError {
        GraphError::Device { name: name.into(), source }
    }

    /// Whether what the user gave is at fault (exit code 2), and not the operation (1).
    pub fn is_input(&self) -> bool {
        !matches!(
            self,
            GraphError::Read { .. }
                | GraphError::Write { .. }
                | GraphError::Device { .. }
                | GraphError::Interrupted
        )
    }
}

/// A size in whole units, which is at least as much: it is to be given back.
fn rounded_up(bytes: u64) -> String {
    match bytes {
        0..1_048_576 => format!("{}K", bytes.div_ceil(1 << 10)),
        _ => format!("{}M", bytes.div_ceil(1 << 20)),
    }
}
