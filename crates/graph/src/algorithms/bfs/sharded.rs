//! Breadth-first search on a sharded store: level by level over its tiles, with a bit for each vertex in
//! three sets. Levels are kept only where they are wanted, in a file.

use leadline_graph_store::format::{Block, Direction, Vertex};

use super::NAME;
use crate::sharded::{LevelFile, Runs, ShardedGraph};
use crate::{Frontier, GraphError, RunStats, Which};

/// Vertices that are not reached yet are asked for the frontier once it has this share of them: 1 in this
/// many. Each of them reads its list only up to the first hit.
const PULL_FROM: u64 = 8;

/// What a breadth-first search on a sharded store found.
#[derive(Debug)]
pub struct ShardedBfs {
    /// By vertex, if they are wanted.
    pub(crate) levels: Option<LevelFile>,
    /// Vertices reached, sources included.
    pub reached: u64,
    /// The largest level.
    pub depth: u32,
    /// What it took.
    pub stats: RunStats,
}

impl ShardedGraph {
    /// Breadth-first search from one source or several, which are ranks of ids ([`ShardedGraph::vertex`]).
    /// With `keep_levels` they go to a temporary file while they are found.
    ///
    /// # Errors
    /// [`GraphError::Memory`] below about 0.4 bytes per vertex and what the tiles take; what the device, the
    /// temporary file or a damaged store gives.
    ///
    /// # Panics
    /// Where a source is not a vertex of the graph.
    pub fn bfs(&mut self, sources: &[u64], keep_levels: bool) -> Result<ShardedBfs, GraphError> {
        let file = if keep_levels { LevelFile::bytes(self) } else { 0 };
        let mut runs = self.begin(NAME, 3 * self.set_bytes() + file)?;
        let mut levels = if keep_levels { Some(LevelFile::create(self)?) } else { None };
        let mut search = Search::new(self, sources);
        search.keep(levels.as_mut())?;
        while search.width > 0 {
            search.go_on(&mut runs, false)?;
            search.keep(levels.as_mut())?;
        }
        let Search { reached, depth, .. } = search;
        if let Some(levels) = &mut levels {
            levels.finish()?;
            runs.spilled(levels.moved());
        }
        Ok(ShardedBfs { levels, reached, depth, stats: runs.end(self) })
    }
}

/// A search that goes on level by level.
pub(crate) struct Search<'g> {
    graph: &'g ShardedGraph,
    /// By shard.
    pub(crate) unreached: Vec<Frontier>,
    frontier: Vec<Frontier>,
    next: Vec<Frontier>,
    /// Vertices of the frontier.
    pub(crate) width: u64,
    reached: u64,
    pub(crate) depth: u32,
}

/// What a thread counts in a sweep.
#[derive(Default)]
struct SweepCounts {
    vertices: u64,
    edges: u64,
}

impl<'g> Search<'g> {
    pub(crate) fn new(graph: &'g ShardedGraph, sources: &[u64]) -> Search<'g> {
        let (mut unreached, frontier, next) = (graph.sets(), graph.sets(), graph.sets());
        unreached.iter_mut().for_each(Frontier::fill);
        let mut search = Search { graph, unreached, frontier, next, width: 0, reached: 0, depth: 0 };
        for source in sources {
            assert!(*source < graph.shards().vertices, "a source is a vertex");
            let (shard, vertex) = graph.place(*source);
            search.width += u64::from(search.reach(shard, vertex));
        }
        search.reached = search.width;
        search.turn();
        search
    }

    /// Goes to the next level; of a directed graph, if it is `weak`, along edges of either direction as far
    /// as their lists are there.
    pub(crate) fn go_on(&mut self, runs: &mut Runs, weak: bool) -> Result<(), GraphError> {
        let shards = self.graph.shards();
        let unreached = shards.vertices - self.reached;
        let pulls = shards.has_reverse() && self.width >= unreached.div_ceil(PULL_FROM) && unreached > 0;
        let mut found = match pulls {
            true => self.pull(runs, Direction::Reverse)?,
            false => self.push(runs, Direction::Forward)?,
        };
        if weak && shards.reverse {
            found += match pulls {
                true => self.pull(runs, Direction::Forward)?,
                false => self.push(runs, Direction::Reverse)?,
            };
        }
        self.reached += found;
        self.width = found;
        self.depth += u32::from(found > 0);
        self.turn();
        self.graph.check_stop()
    }

    /// Takes down the level that was reached last.
    fn keep(&self, levels: Option<&mut LevelFile>) -> Result<(), GraphError> {
        let Some(levels) = levels else { return Ok(()) };
        let of_shards = self.frontier.iter().enumerate();
        of_shards.into_iter().try_for_each(|(shard, found)| levels.add(self.depth, shard, found))
    }

    /// What was next is the frontier.
    fn turn(&mut self) {
        self.frontier.iter_mut().for_each(Frontier::clear);
        std::mem::swap(&mut self.frontier, &mut self.next);
    }

    /// Puts a vertex into the next frontier, if it was not reached before.
    #[inline]
    fn reach(&self, shard: usize, vertex: Vertex) -> bool {
        let first = self.unreached[shard].contains(vertex) && self.next[shard].insert(vertex);
        if first {
            self.unreached[shard].remove(vertex);
        }
        first
    }

    /// Reads the lists of the frontier; their ends are on the next level.
    fn push(&self, runs: &mut Runs, direction: Direction) -> Result<u64, GraphError> {
        let mut reached = 0;
        for tile in self.graph.tiles(direction) {
            let frontier = &self.frontier[tile.from];
            if frontier.is_empty() {
                continue;
            }
            let visit = |found: &mut SweepCounts, block: &Block<'_>| {
                for vertex in frontier.iter(block.vertices()) {
                    found.edges += block.scan(vertex, |neighbour| {
                        found.vertices += u64::from(self.reach(tile.to, neighbour));
                        true
                    }) as u64;
                }
            };
            let which = Which::Holding(frontier);
            let found = tile.sweep(runs, NAME, which, SweepCounts::default, visit, |found| found.edges)?;
            reached += found.iter().map(|found| found.vertices).sum::<u64>();
        }
        Ok(reached)
    }

    /// Reads the lists of what is not yet reached, until one finds a neighbour in the frontier.
    fn pull(&self, runs: &mut Runs, direction: Direction) -> Result<u64, GraphError> {
        let mut reached = 0;
        for tile in self.graph.tiles(direction) {
            let (unreached, frontier) = (&self.unreached[tile.from], &self.frontier[tile.to]);
            if unreached.is_empty() || frontier.is_empty() {
                continue;
            }
            let visit = |found: &mut SweepCounts, block: &Block<'_>| {
                for vertex in unreached.iter(block.vertices()) {
                    let mut hit = false;
                    found.edges += block.scan(vertex, |neighbour| {
                        hit = frontier.contains(neighbour);
                        !hit
                    }) as u64;
                    found.vertices += u64::from(hit && self.reach(tile.from, vertex));
                }
            };
            let which = Which::Holding(unreached);
            let found = tile.sweep(runs, NAME, which, SweepCounts::default, visit, |found| found.edges)?;
            reached += found.iter().map(|found| found.vertices).sum::<u64>();
        }
        Ok(reached)
    }
}
