//! Where a breadth-first search keeps the levels that it finds: in memory, or in a file. While it goes on it
//! needs none of them, only the sets of what is on a level and of what is on none yet.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use leadline_graph_store::format::Vertex;
use rayon::prelude::*;

use super::UNREACHED;
use crate::algorithms::parts::ranges;
use crate::algorithms::{numbers, plain};
use crate::engine::{CUT, StateColumn, StateFile};
use crate::{Engine, FileValues, Frontier, Graph, GraphError, PerVertex};

/// Parts of the vertices, each with a log of what was found in it.
const LOGS: u64 = 16;

/// Entries of a log that are written at a time.
const BUFFERED: usize = 8 << 10;

/// In a log, that a level begins; its number comes next.
const LEVEL: u32 = u32::MAX;

/// Levels of that many vertices are written by one thread.
const CHUNK: u32 = 1 << 14;

/// So few chunks are written where they are.
const FEW_CHUNKS: usize = 8;

/// Takes what a search finds.
pub(super) trait Found: Sync {
    /// The vertices of a level.
    ///
    /// # Errors
    /// What the file gives.
    fn level(&mut self, number: u32, vertices: &Frontier) -> Result<(), GraphError>;

    /// The levels, if they are in memory.
    fn in_memory(&self) -> Option<&[AtomicU32]>;

    /// The level of each vertex.
    ///
    /// # Errors
    /// What the file gives.
    fn finish(self, engine: &mut Engine<'_>) -> Result<PerVertex<u32>, GraphError>;
}

/// By vertex, its level.
pub(super) struct InMemory(Vec<AtomicU32>);

impl InMemory {
    pub(super) fn new(vertices: u64) -> InMemory {
        InMemory(numbers(vertices, |_| UNREACHED))
    }
}

impl Found for InMemory {
    /// In ascending order, once all are found: whoever finds a vertex also claims it with an atomic
    /// operation, which would wait until a store to anywhere in memory is done.
    fn level(&mut self, number: u32, vertices: &Frontier) -> Result<(), GraphError> {
        let levels = &self.0;
        // Where each chunk with vertices of the level begins.
        let chunks =
            std::iter::successors(vertices.next(0), |first| vertices.next(first.checked_add(CHUNK)?));
        let chunks: Vec<Vertex> = chunks.collect();
        let write = |first: &Vertex| {
            for vertex in vertices.iter(*first..first.saturating_add(CHUNK)) {
                levels[vertex as usize].store(number, Ordering::Relaxed);
            }
        };
        match chunks.len() {
            // Not worth the waking of another thread.
            0..FEW_CHUNKS => chunks.iter().for_each(write),
            _ => chunks.par_iter().for_each(write),
        }
        Ok(())
    }

    fn in_memory(&self) -> Option<&[AtomicU32]> {
        Some(&self.0)
    }

    fn finish(self, _: &mut Engine<'_>) -> Result<PerVertex<u32>, GraphError> {
        Ok(plain(self.0).into())
    }
}

/// In a file: for each part of the vertices, those that were found, level by level; in the end, the level of
/// each vertex.
pub(super) struct InFile {
    file: Arc<StateFile>,
    logs: Vec<Log>,
    levels: StateColumn<u32>,
}

struct Log {
    range: Range<Vertex>,
    entries: StateColumn<u32>,
    stored: u64,
    buffer: Vec<u32>,
    /// The level of the last entry.
    level: u32,
}

impl InFile {
    pub(super) fn new(graph: &Graph) -> Result<InFile, GraphError> {
        let vertices = graph.vertices();
        let ranges = ranges(vertices, part(vertices));
        let logs: u64 = ranges.iter().map(|range| StateFile::column_bytes::<u32>(most_entries(range))).sum();
        let bytes = logs + StateFile::column_bytes::<u32>(vertices);
        let file = Arc::new(StateFile::create(graph.temp_folder(), bytes)?);
        let log = |range: Range<Vertex>| {
            let (entries, buffer) = (file.column(most_entries(&range)), Vec::with_capacity(BUFFERED));
            Log { range, entries, stored: 0, buffer, level: UNREACHED }
        };
        let logs = ranges.into_iter().map(log).collect();
        let levels = file.column(vertices);
        Ok(InFile { file, logs, levels })
    }

    /// Bytes in memory, in addition to the sets of vertices; in the end, in place of these.
    pub(super) fn bytes(graph: &Graph) -> [u64; 2] {
        let buffers = StateFile::BYTES + (LOGS + 1) * 4 * BUFFERED as u64;
        [buffers, buffers + part(graph.vertices()) * 4]
    }

    /// Bytes written to the file and read from it, at least and at most.
    pub(super) fn moved(graph: &Graph) -> [u64; 2] {
        let vertices = graph.vertices();
        let levels = StateFile::column_bytes::<u32>(vertices);
        [
            levels,
            levels
                + 2 * ranges(vertices, part(vertices))
                    .iter()
                    .map(|range| 4 * most_entries(range))
                    .sum::<u64>(),
        ]
    }
}

/// Vertices of a part.
fn part(vertices: u64) -> u64 {
    vertices.div_ceil(LOGS).max(1).next_multiple_of(CUT)
}

/// Each vertex at most once, with a level of its own.
fn most_entries(range: &Range<Vertex>) -> u64 {
    (3 * range.len() as u64).next_multiple_of(BUFFERED as u64)
}

impl Found for InFile {
    fn level(&mut self, number: u32, vertices: &Frontier) -> Result<(), GraphError> {
        let InFile { file, logs, .. } = self;
        let mut next = vertices.next(0);
        for log in logs {
            // A level may have a few vertices of a few parts.
            if next.is_none_or(|next| next >= log.range.end) {
                continue;
            }
            for vertex in vertices.iter(log.range.clone()) {
                log.push(file, number, vertex)?;
            }
            next = vertices.next(log.range.end);
        }
        Ok(())
    }

    fn in_memory(&self) -> Option<&[AtomicU32]> {
        None
    }

    fn finish(self, engine: &mut Engine<'_>) -> Result<PerVertex<u32>, GraphError> {
        let InFile { file, logs, levels } = self;
        for log in logs {
            engine.graph().check_stop()?;
            let range = u64::from(log.range.start)..u64::from(log.range.end);
            let found = log.levels(&file)?;
            file.store(levels, range, |place| found[place])?;
        }
        engine.spilled(file.moved());
        Ok(PerVertex::File(FileValues::new(file, levels)))
    }
}

impl Log {
    fn push(&mut self, file: &StateFile, level: u32, vertex: Vertex) -> Result<(), GraphError> {
        if self.level != level {
            self.level = level;
            self.entry(file, LEVEL)?;
            self.entry(file, level)?;
        }
        self.entry(file, vertex)
    }

    fn entry(&mut self, file: &StateFile, entry: u32) -> Result<(), GraphError> {
        self.buffer.push(entry);
        if self.buffer.len() == BUFFERED {
            let end = self.stored + BUFFERED as u64;
            file.store(self.entries, self.stored..end, |place| self.buffer[place])?;
            self.stored = end;
            self.buffer.clear();
        }
        Ok(())
    }

    /// The levels of the part's vertices.
    fn levels(self, file: &StateFile) -> Result<Vec<u32>, GraphError> {
        let mut levels = vec![UNREACHED; self.range.len()];
        let (mut level, mut begins) = (UNREACHED, false);
        let mut read = |entries: &[u32]| {
            for entry in entries {
                match *entry {
                    number if begins => (level, begins) = (number, false),
                    LEVEL => begins = true,
                    vertex => levels[(vertex - self.range.start) as usize] = level,
                }
            }
        };
        let mut entries = vec![0; BUFFERED];
        for start in (0..self.stored).step_by(BUFFERED) {
            file.load(self.entries, start..start + BUFFERED as u64, |place, entry| entries[place] = entry)?;
            read(&entries);
        }
        read(&self.buffer);
        Ok(levels)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Options;
    use leadline_graph_store::format::{Layout, StoreWriter, Weights};

    const VERTICES: u64 = 40_000;

    #[test]
    fn levels_in_a_file_are_those_that_were_found() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("none");
        let layout = Layout {
            block_bytes: 4096,
            compressed: false,
            directed: true,
            weights: Weights::None,
            vertices: VERTICES,
        };
        let mut writer = StoreWriter::create(&path, layout).unwrap();
        writer.edge(0, 1, 0.0).unwrap();
        writer.finish().unwrap();
        let graph =
            Graph::open(&path, Options { memory: 16 << 20, threads: 1, ..Options::default() }).unwrap();
        // Few vertices on many levels, some of which have none in a part; then many on one.
        let level = |vertex: u32| match vertex {
            0..9000 => vertex * 7919 % 9000,
            30_000.. => 9000,
            _ => UNREACHED,
        };
        let mut by_level: Vec<Vec<Vertex>> = vec![Vec::new(); 9001];
        (0..VERTICES as u32)
            .filter(|vertex| level(*vertex) != UNREACHED)
            .for_each(|vertex| by_level[level(vertex) as usize].push(vertex));
        let (levels, stats) = Engine::run(&graph, "", 0, |engine| {
            let mut found = InFile::new(engine.graph())?;
            let mut set = Frontier::new(VERTICES);
            for (number, vertices) in (0..).zip(&by_level) {
                set.clear();
                assert!(vertices.iter().all(|vertex| set.insert(*vertex)));
                found.level(number, &set)?;
            }
            found.finish(engine)
        })
        .unwrap();
        assert!(levels.in_memory().is_none() && stats.spilled_bytes > VERTICES * 4);
        assert_eq!(levels.into_vec().unwrap(), (0..VERTICES as u32).map(level).collect::<Vec<_>>());
    }
}
