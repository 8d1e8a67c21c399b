//! From a store back to a list of edges in the users' ids.

mod folder;
mod ids;
mod parquet;
mod text;

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use leadline_files::{Compression, Compressor, NewFile};
use serde::Serialize;

use crate::GraphError;
use crate::Progress;
use crate::format::{Direction, Scratch, Weights};
use crate::input::Format;
use crate::inspect::StoreFile;
pub use folder::{FolderOptions, FolderReport, export_folder};
use ids::{Id, IdCache};

/// Bytes of the buffer in front of the file.
const BUFFER: usize = 1 << 20;

/// What a table calls the ids of an edge.
const COLUMNS: [&str; 2] = ["source", "target"];

/// How to export.
#[derive(Debug, Clone)]
pub struct ExportOptions {
    /// The format: CSV, TSV, SNAP, EL, WEL or Parquet; told by the file's name where none is given.
    pub format: Option<Format>,
    /// Most bytes for ids and for rows on their way to the file; with less than 16 MiB it takes some more.
    /// Less than the ids take makes it slower; a renumbered store needs another 4 bytes per vertex.
    pub memory: u64,
    /// Set from another thread to end the export.
    pub stop: Arc<AtomicBool>,
}

impl Default for ExportOptions {
    /// As the name tells, in 256 MiB.
    fn default() -> ExportOptions {
        ExportOptions { format: None, memory: 256 << 20, stop: Arc::default() }
    }
}

/// What was exported.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct ExportReport {
    /// How long it took.
    pub seconds: f64,
    /// Edges; an undirected one counts once.
    pub edges: u64,
    /// Of the file written.
    pub bytes: u64,
}

/// Writes the edges of a store, by source and then target as they are numbered there, an undirected edge
/// once. Weights are the third column, and read back to the same bits. Vertices without edges are not in the
/// file. The file appears, in place of one of that name, when it is whole. `progress` has the phase `write`,
/// counted in list entries.
///
/// # Errors
/// [`GraphError::Path`] for a format that is not written, or ids that it cannot hold;
/// [`GraphError::Memory`]; [`GraphError::Write`]; [`GraphError::Interrupted`]; as
/// [`crate::inspect::verify`] for the store.
pub fn export(
    store: &Path,
    path: &Path,
    options: &ExportOptions,
    progress: &mut dyn FnMut(Progress),
) -> Result<ExportReport, GraphError> {
    let begun = Instant::now();
    let format = match options.format {
        Some(format) => format,
        None => Format::of(path)?,
    };
    if format == Format::Parquet && Compression::of_ending(path).is_some() {
        let what = "Parquet compresses within itself; name it .parquet";
        return Err(GraphError::path(path, what));
    }
    let store = StoreFile::open(store)?;
    let memory = store.left_of(options.memory)?;
    let new = NewFile::with_capacity(0, path)?;
    let file = new.file();
    let mut rows: Box<dyn EdgeFile + '_> = match format {
        Format::Parquet => {
            let shape = parquet::Shape::of(&store, memory)?;
            Box::new(parquet::Table::new(file, path, shape, &COLUMNS, weighted(&store))?)
        }
        Format::Csv | Format::Tsv | Format::Snap | Format::El | Format::Wel => {
            Box::new(text::Lines::new(file, path, format, &store)?)
        }
        other => {
            let what = format!("{other} is not written; name it .csv, .tsv, .el or .parquet");
            return Err(GraphError::path(path, what));
        }
    };
    let edges = put_all(&store, memory, &options.stop, &mut *rows, progress)?;
    rows.finish()?;
    let bytes = new.finish()?;
    Ok(ExportReport { seconds: begun.elapsed().as_secs_f64(), edges, bytes })
}

/// Takes edges.
trait EdgeWriter {
    fn put(&mut self, source: Id<'_>, target: Id<'_>, weight: f64) -> Result<(), GraphError>;
}

/// A file of edges in the making.
trait EdgeFile: EdgeWriter {
    fn finish(self: Box<Self>) -> Result<(), GraphError>;
}

/// Gives all edges of a store to `rows`; says how many they are.
fn put_all(
    store: &StoreFile,
    memory: u64,
    stop: &AtomicBool,
    rows: &mut dyn EdgeWriter,
    progress: &mut dyn FnMut(Progress),
) -> Result<u64, GraphError> {
    let header = &store.header;
    let mut ids = IdCache::new(store, memory)?;
    let mut scratch = Scratch::default();
    let (mut edges, mut entries) = (0, 0);
    store.blocks(Direction::Forward, |number, _, block| {
        if stop.load(Ordering::Relaxed) {
            return Err(GraphError::Interrupted);
        }
        for vertex in block.vertices() {
            let list = block.list(vertex, &mut scratch);
            entries += list.neighbours.len() as u64;
            let first =
                if header.directed { 0 } else { list.neighbours.partition_point(|other| *other < vertex) };
            if first == list.neighbours.len() {
                continue;
            }
            let source = ids.get(vertex)?;
            for (i, &neighbour) in list.neighbours.iter().enumerate().skip(first) {
                let weight = list.weights.get(i).copied().unwrap_or(0.0);
                rows.put(source.borrow(), ids.get(neighbour)?.borrow(), weight)?;
                edges += 1;
            }
        }
        if number % 256 == 0 {
            progress(Progress { phase: "write", done: entries, total: Some(header.edges) });
        }
        Ok(())
    })?;
    Ok(edges)
}

/// Whether a store has weights.
fn weighted(store: &StoreFile) -> bool {
    store.header.weights != Weights::None
}

/// A file behind a buffer, compressed as its ending says, with its name for errors.
struct BufferedFile<'a> {
    out: BufWriter<Compressor<&'a File>>,
    path: &'a Path,
}

impl<'a> BufferedFile<'a> {
    fn new(file: &'a File, path: &'a Path) -> Result<BufferedFile<'a>, GraphError> {
        let compressor = Compressor::new(file, Compression::of_ending(path));
        let compressor = compressor.map_err(|error| GraphError::write(path, error))?;
        Ok(BufferedFile { out: BufWriter::with_capacity(BUFFER, compressor), path })
    }

    fn put(&mut self, bytes: &[u8]) -> Result<(), GraphError> {
        self.out.write_all(bytes).map_err(|error| GraphError::write(self.path, error))
    }

    fn finish(self) -> Result<(), GraphError> {
        let ended = self.out.into_inner().map_err(|error| error.into_error()).and_then(Compressor::finish);
        ended.map(drop).map_err(|error| GraphError::write(self.path, error))
    }
}
