//! Weakly connected components of a sharded store: a forest of one part of the vertices after the other, the
//! highest first, with 8 bytes for each vertex of the part.
//!
//! As in `in_parts`, the tree of a root may hang together with a vertex below its part, its exit, and what is
//! found out about vertices below the part is left to the part of the higher one. Since a part takes up all
//! edges whose higher end it has, no part comes twice.
//!
//! Most vertices are in one component, as a rule. A search from one of them, of few levels, finds most of it
//! beforehand; whatever is found to hang together with those has one bit and no pair, and edges between two
//! of them are passed over.

mod lists;
mod pairs;
mod resolve;

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

use leadline_graph_store::format::{Block, Direction, Vertex};
use rayon::prelude::*;

use super::NAME;
use super::forest::{find, flatten, join};
use crate::algorithms::bfs::sharded::Search;
use crate::sharded::{Runs, ShardedGraph};
use crate::{Frontier, GraphError, RunStats, Which};
use pairs::Pairs;
pub(crate) use resolve::Components;

/// Levels of the search at first.
const LEVELS: u32 = 24;

/// Blocks in which a vertex of many neighbours is looked for.
const SAMPLE_BLOCKS: u32 = 64;

/// The least vertices of a part.
const LEAST_PART: u64 = 1 << 12;

/// The components of a sharded store.
#[derive(Debug)]
pub struct ShardedWcc {
    /// Of each vertex, if they are wanted.
    pub(crate) components: Option<Components>,
    /// Components.
    pub count: u64,
    /// What it took.
    pub stats: RunStats,
}

impl ShardedGraph {
    /// Weakly connected components. With `keep` the component of each vertex goes to a temporary file, 5
    /// bytes each.
    ///
    /// # Errors
    /// [`GraphError::Memory`] below about 0.4 bytes per vertex and what the tiles take; what the device, the
    /// temporary file or a damaged store gives.
    pub fn wcc(&mut self, keep: bool) -> Result<ShardedWcc, GraphError> {
        let plan = MemoryPlan::new(self);
        let mut runs = self.begin(NAME, plan.bytes)?;
        let threads = self.options().threads.max(1);
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        let pool = pool.map_err(|error| GraphError::Threads { threads, reason: error.to_string() })?;
        let graph = &*self;
        let (components, count) = pool.install(|| components(graph, &plan, &mut runs, keep))?;
        Ok(ShardedWcc { components, count, stats: runs.end(self) })
    }
}

/// How the vertex state fits under the cap.
struct MemoryPlan {
    /// Bytes in memory.
    bytes: u64,
    /// Vertices of a part.
    part: u64,
    /// Bytes of pairs in memory.
    pairs: u64,
}

impl MemoryPlan {
    /// Bytes of a vertex of the part in memory: its own number, and a quarter of one to look others up by.
    const VERTEX: u64 = 10;

    fn new(graph: &ShardedGraph) -> MemoryPlan {
        let (cap, each) = (graph.options().memory, graph.shards().shard_vertices);
        let (sets, least) = (graph.set_bytes(), LEAST_PART.min(each));
        let room = cap.saturating_sub(graph.least_memory(sets));
        let pairs = (room / 16).clamp(1 << 20, 1 << 28);
        // An eighth is left to the cache.
        let part = (room.saturating_sub(pairs) / 8 * 7 / MemoryPlan::VERTEX).clamp(least, each);
        let bytes = (sets + pairs + part * MemoryPlan::VERTEX).max(3 * sets);
        MemoryPlan { bytes, part, pairs }
    }
}

/// The parts of the vertices, none of more than one shard, ascending.
fn parts(graph: &ShardedGraph, most: u64) -> Vec<Range<u64>> {
    let (each, all) = (graph.shards().shard_vertices, graph.shards().vertices);
    let of_shard = |shard: u64| {
        let (start, end) = (shard * each, ((shard + 1) * each).min(all));
        // As equal as can be.
        let count = (end - start).div_ceil(most).max(1);
        let part = (end - start).div_ceil(count).max(1);
        (start..end).step_by(part as usize).map(move |start| start..(start + part).min(end))
    };
    (0..graph.shards().count()).flat_map(of_shard).collect()
}

/// The components of all vertices, if they are wanted, and how many there are.
fn components(
    graph: &ShardedGraph,
    plan: &MemoryPlan,
    runs: &mut Runs,
    keep: bool,
) -> Result<(Option<Components>, u64), GraphError> {
    let parts = parts(graph, plan.part);
    let hub = hub(graph, &parts[0], runs)?;
    let mut search = Search::new(graph, &[hub]);
    while search.width > 0 && search.depth < LEVELS {
        search.go_on(runs, true)?;
    }
    let apart = search.unreached;
    let mut state = Parts {
        graph,
        hub,
        apart: Apart { sets: apart, shard_vertices: graph.shards().shard_vertices },
        pairs: Pairs::create(graph.temp_folder(), &parts, plan.pairs)?,
        range: 0..0,
        parents: leadline_files::huge_vec(plan.part as usize),
        part: plan.part,
        read_once: Vec::new(),
    };
    let mut file = if keep { Some(Components::create(graph, hub)?) } else { None };
    let mut count = 0;
    for (at, part) in parts.iter().enumerate().rev() {
        graph.check_stop()?;
        state.begin(part);
        state.join_pairs(at)?;
        state.join_lists(runs)?;
        count += state.end();
        if let Some(file) = &mut file {
            file.store(part, &state.parents)?;
        }
    }
    runs.spilled(state.pairs.moved());
    let Parts { parents, .. } = state;
    if let Some(file) = &mut file {
        file.resolve(graph, &parts, parents)?;
        runs.spilled(file.moved());
    }
    Ok((file, count))
}

/// A vertex of the first part that has many neighbours, if any has some.
fn hub(graph: &ShardedGraph, part: &Range<u64>, runs: &mut Runs) -> Result<u64, GraphError> {
    let Some(tile) = graph.tiles(Direction::Forward).first().filter(|tile| tile.from == 0) else {
        return Ok(0);
    };
    let directory = tile.graph.directory(Direction::Forward);
    let blocks: Vec<u32> = (0..directory.blocks().min(SAMPLE_BLOCKS)).collect();
    let visit = |most: &mut (usize, Vertex), block: &Block<'_>| {
        for vertex in block.vertices().filter(|vertex| u64::from(*vertex) < part.end) {
            // Of vertices with as many the lowest, whatever threads do.
            *most = (*most).max((block.degree(vertex), !vertex));
        }
    };
    let local = || (0, Vertex::MAX);
    let found = tile.sweep(runs, NAME, Which::Blocks(&blocks), local, visit, |_| 0)?;
    Ok(found.into_iter().max().map_or(0, |(_, vertex)| u64::from(!vertex)))
}

/// Vertices that are not known to hang together with the hub.
struct Apart {
    sets: Vec<Frontier>,
    shard_vertices: u64,
}

impl Apart {
    #[inline]
    fn place(&self, vertex: u64) -> (&Frontier, Vertex) {
        let (shard, vertex) = (vertex / self.shard_vertices, vertex % self.shard_vertices);
        (&self.sets[shard as usize], vertex as Vertex)
    }

    #[inline]
    fn contains(&self, vertex: u64) -> bool {
        let (set, vertex) = self.place(vertex);
        set.contains(vertex)
    }

    #[inline]
    fn remove(&self, vertex: u64) {
        let (set, vertex) = self.place(vertex);
        set.remove(vertex);
    }
}

/// The part in memory, and what is known of all vertices.
struct Parts<'g> {
    graph: &'g ShardedGraph,
    /// In the first part.
    hub: u64,
    apart: Apart,
    pairs: Pairs,
    range: Range<u64>,
    /// As in `forest`.
    parents: Vec<AtomicU64>,
    /// Most vertices of a part.
    part: u64,
    /// Shards with a tile whose edges were all taken up or left to lower parts of the second one.
    read_once: Vec<(usize, usize)>,
}

impl Parts<'_> {
    fn begin(&mut self, part: &Range<u64>) {
        self.range = part.clone();
        self.parents.resize_with((part.end - part.start) as usize, AtomicU64::default);
        let places = self.parents.par_iter().enumerate();
        places.for_each(|(place, parent)| parent.store(part.start + place as u64, Ordering::Relaxed));
    }

    /// Joins the pairs that were left to the part in memory.
    fn join_pairs(&mut self, part: usize) -> Result<(), GraphError> {
        let mut some = Vec::new();
        while self.pairs.take(part, &mut some)? {
            self.graph.check_stop()?;
            some.par_chunks(1 << 12).try_for_each(|pairs| {
                let mut left = Vec::new();
                pairs.iter().for_each(|(vertex, other)| self.connect(*vertex, *other, &mut left));
                self.pairs.put(&mut left)
            })?;
        }
        Ok(())
    }

    /// Takes down that a vertex of the part and a lower one hang together.
    #[inline]
    fn connect(&self, vertex: u64, other: u64, left: &mut Vec<(u64, u64)>) {
        match (self.apart.contains(vertex), self.apart.contains(other)) {
            (true, true) => self.join(vertex, other, left),
            (true, false) => self.apart.remove(vertex),
            (false, true) => self.apart.remove(other),
            (false, false) => {}
        }
    }

    /// Joins the tree of a vertex of the part with a lower vertex. Neither is known to hang together with the
    /// hub.
    #[inline]
    fn join(&self, vertex: u64, other: u64, left: &mut Vec<(u64, u64)>) {
        let start = self.range.start;
        let root = find(&self.parents, start, vertex);
        if other >= start {
            join(&self.parents, start, root, other, |root, exit| {
                self.attach(root, exit, left);
                root
            });
        } else {
            self.attach(root, other, left);
        }
    }

    /// Makes a vertex below the part the exit of a tree, unless it has a lower one.
    fn attach(&self, mut root: u64, other: u64, left: &mut Vec<(u64, u64)>) {
        let start = self.range.start;
        loop {
            let place = &self.parents[(root - start) as usize];
            let number = place.load(Ordering::Relaxed);
            if number == other {
                return;
            }
            if number >= start && number != root {
                // Another thread has joined it with a lower one.
                root = find(&self.parents, start, number);
                continue;
            }
            let exit = (number < start).then_some(number);
            let kept = exit.map_or(other, |exit| exit.min(other));
            if kept == number
                || place.compare_exchange(number, kept, Ordering::Relaxed, Ordering::Relaxed).is_ok()
            {
                if let Some(exit) = exit {
                    self.defer(exit.max(other), kept, left);
                }
                return;
            }
        }
    }

    /// Leaves it to the part of the higher that two vertices below this one hang together.
    fn defer(&self, high: u64, low: u64, left: &mut Vec<(u64, u64)>) {
        match (self.apart.contains(high), self.apart.contains(low)) {
            (true, true) => left.push((high, low)),
            (true, false) => self.apart.remove(high),
            (false, true) => self.apart.remove(low),
            (false, false) => {}
        }
    }

    /// Gives each vertex the number of its component, or the number of a lower vertex in the same component.
    /// Returns how many components have their lowest vertex in the part.
    fn end(&mut self) -> u64 {
        let (start, hub) = (self.range.start, self.hub);
        let hangs_together = |vertex: &u64| !self.apart.contains(*vertex);
        self.range.clone().into_par_iter().filter(hangs_together).for_each(|vertex| {
            let root = find(&self.parents, start, vertex);
            if hub >= start {
                join(&self.parents, start, root, hub, |root, _| root);
                return;
            }
            let exit = self.parents[(root - start) as usize].swap(hub, Ordering::Relaxed);
            if exit < start {
                self.apart.remove(exit);
            }
        });
        flatten(&self.parents, start);
        let numbers = self.parents.par_iter().enumerate();
        let is_lowest =
            |(place, number): &(usize, &AtomicU64)| number.load(Ordering::Relaxed) == start + *place as u64;
        numbers.filter(is_lowest).count() as u64
    }
}
