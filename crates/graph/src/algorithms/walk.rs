//! Random walks, very many at once: each round reads every block in which a walker stands once, for all that
//! are there (as GraphWalker does: Wang et al., USENIX ATC 2020).
//!
//! Node2vec's walks (Grover, Leskovec, KDD 2016) look back one vertex: a neighbour x is taken with a weight
//! of 1/p where it is the vertex before, 1 where an edge leads to it from there, 1/q else. They are drawn by
//! rejection, and the edge back, where it weighs more than all others, apart ([`law`]). Only where the draw
//! lies between 1 and 1/q must that edge be looked for; the walker then waits until the block with the list
//! of the vertex before is read, in the next round, with all others that ask there. It asks for several
//! neighbours at a time: the ones that it would draw one after the other.
//!
//! Where the lists fit in memory, and there are walks enough, they are decoded once and walked on there
//! ([`on_lists`]); the walks are the same.
//!
//! Chance is a function of seed, walker, step and try alone, so that the walks depend on nothing else.

mod batch;
mod candidates;
mod hubs;
mod lane;
mod law;
mod on_lists;
mod queues;
pub(super) mod random;
mod run;

use std::sync::Arc;

use crate::engine::{Cache, Csr, Passes};
use crate::{Engine, Graph, GraphError, RunStats};

use super::lists::{all_cached, spare};
use batch::Batch;
use hubs::Hubs;
use leadline_graph_store::format::{Direction, Scratch, Vertex};
use random::{Chance, Purpose, below};
pub(super) use run::DEFINITION;
pub use run::WalkRun;
use run::{NAME, WEIGHTED};

use crate::algorithm::Needs;

/// Where walks begin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Starts {
    /// That many at every vertex, in the order of the users' ids.
    EveryVertex(u64),
    /// That many in all, each at a vertex chosen by chance, all alike.
    Random(u64),
    /// One at each of these.
    From(Vec<Vertex>),
}

impl Starts {
    /// `walkers` from each of `sources`, one where no number is given; without sources as many in all from
    /// anywhere, or `per_vertex` from every vertex, one where neither number is given.
    pub fn of(sources: &[Vertex], walkers: Option<u64>, per_vertex: Option<u64>) -> Starts {
        match (sources, walkers) {
            ([], Some(walkers)) => Starts::Random(walkers),
            ([], None) => Starts::EveryVertex(per_vertex.unwrap_or(1)),
            (sources, walkers) => {
                let each = |source| std::iter::repeat_n(source, walkers.unwrap_or(1) as usize);
                Starts::From(sources.iter().copied().flat_map(each).collect())
            }
        }
    }
}

/// How walks are made.
#[derive(Debug, Clone, PartialEq)]
pub struct WalkOptions {
    /// How many and where from.
    pub starts: Starts,
    /// Edges that a walk follows; fewer where none leads on.
    pub length: u32,
    /// Node2vec's return parameter: above 1 walks turn back less often. Above 0, at most 1e6.
    pub p: f64,
    /// Node2vec's in-out parameter: above 1 walks stay near, below 1 they go far. As `p`.
    pub q: f64,
    /// Whether an edge is taken in proportion to its weight; all alike else.
    pub weighted: bool,
    /// What all chance comes from.
    pub seed: u64,
    /// Bytes that the sink takes, to be counted in the cap.
    pub sink_bytes: u64,
}

impl Default for WalkOptions {
    /// One walk of 80 edges from every vertex, p = q = 1: plain.
    fn default() -> Self {
        let starts = Starts::EveryVertex(1);
        WalkOptions { starts, length: 80, p: 1.0, q: 1.0, weighted: false, seed: 1, sink_bytes: 0 }
    }
}

impl WalkOptions {
    /// At most how many neighbours are drawn for a step, on average, where p is not above 1.
    fn tries(&self) -> f64 {
        if self.p == 1.0 && self.q == 1.0 { 1.0 } else { 1.0 + self.q.max(1.0 / self.q) }
    }

    /// Whether the walks make enough steps that to decode all lists for them takes less time than it saves.
    fn are_many(&self, graph: &Graph) -> bool {
        let steps = graph.walk_count(self) as f64 * f64::from(self.length) * self.tries();
        steps * ENTRIES_PER_STEP >= graph.header().edges as f64
    }
}

/// Whether node2vec's p or q may be this.
fn is_bias(given: f64) -> bool {
    given > 0.0 && given <= 1e6
}

/// What walking came to; the walks themselves went to the sink.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Walks {
    /// Walks.
    pub walks: u64,
    /// Edges followed.
    pub steps: u64,
    /// What it took.
    pub stats: RunStats,
}

/// How memory is shared out.
struct MemoryPlan {
    /// Walkers that are under way together.
    at_once: u64,
    /// Bytes of all.
    bytes: u64,
    /// Which lists are decoded first.
    lists: Lists,
}

/// Which lists are decoded for walks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Lists {
    /// None: they take too much memory, or more time than they save.
    Blocks,
    /// All, next to all blocks, for the runs after this one too.
    Kept,
    /// All, in the memory of the run, which has no room for the blocks too.
    OfRun,
}

impl MemoryPlan {
    /// Under a cap of `memory` bytes.
    fn new(graph: &Graph, memory: u64, options: &WalkOptions) -> MemoryPlan {
        let starts = match &options.starts {
            Starts::From(starts) => starts.len() as u64 * 4,
            _ => 0,
        };
        let threads = graph.options().threads as u64;
        let directory = graph.directory(Direction::Forward);
        let scratch = 2 * Scratch::most_bytes(graph.header().block_bytes) * threads;
        let fixed = Hubs::bytes(directory)
            + Batch::fixed_bytes(directory, threads)
            + options.sink_bytes
            + starts
            + scratch;
        let walks = graph.walk_count(options);
        let spare = spare(graph, memory, fixed);
        let cached = all_cached(graph, Direction::Forward);
        let (room, lists) = MemoryPlan::rooms(graph, options, spare, cached);
        let most = (room / Batch::bytes(1, options.length)).max(LEAST_WALKERS).min(u64::from(u32::MAX));
        // Batches of one size.
        let at_once = walks.div_ceil(walks.div_ceil(most).max(1));
        let decoded = if lists == Lists::OfRun { lists_bytes(graph, options).unwrap_or(0) } else { 0 };
        MemoryPlan { at_once, bytes: fixed + decoded + Batch::bytes(at_once, options.length), lists }
    }

    /// Bytes for walkers, and which lists are decoded, where `spare` are left and all blocks take `cached`.
    fn rooms(graph: &Graph, options: &WalkOptions, spare: u64, cached: u64) -> (u64, Lists) {
        let blocks = |room| (room, Lists::Blocks);
        if let Some(lists) = lists_bytes(graph, options).filter(|_| options.are_many(graph)) {
            // On lists it costs little to have few walkers at a time.
            let least = (spare / 16).max(Batch::bytes(LEAST_WALKERS, options.length));
            // They are kept next to the blocks of both directions.
            let reverse = graph.all_blocks() - graph.directory(Direction::Forward).blocks();
            let all = cached + u64::from(reverse) * Cache::bytes_per_frame(graph.header().block_bytes);
            match spare.checked_sub(lists) {
                Some(room) if room >= all.saturating_add(least) => return (room - all, Lists::Kept),
                Some(room) if room >= least => return (room, Lists::OfRun),
                _ => {}
            }
        }
        // Where all blocks fit, none is read twice. Where they do not, each sweep reads most of them, and the
        // fewer sweeps the more walkers share one.
        match spare.checked_sub(cached) {
            Some(room) if room >= spare / 8 => blocks(room),
            _ => blocks(spare / 4 * 3),
        }
    }
}

/// Bytes of lists that are walked on in memory, and of what goes with them; none where walks go by what only
/// blocks have.
fn lists_bytes(graph: &Graph, options: &WalkOptions) -> Option<u64> {
    let heaviest = graph.vertices() * 4;
    Csr::bytes_for(graph.header()).filter(|_| !options.weighted).map(|bytes| bytes + heaviest)
}

/// No fewer walkers at a time, however small the cap: too few share a read.
const LEAST_WALKERS: u64 = 1 << 10;

/// To decode all lists pays from one step for that many of their entries on.
const ENTRIES_PER_STEP: f64 = 8.0;

impl Graph {
    /// Random walks. `sink` is given each walk, the number of its walker and its vertices, in the order of
    /// walkers.
    ///
    /// A weight that is not above zero is one that is never taken. Where weights are not whole numbers, the
    /// weights of a list of several blocks are added block by block, so that another size of blocks may round
    /// otherwise.
    ///
    /// # Errors
    /// [`GraphError::WalkBias`]; [`GraphError::NeedsWeights`]; [`GraphError::Memory`] below the sink's bytes
    /// and the bytes of 1024 walkers, 4 bytes per vertex of their walks and 60 each; what the sink, the
    /// device or a damaged store gives.
    ///
    /// # Panics
    /// Where a start is not a vertex of the graph.
    pub fn walks(
        &self,
        options: &WalkOptions,
        mut sink: impl FnMut(u64, &[Vertex]) -> Result<(), GraphError> + Send,
    ) -> Result<Walks, GraphError> {
        for (parameter, given) in [("p", options.p), ("q", options.q)] {
            if !is_bias(given) {
                return Err(GraphError::WalkBias { parameter, given });
            }
        }
        Needs::weights(options.weighted).check(self, WEIGHTED)?;
        let walks = self.walk_count(options);
        let MemoryPlan { at_once, bytes, lists } = MemoryPlan::new(self, self.options().memory, options);
        let (steps, stats) = Engine::run(self, NAME, bytes, |engine| {
            let lists = match lists {
                _ if options.weighted => None,
                Lists::OfRun => Some(Arc::new(engine.decode(Direction::Forward)?)),
                Lists::Kept => engine.csr(Direction::Forward, Passes::Several, self.vertices() * 4)?,
                Lists::Blocks => engine.csr(Direction::Forward, Passes::Part, self.vertices() * 4)?,
            };
            if let Some(lists) = lists {
                return on_lists::walk(engine, &lists, options, at_once, sink);
            }
            let hubs = Hubs::find(engine, options.weighted)?;
            let mut steps = 0;
            let mut first = 0;
            while first < walks {
                let count = at_once.min(walks - first);
                let starts = self.starts(options, first, count)?;
                let batch = Batch::new(self, options, &hubs, first, starts);
                batch.walk(engine)?;
                steps += batch.give(&mut sink)?;
                first += count;
            }
            Ok(steps)
        })?;
        Ok(Walks { walks, steps, stats })
    }

    /// Walks that these options ask for.
    pub(crate) fn walk_count(&self, options: &WalkOptions) -> u64 {
        match &options.starts {
            Starts::EveryVertex(each) => self.vertices().saturating_mul(*each),
            Starts::Random(_) if self.vertices() == 0 => 0,
            Starts::Random(walks) => *walks,
            Starts::From(starts) => starts.len() as u64,
        }
    }

    /// Where walkers `first` and on begin.
    fn starts(&self, options: &WalkOptions, first: u64, count: u64) -> Result<Vec<Vertex>, GraphError> {
        let mut ids = self.ids();
        let mut start = |walker: u64| match &options.starts {
            Starts::EveryVertex(each) => ids.vertex(walker / each),
            Starts::Random(_) => {
                let number = Chance::of(options.seed, walker).attempt(0, 0).number(Purpose::Start);
                ids.vertex(below(number, self.vertices()))
            }
            Starts::From(starts) => {
                let start = starts[walker as usize];
                assert!(u64::from(start) < self.vertices(), "walk from {start}: no vertex of the graph");
                Ok(start)
            }
        };
        (first..first + count).map(&mut start).collect()
    }
}
