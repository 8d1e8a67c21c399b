//! Breadth-first search: how many edges away every vertex is from the nearest source.
//!
//! Either the lists of the frontier are read and push the next level, or the lists of the vertices not yet
//! reached, each only until a neighbour in the frontier is found (Beamer, Asanović, Patterson,
//! "Direction-Optimizing Breadth-First Search", SC 2012); for that incoming edges must be known. Which of the
//! two looks at fewer entries depends on degrees, which are in the lists themselves, so a part of each
//! tells ([`Probe`]).
//!
//! Where there are very many levels (a road network, a grid), most blocks would be visited at most levels.
//! The search then ends in another order, block by block, with levels that fall until they are right
//! (`relax`).
//!
//! Where the graph fits in memory, and was gone through before, it goes by lists that are decoded
//! (`on_lists`). Where the cap has no room for the levels, they go to a file while they are found (`found`).

mod after;
mod found;
mod on_lists;
mod run;
pub(crate) mod sharded;

use std::mem;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use crate::engine::EnginePlan;
use crate::{Engine, Frontier, Graph, GraphError, PerVertex, RunStats, Which};

use super::relax::{relax_bytes, relax_levels};
use found::{Found, InFile, InMemory};
use leadline_graph_store::format::{Direction, Vertex};
use leadline_graph_store::updates::BlockLists;
pub use run::BfsRun;
pub(super) use run::DEFINITION;
pub(super) use run::NAME;

/// The level of a vertex that no source leads to.
pub const UNREACHED: u32 = u32::MAX;

/// Entries by which the cost of a level is judged: 1 in this many of all.
const PROBED: u64 = 128;

/// Pulling is tried where pushing would look at more than this share of all entries: 1 in this many.
const HEAVY: u64 = 10;

/// Push again once the frontier has less than this share of all vertices: 1 in this many.
const PUSH_BELOW: u64 = 64;

/// A search of no more levels is not one that progresses slowly.
const MANY_LEVELS: u32 = 32;

/// What a breadth-first search found.
#[derive(Debug, Clone)]
pub struct Bfs {
    /// By vertex: edges from the nearest source, [`UNREACHED`] where there is no way.
    pub levels: PerVertex<u32>,
    /// Vertices reached, sources included.
    pub reached: u64,
    /// The largest level.
    pub depth: u32,
    /// What it took.
    pub stats: RunStats,
}

struct BfsState<F> {
    found: F,
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
    /// Below about 4.4 bytes of memory per vertex, levels are in a temporary file ([`Options::temp`]), and a
    /// graph of very many levels is read once or more for each of them.
    ///
    /// [`Options::temp`]: crate::Options::temp
    ///
    /// # Errors
    /// [`GraphError::Memory`] below about 0.4 bytes per vertex and 2.6 MiB; what the device, the temporary
    /// file or a damaged store gives.
    ///
    /// # Panics
    /// Where a source is not a vertex of the graph; see [`Graph::vertex`].
    pub fn bfs(&self, sources: &[Vertex]) -> Result<Bfs, GraphError> {
        let plan = MemoryPlan::new(self, self.options().memory);
        let (searched, stats) = Engine::run(self, NAME, plan.bytes, |engine| match plan.is_in_file {
            false => match on_lists::Lists::of(engine)? {
                Some(lists) => on_lists::search(engine, &lists, sources),
                None => search(engine, sources, InMemory::new(self.vertices())),
            },
            true => search(engine, sources, InFile::new(self)?),
        })?;
        let Searched { levels, reached, depth } = searched;
        Ok(Bfs { levels, reached, depth, stats })
    }
}

/// What a search came to.
struct Searched {
    levels: PerVertex<u32>,
    reached: u64,
    depth: u32,
}

/// How many vertices have a level, and the largest.
fn reached_and_depth(levels: impl Iterator<Item = u32>) -> (u64, u32) {
    let reached = levels.filter(|level| *level != UNREACHED);
    reached.fold((0, 0), |(count, depth), level| (count + 1, depth.max(level)))
}

/// How the vertex state of a search fits under a cap.
struct MemoryPlan {
    /// Bytes in memory.
    bytes: u64,
    /// Whether levels are in a file.
    is_in_file: bool,
}

impl MemoryPlan {
    /// With levels in memory, if they fit or take less than the way to a file.
    fn new(graph: &Graph, memory: u64) -> MemoryPlan {
        MemoryPlan::with(graph, memory, bfs_bytes(graph))
    }

    /// The same where levels in memory, and what goes with them, take that many bytes.
    fn with(graph: &Graph, memory: u64, in_memory: u64) -> MemoryPlan {
        let in_file = in_file_bytes(graph);
        let fits = |bytes| {
            let (header, options) = (graph.header(), graph.options());
            EnginePlan::least_memory(header, options, graph.all_blocks(), bytes) <= memory
        };
        let is_in_file = in_file < in_memory && !fits(in_memory);
        MemoryPlan { bytes: if is_in_file { in_file } else { in_memory }, is_in_file }
    }
}

/// Bytes of vertex state of a breadth-first search with levels in memory.
pub(super) fn bfs_bytes(graph: &Graph) -> u64 {
    // Either the sets of what is next and not yet reached, or what relaxing takes.
    let set = Frontier::bytes(graph.vertices());
    graph.vertices() * 4 + set + relax_bytes(graph).max(2 * set)
}

/// With levels in a file.
fn in_file_bytes(graph: &Graph) -> u64 {
    let [beside_sets, after] = InFile::bytes(graph);
    (beside_sets + 3 * Frontier::bytes(graph.vertices())).max(after)
}

fn search<F: Found>(engine: &mut Engine<'_>, sources: &[Vertex], found: F) -> Result<Searched, GraphError> {
    let graph = engine.graph();
    let vertices = graph.vertices();
    let mut state = BfsState { found, unreached: Frontier::new(vertices), next: Frontier::new(vertices) };
    state.unreached.fill();
    let mut frontier = Frontier::new(vertices);
    let mut width = sources.iter().map(|source| u64::from(state.reach(*source, &frontier))).sum();
    let (mut reached, mut depth, mut pulling) = (width, 0, false);
    state.found.level(0, &frontier)?;
    while width > 0 {
        if let Some(levels) = state.found.in_memory()
            && progresses_slowly(engine, depth, reached)
        {
            drop(mem::replace(&mut state.unreached, Frontier::new(0)));
            drop(mem::replace(&mut state.next, Frontier::new(0)));
            relax_levels(engine, levels, &frontier)?;
            let (reached, depth) =
                reached_and_depth(levels.iter().map(|level| level.load(Ordering::Relaxed)));
            return Ok(Searched { levels: state.found.finish(engine)?, reached, depth });
        }
        pulling &= width > vertices / PUSH_BELOW;
        let level = depth + 1;
        let found = match pulling {
            true => state.pull(engine, &frontier, &Probe::none())?,
            false => state.push_or_pull(engine, &frontier, [width, vertices - reached], &mut pulling)?,
        };
        width = found.iter().map(|found| found.vertices).sum();
        engine.add_scanned_edges(found.iter().map(|found| found.edges).sum());
        reached += width;
        depth += u32::from(width > 0);
        frontier.clear();
        mem::swap(&mut frontier, &mut state.next);
        state.found.level(level, &frontier)?;
    }
    let BfsState { found, unreached, next } = state;
    drop((unreached, next, frontier));
    Ok(Searched { levels: found.finish(engine)?, reached, depth })
}

/// Whether the search has many levels before it, so that it is better to finish with each block while it is
/// at hand, in whatever order: it has come far and yet reached little, or reads the same blocks again and
/// again.
fn progresses_slowly(engine: &mut Engine<'_>, depth: u32, reached: u64) -> bool {
    let graph = engine.graph();
    let blocks = graph.header().blocks(Direction::Forward).bytes;
    let little = reached < graph.vertices() / 4;
    depth > MANY_LEVELS && (little || !engine.holds_all() && engine.bytes_read() > blocks)
}

/// How many entries a sweep will have looked at, judged by those of its first lists.
struct Probe {
    /// Lists of the whole sweep.
    lists: u64,
    /// Entries from which on a judgement is made.
    sample: u64,
    /// Entries that are too many to be left.
    most_left: f64,
    lists_seen: AtomicU64,
    entries_seen: AtomicU64,
    /// Too many are left: the sweep ends.
    is_heavy: AtomicBool,
}

impl Probe {
    /// Of a sweep over that many lists.
    fn new(graph: &Graph, lists: u64, most_left: f64) -> Probe {
        Probe { lists, sample: graph.header().edges / PROBED, most_left, ..Probe::none() }
    }

    /// Of a sweep that goes on in any case.
    fn none() -> Probe {
        let (lists_seen, entries_seen) = (0.into(), 0.into());
        let (lists, sample, most_left) = (0, u64::MAX, f64::INFINITY);
        Probe { lists, sample, most_left, lists_seen, entries_seen, is_heavy: false.into() }
    }

    /// Adds what a block had.
    fn add(&self, lists: u64, entries: u64) {
        self.lists_seen.fetch_add(lists, Ordering::Relaxed);
        let seen = self.entries_seen.fetch_add(entries, Ordering::Relaxed) + entries;
        if seen > self.sample && self.left() > self.most_left {
            self.is_heavy.store(true, Ordering::Relaxed);
        }
    }

    /// Entries that are left, if the other lists are like those seen.
    fn left(&self) -> f64 {
        let (lists, entries) =
            (self.lists_seen.load(Ordering::Relaxed), self.entries_seen.load(Ordering::Relaxed));
        // A hub's pieces count each, so that more may be seen than there are.
        let left = self.lists.saturating_sub(lists) as f64;
        entries as f64 / lists.max(1) as f64 * left
    }
}

impl<F: Found> BfsState<F> {
    /// Puts a vertex into the next frontier, if it was not reached before.
    #[inline]
    fn reach(&self, vertex: Vertex, next: &Frontier) -> bool {
        let first = self.unreached.contains(vertex) && next.insert(vertex);
        if first {
            self.unreached.remove(vertex);
        }
        first
    }

    /// Goes to the next level by whichever way looks at fewer entries: by pushing, unless that turns out to
    /// be heavy, and pulling to be less so. `lists` are those of the frontier and those of vertices not yet
    /// reached. What either has found before it was given up stays found.
    fn push_or_pull(
        &self,
        engine: &mut Engine<'_>,
        frontier: &Frontier,
        lists: [u64; 2],
        pulling: &mut bool,
    ) -> Result<Vec<SweepCounts>, GraphError> {
        let graph = engine.graph();
        if !graph.header().has_reverse() {
            return self.push(engine, frontier, &Probe::none());
        }
        let pushed = Probe::new(graph, lists[0], (graph.header().edges / HEAVY) as f64);
        let mut found = self.push(engine, frontier, &pushed)?;
        if pushed.is_heavy.load(Ordering::Relaxed) {
            let pulled = Probe::new(graph, lists[1], pushed.left());
            found.append(&mut self.pull(engine, frontier, &pulled)?);
            *pulling = !pulled.is_heavy.load(Ordering::Relaxed);
            if !*pulling {
                found.append(&mut self.push(engine, frontier, &Probe::none())?);
            }
        }
        Ok(found)
    }

    /// Reads the lists of the frontier; their ends are on the next level.
    fn push(
        &self,
        engine: &mut Engine<'_>,
        frontier: &Frontier,
        probe: &Probe,
    ) -> Result<Vec<SweepCounts>, GraphError> {
        let (direction, which) = (Direction::Forward, Which::Holding(frontier));
        engine.sweep_lists(&probe.is_heavy, direction, which, SweepCounts::default, |found, block| {
            if probe.is_heavy.load(Ordering::Relaxed) {
                // One of those that were being read.
                return;
            }
            let (mut lists, before) = (0, found.edges);
            for vertex in frontier.iter(block.vertices()) {
                lists += 1;
                found.edges += block.scan_unordered(vertex, |neighbour| {
                    found.vertices += u64::from(self.reach(neighbour, &self.next));
                    true
                }) as u64;
            }
            probe.add(lists, found.edges - before);
        })
    }

    /// Reads the lists of what is not yet reached, until one finds a neighbour in the frontier.
    fn pull(
        &self,
        engine: &mut Engine<'_>,
        frontier: &Frontier,
        probe: &Probe,
    ) -> Result<Vec<SweepCounts>, GraphError> {
        let unreached = &self.unreached;
        let (direction, which) = (Direction::Reverse, Which::Holding(unreached));
        engine.sweep_lists(&probe.is_heavy, direction, which, SweepCounts::default, |found, block| {
            if probe.is_heavy.load(Ordering::Relaxed) {
                // One of those that were being read.
                return;
            }
            let (mut lists, before) = (0, found.edges);
            for vertex in unreached.iter(block.vertices()) {
                lists += 1;
                self.pull_one(block, vertex, frontier, found);
            }
            probe.add(lists, found.edges - before);
        })
    }

    #[inline]
    fn pull_one(&self, block: &BlockLists<'_>, vertex: Vertex, frontier: &Frontier, found: &mut SweepCounts) {
        let mut hit = false;
        let seen = block.scan_unordered(vertex, |neighbour| {
            hit = frontier.contains(neighbour);
            !hit
        });
        found.edges += seen as u64;
        if hit {
            found.vertices += u64::from(self.reach(vertex, &self.next));
        } else if seen == 0 && !block.is_piece(vertex) {
            // Nothing leads here: nobody needs to look again.
            self.unreached.remove(vertex);
        }
    }
}
