//! What the algorithms' own accounts of a first run are made of: blocks, passes over them, and what a vertex
//! and an entry of a list cost.

use leadline_graph_store::format::Direction;

use super::passes::Passes;
use crate::Graph;
use crate::engine::{Csr, EnginePlan};

/// A graph's blocks, and the room for them.
#[derive(Debug)]
pub struct Blocks<'g> {
    /// The graph; its options have the cap.
    pub graph: &'g Graph,
    /// Blocks of outgoing edges.
    pub forward: u64,
    /// Of incoming ones; 0 where both directions have the same lists, or only one has any.
    pub reverse: u64,
    /// Blocks that the cache has room for.
    pub frames: u32,
}

impl<'g> Blocks<'g> {
    pub(super) fn new(graph: &'g Graph, frames: u32) -> Blocks<'g> {
        let forward = u64::from(graph.directory(Direction::Forward).blocks());
        Blocks { graph, forward, reverse: u64::from(graph.all_blocks()) - forward, frames }
    }

    /// The cap.
    pub fn memory(&self) -> u64 {
        self.graph.options().memory
    }

    /// Blocks of both directions.
    pub fn all(&self) -> u64 {
        self.forward + self.reverse
    }

    /// Reads of that many blocks that are visited that many times: once where all are cached.
    pub fn again(&self, blocks: u64, times: u64) -> u64 {
        if u64::from(self.frames) >= self.all() { blocks } else { blocks.saturating_mul(times) }
    }

    /// Of that many blocks, the number that the cache has no room for.
    pub fn not_cached(&self, blocks: u64) -> u64 {
        blocks.saturating_sub(self.frames.into())
    }

    /// The most reads of that many passes over all directions, of which the cache saves some if all goes
    /// well. It does where a pass is over all blocks and over one direction only; else blocks may go that
    /// would have been wanted again.
    pub fn at_most(&self, at_best: u64, whole: bool, passes: u64) -> u64 {
        if whole && self.reverse == 0 { at_best } else { self.again(self.all(), passes) }
    }

    pub(crate) fn passes(&self) -> Passes {
        Passes::new(self.graph, self.frames)
    }
}

/// Blocks that are read where state goes through a temporary file, and what goes through it: at least, and at
/// most.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Spilled {
    /// Blocks read.
    pub blocks: [u64; 2],
    /// Bytes of vertex state written and read.
    pub bytes: [u64; 2],
}

/// How large a graph is, for what computing costs.
#[derive(Debug, Clone, Copy)]
pub struct Size {
    /// Vertices.
    pub vertices: f64,
    /// Entries of the lists of outgoing edges.
    pub forward: f64,
    /// Of a directed graph, entries of both lists that an edge is in.
    pub both: f64,
    /// Threads that compute.
    pub threads: f64,
    /// Whether lists of incoming edges can be read.
    pub(crate) reverse: bool,
    /// Bytes that the cap leaves next to all blocks and the decoded lists of a direction; none where it has
    /// no room for these.
    pub(crate) beside_lists: Option<u64>,
}

/// Nanoseconds of one thread for each vertex and for each entry of a list, in each iteration.
#[derive(Debug, Clone, Copy)]
pub struct Cost {
    /// For a vertex.
    pub vertex: f64,
    /// For an entry.
    pub entry: f64,
}

impl Size {
    pub(super) fn new(graph: &Graph, plan: &EnginePlan) -> Size {
        let header = graph.header();
        let (vertices, forward) = (header.vertices as f64, header.edges as f64);
        let both = if header.directed { 2.0 * forward } else { forward };
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        let threads = graph.options().threads.clamp(1, processors) as f64;
        let room = graph.options().memory.saturating_sub(plan.bytes);
        let lists = Csr::bytes_for(header).filter(|_| plan.frames >= graph.all_blocks());
        let beside_lists = lists.and_then(|lists| room.checked_sub(lists));
        let reverse = header.has_reverse();
        Size { vertices, forward, both, threads, reverse, beside_lists }
    }

    /// Nanoseconds of a pass over that many entries.
    pub fn pass(&self, cost: Cost, entries: f64) -> f64 {
        cost.vertex * self.vertices + cost.entry * entries
    }
}
