//! Breadth-first search: how many edges away every vertex is from the nearest source.
//!
//! While the frontier is small its lists are read and push the next level. Once it holds a good part of what
//! is left, the lists of the vertices not yet reached are read instead, each only until a neighbour in the
//! frontier is found (Beamer, Asanović, Patterson, "Direction-Optimizing Breadth-First Search", SC 2012); for
//! that incoming edges must be known.
//!
//! Where there are very many levels (a road network, a grid), most blocks would be visited at most levels.
//! The search then ends in another order, block by block, with levels that fall until they are right
//! (`relax`).

use std::mem;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::format::{Block, Direction, Vertex};
use crate::{Engine, Frontier, Graph, GraphError, RunStats, Which};

use super::relax::{relax_bytes, relax_levels};
use super::{numbers, plain};

/// The level of a vertex that no source leads to.
pub const UNREACHED: u32 = u32::MAX;

/// Pull once the frontier has more than this share of the vertices not yet reached: 1 in so many.
const PULL_ABOVE: u64 = 16;

/// Push again once it has less than this share of all vertices: 1 in so many.
const PUSH_BELOW: u64 = 64;

/// A search of no more levels is not one that creeps.
const MANY_LEVELS: u32 = 32;

/// What a breadth-first search found.
#[derive(Debug, Clone, PartialEq)]
pub struct Bfs {
    /// By vertex: edges from the nearest source, [`UNREACHED`] where there is no way.
    pub levels: Vec<u32>,
    /// Vertices reached, sources included.
    pub reached: u64,
    /// The largest level.
    pub depth: u32,
    /// What it took.
    pub stats: RunStats,
}

struct BfsState {
    levels: Vec<AtomicU32>,
    unreached: Frontier,
    next: Frontier,
}

/// What a thread counts in a sweep.
#[derive(Default)]
struct SweepCounts {
    vertices: u64,
    edges: u64,
}

impl Graph {
    /// Breadth-first search from one source or several.
    ///
    /// # Errors
    /// [`GraphError::Memory`] below about 4.4 bytes per vertex; what the device or a damaged store gives.
    ///
    /// # Panics
    /// Where a source is not a vertex of the graph; see [`Graph::vertex`].
    pub fn bfs(&self, sources: &[Vertex]) -> Result<Bfs, GraphError> {
        let bytes = bfs_bytes(self);
        let ((levels, reached, depth), stats) =
            Engine::run(self, "breadth-first search", bytes, |engine| search(engine, sources))?;
        Ok(Bfs { levels, reached, depth, stats })
    }
}

/// Bytes of vertex state of a breadth-first search.
pub(crate) fn bfs_bytes(graph: &Graph) -> u64 {
    // Either the sets of what is next and not yet reached, or what relaxing takes.
    let set = Frontier::bytes(graph.vertices());
    graph.vertices() * 4 + set + relax_bytes(graph).max(2 * set)
}

/// Levels, vertices reached and the largest level.
fn search(engine: &mut Engine<'_>, sources: &[Vertex]) -> Result<(Vec<u32>, u64, u32), GraphError> {
    let graph = engine.graph();
    let vertices = graph.vertices();
    let mut state = BfsState {
        levels: numbers(vertices, |_| UNREACHED),
        unreached: Frontier::new(vertices),
        next: Frontier::new(vertices),
    };
    state.unreached.fill();
    let mut frontier = Frontier::new(vertices);
    let mut width = sources.iter().map(|source| u64::from(state.reach(*source, 0, &frontier))).sum();
    let (mut reached, mut depth, mut pulling) = (width, 0, false);
    while width > 0 {
        if creeps(engine, depth, reached) {
            let BfsState { levels, unreached, next } = state;
            drop((unreached, next));
            relax_levels(engine, &levels, frontier)?;
            let levels = plain(levels);
            let reached = levels.iter().filter(|level| **level != UNREACHED);
            let (count, depth) = reached.fold((0, 0), |(count, depth), level| (count + 1, depth.max(*level)));
            return Ok((levels, count, depth));
        }
        pulling = graph.header().has_reverse()
            && if pulling {
                width > vertices / PUSH_BELOW
            } else {
                width > (vertices - reached) / PULL_ABOVE
            };
        let found = match pulling {
            true => state.pull(engine, &frontier, depth + 1)?,
            false => state.push(engine, &frontier, depth + 1)?,
        };
        width = found.iter().map(|found| found.vertices).sum();
        engine.looked_at(found.iter().map(|found| found.edges).sum());
        reached += width;
        depth += u32::from(width > 0);
        frontier.clear();
        mem::swap(&mut frontier, &mut state.next);
    }
    Ok((plain(state.levels), reached, depth))
}

/// Whether the search has many levels before it, so that it is better to finish with each block while it is
/// at hand, in whatever order: it has come far and yet reached little, or reads the same blocks again and
/// again.
fn creeps(engine: &mut Engine<'_>, depth: u32, reached: u64) -> bool {
    let graph = engine.graph();
    let blocks = graph.header().blocks(Direction::Forward).bytes;
    let little = reached < graph.vertices() / 4;
    depth > MANY_LEVELS && (little || !engine.holds_all() && engine.bytes_read() > blocks)
}

impl BfsState {
    /// Puts a vertex on a level and into the next frontier, if nobody has.
    #[inline]
    fn reach(&self, vertex: Vertex, level: u32, next: &Frontier) -> bool {
        let first = self.unreached.contains(vertex) && next.insert(vertex);
        if first {
            self.levels[vertex as usize].store(level, Ordering::Relaxed);
            self.unreached.remove(vertex);
        }
        first
    }

    /// Reads the lists of the frontier; their ends are on the next level.
    fn push(
        &self,
        engine: &mut Engine<'_>,
        frontier: &Frontier,
        level: u32,
    ) -> Result<Vec<SweepCounts>, GraphError> {
        engine.sweep(Direction::Forward, Which::Holding(frontier), SweepCounts::default, |found, block| {
            for vertex in frontier.iter(block.vertices()) {
                found.edges += block.scan(vertex, |neighbour| {
                    found.vertices += u64::from(self.reach(neighbour, level, &self.next));
                    true
                }) as u64;
            }
        })
    }

    /// Reads the lists of what is not yet reached, until one finds a neighbour in the frontier.
    fn pull(
        &self,
        engine: &mut Engine<'_>,
        frontier: &Frontier,
        level: u32,
    ) -> Result<Vec<SweepCounts>, GraphError> {
        let unreached = &self.unreached;
        engine.sweep(Direction::Reverse, Which::Holding(unreached), SweepCounts::default, |found, block| {
            for vertex in unreached.iter(block.vertices()) {
                self.pull_one(block, vertex, frontier, level, found);
            }
        })
    }

    #[inline]
    fn pull_one(
        &self,
        block: &Block<'_>,
        vertex: Vertex,
        frontier: &Frontier,
        level: u32,
        found: &mut SweepCounts,
    ) {
        let mut hit = false;
        let seen = block.scan(vertex, |neighbour| {
            hit = frontier.contains(neighbour);
            !hit
        });
        found.edges += seen as u64;
        if hit {
            found.vertices += u64::from(self.reach(vertex, level, &self.next));
        } else if seen == 0 && !block.is_piece(vertex) {
            // Nothing leads here: nobody needs to look again.
            self.unreached.remove(vertex);
        }
    }
}
