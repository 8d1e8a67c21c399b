//! Edges as users have them: one file a format, behind one trait (docs/graph-import.md); and from memory
//! ([`ArrayEdges`]).

mod adjacency;
mod arrays;
mod attributes;
mod binary;
mod bipartite;
mod chunks;
mod columns;
mod counts;
mod delimited;
mod dimacs;
mod doubts;
mod folder;
mod format;
mod gml;
mod grammar;
mod graphalytics;
mod guarded;
mod kinds;
mod konect;
mod markup;
mod matrix_market;
mod metis;
mod multiline;
mod names;
mod node_names;
mod number;
mod pajek;
mod parquet;
mod preview;
mod records;
mod sniff;
mod source;
mod strings;
mod summary;
mod text;
mod values;
mod vertices;
mod workers;

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

pub use arrays::{Array, ArrayEdges, ArrayIds, ArrayWeights, StringArray};
pub use format::Format;
pub use leadline_text::{Column, Comment, Delimiter, TextOptions};
pub(crate) use number::{weight, whole};
pub use preview::Preview;
pub(crate) use source::archive_of;
pub(crate) use strings::check_length;
pub use summary::{FirstEdge, InputSummary, SkippedLines, TextSummary};
pub(crate) use values::ValueLines;

use chunks::{Chunks, Cut};
use sniff::{Sniffed, sniff};
use source::Source;

use crate::format::ChangeRules;
use crate::{GraphError, InputOption};

/// How ids are read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum IdMode {
    /// Numbers if the ids of the first edge are numbers, strings otherwise.
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

/// The columns of edges, where they are named; known names or the first columns else.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EdgeColumns {
    /// Of sources.
    pub source: Option<Column>,
    /// Of targets.
    pub target: Option<Column>,
    /// Of weights, which are given then.
    pub weight: Option<Column>,
}

/// How an input is read.
#[derive(Debug, Clone, PartialEq)]
pub struct InputOptions {
    /// Its format; told by its first lines or its name where none is given.
    pub format: Option<Format>,
    /// What separates columns, whether they have names, and so on; of text in columns.
    pub text: TextOptions,
    /// Which columns are read; of text in columns and of Parquet.
    pub columns: EdgeColumns,
    /// Columns that are not read may look as if somebody wanted them: like weights, or ends of other edges.
    pub ignore_columns: bool,
    /// Give weights too; an input without weights is an error then.
    pub weights: bool,
    /// How ids are read.
    pub ids: IdMode,
    /// Each edge leads one way, as it is there, whatever the input says of itself.
    pub directed: bool,
    /// Sources and targets are vertices of two kinds, both numbered from 1: rows and columns of a matrix. The
    /// second are numbered behind the first.
    pub bipartite: bool,
    /// A list of vertices, of which some may have no edge: a text with one in a line, or in a column of a
    /// table.
    pub vertices: Option<PathBuf>,
    /// Bytes that the reader may take: above all ids that are strings, and text that threads parse, which are
    /// fewer then.
    pub memory: u64,
    /// Threads that parse text, at least 1. Next to them there is one that reads where they are more than 1.
    pub threads: usize,
}

impl Default for InputOptions {
    /// The format as its name tells, no weights, ids as the first edge has them, 1 GiB, 1 thread.
    fn default() -> InputOptions {
        InputOptions {
            format: None,
            text: TextOptions::default(),
            columns: EdgeColumns::default(),
            ignore_columns: false,
            weights: false,
            ids: IdMode::Auto,
            directed: false,
            bipartite: false,
            vertices: None,
            memory: 1 << 30,
            threads: 1,
        }
    }
}

/// Opens an input: a file, or a directory of Parquet files. Text is decompressed where it is gzip, bzip2,
/// Zstandard or xz, and read from a tar or zip of one file; binary pairs are decompressed where their name
/// ends so.
///
/// # Errors
/// [`GraphError::Path`] or [`GraphError::Malformed`] for a file that is not there, is of no known format or
/// begins with a wrong header, and where weights are wanted that it does not have; [`GraphError::Read`] where
/// the system would not read.
pub fn open(path: &Path, mut options: InputOptions) -> Result<Box<dyn EdgeReader>, GraphError> {
    options.weights |= options.columns.weight.is_some();
    if path.is_dir() {
        check_options(path, Format::Parquet, &options)?;
        let list = options.vertices.clone();
        let reader = folder::open(path, options.clone())?;
        return match list {
            Some(list) => vertices::with_list(reader, &list, &options),
            None => Ok(reader),
        };
    }
    let named = options.format.map_or_else(|| Format::of(path), Ok);
    let reader = match named {
        Ok(format @ (Format::U32 | Format::U64 | Format::Parquet | Format::Graphalytics)) => {
            open_as(path, format, None, &options, InputSummary::of(format, told_by(&options)))?
        }
        named => open_text(path, named, &options)?,
    };
    if options.weights && !reader.declared().weighted {
        let format = reader.summary().format;
        let text = format!("{}: has no weights as {format}; import it without weights", path.display());
        return Err(GraphError::Option { text, option: InputOption::Weights });
    }
    match &options.vertices {
        Some(list) => vertices::with_list(reader, list, &options),
        None => Ok(reader),
    }
}

fn told_by(options: &InputOptions) -> &'static str {
    if options.format.is_some() { "as was said" } else { "by its name" }
}

/// A text: what is in it tells its format better than its name.
fn open_text(
    path: &Path,
    named: Result<Format, GraphError>,
    options: &InputOptions,
) -> Result<Box<dyn EdgeReader>, GraphError> {
    let mut chunks = Chunks::new(Source::text(path)?, Cut::Lines);
    let named = match chunks.inner_name().filter(|_| options.format.is_none()) {
        Some(inner) => of_inner(path, inner, named)?,
        None => named,
    };
    let format = match (sniff(chunks.peek()?.0), named) {
        (Sniffed::Unread(line, what), _) => {
            return Err(GraphError::malformed(format_args!("{}: line {line}", path.display()), what));
        }
        (Sniffed::Is(found), Ok(format)) if found == format => format,
        (Sniffed::Is(found), _) if options.format.is_none() => {
            let summary = InputSummary::of(found, "by its content");
            return open_as(path, found, Some(chunks), options, summary);
        }
        (Sniffed::Is(found), Ok(format)) => {
            let text = format!("{}: is {found} by its content, not {format}", path.display());
            return Err(GraphError::Option { text, option: InputOption::Format });
        }
        (_, named) => named?,
    };
    open_as(path, format, Some(chunks), options, InputSummary::of(format, told_by(options)))
}

/// The format that the name of a file in an archive tells, else the archive's own.
fn of_inner(
    path: &Path,
    inner: &str,
    named: Result<Format, GraphError>,
) -> Result<Result<Format, GraphError>, GraphError> {
    match Format::of(Path::new(inner)) {
        Ok(format @ (Format::U32 | Format::U64 | Format::Parquet | Format::Graphalytics)) => {
            let what = format!("holds {inner}; {format} is read where it is a file of its own, so unpack it");
            Err(GraphError::path(path, what))
        }
        Ok(format) => Ok(Ok(format)),
        Err(_) => Ok(named),
    }
}

/// Opens an input as one of a format; `chunks` are of a text that was looked at.
fn open_as(
    path: &Path,
    format: Format,
    chunks: Option<Chunks>,
    options: &InputOptions,
    summary: InputSummary,
) -> Result<Box<dyn EdgeReader>, GraphError> {
    check_options(path, format, options)?;
    let text = || match chunks {
        Some(chunks) => Ok(chunks),
        None => Source::text(path).map(|source| Chunks::new(source, Cut::Lines)),
    };
    match format {
        Format::Snap | Format::Csv | Format::Tsv | Format::El | Format::Wel | Format::Ncol => {
            delimited::open(text()?, format, options, summary)
        }
        Format::Adjlist => adjacency::open(text()?, false, options, summary),
        Format::GraphChi => adjacency::open(text()?, true, options, summary),
        Format::Dimacs => dimacs::open(text()?, options, summary),
        Format::Konect => konect::open(text()?, options, summary),
        Format::GraphMl | Format::Gexf => markup::open(text()?, format, options, summary),
        Format::Gml => gml::open(text()?, options, summary),
        Format::Pajek => pajek::open(text()?, options, summary),
        Format::MultilineAdjlist => multiline::open(text()?, options, summary),
        Format::MatrixMarket => matrix_market::open(text()?, options, summary),
        Format::Metis => metis::open(path, text()?, options, summary),
        Format::Graphalytics => graphalytics::open(path, options, summary),
        Format::U32 => binary::open(path, 4, summary),
        Format::U64 => binary::open(path, 8, summary),
        Format::Parquet => {
            let file = parquet::open(path, parquet::Rows::Edges, options)?;
            file.check_ignored(options)?;
            Ok(Box::new(file.told(summary)))
        }
    }
}

/// Whether a format has what options are about.
fn check_options(path: &Path, format: Format, options: &InputOptions) -> Result<(), GraphError> {
    let has_delimiters = format.has_columns();
    let has_comments = has_delimiters || matches!(format, Format::Adjlist | Format::MultilineAdjlist);
    let wrong = |what: &str, option| {
        let text = format!("{}: {format} has {what}", path.display());
        Err(GraphError::Option { text, option })
    };
    if format.has_numbers_only() && options.ids == IdMode::Strings {
        return wrong("ids that are numbers; do not read them as strings", InputOption::Ids);
    }
    if options.bipartite && !matches!(format, Format::MatrixMarket | Format::Konect) {
        return wrong("no rows and columns to number one after the other", InputOption::Bipartite);
    }
    let TextOptions { delimiter, header, skip, comment } = options.text;
    let text_option = [
        (delimiter.is_some() && format != Format::Adjlist, InputOption::Delimiter),
        (header.is_some(), InputOption::Header),
        (skip > 0, InputOption::Skip),
        (comment.is_some() && !has_comments, InputOption::Comment),
    ];
    if let Some((_, option)) = text_option.into_iter().find(|(given, _)| *given && !has_delimiters) {
        return wrong("lines of its own, which are no text in columns; leave this option out", option);
    }
    if has_delimiters || format == Format::Parquet {
        return Ok(());
    }
    let EdgeColumns { source, target, weight } = &options.columns;
    let column_option = [
        (source.is_some(), InputOption::SourceColumn),
        (target.is_some(), InputOption::TargetColumn),
        (weight.is_some() && !format.has_attributes(), InputOption::WeightColumn),
    ];
    match column_option.into_iter().find(|(given, _)| *given) {
        Some((_, option)) => wrong("no columns to choose from; leave this option out", option),
        None => Ok(()),
    }
}

/// Edges in the users' ids, as they are in the input.
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
    /// That many vertices exist from [`Declared::first`] on, whether or not they have edges (METIS, Matrix
    /// Market, which count from 1).
    pub vertices: Option<u64>,
    /// Id of the first declared vertex.
    pub first: u64,
    /// The input says itself that each edge leads one way, and is not imported as anything else.
    pub directed: bool,
    /// The input says itself that each edge leads both ways and is listed once.
    pub undirected: bool,
    /// Batches have weights: the input has them and they are wanted.
    pub weighted: bool,
    /// What the input says itself of edges that are added later.
    pub rules: ChangeRules,
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

    /// Nobody asks for the strings behind the numbers given so far any more. An input whose edges name their
    /// ends lets go of them, and begins to number again.
    fn forget_strings(&mut self) {}

    /// The number by which this input calls a vertex, whether or not it has an edge; called after the last
    /// batch. Where ids are strings, a new one is numbered.
    ///
    /// # Errors
    /// Says what is wrong with the id.
    fn vertex(&mut self, id: &[u8]) -> Result<u64, String> {
        whole(id, "a vertex id")
    }

    /// How the input was understood, as far as it was read; nothing where a reader has nothing to say.
    fn summary(&self) -> InputSummary {
        InputSummary::default()
    }

    /// Bytes in memory now.
    fn memory_bytes(&self) -> u64;
}
