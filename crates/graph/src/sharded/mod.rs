//! A sharded store, open: a graph of more vertices than 32 bits count, as a [`Graph`] for each tile.
//!
//! An algorithm goes from tile to tile, each with the engine's own sweep. What it keeps for the vertices is
//! divided by shards, so that within a tile a vertex has 32 bits as in any store.

mod levels;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use leadline_graph_store::format::{Block, Direction, Vertex};
use leadline_graph_store::tiles::{ShardedIds, Shards};
use leadline_graph_store::updates::Snapshot;

use crate::engine::{EnginePlan, Meter};
use crate::{Engine, Frontier, Graph, GraphError, Options, RunStats, Which};

pub use leadline_graph_store::tiles::{is_sharded, not_on_shards};
pub(crate) use levels::{CHUNK, LevelFile, UNREACHED};

/// A sharded store, ready to run algorithms on.
#[derive(Debug)]
pub struct ShardedGraph {
    folder: PathBuf,
    shards: Shards,
    options: Options,
    forward: Vec<Tile>,
    /// Empty where the graph is undirected, or has no lists of incoming edges.
    reverse: Vec<Tile>,
    meter: Arc<Meter>,
}

/// Lists of the vertices of one shard, with their neighbours of another.
#[derive(Debug)]
pub(crate) struct Tile {
    /// The shard whose vertices have the lists.
    pub(crate) from: usize,
    /// The shard of their neighbours.
    pub(crate) to: usize,
    pub(crate) graph: Graph,
}

/// What all runs of the engine together did.
#[derive(Debug)]
pub(crate) struct Runs {
    started: Instant,
    stats: RunStats,
    /// By the name of a tile: what was in memory of it at most.
    tiles: BTreeMap<String, u64>,
}

impl ShardedGraph {
    /// Opens a sharded store.
    ///
    /// # Errors
    /// [`GraphError`]: no store, damaged, unreadable.
    pub fn open(folder: impl AsRef<Path>, options: Options) -> Result<ShardedGraph, GraphError> {
        let folder = folder.as_ref().to_owned();
        let shards = Shards::read(&folder)?;
        let mut meter: Option<Arc<Meter>> = None;
        let mut open = |direction: Direction| {
            let open_one = |tile| {
                let path = shards.tile_path(&folder, direction, tile);
                let snapshot = Snapshot::of_tile(&path, &shards, tile)?;
                let mut graph = Graph::open_snapshot(snapshot, path.display().to_string(), options.clone())?;
                match &meter {
                    Some(meter) => graph.show_on(meter),
                    None => meter = Some(Arc::clone(graph.meter())),
                }
                Ok(Tile { from: tile.from as usize, to: tile.to as usize, graph })
            };
            shards.tiles(direction).iter().map(open_one).collect::<Result<Vec<Tile>, GraphError>>()
        };
        let forward = open(Direction::Forward)?;
        let reverse = if shards.reverse { open(Direction::Reverse)? } else { Vec::new() };
        let meter = meter.unwrap_or_default();
        Ok(ShardedGraph { folder, shards, options, forward, reverse, meter })
    }

    /// What the store says of itself.
    pub fn shards(&self) -> &Shards {
        &self.shards
    }

    /// The store's path, as it was given.
    pub fn name(&self) -> String {
        self.folder.display().to_string()
    }

    /// How it is worked on.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// The same graph, worked on otherwise.
    pub fn set_options(&mut self, options: Options) {
        self.options = options;
    }

    /// How far the run on it is, for other threads to look at meanwhile.
    pub fn meter(&self) -> &Arc<Meter> {
        &self.meter
    }

    /// What had to be done without, in plain words, each once; to be shown.
    pub fn notes(&self) -> Vec<String> {
        let mut notes: Vec<String> = self.forward.iter().flat_map(|tile| tile.graph.notes()).collect();
        notes.sort();
        notes.dedup();
        notes
    }

    /// The users' ids.
    ///
    /// # Errors
    /// [`GraphError::Damaged`], [`GraphError::Read`].
    pub fn ids(&self) -> Result<ShardedIds, GraphError> {
        ShardedIds::open(&self.folder, &self.shards)
    }

    /// The vertex of an id.
    ///
    /// # Errors
    /// [`GraphError::NoVertex`] where there is none; [`GraphError::Damaged`].
    pub fn vertex(&self, id: &str) -> Result<u64, GraphError> {
        let mut ids = self.ids()?;
        let found = id.parse().ok().map(|id| ids.rank(id)).transpose()?.flatten();
        match found {
            Some(vertex) => Ok(vertex),
            None => {
                let ends = [0, self.shards.vertices - 1].map(|rank| ids.id(rank));
                let known = match ends {
                    [Ok(first), Ok(last)] => format!("its ids go from {first} to {last}"),
                    _ => format!("it has {}", self.shards.vertices),
                };
                Err(GraphError::NoVertex { name: self.name(), id: id.into(), known })
            }
        }
    }

    /// Where temporary files are made.
    pub(crate) fn temp_folder(&self) -> &Path {
        self.options.temp.as_deref().unwrap_or(leadline_files::folder_of(&self.folder))
    }

    /// Shards.
    pub(crate) fn count(&self) -> usize {
        self.shards.count() as usize
    }

    /// The shard of a vertex, and the vertex in it.
    #[inline]
    pub(crate) fn place(&self, vertex: u64) -> (usize, Vertex) {
        let each = self.shards.shard_vertices;
        ((vertex / each) as usize, (vertex % each) as Vertex)
    }

    /// A set of vertices for each shard.
    pub(crate) fn sets(&self) -> Vec<Frontier> {
        (0..self.count()).map(|_| Frontier::new(self.shards.shard_vertices)).collect()
    }

    /// Bytes of [`ShardedGraph::sets`].
    pub(crate) fn set_bytes(&self) -> u64 {
        self.shards.count() * Frontier::bytes(self.shards.shard_vertices)
    }

    /// The tiles of lists of a direction, which must be there.
    pub(crate) fn tiles(&self, direction: Direction) -> &[Tile] {
        match direction {
            Direction::Reverse if self.shards.directed => &self.reverse,
            _ => &self.forward,
        }
    }

    /// The least memory with which tiles are read, in addition to `state` bytes.
    pub(crate) fn least_memory(&self, state: u64) -> u64 {
        self.all_tiles().map(|tile| self.least_of(tile)).sum::<u64>() + state
    }

    fn least_of(&self, tile: &Tile) -> u64 {
        EnginePlan::least_memory(tile.graph.header(), &self.options, tile.graph.all_blocks(), 0)
            .next_multiple_of(1 << 10)
    }

    fn all_tiles(&self) -> impl Iterator<Item = &Tile> {
        self.forward.iter().chain(&self.reverse)
    }

    /// Divides the memory that `state` bytes leave among the tiles, by their blocks. `what` names the
    /// algorithm in errors.
    pub(crate) fn begin(&mut self, what: &str, state: u64) -> Result<Runs, GraphError> {
        let (given, needed) = (self.options.memory, self.least_memory(state).next_multiple_of(1 << 10));
        if given < needed {
            return Err(GraphError::Memory { what: what.into(), given, needed });
        }
        let blocks: u64 = self.all_tiles().map(|tile| u64::from(tile.graph.all_blocks())).sum();
        let rest = u128::from(given - needed);
        let shares: Vec<u64> = self
            .all_tiles()
            .map(|tile| {
                let share = rest * u128::from(tile.graph.all_blocks()) / u128::from(blocks.max(1));
                self.least_of(tile) + share as u64
            })
            .collect();
        for (tile, memory) in self.forward.iter_mut().chain(&mut self.reverse).zip(shares) {
            // What runs before cached may be more than that.
            tile.graph.make_room(u64::MAX);
            tile.graph.set_options(Options { memory, ..self.options.clone() });
        }
        let stats = RunStats { memory_bytes: state, ..RunStats::default() };
        Ok(Runs { started: Instant::now(), stats, tiles: BTreeMap::new() })
    }

    /// An error once somebody asked to stop.
    pub(crate) fn check_stop(&self) -> Result<(), GraphError> {
        match &self.options.stop {
            Some(stop) if stop.load(Ordering::Relaxed) => Err(GraphError::Interrupted),
            _ => Ok(()),
        }
    }
}

impl Tile {
    /// Visits the lists of a tile in all blocks of `which`, as [`Engine::sweep`]. `edges` says how many
    /// entries a local has looked at.
    pub(crate) fn sweep<L: Send>(
        &self,
        runs: &mut Runs,
        what: &str,
        which: Which<'_>,
        local: impl Fn() -> L + Sync + Send,
        visit: impl Fn(&mut L, &Block<'_>) + Sync + Send,
        edges: impl Fn(&L) -> u64 + Send,
    ) -> Result<Vec<L>, GraphError> {
        let (locals, stats) = Engine::run(&self.graph, what, 0, |engine| {
            let locals = engine.sweep(Direction::Forward, which, local, visit)?;
            engine.add_scanned_edges(locals.iter().map(edges).sum());
            Ok(locals)
        })?;
        runs.add(self.graph.name(), &stats);
        Ok(locals)
    }
}

impl Runs {
    fn add(&mut self, tile: &str, run: &RunStats) {
        let bytes = self.tiles.entry(tile.to_owned()).or_default();
        *bytes = run.memory_bytes.max(*bytes);
        let all = &mut self.stats;
        all.sweeps += run.sweeps;
        all.edges += run.edges;
        all.bytes_read += run.bytes_read;
        all.requests += run.requests;
        all.cache_hits += run.cache_hits;
        all.cache_misses += run.cache_misses;
        // Of each second first, of all in the end.
        all.mean_depth += run.mean_depth * run.seconds;
        all.waiting += run.waiting * run.seconds;
        all.depth = all.depth.max(run.depth);
        all.threads = all.threads.max(run.threads);
    }

    /// Adds to the bytes of vertex state that a temporary file was written and read.
    pub(crate) fn spilled(&mut self, bytes: u64) {
        self.stats.spilled_bytes += bytes;
    }

    /// What they did until now.
    pub(crate) fn end(self, graph: &ShardedGraph) -> RunStats {
        let seconds = self.started.elapsed().as_secs_f64();
        RunStats {
            seconds,
            edges_per_second: self.stats.edges as f64 / seconds,
            mean_depth: self.stats.mean_depth / seconds,
            waiting: self.stats.waiting / seconds,
            memory_bytes: self.stats.memory_bytes + self.tiles.values().sum::<u64>(),
            memory_cap_bytes: graph.options.memory,
            ..self.stats
        }
    }
}
