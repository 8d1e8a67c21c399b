//! Values collected for the vertices of a range, in memory: what a sweep finds in blocks, in any order and on
//! any thread, is put together by vertex.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use leadline_graph_store::format::{Block, Direction, Directory, Vertex};
use leadline_graph_store::updates::BlockLists;
use rayon::prelude::*;

use super::{by_vertex, numbers, plain};
use crate::engine::{Cache, EnginePlan};
use crate::{Engine, Graph, GraphError, Which};

/// Vertices of which a thread works on the lists at a time.
const CHUNK: usize = 256;

/// More than the engine takes for a thread in addition to the memory of its reads.
const BYTES_PER_THREAD: u64 = 128 << 10;

/// Lists of a range of vertices, while they are being filled.
pub(crate) struct Gathering {
    first: Vertex,
    /// By vertex: where its next value goes; in the end, where its list ends and the next begins.
    places: Vec<AtomicU32>,
    values: Vec<AtomicU32>,
}

impl Gathering {
    /// MemoryPlan for `counts` values of each vertex of a range.
    pub(crate) fn new(range: Range<Vertex>, counts: &[AtomicU32]) -> Gathering {
        let mut total = 0;
        let mut place = |count: &AtomicU32| {
            let place = AtomicU32::new(total);
            total += count.load(Ordering::Relaxed);
            place
        };
        let places = counts[range.start as usize..range.end as usize].iter().map(&mut place).collect();
        Gathering { first: range.start, places, values: numbers(u64::from(total), |_| 0) }
    }

    /// Adds to a vertex's list.
    ///
    /// # Panics
    /// Where all lists together become longer than they were said to be.
    #[inline]
    pub(crate) fn put(&self, vertex: Vertex, values: &[u32]) {
        let count = values.len() as u32;
        let at = self.places[(vertex - self.first) as usize].fetch_add(count, Ordering::Relaxed) as usize;
        for (place, value) in self.values[at..at + values.len()].iter().zip(values) {
            place.store(*value, Ordering::Relaxed);
        }
    }

    /// The lists, once every one is as long as it was said to be.
    pub(crate) fn end(self) -> Lists {
        Lists { first: self.first, ends: plain(self.places), values: plain(self.values) }
    }
}

/// Lists of a range of vertices.
pub(crate) struct Lists {
    first: Vertex,
    ends: Vec<u32>,
    values: Vec<u32>,
}

impl Lists {
    /// Lists that are that long for each vertex of a range, of zeros.
    pub(crate) fn of_lengths(range: Range<Vertex>, lengths: &[AtomicU32]) -> Lists {
        let mut total = 0;
        let end = |length: &AtomicU32| {
            total += length.load(Ordering::Relaxed);
            total
        };
        let ends = lengths[range.start as usize..range.end as usize].iter().map(end).collect();
        Lists { first: range.start, ends, values: by_vertex(total.into(), |_| 0) }
    }

    /// Entries of all lists.
    pub(crate) fn entries(&self) -> u64 {
        self.values.len() as u64
    }

    /// The vertices.
    pub(crate) fn vertices(&self) -> Range<Vertex> {
        self.first..self.first + self.ends.len() as u32
    }

    /// A vertex's list.
    #[inline]
    pub(crate) fn list(&self, vertex: Vertex) -> &[u32] {
        let at = (vertex - self.first) as usize;
        let start = if at == 0 { 0 } else { self.ends[at - 1] };
        &self.values[start as usize..self.ends[at] as usize]
    }

    /// Calls `each` for every vertex with its list, on all threads.
    pub(crate) fn for_each(&mut self, each: impl Fn(Vertex, &mut [u32]) + Sync) {
        let (mut rest, mut before) = (self.values.as_mut_slice(), 0);
        let mut chunks = Vec::with_capacity(self.ends.len().div_ceil(CHUNK));
        for ends in self.ends.chunks(CHUNK) {
            let end = ends[ends.len() - 1];
            let (mine, others) = rest.split_at_mut((end - before) as usize);
            chunks.push((before, ends, mine));
            (rest, before) = (others, end);
        }
        chunks.into_par_iter().enumerate().for_each(|(chunk, (base, ends, mut mine))| {
            let (mut vertex, mut start) = (self.first + (chunk * CHUNK) as u32, base);
            for end in ends {
                let (list, others) = mine.split_at_mut((end - start) as usize);
                each(vertex, list);
                (mine, start, vertex) = (others, *end, vertex + 1);
            }
        });
    }

    /// Makes one value of each run of neighbouring ones in a list that are the `same`.
    pub(crate) fn squeeze(&mut self, same: impl Fn(u32, u32) -> bool, one: impl Fn(&[u32]) -> u32) {
        let (mut from, mut to) = (0, 0);
        for end in &mut self.ends {
            while from < *end as usize {
                let list = &self.values[from..*end as usize];
                let run = list.iter().take_while(|value| same(list[0], **value)).count();
                self.values[to] = one(&list[..run]);
                (from, to) = (from + run, to + 1);
            }
            *end = to as u32;
        }
        self.values.truncate(to);
    }
}

/// Ranges of vertices whose values together are at most `most`; a vertex that has more is alone.
pub(crate) fn batches(counts: &[AtomicU32], most: u64) -> Vec<Range<Vertex>> {
    let (mut ranges, mut start, mut sum) = (Vec::new(), 0, 0);
    for (vertex, count) in (0..).zip(counts) {
        let count = u64::from(count.load(Ordering::Relaxed));
        if sum + count > most && start < vertex {
            ranges.push(start..vertex);
            (start, sum) = (vertex, 0);
        }
        sum += count;
    }
    if start < counts.len() as u32 {
        ranges.push(start..counts.len() as u32);
    }
    ranges
}

/// Sweeps over the lists of a range of vertices; `visit` also sees the others of their blocks.
///
/// # Errors
/// As [`Engine::sweep`].
pub(crate) fn sweep_range<L: Send>(
    engine: &mut Engine<'_>,
    direction: Direction,
    range: &Range<Vertex>,
    local: impl Fn() -> L + Sync,
    visit: impl Fn(&mut L, &Block<'_>) + Sync,
) -> Result<Vec<L>, GraphError> {
    let blocks = blocks_of_range(engine.graph(), direction, range);
    engine.sweep(direction, blocks.as_deref().map_or(Which::All, Which::Blocks), local, visit)
}

/// The same for visitors of [`Engine::sweep_lists`].
///
/// # Errors
/// As [`Engine::sweep`].
pub(crate) fn sweep_lists_of_range<L: Send>(
    engine: &mut Engine<'_>,
    direction: Direction,
    range: &Range<Vertex>,
    local: impl Fn() -> L + Sync,
    visit: impl Fn(&mut L, &BlockLists<'_>) + Sync,
) -> Result<Vec<L>, GraphError> {
    let blocks = blocks_of_range(engine.graph(), direction, range);
    let which = blocks.as_deref().map_or(Which::All, Which::Blocks);
    engine.sweep_lists(&AtomicBool::new(false), direction, which, local, visit)
}

/// The blocks with lists of a range of vertices; none where they are all.
fn blocks_of_range(graph: &Graph, direction: Direction, range: &Range<Vertex>) -> Option<Vec<u32>> {
    let directory = graph.directory(direction);
    let is_part = u64::from(range.end - range.start) < graph.vertices();
    is_part.then(|| (directory.block_of(range.start)..=directory.last_block_of(range.end - 1)).collect())
}

/// The blocks with lists, or pieces of them, of some vertices; both ascending.
pub(crate) fn blocks_of(directory: &Directory, vertices: impl Iterator<Item = Vertex>) -> Vec<u32> {
    let mut blocks = Vec::new();
    for vertex in vertices {
        // A hub may begin in the block that the vertex before it was in.
        let first = directory.block_of(vertex).max(blocks.last().map_or(0, |last| last + 1));
        blocks.extend(first..=directory.last_block_of(vertex));
    }
    blocks
}

/// The directions in which a graph has different lists.
pub(crate) fn directions(graph: &Graph) -> &'static [Direction] {
    match graph.header().directed {
        true => &[Direction::Forward, Direction::Reverse],
        false => &[Direction::Forward],
    }
}

/// At most as many bytes as a cap of `memory` leaves for values, in addition to `state` and the least that
/// the engine takes.
pub(crate) fn spare(graph: &Graph, memory: u64, state: u64) -> u64 {
    let blocks = u64::from(graph.all_blocks());
    let threads = graph.options().threads.max(1) as u64;
    let engine = Directory::bytes_for(blocks)
        + blocks * Cache::BYTES_PER_BLOCK
        + threads * (BYTES_PER_THREAD + 4 * u64::from(graph.header().block_bytes));
    memory.saturating_sub(state + engine)
}

/// Bytes of a cache with room for all blocks of a direction, and of the buffers they are read into.
pub(crate) fn all_cached(graph: &Graph, direction: Direction) -> u64 {
    let blocks = u64::from(graph.directory(direction).blocks());
    let block_bytes = graph.header().block_bytes;
    blocks * Cache::bytes_per_frame(block_bytes) + EnginePlan::most_buffers(block_bytes, graph.options())
}

/// Most values that a block holds.
pub(crate) fn most_values(graph: &Graph) -> u64 {
    let header = graph.header();
    // The shortest code of a value has a byte and two bits.
    u64::from(header.block_bytes) * 4 / if header.compressed { 5 } else { 16 }
}

/// Calls `each` with the neighbours of a vertex, each once and not itself. Of a hub's piece the first and the
/// last value go to `ends`: the piece before or behind may have them too.
#[inline]
pub(super) fn distinct(
    block: &Block<'_>,
    vertex: Vertex,
    ends: &mut Vec<(Vertex, Vertex)>,
    mut each: impl FnMut(Vertex),
) {
    let mut before = vertex;
    if !block.is_piece(vertex) {
        block.scan(vertex, |neighbour| {
            if neighbour != before && neighbour != vertex {
                each(neighbour);
            }
            before = neighbour;
            true
        });
        return;
    }
    // One behind: whether a value is the last shows when there is no other.
    let mut first = true;
    block.scan(vertex, |neighbour| {
        if neighbour != before && neighbour != vertex {
            if before != vertex {
                if first {
                    ends.push((vertex, before))
                } else {
                    each(before)
                }
                first = false;
            }
            before = neighbour;
        }
        true
    });
    if before != vertex {
        ends.push((vertex, before));
    }
}

/// The ends of all pieces that [`distinct`] left, each once.
pub(super) fn merged(ends: impl Iterator<Item = Vec<(Vertex, Vertex)>>) -> Vec<(Vertex, Vertex)> {
    let mut all = Vec::new();
    ends.for_each(|mut some| all.append(&mut some));
    all.sort_unstable();
    all.dedup();
    all
}

/// Most bytes of the ends of all pieces. A block has two pieces at most, each with two ends, in lists that
/// grow by doubling and are put together in one.
pub(super) fn ends_bytes(graph: &Graph) -> u64 {
    u64::from(graph.all_blocks()) * 2 * 2 * 2 * 2 * size_of::<(Vertex, Vertex)>() as u64
}
