//! Edges as users have them: one file a format, behind one trait (docs/graph-import.md); and from memory
//! ([`ArrayEdges`]).

mod arrays;
mod binary;
mod chunks;
mod columns;
mod folder;
mod format;
mod grammar;
mod graphalytics;
mod guarded;
mod matrix_market;
mod metis;
mod number;
mod parquet;
mod source;
mod strings;
mod text;
mod values;
mod workers;

use std::fmt;
use std::path::Path;
use std::str::FromStr;

pub use arrays::{Array, ArrayEdges, ArrayIds, ArrayWeights, StringArray};
pub use format::Format;
pub(crate) use number::{weight, whole};
pub(crate) use strings::check_length;
pub(crate) use values::ValueLines;

use crate::{GraphError, InputOption};

/// How ids are read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum IdMode {
    /// Numbers where those of the first edge are, strings else.
    #[default]
    Auto,
    /// Numbers from 0 to 2^64 - 1; anything else is an error.
    Numbers,
    /// Strings, and "01" is not "1".
    Strings,
}

impl fmt::Display for IdMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            IdMode::Auto => "auto",
            IdMode::Numbers => "numbers",
            IdMode::Strings => "strings",
        })
    }
}

impl FromStr for IdMode {
    type Err = String;

    fn from_str(text: &str) -> Result<IdMode, String> {
        [IdMode::Auto, IdMode::Numbers, IdMode::Strings]
            .into_iter()
            .find(|mode| mode.to_string() == text)
            .ok_or_else(|| "must be one of auto, numbers, strings".to_owned())
    }
}

/// How an input is read.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct InputOptions {
    /// Its format; told by its name where none is given.
    pub format: Option<Format>,
    /// Give weights too; an input without weights is an error then.
    pub weights: bool,
    /// How ids are read.
    pub ids: IdMode,
    /// Each edge leads one way, as it stands there, whatever the input says of itself.
    pub directed: bool,
    /// Bytes that the reader may take: above all ids that are strings, and text that threads parse, which are
    /// fewer then.
    pub memory: u64,
    /// Threads that parse text, at least 1. Beside them there is one that reads where they are more than 1.
    pub threads: usize,
}

impl Default for InputOptions {
    /// The format as its name tells, no weights, ids as the first edge has them, 1 GiB, 1 thread.
    fn default() -> InputOptions {
        InputOptions {
            format: None,
            weights: false,
            ids: IdMode::Auto,
            directed: false,
            memory: 1 << 30,
            threads: 1,
        }
    }
}

/// Opens an input: a file, or a folder of Parquet files. Text is decompressed where it is gzip, Zstandard or
/// xz; binary pairs where their name ends so.
///
/// # Errors
/// [`GraphError::Path`] or [`GraphError::Malformed`] for a file that is not there, is of no known format or
/// begins with a wrong header, and where weights are wanted that it does not have; [`GraphError::Read`] where
/// the system would not read.
pub fn open(path: &Path, options: InputOptions) -> Result<Box<dyn EdgeReader>, GraphError> {
    if path.is_dir() {
        return folder::open(path, options);
    }
    let format = match options.format {
        Some(format) => format,
        None => Format::of(path)?,
    };
    if format.has_numbers_only() && options.ids == IdMode::Strings {
        let text = format!("{}: ids of {format} are numbers; do not read them as strings", path.display());
        return Err(GraphError::Option { text, option: InputOption::Ids });
    }
    let reader = match format {
        Format::Snap | Format::Csv | Format::Tsv | Format::El | Format::Wel => {
            columns::open(path, format, &options)?
        }
        Format::MatrixMarket => matrix_market::open(path, &options)?,
        Format::Metis => metis::open(path, &options)?,
        Format::Graphalytics => graphalytics::open(path, &options)?,
        Format::U32 => binary::open(path, 4)?,
        Format::U64 => binary::open(path, 8)?,
        Format::Parquet => Box::new(parquet::open(path, parquet::Rows::Edges, &options)?),
    };
    if options.weights && !reader.declared().weighted {
        let text = format!("{}: has no weights as {format}; import it without weights", path.display());
        return Err(GraphError::Option { text, option: InputOption::Weights });
    }
    Ok(reader)
}

/// Edges in the users' ids, as they stand in the input.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Batch {
    /// Source and target.
    pub pairs: Vec<(u64, u64)>,
    /// One per pair where the input has weights that are wanted; empty else.
    pub weights: Vec<f64>,
    /// Vertices that are named without an edge.
    pub vertices: Vec<u64>,
}

impl Batch {
    /// Empties it, and keeps its memory.
    pub fn clear(&mut self) {
        self.pairs.clear();
        self.weights.clear();
        self.vertices.clear();
    }

    /// Bytes in memory.
    pub fn memory_bytes(&self) -> u64 {
        (self.pairs.capacity() * 16 + self.weights.capacity() * 8 + self.vertices.capacity() * 8) as u64
    }
}

/// What an input shows of all its edges before they are read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Sample {
    /// Edges of the input, about.
    pub edges: u64,
    /// Source and target of some of them.
    pub pairs: Vec<(u64, u64)>,
}

/// What an input declares before its edges.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Declared {
    /// So many vertices exist from [`Declared::first`] on, whether or not they have edges (METIS, Matrix
    /// Market, which count from 1).
    pub vertices: Option<u64>,
    /// Id of the first declared vertex.
    pub first: u64,
    /// The input says itself that each edge leads one way, and is not imported as anything else.
    pub directed: bool,
    /// The input says itself that each edge leads both ways and is listed once.
    pub undirected: bool,
    /// The input says itself that each edge leads both ways and is listed twice, once from either end
    /// (METIS).
    pub both_ways: bool,
    /// Batches have weights: the input has them and they are wanted.
    pub weighted: bool,
}

/// An input of edges, read once from its beginning.
pub trait EdgeReader: Send {
    /// What is known before the first edge.
    fn declared(&self) -> Declared;

    /// Fills `batch` with some more edges (it is cleared first); false when there are no more.
    ///
    /// # Errors
    /// [`GraphError::Malformed`] names the file, the line (or the byte) and what was expected there.
    fn next_batch(&mut self, batch: &mut Batch) -> Result<bool, GraphError>;

    /// How many edges there are in all, about, and some of them from all over the input, about `most`, in any
    /// order; nothing where it can only be read from its beginning, or is small. What is read next stays the
    /// same.
    ///
    /// # Errors
    /// [`GraphError::Read`].
    fn sample(&mut self, most: usize) -> Result<Option<Sample>, GraphError> {
        let _ = most;
        Ok(None)
    }

    /// Bytes of the input (compressed where it is) consumed so far, and in all where that is known.
    fn progress(&self) -> (u64, Option<u64>);

    /// The strings behind the numbers of the pairs, by number, where ids are strings; called after the last
    /// batch.
    fn strings(&mut self) -> Option<Vec<String>> {
        None
    }

    /// The string behind a number of the pairs given so far, where ids are strings.
    fn string(&self, number: u64) -> Option<&str> {
        let _ = number;
        None
    }

    /// Bytes in memory now.
    fn memory_bytes(&self) -> u64;
}
