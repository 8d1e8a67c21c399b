//! Results as files or in memory: a row per vertex, in ascending order of the users' ids.
//!
//! [`VertexTable`] says which columns each algorithm's result has, [`Output`] writes them, [`Rows`] has them
//! in memory.
//!
//! The format of a file is told by its ending. Rows are made some thousands at a time and written before the
//! next are made, so that a file takes the same memory whatever the graph; and the same bytes are written
//! whatever the memory.

mod binary;
mod budget;
mod cells;
mod columns;
mod csv;
mod graphalytics;
mod id_table;
mod names;
mod outcome;
mod pair_rows;
mod pairs;
mod parquet;
mod ranks;
mod results;
mod row_file;
mod rows;
mod table;
mod walk_rows;
mod walks;

use std::path::Path;

use leadline_files::NewFile;

use crate::engine::StateFile;
use crate::{Graph, GraphError};
pub(crate) use budget::Budget;
pub use columns::{RowColumn, RowValues, Rows, Texts};
pub(crate) use id_table::IdTable;
pub(crate) use names::ranks;
pub(crate) use outcome::outcome;
pub use outcome::{Outcome, grouped};
pub use pair_rows::PairRows;
pub use pairs::PairOutput;
pub(crate) use ranks::RankRows;
pub use results::VertexTable;
pub(crate) use results::{Spill, has_no_room, vertex_table};
pub use row_file::RowFile;
pub use table::{Column, Kind, Source, Values};
pub use walk_rows::WalkRows;
pub use walks::WalkOutput;

/// Rows that are made and written at a time; those of a row group in Parquet.
const ROWS: usize = 1 << 16;

/// Bytes of ids, where they are strings, after which a row group ends before it has [`ROWS`].
const TEXT_BYTES: usize = 4 << 20;

/// Bytes of the buffer in front of a file.
const BUFFER: usize = 256 << 10;

/// What a format's own buffers take at most: a row group's pages before and after compression.
const FORMAT_BYTES: u64 = 1 << 20;

/// How rows are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// `.csv`: a header line, then a line per row.
    Csv,
    /// `.parquet`.
    Parquet,
    /// `.bin`: records of 8 bytes per column, little-endian, and nothing else.
    Binary,
    /// `.graphalytics`: a line per vertex, its id and its one value, as LDBC Graphalytics has them.
    Graphalytics,
    /// `.txt`: walks only, a line per walk.
    Text,
}

impl Format {
    /// The format that a file's ending tells.
    ///
    /// What goes to the standard output is CSV.
    pub fn of_ending(path: &Path) -> Option<Format> {
        if leadline_files::is_stdout(path) {
            return Some(Format::Csv);
        }
        let ending = path.extension()?.to_str()?.to_ascii_lowercase();
        match ending.as_str() {
            "csv" => Some(Format::Csv),
            "parquet" => Some(Format::Parquet),
            "bin" => Some(Format::Binary),
            "graphalytics" => Some(Format::Graphalytics),
            "txt" => Some(Format::Text),
            _ => None,
        }
    }
}

/// A file in the making. It takes its name only when it is whole; dropped before, it leaves nothing behind.
#[derive(Debug)]
pub struct Output {
    file: NewFile,
    format: Format,
}

impl Output {
    /// A file for a row a vertex: `.csv`, `.parquet`, `.bin` or `.graphalytics`. To be made before the work
    /// that it is to hold, so that a place that cannot be written is found out first.
    ///
    /// # Errors
    /// [`GraphError::Path`]: another ending, a place that takes no file, or strings for `.bin` and
    /// `.graphalytics`, which have numbers only.
    pub fn create(path: &Path, graph: &Graph) -> Result<Output, GraphError> {
        let refuse = |reason| Err(GraphError::path(path, reason));
        let format = match Format::of_ending(path) {
            Some(format @ (Format::Csv | Format::Parquet)) => format,
            Some(Format::Binary) if graph.ids().are_strings() => {
                return refuse(
                    "this graph's ids are strings, which .bin has no place for; name a .csv or .parquet",
                );
            }
            Some(Format::Graphalytics) if graph.ids().are_strings() => {
                let what = "this graph's ids are strings, and Graphalytics has numbers; name a .csv or \
                            .parquet";
                return refuse(what);
            }
            Some(format @ (Format::Binary | Format::Graphalytics)) => format,
            _ => {
                return refuse("its ending is no known format; name a .csv, .parquet, .bin or .graphalytics");
            }
        };
        Ok(Output { file: NewFile::with_capacity(BUFFER, path)?, format })
    }

    /// Whether the format has a place for these columns; to be asked before the work.
    ///
    /// # Errors
    /// [`GraphError::Path`]: more or fewer columns than one for `.graphalytics`.
    pub fn check_columns(&self, columns: &[(&str, Kind)]) -> Result<(), GraphError> {
        match (self.format, columns) {
            (Format::Graphalytics, columns) if columns.len() != 1 => {
                let what = ".graphalytics has a place for one value per vertex; name a .csv or .parquet";
                Err(GraphError::path(self.file.path(), what))
            }
            _ => Ok(()),
        }
    }

    /// Whether the cap has room for writing a result of these columns, in addition to the result; to be asked
    /// before the work. A result that `spills` is in a file where the cap has no room for it.
    ///
    /// # Errors
    /// [`GraphError::Memory`] with the least that would do.
    pub fn check_memory(graph: &Graph, columns: &[(&str, Kind)], spills: bool) -> Result<(), GraphError> {
        let needed = Output::least_memory(graph, columns, spills);
        let given = graph.options().memory;
        if given < needed {
            return Err(GraphError::Memory { what: "writing the results".into(), given, needed });
        }
        Ok(())
    }

    /// The least memory with which a result of these columns is written, bytes.
    pub(crate) fn least_memory(graph: &Graph, columns: &[(&str, Kind)], spills: bool) -> u64 {
        let held = if spills { StateFile::BYTES } else { table::held(graph, columns) };
        (held + table::bytes(graph, columns)).next_multiple_of(1 << 10)
    }

    /// Writes all rows, the vertex's id first, brings them to the disk and gives the file its name, in place
    /// of one that has it. The blocks that the last run cached are let go. Returns the bytes of the file.
    ///
    /// # Errors
    /// [`GraphError::Write`], [`GraphError::Damaged`] (the ids), [`GraphError::Interrupted`], what
    /// [`Output::check_columns`] refuses; no file is left then, or still the old one.
    ///
    /// # Panics
    /// Where a column has not a value for each vertex.
    pub fn write(self, graph: &Graph, columns: &[Column<'_>]) -> Result<u64, GraphError> {
        let kinds: Vec<_> = columns.iter().map(|column| (column.name, column.values.kind())).collect();
        self.check_columns(&kinds)?;
        graph.forget_cache()?;
        table::write(self.file, self.format, graph, columns)
    }
}

impl Graph {
    /// Lets go of the blocks that the last run cached.
    fn forget_cache(&self) -> Result<(), GraphError> {
        // Taken for another size, it is not handed on; nobody keeps the new one.
        self.take_cache(0).map(drop)
    }
}
