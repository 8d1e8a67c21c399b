//! From edges in any order to a store, in as little memory as one is given.
//!
//! What does not fit in memory is dealt out to a file without a name by ranges of sources, on all threads
//! while the input is read; then each range is sorted in memory, and goes to the store in order.

mod gather;
mod id_set;
mod lists;
mod plan;
pub mod sort;
#[cfg(test)]
mod tests;
mod threads;
mod translate;
mod write;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use leadline_files::folder_of;
use serde::Serialize;

pub use plan::ImportPlan;
pub use plan::{LEAST_MEMORY, default_memory};
pub use sort::Merge;
pub(crate) use sort::{Key, Record, SortedRecords, Sorter, Weight};
pub use translate::as_they_are;

use crate::format::{ChangeRules, MAX_VERTICES};
use crate::input::{self, EdgeReader, InputOptions, InputSummary};
use crate::updates::StorePlace;
use crate::{GraphError, InputOption, Progress};
use sort::{LaneWriter, Stamped};

/// How to import.
#[derive(Debug, Clone)]
pub struct ImportOptions {
    /// The cap on memory, bytes; at least [`LEAST_MEMORY`].
    pub memory: u64,
    /// The directory of temporary files; the store's own where there is none. They have no names, so none is
    /// left behind.
    pub temp: Option<PathBuf>,
    /// Bytes of a block: a power of two, 4096 to 65,536.
    pub block_bytes: u32,
    /// Whether lists are written in the byte code.
    pub compressed: bool,
    /// Each edge leads both ways; so it is too where the input says so itself.
    pub undirected: bool,
    /// Parallel edges become one, with this of their weights.
    pub dedupe: Option<Merge>,
    /// Edges that lead to where they come from are left out; their vertices stay.
    pub drop_self_loops: bool,
    /// Lists of incoming edges too. Undirected graphs have them anyway.
    pub reverse: bool,
    /// Vertices are numbered by falling degree (of outgoing edges) in powers of two, within one by ascending
    /// id.
    pub renumber: bool,
    /// Most vertices of a store that is one file, and of each shard of one that is not. Only tests make it
    /// less than [`MAX_VERTICES`](crate::format::MAX_VERTICES).
    #[doc(hidden)]
    pub shard_vertices: u64,
    /// Set from another thread to end the import.
    pub stop: Arc<AtomicBool>,
}

impl Default for ImportOptions {
    /// Directed, in compressed blocks of 4096 bytes, with [`default_memory`].
    fn default() -> ImportOptions {
        ImportOptions {
            memory: default_memory(),
            temp: None,
            block_bytes: 4096,
            compressed: true,
            undirected: false,
            dedupe: None,
            drop_self_loops: false,
            reverse: false,
            renumber: false,
            shard_vertices: MAX_VERTICES,
            stop: Arc::default(),
        }
    }
}

impl ImportOptions {
    /// Sets the cap on memory, in bytes.
    pub fn with_memory(mut self, memory: u64) -> ImportOptions {
        self.memory = memory;
        self
    }

    /// Sets the bytes of a block.
    pub fn with_block_bytes(mut self, block_bytes: u32) -> ImportOptions {
        self.block_bytes = block_bytes;
        self
    }

    /// Sets whether each edge leads both ways.
    pub fn with_undirected(mut self, undirected: bool) -> ImportOptions {
        self.undirected = undirected;
        self
    }

    /// Sets whether parallel edges become one, and with which of their weights.
    pub fn with_dedupe(mut self, dedupe: impl Into<Option<Merge>>) -> ImportOptions {
        self.dedupe = dedupe.into();
        self
    }

    /// Sets whether edges from a vertex to itself are left out.
    pub fn with_drop_self_loops(mut self, drop_self_loops: bool) -> ImportOptions {
        self.drop_self_loops = drop_self_loops;
        self
    }

    /// Sets whether lists of incoming edges are kept too.
    pub fn with_reverse(mut self, reverse: bool) -> ImportOptions {
        self.reverse = reverse;
        self
    }

    /// Sets whether vertices are numbered by falling degree.
    pub fn with_renumber(mut self, renumber: bool) -> ImportOptions {
        self.renumber = renumber;
        self
    }
}

/// What an import did.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ImportReport {
    /// How the input was understood.
    pub input: InputSummary,
    /// How long it took.
    pub seconds: f64,
    /// Of the input, compressed where it is.
    pub input_bytes: u64,
    /// Edges that the input lists.
    pub edges_read: u64,
    /// Parallel edges beyond the first of each.
    pub duplicates_dropped: u64,
    /// Edges left out since they lead to where they come from.
    pub self_loops_dropped: u64,
    /// Edges of the store that have the same ends as another; 0 where parallel edges were merged.
    pub parallel_edges: u64,
    /// Whether the store is a directory, for more vertices than 32 bits count.
    pub sharded: bool,
    /// Vertices of the store.
    pub vertices: u64,
    /// Edges of the store; an undirected one counts once.
    pub edges: u64,
    /// Of the file, or of all files of a sharded store.
    pub store_bytes: u64,
    /// Bytes of the file for each edge; 0 where there are none.
    pub bytes_per_edge: f64,
    /// Bytes written to temporary files.
    pub bytes_spilled: u64,
    /// The most that was in memory at once by the import's own account.
    pub peak_memory_bytes: u64,
}

/// Records that are handed to a lane at a time.
const TOGETHER: usize = 1 << 10;

/// What becomes of an edge.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Rules {
    undirected: bool,
    dedupe: Option<Merge>,
    drop_self_loops: bool,
    reverse: bool,
    renumber: bool,
    /// Of the edges that an update of the store adds.
    of_changes: ChangeRules,
}

impl Rules {
    /// Hands edges to a lane as they are stored: from both ends where they lead both ways.
    fn push_all<K: Key, W: Weight>(
        self,
        lane: &mut LaneWriter<'_, K, W>,
        edges: impl Iterator<Item = Result<(u64, u64, W), GraphError>>,
    ) -> Result<(), GraphError> {
        let mut records = Vec::with_capacity(TOGETHER);
        for edge in edges {
            let (source, target, weight) = edge?;
            if self.undirected && source != target {
                records.push(Record::new(target, source, weight));
            }
            records.push(Record::new(source, target, weight));
            if records.len() + 1 >= TOGETHER {
                lane.push_all(&records)?;
                records.clear();
            }
        }
        lane.push_all(&records)
    }
}

/// Reports progress in edges, of several threads.
pub(crate) struct Steps<'a> {
    progress: Mutex<&'a mut (dyn FnMut(Progress) + Send)>,
    phase: &'static str,
    done: AtomicU64,
    total: u64,
}

impl<'a> Steps<'a> {
    fn new(progress: &'a mut (dyn FnMut(Progress) + Send)) -> Steps<'a> {
        Steps { progress: Mutex::new(progress), phase: "", done: AtomicU64::new(0), total: 0 }
    }

    fn begin(&mut self, phase: &'static str, total: u64) {
        (self.phase, self.total, self.done) = (phase, total, AtomicU64::new(0));
    }

    fn add(&self, edges: usize) {
        let done = self.done.fetch_add(edges as u64, Ordering::Relaxed) + edges as u64;
        let mut progress = self.progress.lock().unwrap_or_else(PoisonError::into_inner);
        progress(Progress { phase: self.phase, done, total: Some(self.total) });
    }
}

/// Imports the edges of a file into a store, which appears, in place of one of that name, when it is whole.
/// Of
/// `input`, the reader's options, memory and threads are set by what the import has.
///
/// # Errors
/// As [`import_edges`], and what [`crate::input::open`] fails with.
pub fn import(
    path: impl AsRef<Path>,
    input: InputOptions,
    store: impl AsRef<Path>,
    options: &ImportOptions,
    progress: &mut (dyn FnMut(Progress) + Send),
) -> Result<ImportReport, GraphError> {
    check_memory(options)?;
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let plan = ImportPlan::new(options.memory, Arc::clone(&options.stop));
    let reader = input::open(path.as_ref(), InputOptions { memory: plan.reader(), threads, ..input })?;
    import_edges(reader, store, options, progress)
}

fn check_memory(options: &ImportOptions) -> Result<(), GraphError> {
    if options.memory >= LEAST_MEMORY {
        return Ok(());
    }
    let what = "an import".into();
    Err(GraphError::Memory { what, given: options.memory, needed: LEAST_MEMORY })
}

/// Imports all edges of a reader into a store, which appears, in place of one of that name, when it is whole.
///
/// # Errors
/// [`GraphError::Memory`] where the cap is too small, [`GraphError::Malformed`], [`GraphError::Path`] and
/// others for what the input or the options get wrong, [`GraphError::Write`] for a full disk,
/// [`GraphError::Interrupted`] once `stop` is set. Nothing is left behind then.
///
/// # Panics
/// Where the reader breaks its contract: a batch whose weights are not as many as its edges.
pub fn import_edges(
    reader: Box<dyn EdgeReader>,
    store: impl AsRef<Path>,
    options: &ImportOptions,
    progress: &mut (dyn FnMut(Progress) + Send),
) -> Result<ImportReport, GraphError> {
    check_memory(options)?;
    import_within(reader, store.as_ref(), options, progress)
}

/// As [`import_edges`], with any cap.
fn import_within(
    reader: Box<dyn EdgeReader>,
    store: &Path,
    options: &ImportOptions,
    progress: &mut (dyn FnMut(Progress) + Send),
) -> Result<ImportReport, GraphError> {
    let begun = Instant::now();
    let declared = reader.declared();
    if declared.directed && options.undirected {
        let text = "the input says itself that its edges lead one way; import it without that option".into();
        return Err(GraphError::Option { text, option: InputOption::Undirected });
    }
    let rules = Rules {
        undirected: options.undirected || declared.undirected,
        dedupe: options.dedupe,
        drop_self_loops: options.drop_self_loops,
        reverse: options.reverse,
        renumber: options.renumber,
        of_changes: ChangeRules::new(
            options.dedupe.is_some() || declared.rules.dedupe(),
            options.drop_self_loops || declared.rules.drop_self_loops(),
        ),
    };
    let place = StorePlace::of(store)?;
    let job = write::Job {
        place: &place,
        path: store,
        most_vertices: options.shard_vertices.clamp(1, MAX_VERTICES),
        folder: options.temp.as_deref().unwrap_or(folder_of(store)),
        rules,
        block_bytes: options.block_bytes,
        compressed: options.compressed,
        plan: ImportPlan::new(options.memory, Arc::clone(&options.stop)),
        begun,
    };
    // Before the work, not after it.
    job.check()?;
    let report = match (declared.weighted, rules.dedupe) {
        (false, _) => job.run::<()>(reader, progress)?,
        (true, Some(Merge::First)) => job.run::<Stamped>(reader, progress)?,
        (true, _) => job.run::<f64>(reader, progress)?,
    };
    if !report.sharded {
        place.adopt()?;
    }
    Ok(report)
}
