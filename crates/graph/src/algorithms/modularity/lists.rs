//! The lists that vertices are moved by: from a store, some windows of vertices at a time, or from memory.
//!
//! Vertices come window by window, ascending, within a window in an order that chance decides. Windows do not
//! depend on memory, blocks or threads, and neither does the order.

use std::ops::Range;

use leadline_graph_store::format::{Block, Direction, Scratch, Vertex};

use super::super::lists::{blocks_of, directions};
use super::super::walk::random::mix;
use crate::{Engine, Frontier, Graph, GraphError, Which};

/// Vertices of a window: few, since the lists of a whole window must fit in memory.
pub(super) const WINDOW: u64 = 64;

/// Bytes in memory for each byte of a block: an entry takes 5/4 bytes of a block at least and 16 in memory, a
/// list 2 bytes and 24.
const BYTES_EACH: u64 = 13;

/// A neighbour, and the weight of the edges to it.
pub(super) type Entry = (Vertex, f64);

/// The neighbours of a vertex, in pieces. An edge to itself counts twice, once for each of its ends.
pub(super) type List<'a> = &'a [&'a [Entry]];

/// What is done with a vertex and its list.
pub(super) type Visit<'v> = &'v mut (dyn FnMut(Vertex, List<'_>) -> Result<(), GraphError> + Send);

/// A graph without directions.
pub(super) trait Lists: Send {
    /// Vertices.
    fn vertices(&self) -> u64;

    /// Calls `visit` with all vertices of a set, in the order that `order` decides. What is taken out of the
    /// set meanwhile may come all the same.
    fn visit(&mut self, wanted: &Frontier, order: u64, visit: Visit<'_>) -> Result<(), GraphError>;
}

/// The vertices of a set in a window, in the order that `order` decides.
fn shuffled(wanted: &Frontier, window: Range<Vertex>, order: u64) -> Vec<Vertex> {
    let mut vertices: Vec<Vertex> = wanted.iter(window).collect();
    vertices.sort_by_cached_key(|vertex| mix(order ^ u64::from(*vertex)));
    vertices
}

/// The windows of a range of vertices, which begins with one.
fn windows(range: Range<u64>) -> impl Iterator<Item = Range<Vertex>> {
    let end = range.end;
    range.step_by(WINDOW as usize).map(move |start| start as Vertex..(start + WINDOW).min(end) as Vertex)
}

/// Lists in memory.
#[derive(Debug, Default)]
pub(super) struct MemoryLists {
    /// Where each list ends.
    pub(super) ends: Vec<u64>,
    pub(super) entries: Vec<Entry>,
}

impl MemoryLists {
    /// Bytes of that many vertices and entries.
    pub(super) fn bytes(vertices: u64, entries: u64) -> u64 {
        vertices * 8 + entries * size_of::<Entry>() as u64
    }

    /// The list of a vertex.
    pub(super) fn list(&self, vertex: Vertex) -> &[Entry] {
        let start = if vertex == 0 { 0 } else { self.ends[vertex as usize - 1] };
        &self.entries[start as usize..self.ends[vertex as usize] as usize]
    }
}

impl Lists for MemoryLists {
    fn vertices(&self) -> u64 {
        self.ends.len() as u64
    }

    fn visit(&mut self, wanted: &Frontier, order: u64, visit: Visit<'_>) -> Result<(), GraphError> {
        for window in windows(0..self.vertices()) {
            for vertex in shuffled(wanted, window, order) {
                visit(vertex, &[self.list(vertex)])?;
            }
        }
        Ok(())
    }
}

/// Lists in a store.
pub(super) struct StoreLists<'e, 'g> {
    pub(super) engine: &'e mut Engine<'g>,
    /// Blocks whose lists are in memory at a time.
    pub(super) most_blocks: u64,
}

/// The wanted lists of one block.
struct Chunk {
    direction: usize,
    block: u32,
    /// Each vertex, and where its entries end.
    ends: Vec<(Vertex, u32)>,
    entries: Box<[Entry]>,
}

/// What a thread has found, and what it decodes with.
#[derive(Default)]
struct Found {
    chunks: Vec<Chunk>,
    scratch: Scratch,
    entries: Vec<Entry>,
}

/// How many blocks have lists of a range of vertices, in all directions.
fn block_count(graph: &Graph, range: &Range<u64>) -> u64 {
    let blocks = |direction: &Direction| {
        let directory = graph.directory(*direction);
        let (first, last) = (range.start as Vertex, (range.end - 1) as Vertex);
        u64::from(directory.last_block_of(last) - directory.block_of(first)) + 1
    };
    directions(graph).iter().map(blocks).sum()
}

/// All windows of a graph.
fn all_windows(vertices: u64) -> impl Iterator<Item = Range<u64>> {
    (0..vertices).step_by(WINDOW as usize).map(move |start| start..(start + WINDOW).min(vertices))
}

impl<'e, 'g> StoreLists<'e, 'g> {
    /// Bytes of the lists of a block in memory.
    pub(super) fn bytes_per_block(graph: &Graph) -> u64 {
        BYTES_EACH * u64::from(graph.header().block_bytes)
    }

    /// Bytes of the lists of the largest window.
    pub(super) fn least_bytes(graph: &Graph) -> u64 {
        let most = all_windows(graph.vertices()).map(|window| block_count(graph, &window)).max();
        most.unwrap_or(0) * Self::bytes_per_block(graph)
    }

    /// Lists of which that many bytes are in memory at a time.
    pub(super) fn new(engine: &'e mut Engine<'g>, bytes: u64) -> StoreLists<'e, 'g> {
        let most_blocks = bytes / Self::bytes_per_block(engine.graph());
        StoreLists { engine, most_blocks }
    }

    /// Ranges of whole windows whose lists fit in memory together.
    fn ranges(&self) -> Vec<Range<u64>> {
        let graph = self.engine.graph();
        let mut ranges: Vec<Range<u64>> = Vec::new();
        for window in all_windows(graph.vertices()) {
            match ranges.last_mut() {
                Some(range) if block_count(graph, &(range.start..window.end)) <= self.most_blocks => {
                    range.end = window.end;
                }
                _ => ranges.push(window),
            }
        }
        ranges
    }

    /// The lists of the vertices of a set in a range.
    fn read(&mut self, wanted: &Frontier, range: &Range<u64>) -> Result<Vec<Chunk>, GraphError> {
        let graph = self.engine.graph();
        let range = range.start as Vertex..range.end as Vertex;
        let (mut chunks, mut looked) = (Vec::new(), 0);
        for (side, direction) in directions(graph).iter().enumerate() {
            let blocks = blocks_of(graph.directory(*direction), wanted.iter(range.clone()));
            // Both ends of an edge list it, but an edge to itself is listed once where there is one
            // direction.
            let loops = if graph.header().directed { 1.0 } else { 2.0 };
            let visit = |found: &mut Found, block: &Block<'_>| {
                let Found { chunks, scratch, entries } = found;
                entries.clear();
                let mut ends = Vec::new();
                let first = block.first().max(range.start)..block.end().min(range.end);
                for vertex in wanted.iter(first) {
                    let list = block.list(vertex, scratch);
                    let weight = |at: usize| list.weights.get(at).copied().unwrap_or(1.0);
                    entries.extend(list.neighbours.iter().enumerate().map(|(at, neighbour)| {
                        let times = if *neighbour == vertex { loops } else { 1.0 };
                        (*neighbour, times * weight(at))
                    }));
                    ends.push((vertex, entries.len() as u32));
                }
                ends.shrink_to_fit();
                let entries = entries.as_slice().into();
                chunks.push(Chunk { direction: side, block: block.number(), ends, entries });
            };
            for found in self.engine.sweep(*direction, Which::Blocks(&blocks), Found::default, visit)? {
                looked += found.chunks.iter().map(|chunk| chunk.entries.len() as u64).sum::<u64>();
                chunks.extend(found.chunks);
            }
        }
        self.engine.add_scanned_edges(looked);
        // Threads find them in any order.
        chunks.sort_unstable_by_key(|chunk| (chunk.direction, chunk.block));
        Ok(chunks)
    }
}

impl Lists for StoreLists<'_, '_> {
    fn vertices(&self) -> u64 {
        self.engine.graph().vertices()
    }

    fn visit(&mut self, wanted: &Frontier, order: u64, visit: Visit<'_>) -> Result<(), GraphError> {
        for range in self.ranges() {
            if wanted.next_within(range.clone()).is_none() {
                continue;
            }
            let chunks = self.read(wanted, &range)?;
            // By vertex, its pieces in order: which chunk, and which entries of it.
            let mut pieces: Vec<(Vertex, u32, u32, u32)> = Vec::new();
            for (at, chunk) in (0..).zip(&chunks) {
                let mut start = 0;
                for (vertex, end) in &chunk.ends {
                    pieces.push((*vertex, at, start, *end));
                    start = *end;
                }
            }
            pieces.sort_unstable();
            let mut list: Vec<&[Entry]> = Vec::new();
            for window in windows(range) {
                for vertex in shuffled(wanted, window, order) {
                    list.clear();
                    let from = pieces.partition_point(|piece| piece.0 < vertex);
                    let own = pieces[from..].iter().take_while(|piece| piece.0 == vertex);
                    list.extend(own.map(|(_, chunk, start, end)| {
                        &chunks[*chunk as usize].entries[*start as usize..*end as usize]
                    }));
                    visit(vertex, &list)?;
                }
            }
        }
        Ok(())
    }
}
