//! The lists of a store: all of them in memory once they were read, if there is room; some windows of
//! vertices at a time otherwise.

use std::ops::Range;

use leadline_graph_store::format::{Block, Direction, Scratch, Vertex};

use super::super::lists::{blocks_of, directions};
use super::batches::{Batch, WINDOW};
use super::lists::{EachBatch, EachStretch, Lists, MemoryLists, Stretch, View, each_batch_of};
use crate::{Engine, Frontier, Graph, GraphError, Which};

/// Bytes in memory for each byte of a block. An entry takes 5/4 bytes of a block at least, and in memory 8
/// without a weight, which takes 4 bytes more of a block and 16 in memory; a list takes 2 bytes, and 24.
const BYTES_EACH: u64 = 13;

/// Lists in a store.
pub(super) struct StoreLists<'e, 'g> {
    engine: &'e mut Engine<'g>,
    /// Blocks whose lists are in memory at a time.
    most_blocks: u64,
    /// All lists, once they were read and if they fit.
    held: Option<MemoryLists>,
}

/// The wanted lists of one block.
struct Chunk {
    block: u32,
    /// Each vertex, and where its entries end.
    ends: Vec<(Vertex, u32)>,
    neighbours: Box<[Vertex]>,
    weights: Box<[f64]>,
}

/// What a thread has found, and what it decodes with.
#[derive(Default)]
struct Found {
    chunks: Vec<Chunk>,
    scratch: Scratch,
    neighbours: Vec<Vertex>,
    weights: Vec<f64>,
}

/// How many blocks have lists of a range of vertices, in all directions.
fn block_count(graph: &Graph, range: &Range<Vertex>) -> u64 {
    let blocks = |direction: &Direction| {
        let directory = graph.directory(*direction);
        u64::from(directory.last_block_of(range.end - 1) - directory.block_of(range.start)) + 1
    };
    directions(graph).iter().map(blocks).sum()
}

/// All windows of a graph.
fn all_windows(vertices: u64) -> impl Iterator<Item = Range<Vertex>> {
    let starts = (0..vertices).step_by(WINDOW as usize);
    starts.map(move |start| start as Vertex..(start + WINDOW).min(vertices) as Vertex)
}

impl<'e, 'g> StoreLists<'e, 'g> {
    /// Bytes of the lists of a block in memory.
    fn bytes_per_block(graph: &Graph) -> u64 {
        BYTES_EACH * u64::from(graph.header().block_bytes)
    }

    /// Bytes of the lists of the largest window.
    pub(super) fn least_bytes(graph: &Graph) -> u64 {
        let most = all_windows(graph.vertices()).map(|window| block_count(graph, &window)).max();
        most.unwrap_or(0) * Self::bytes_per_block(graph)
    }

    /// Whether that many bytes have room for all lists.
    pub(super) fn all_fit(graph: &Graph, bytes: u64) -> bool {
        let vertices = graph.vertices() as Vertex;
        vertices == 0 || block_count(graph, &(0..vertices)) <= bytes / Self::bytes_per_block(graph)
    }

    /// Lists of which that many bytes are in memory at a time.
    pub(super) fn new(engine: &'e mut Engine<'g>, bytes: u64) -> StoreLists<'e, 'g> {
        let most_blocks = bytes / Self::bytes_per_block(engine.graph());
        StoreLists { engine, most_blocks, held: None }
    }

    /// Puts ranges together, in their order, as long as their lists fit in memory.
    fn together<T>(
        &self,
        parts: impl Iterator<Item = T>,
        range: impl Fn(&T) -> Range<Vertex>,
    ) -> Vec<Vec<T>> {
        let graph = self.engine.graph();
        let mut groups: Vec<Vec<T>> = Vec::new();
        let mut start = 0;
        for part in parts {
            let Range { start: first, end } = range(&part);
            match groups.last_mut() {
                Some(group) if block_count(graph, &(start..end)) <= self.most_blocks => group.push(part),
                _ => {
                    start = first;
                    groups.push(vec![part]);
                }
            }
        }
        groups
    }

    /// The wanted lists of a range, as they lie in the blocks of each direction.
    fn decode(&mut self, wanted: &Frontier, range: &Range<Vertex>) -> Result<Vec<Vec<Chunk>>, GraphError> {
        let graph = self.engine.graph();
        let mut sides = Vec::new();
        for direction in directions(graph) {
            let blocks = blocks_of(graph.directory(*direction), wanted.iter(range.clone()));
            let visit = |found: &mut Found, block: &Block<'_>| {
                let Found { chunks, scratch, neighbours, weights } = found;
                neighbours.clear();
                weights.clear();
                let mut ends = Vec::new();
                let first = block.first().max(range.start)..block.end().min(range.end);
                for vertex in wanted.iter(first) {
                    let list = block.list(vertex, scratch);
                    neighbours.extend_from_slice(list.neighbours);
                    weights.extend_from_slice(list.weights);
                    ends.push((vertex, neighbours.len() as u32));
                }
                ends.shrink_to_fit();
                let (neighbours, weights) = (neighbours.as_slice().into(), weights.as_slice().into());
                chunks.push(Chunk { block: block.number(), ends, neighbours, weights });
            };
            let found = self.engine.sweep(*direction, Which::Blocks(&blocks), Found::default, visit)?;
            let mut chunks: Vec<Chunk> = found.into_iter().flat_map(|found| found.chunks).collect();
            // Threads find them in any order.
            chunks.sort_unstable_by_key(|chunk| chunk.block);
            sides.push(chunks);
        }
        Ok(sides)
    }

    /// The lists of some vertices of a range, in their order.
    fn read(
        &mut self,
        wanted: &Frontier,
        range: &Range<Vertex>,
        vertices: impl Iterator<Item = Vertex>,
    ) -> Result<MemoryLists, GraphError> {
        let mut sides: Vec<_> = self.decode(wanted, range)?.into_iter().map(Pieces::new).collect();
        let entries: usize = sides.iter().map(Pieces::entries).sum();
        // Both ends of an edge list it, but an edge to itself is listed once where there is one direction.
        let loops = if self.engine.graph().header().directed { 1.0 } else { 2.0 };
        let mut lists = MemoryLists { loops, ..MemoryLists::default() };
        lists.neighbours.reserve_exact(entries);
        if self.weighted() {
            lists.weights.reserve_exact(entries);
        }
        for vertex in vertices {
            sides.iter_mut().for_each(|side| side.take(vertex, &mut lists));
            lists.ends.push(lists.neighbours.len() as u64);
        }
        Ok(lists)
    }

    /// Counts entries that were looked at.
    fn looked(engine: &mut Engine<'_>, entries: u64) -> Result<(), GraphError> {
        engine.add_scanned_edges(entries);
        engine.graph().check_stop()
    }
}

/// The chunks of a direction, of which one vertex's entries after the other's are taken.
struct Pieces {
    chunks: std::vec::IntoIter<Chunk>,
    now: Option<Chunk>,
    /// Pieces and entries of `now` that were taken.
    taken: (usize, usize),
}

impl Pieces {
    fn new(chunks: Vec<Chunk>) -> Pieces {
        let mut chunks = chunks.into_iter();
        Pieces { now: chunks.next(), chunks, taken: (0, 0) }
    }

    fn entries(&self) -> usize {
        self.now.iter().chain(self.chunks.as_slice()).map(|chunk| chunk.neighbours.len()).sum()
    }

    /// Adds the entries of a vertex, none of which are before those taken last.
    fn take(&mut self, vertex: Vertex, lists: &mut MemoryLists) {
        while let Some(chunk) = &self.now {
            let (piece, start) = self.taken;
            match chunk.ends.get(piece) {
                Some((of, end)) if *of == vertex => {
                    let range = start..*end as usize;
                    lists.neighbours.extend_from_slice(&chunk.neighbours[range.clone()]);
                    if !chunk.weights.is_empty() {
                        lists.weights.extend_from_slice(&chunk.weights[range]);
                    }
                    self.taken = (piece + 1, *end as usize);
                }
                Some(_) => return,
                None => (self.now, self.taken) = (self.chunks.next(), (0, 0)),
            }
        }
    }
}

impl Lists for StoreLists<'_, '_> {
    fn vertices(&self) -> u64 {
        self.engine.graph().vertices()
    }

    fn weighted(&self) -> bool {
        self.engine.graph().header().weights.bytes() > 0
    }

    fn each_stretch(&mut self, each: EachStretch<'_>) -> Result<(), GraphError> {
        let vertices = self.vertices();
        if let Some(lists) = &self.held {
            Self::looked(self.engine, lists.neighbours.len() as u64)?;
            return each(Stretch { lists, range: 0..vertices as Vertex });
        }
        let mut all = Frontier::new(vertices);
        all.fill();
        let groups = self.together(all_windows(vertices), Range::clone);
        for group in &groups {
            let range = group[0].start..group[group.len() - 1].end;
            let lists = self.read(&all, &range, range.clone())?;
            Self::looked(self.engine, lists.neighbours.len() as u64)?;
            each(Stretch { lists: &lists, range })?;
            if groups.len() == 1 {
                self.held = Some(lists);
            }
        }
        Ok(())
    }

    fn each_batch(
        &mut self,
        wanted: &Frontier,
        batches: &[Batch],
        each: EachBatch<'_>,
    ) -> Result<(), GraphError> {
        if let Some(lists) = &self.held {
            return each_batch_of(lists, wanted, batches, |view, batch| {
                each(view, batch);
                Self::looked(self.engine, batch.entries)
            });
        }
        for group in self.together(batches.iter(), |batch| batch.range.clone()) {
            let range = group[0].range.start..group[group.len() - 1].range.end;
            let vertices: Vec<Vertex> = wanted.iter(range.clone()).collect();
            let lists = self.read(wanted, &range, vertices.iter().copied())?;
            let mut first = 0;
            for batch in group {
                let end = first + batch.vertices as usize;
                each(View { lists: &lists, vertices: &vertices[first..end], first: Some(first) }, batch);
                Self::looked(self.engine, batch.entries)?;
                first = end;
            }
        }
        Ok(())
    }

    fn in_memory(&self) -> Option<&MemoryLists> {
        self.held.as_ref()
    }
}
