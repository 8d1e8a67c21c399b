//! A graph as a directory of Parquet files in equal parts, for programs that read with many machines
//! (docs/graph-export.md).

use std::fs::{self, File};
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use leadline_files::NewFolder;
use serde::Serialize;

use super::ids::Id;
use super::parquet::{Shape, Table};
use super::{COLUMNS, EdgeWriter, put_all, weighted};
use crate::exported::{DESCRIPTION, Description, EDGES, VERTICES};
use crate::format::header::IdKind;
use crate::inspect::StoreFile;
use crate::{GraphError, Progress};

/// Bytes of a part before they are packed, where nobody says how many parts there are to be.
const PART_BYTES: u64 = 128 << 20;

/// Vertices between two looks at whether somebody wants to stop.
const STEP: u64 = 1 << 16;

/// How to export to a directory.
#[derive(Debug, Clone)]
pub struct FolderOptions {
    /// Parts of the edges, at least 1; as many as make parts of 128 MiB (before they are packed) where there
    /// is no number.
    pub partitions: Option<u32>,
    /// As [`ExportOptions::memory`](super::ExportOptions::memory).
    pub memory: u64,
    /// Set from another thread to end the export.
    pub stop: Arc<AtomicBool>,
}

impl Default for FolderOptions {
    /// Parts of 128 MiB, in 256 MiB.
    fn default() -> FolderOptions {
        FolderOptions { partitions: None, memory: 256 << 20, stop: Arc::default() }
    }
}

/// What was exported to a directory.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct FolderReport {
    /// How long it took.
    pub seconds: f64,
    /// Vertices.
    pub vertices: u64,
    /// Edges; an undirected one counts once.
    pub edges: u64,
    /// Parts of the edges.
    pub partitions: u32,
    /// Of all files.
    pub bytes: u64,
}

/// Writes a graph to a directory: `edges/part-00000.parquet` and on, `vertices/part-00000.parquet` and on,
/// which have every vertex, and `graph.json`. Edges stand as in [`export`](super::export), all parts with
/// equally many, or one more. The directory appears when it is whole, in place of an older export; no other
/// directory is replaced unless it is empty. `progress` has the phases `vertices` and `write`.
///
/// # Errors
/// [`GraphError::Place`] and [`GraphError::Path`] for a place that no directory can take, above all one that
/// holds something else; [`GraphError::Memory`]; [`GraphError::Write`]; [`GraphError::Interrupted`]; as
/// [`crate::inspect::verify`] for the store.
///
/// # Panics
/// Where 0 parts are asked for.
pub fn export_folder(
    store: &Path,
    folder: &Path,
    options: &FolderOptions,
    progress: &mut dyn FnMut(Progress),
) -> Result<FolderReport, GraphError> {
    let begun = Instant::now();
    let store = StoreFile::open(store)?;
    let header = &store.header;
    let (edges, weighted) = (header.graph_edges(), weighted(&store));
    let memory = store.left_of(options.memory)?;
    let shape = Shape::of(&store, memory)?;
    let bytes = id_bytes(&store);
    let partitions = match options.partitions {
        Some(partitions) => partitions,
        None => parts_of(edges, 2 * bytes + if weighted { 8 } else { 0 }),
    };
    assert!(partitions > 0, "a graph has at least one part");
    refuse_other(folder)?;
    let folder = NewFolder::create(folder)?;
    let parts = Parts::new(&folder, VERTICES, &["vertex"], shape, false)?;
    let parts = parts.of(header.vertices, parts_of(header.vertices, bytes));
    let vertex_bytes = put_vertices(&store, options, parts, progress)?;
    let mut parts = Parts::new(&folder, EDGES, &COLUMNS, shape, weighted)?.of(edges, partitions);
    let put = put_all(&store, memory, &options.stop, &mut parts, progress)?;
    if put != edges {
        return Err(store.damaged(format!("it holds {put} edges, and its header says {edges}")));
    }
    let edge_bytes = parts.end()?;
    let description = Description::new(header, weighted);
    let bytes = vertex_bytes + edge_bytes + describe(&folder, &description)?;
    folder.finish()?;
    let seconds = begun.elapsed().as_secs_f64();
    Ok(FolderReport { seconds, vertices: header.vertices, edges, partitions, bytes })
}

/// Bytes of an id, in the mean.
fn id_bytes(store: &StoreFile) -> u64 {
    match store.header.id_kind {
        IdKind::Strings => store.header.ids.bytes / store.header.vertices.max(1),
        _ => 8,
    }
}

/// As many parts as that many rows of that many bytes make.
fn parts_of(rows: u64, row_bytes: u64) -> u32 {
    let parts = (u128::from(rows) * u128::from(row_bytes)).div_ceil(u128::from(PART_BYTES));
    u32::try_from(parts).unwrap_or(u32::MAX).max(1)
}

/// An older export is replaced, and an empty directory; what else is in a directory somebody may still want.
fn refuse_other(folder: &Path) -> Result<(), GraphError> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        // What is no folder is refused where one is made.
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => return Ok(()),
        Err(error) => {
            let what = format!("cannot be read ({error}), and may hold other data; name another directory");
            return Err(GraphError::path(folder, what));
        }
    };
    let mut names = entries.flatten().map(|entry| PathBuf::from(entry.file_name())).peekable();
    if names.peek().is_none() {
        return Ok(());
    }
    let refuse =
        |what: String| Err(GraphError::path(folder, what + "; name another directory, or remove it"));
    if !matches!(Description::read(folder), Ok(Some(_))) {
        return refuse("exists and is not an exported graph".into());
    }
    let is_part = |name: &Path| {
        let name = name.to_string_lossy();
        name.starts_with("part-") && name.ends_with(".parquet")
    };
    for name in names {
        let of_parts = [EDGES, VERTICES].iter().any(|folder| name == Path::new(folder));
        let foreign = match fs::read_dir(folder.join(&name)) {
            Ok(entries) if of_parts => {
                let mut names = entries.flatten().map(|entry| PathBuf::from(entry.file_name()));
                names.find(|name| !is_part(name)).map(|found| name.join(found))
            }
            _ => Some(name.clone()).filter(|name| name != Path::new(DESCRIPTION)),
        };
        if let Some(foreign) = foreign {
            return refuse(format!("is an exported graph, but holds {} too", foreign.display()));
        }
    }
    Ok(())
}

/// Writes every vertex; the bytes of the files.
fn put_vertices(
    store: &StoreFile,
    options: &FolderOptions,
    mut parts: Parts<'_>,
    progress: &mut dyn FnMut(Progress),
) -> Result<u64, GraphError> {
    let vertices = store.header.vertices;
    let mut ids = store.ids();
    for rank in 0..vertices {
        if rank.is_multiple_of(STEP) {
            if options.stop.load(Ordering::Relaxed) {
                return Err(GraphError::Interrupted);
            }
            progress(Progress { phase: "vertices", done: rank, total: Some(vertices) });
        }
        match ids.are_strings() {
            true => parts.row(&[Id::Text(&ids.text(rank)?)], 0.0)?,
            false => parts.row(&[Id::Number(ids.number(rank)?)], 0.0)?,
        }
    }
    parts.end()
}

/// Writes the file that says what the others are; its bytes.
fn describe(folder: &NewFolder, description: &Description) -> Result<u64, GraphError> {
    let path = folder.path().join(DESCRIPTION);
    let mut file = folder.file(DESCRIPTION)?;
    let written = description.to_json().map_err(std::io::Error::from).and_then(|text| {
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        Ok(text.len() as u64)
    });
    written.map_err(|error| GraphError::write(&path, error))
}

/// Rows on their way to files of equal parts.
struct Parts<'a> {
    folder: &'a NewFolder,
    /// The directory of the parts, in that one.
    name: &'static str,
    columns: &'static [&'static str],
    shape: Shape,
    weighted: bool,
    /// All rows, and files to make of them.
    rows: u64,
    count: u32,
    /// Rows so far, and where the file that is written ends.
    put: u64,
    end: u64,
    /// The file that is written, and how many were begun.
    part: Option<Table<File>>,
    begun: u32,
    /// Of those that are done.
    bytes: u64,
}

impl<'a> Parts<'a> {
    /// Without rows, in one file.
    fn new(
        folder: &'a NewFolder,
        name: &'static str,
        columns: &'static [&'static str],
        shape: Shape,
        weighted: bool,
    ) -> Result<Parts<'a>, GraphError> {
        folder.folder(name)?;
        let (rows, count, put, end, part, begun, bytes) = (0, 1, 0, 0, None, 0, 0);
        Ok(Parts { folder, name, columns, shape, weighted, rows, count, put, end, part, begun, bytes })
    }

    /// With that many rows in that many files.
    fn of(mut self, rows: u64, count: u32) -> Parts<'a> {
        (self.rows, self.count) = (rows, count);
        self
    }

    fn row(&mut self, ids: &[Id<'_>], weight: f64) -> Result<(), GraphError> {
        while self.put >= self.end && self.begun < self.count {
            self.next_part()?;
        }
        self.put += 1;
        match &mut self.part {
            Some(part) => part.row(ids, weight),
            None => Ok(()),
        }
    }

    fn next_part(&mut self) -> Result<(), GraphError> {
        self.close_part()?;
        let name = Path::new(self.name).join(format!("part-{:05}.parquet", self.begun));
        let path = self.folder.path().join(&name);
        self.begun += 1;
        self.end =
            (u128::from(self.rows) * u128::from(self.begun) / u128::from(self.count)).try_into().unwrap_or(0);
        let file = self.folder.file(name)?;
        self.part = Some(Table::new(file, &path, self.shape, self.columns, self.weighted)?);
        Ok(())
    }

    fn close_part(&mut self) -> Result<(), GraphError> {
        let Some(part) = self.part.take() else { return Ok(()) };
        let path = part.path().to_owned();
        let file = part.close()?;
        let synced = file.sync_all().and_then(|()| file.metadata());
        self.bytes += synced.map_err(|error| GraphError::write(&path, error))?.len();
        Ok(())
    }

    /// Ends the last file, after those that have no rows; the bytes of all.
    fn end(mut self) -> Result<u64, GraphError> {
        while self.begun < self.count {
            self.next_part()?;
        }
        self.close_part()?;
        Ok(self.bytes)
    }
}

impl EdgeWriter for Parts<'_> {
    fn put(&mut self, source: Id<'_>, target: Id<'_>, weight: f64) -> Result<(), GraphError> {
        self.row(&[source, target], weight)
    }
}
