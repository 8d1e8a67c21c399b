//! From a store back to a list of edges in the users' ids.

mod parquet;
mod text;

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use leadline_files::NewFile;
use serde::Serialize;

use crate::GraphError;
use crate::Progress;
use crate::format::header::IdKind;
use crate::format::{Direction, Ids, Scratch, Vertex, Weights};
use crate::input::Format;
use crate::inspect::StoreFile;

/// Bytes of the buffer in front of the file.
const BUFFER: usize = 1 << 20;

/// How to export.
#[derive(Debug, Clone)]
pub struct ExportOptions {
    /// The format: CSV, TSV, SNAP, EL, WEL or Parquet; told by the file's name where none is given.
    pub format: Option<Format>,
    /// Bytes for ids, at least 1 MiB. Less than the ids take makes it slower; a renumbered store needs 4
    /// bytes per vertex beside.
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
/// [`GraphError::Memory`]; [`GraphError::Write`]; [`GraphError::Interrupted`]; as [`crate::verify`] for the
/// store.
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
    let store = StoreFile::open(store)?;
    let new = NewFile::with_capacity(0, path)?;
    let file = new.file();
    let mut rows: Box<dyn EdgeWriter + '_> = match format {
        Format::Parquet => Box::new(parquet::Table::new(file, path, &store)?),
        Format::Csv | Format::Tsv | Format::Snap | Format::El | Format::Wel => {
            Box::new(text::Lines::new(file, path, format, &store)?)
        }
        other => {
            let what = format!("{other} is not written; name it .csv, .tsv, .el or .parquet");
            return Err(GraphError::path(path, what));
        }
    };
    let edges = put_all(&store, options, &mut *rows, progress)?;
    rows.finish()?;
    drop(rows);
    let bytes = new.finish()?;
    Ok(ExportReport { seconds: begun.elapsed().as_secs_f64(), edges, bytes })
}

/// A file of edges in the making.
trait EdgeWriter {
    fn put(&mut self, source: Id<'_>, target: Id<'_>, weight: f64) -> Result<(), GraphError>;
    fn finish(&mut self) -> Result<(), GraphError>;
}

/// A user's id.
#[derive(Debug, Clone, Copy)]
enum Id<'a> {
    Number(u64),
    Text(&'a str),
}

fn put_all(
    store: &StoreFile,
    options: &ExportOptions,
    rows: &mut dyn EdgeWriter,
    progress: &mut dyn FnMut(Progress),
) -> Result<u64, GraphError> {
    let header = &store.header;
    let mut ids = IdCache::new(store, options.memory)?;
    let mut scratch = Scratch::default();
    let (mut edges, mut entries) = (0, 0);
    store.blocks(Direction::Forward, |number, _, block| {
        if options.stop.load(Ordering::Relaxed) {
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

/// An id that was read.
#[derive(Debug, Clone)]
enum OwnId {
    Number(u64),
    Text(String),
}

impl OwnId {
    fn borrow(&self) -> Id<'_> {
        match self {
            OwnId::Number(number) => Id::Number(*number),
            OwnId::Text(text) => Id::Text(text),
        }
    }
}

/// The ids of vertices: pages of the section, as many as memory takes, each in the place that its number
/// gives it.
struct IdCache<'a> {
    store: &'a StoreFile,
    places: Vec<Option<Ids<'a>>>,
    /// By vertex: the rank, where they differ.
    ranks: Vec<u32>,
}

/// Ranks whose ids share a page.
const RANKS: u64 = 511;

impl<'a> IdCache<'a> {
    fn new(store: &'a StoreFile, memory: u64) -> Result<IdCache<'a>, GraphError> {
        let header = &store.header;
        let pages = header.vertices.div_ceil(RANKS).max(1);
        let fit = memory.max(1 << 20) / (Ids::BYTES + size_of::<Option<Ids<'_>>>() as u64);
        let places = std::iter::repeat_with(|| None).take(pages.min(fit) as usize).collect();
        let mut ranks = Vec::new();
        if header.renumbered {
            if 4 * header.vertices > memory {
                let what = "the export of a renumbered store".into();
                return Err(GraphError::Memory { what, given: memory, needed: 4 * header.vertices });
            }
            ranks.resize(header.vertices as usize, 0);
            let mut ids = store.ids();
            for rank in 0..header.vertices {
                ranks[ids.vertex(rank)? as usize] = rank as u32;
            }
        }
        Ok(IdCache { store, places, ranks })
    }

    fn get(&mut self, vertex: Vertex) -> Result<OwnId, GraphError> {
        let header = &self.store.header;
        if u64::from(vertex) >= header.vertices {
            return Err(self.store.damaged(format!("a list leads to vertex {vertex}, which does not exist")));
        }
        let rank = u64::from(self.ranks.get(vertex as usize).copied().unwrap_or(vertex));
        if header.id_kind == IdKind::Dense {
            return Ok(OwnId::Number(rank));
        }
        let place = (rank / RANKS % self.places.len() as u64) as usize;
        let ids = self.places[place].get_or_insert_with(|| self.store.ids());
        match header.id_kind {
            IdKind::Strings => ids.text(rank).map(OwnId::Text),
            _ => ids.number(rank).map(OwnId::Number),
        }
    }
}

/// Whether a store has weights.
fn weighted(store: &StoreFile) -> bool {
    store.header.weights != Weights::None
}

/// A file behind a buffer, with its name for errors.
struct BufferedFile<'a> {
    out: BufWriter<&'a File>,
    path: &'a Path,
}

impl<'a> BufferedFile<'a> {
    fn new(file: &'a File, path: &'a Path) -> BufferedFile<'a> {
        BufferedFile { out: BufWriter::with_capacity(BUFFER, file), path }
    }

    fn put(&mut self, bytes: &[u8]) -> Result<(), GraphError> {
        self.out.write_all(bytes).map_err(|error| GraphError::write(self.path, error))
    }

    fn flush(&mut self) -> Result<(), GraphError> {
        self.out.flush().map_err(|error| GraphError::write(self.path, error))
    }
}
