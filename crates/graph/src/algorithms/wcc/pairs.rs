//! Pairs of a vertex and a number, kept in a file until the part of that vertex is worked on.

use std::mem;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use leadline_graph_store::format::Vertex;

use crate::GraphError;
use crate::algorithms::parts::MOST_EQUAL_PARTITIONS;
use crate::engine::{CUT, StateColumn, StateFile};

/// A vertex, whose part the pair is for, and a number.
pub(super) type Pair = (Vertex, u32);

/// Pairs in memory of all parts together.
const BUFFERED: u64 = 1 << 17;

/// Most pairs of a chunk.
const MOST_CHUNK: u64 = 8 << 10;

/// Pairs that a thread has collected when it hands them over.
const COLLECTED: usize = 1 << 10;

/// No chunk.
const NONE: u32 = u32::MAX;

/// How much there is room for.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sizes {
    /// Pairs that are written and read at a time.
    pub(super) chunk: u64,
    /// Most pairs that there are at a time.
    pub(super) most: u64,
}

impl Sizes {
    /// Room for that many pairs of that many parts.
    pub(super) fn new(parts: usize, most: u64) -> Sizes {
        Sizes { chunk: (BUFFERED / parts.max(1) as u64 / CUT * CUT).clamp(CUT, MOST_CHUNK), most }
    }

    /// Most bytes in memory for that many pairs, whatever the parts, and those that threads collect.
    pub(super) fn most_bytes(most: u64, threads: u64) -> u64 {
        let chunks = most / (BUFFERED / MOST_EQUAL_PARTITIONS) + 2;
        (BUFFERED + MOST_CHUNK) * 8 + chunks * 4 + threads * (COLLECTED * size_of::<Pair>()) as u64
    }

    /// Chunks in the file: full ones only.
    fn chunks(self) -> u64 {
        self.most / self.chunk + 1
    }

    /// Values in the file.
    fn places(self) -> u64 {
        self.chunks() * self.chunk
    }

    /// Bytes in the file.
    pub(super) fn file_bytes(self) -> u64 {
        StateFile::column_bytes::<u64>(self.places())
    }
}

/// The pairs of all parts: in memory the latest of each, in the file whole chunks, whose room is used again
/// once they are read.
pub(super) struct Pairs {
    file: Arc<StateFile>,
    column: StateColumn<u64>,
    chunk: usize,
    part_vertices: u32,
    logs: Vec<Log>,
    /// By chunk: the one that was written before it, of the same part, or is free too.
    below: Vec<u32>,
    /// The free chunk that was read last.
    free: u32,
}

/// The pairs of a part.
struct Log {
    latest: Vec<u64>,
    /// The chunk that was written last.
    top: u32,
    count: u64,
}

impl Pairs {
    /// None yet.
    pub(super) fn new(file: Arc<StateFile>, sizes: Sizes, parts: usize, part_vertices: u32) -> Pairs {
        let column = file.column(sizes.places());
        let chunk = sizes.chunk as usize;
        let log = |_| Log { latest: Vec::with_capacity(chunk), top: NONE, count: 0 };
        let chunks = sizes.chunks() as u32;
        let below = (1..chunks).chain([NONE]).collect();
        let logs = (0..parts).map(log).collect();
        Pairs { file, column, chunk, part_vertices, logs, below, free: 0 }
    }

    /// How many a part has.
    pub(super) fn count(&self, part: usize) -> u64 {
        self.logs[part].count
    }

    /// Keeps a pair for the part of its vertex.
    ///
    /// # Errors
    /// What the file gives.
    ///
    /// # Panics
    /// Where there are more than was said.
    pub(super) fn push(&mut self, (vertex, number): Pair) -> Result<(), GraphError> {
        let log = &mut self.logs[(vertex / self.part_vertices) as usize];
        log.latest.push(u64::from(vertex) << 32 | u64::from(number));
        log.count += 1;
        if log.latest.len() < self.chunk {
            return Ok(());
        }
        assert_ne!(self.free, NONE, "more pairs than was said");
        let chunk = self.free;
        self.free = mem::replace(&mut self.below[chunk as usize], log.top);
        log.top = chunk;
        let start = u64::from(chunk) * self.chunk as u64;
        self.file.store(self.column, start..start + self.chunk as u64, |place| log.latest[place])?;
        log.latest.clear();
        Ok(())
    }

    /// Takes some of a part's pairs, in no order; whether there were any.
    ///
    /// # Errors
    /// What the file gives.
    pub(super) fn take(&mut self, part: usize, out: &mut Vec<Pair>) -> Result<bool, GraphError> {
        let pair = |both: u64| ((both >> 32) as Vertex, both as u32);
        let log = &mut self.logs[part];
        out.clear();
        out.extend(log.latest.drain(..).map(pair));
        if out.is_empty() && log.top != NONE {
            let chunk = log.top;
            let start = u64::from(chunk) * self.chunk as u64;
            out.resize(self.chunk, (0, 0));
            self.file.load(self.column, start..start + self.chunk as u64, |place, both| {
                out[place] = pair(both);
            })?;
            log.top = mem::replace(&mut self.below[chunk as usize], self.free);
            self.free = chunk;
        }
        log.count -= out.len() as u64;
        Ok(!out.is_empty())
    }
}

/// Pairs that several threads keep.
pub(super) struct Shared<'a> {
    pairs: Mutex<&'a mut Pairs>,
    failed: Mutex<Option<GraphError>>,
    /// Set once one could not be kept.
    pub(super) has_failed: AtomicBool,
}

impl Shared<'_> {
    pub(super) fn new(pairs: &mut Pairs) -> Shared<'_> {
        Shared { pairs: Mutex::new(pairs), failed: Mutex::new(None), has_failed: AtomicBool::new(false) }
    }

    /// Whether all were kept.
    ///
    /// # Errors
    /// What the file gave.
    pub(super) fn end(self) -> Result<(), GraphError> {
        self.failed.into_inner().unwrap_or_else(PoisonError::into_inner).map_or(Ok(()), Err)
    }
}

/// Pairs that a thread has found; handed over some at a time, and at the end.
pub(super) struct Found<'s, 'p> {
    shared: &'s Shared<'p>,
    pairs: Vec<Pair>,
}

impl<'s, 'p> Found<'s, 'p> {
    pub(super) fn new(shared: &'s Shared<'p>) -> Found<'s, 'p> {
        Found { shared, pairs: Vec::with_capacity(COLLECTED) }
    }

    #[inline]
    pub(super) fn push(&mut self, pair: Pair) {
        self.pairs.push(pair);
        if self.pairs.len() == COLLECTED {
            self.hand_over();
        }
    }

    fn hand_over(&mut self) {
        let mut all = self.shared.pairs.lock().unwrap_or_else(PoisonError::into_inner);
        if let Err(error) = self.pairs.drain(..).try_for_each(|pair| all.push(pair)) {
            self.shared.failed.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
            self.shared.has_failed.store(true, Ordering::Relaxed);
        }
    }
}

impl Drop for Found<'_, '_> {
    fn drop(&mut self) {
        self.hand_over();
    }
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::path::Path;

    use super::*;

    #[test]
    fn what_was_kept_is_taken_once_and_its_room_is_used_again() {
        let folder = tempfile::tempdir().unwrap();
        let sizes = Sizes { chunk: CUT, most: 5 * CUT };
        let file = Arc::new(StateFile::create(folder.path(), sizes.file_bytes()).unwrap());
        let mut pairs = Pairs::new(file, sizes, 3, 10);
        let mut random = fastrand::Rng::with_seed(5);
        let mut kept: [Vec<Pair>; 3] = Default::default();
        let mut out = Vec::new();
        for number in 0..200_000 {
            let pair = (random.u32(..30), number);
            pairs.push(pair).unwrap();
            kept[(pair.0 / 10) as usize].push(pair);
            if kept.iter().map(Vec::len).sum::<usize>() == sizes.most as usize {
                let part = random.usize(..3);
                assert_eq!(pairs.count(part), kept[part].len() as u64);
                let mut taken = Vec::new();
                while pairs.take(part, &mut out).unwrap() {
                    taken.append(&mut out);
                }
                taken.sort_unstable_by_key(|pair| pair.1);
                assert_eq!(taken, kept[part]);
                assert_eq!(pairs.count(part), 0);
                kept[part].clear();
            }
        }
    }

    #[test]
    fn pairs_that_cannot_be_kept_are_an_error_on_whatever_thread() {
        let sizes = Sizes { chunk: CUT, most: 5 * CUT };
        // As a disk without room.
        let full = File::options().read(true).write(true).open("/dev/full").unwrap();
        let file = StateFile::on(&full, Path::new("/dev/full"), sizes.file_bytes()).unwrap();
        let mut pairs = Pairs::new(Arc::new(file), sizes, 3, 10);
        let shared = Shared::new(&mut pairs);
        let keep = || {
            let mut found = Found::new(&shared);
            (0..2 * CUT as u32).for_each(|number| found.push((5, number)));
        };
        rayon::join(keep, keep);
        assert!(shared.has_failed.load(Ordering::Relaxed));
        assert!(matches!(shared.end(), Err(GraphError::Write { .. })));
    }
}
