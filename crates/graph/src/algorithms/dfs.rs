//! Depth-first search.
//!
//! Where all blocks fit in memory it goes one vertex at a time, strictly depth-first ([`strict`]). Where they
//! do not, that would mean one read at a time, and the same blocks over and over: it is then unordered, deep
//! before wide, but on several ways at once ([`wide`]; Acar, Charguéraud, Rainey, "A Work-Efficient Algorithm
//! for Parallel Unordered Depth-First Search", SC 2015).

mod forest;
mod strict;
mod visit;
mod wide;

use crate::algorithm::{Algorithm, AlgorithmOption, Definition, Job, OptionKind, Ran, TableShape};
use crate::engine::Cache;
use crate::estimate::{Blocks, Cost, Size};
use crate::output::{grouped, outcome, vertex_table};
use crate::{Engine, Graph, GraphError, RunStats};

use super::lists::spare;
use forest::{Forest, Parts};
use leadline_graph_store::format::Vertex;
use visit::Log;

/// Most passes where not all blocks fit: somewhat more than graphs of random edges and grids took with hardly
/// any cache (tests/estimate.rs: 2.9).
const MOST_PASSES: u64 = 4;

/// From benches/RESULTS.md, "The other algorithms": a whole run on rmat20 with all blocks cached, the first
/// read included; one thread.
const COST: Cost = Cost { vertex: 0.0, entry: 28.0 };

/// Where there is memory, the stack has room for that many more vertices for each of the graph.
const MORE_STACK: u64 = 4;

/// What a depth-first search found.
#[derive(Debug, Clone, PartialEq)]
pub struct Dfs {
    /// By vertex: the one that it was found from; [`NO_VERTEX`](crate::format::NO_VERTEX) for roots and for
    /// what was not reached.
    pub parents: Vec<Vertex>,
    /// By vertex: the source that its tree grew from; [`NO_VERTEX`](crate::format::NO_VERTEX) where it was
    /// not reached.
    pub roots: Vec<Vertex>,
    /// By vertex: how many were visited before it; [`NO_VERTEX`](crate::format::NO_VERTEX) where it was not
    /// reached.
    pub order: Vec<u32>,
    /// Vertices reached.
    pub reached: u64,
    /// What it took.
    pub stats: RunStats,
}

vertex_table!(
    Dfs { parents: "parent" Vertices, roots: "root" Vertices, order: "order" Integers },
    spills: false
);

outcome!(
    Dfs,
    found: { "reached": found.reached, "trees": found.trees() },
    format!("reached {} vertices, in {} trees", grouped(found.reached), grouped(found.trees()))
);

impl Dfs {
    /// How many trees there are: sources that were not reached from one before.
    pub fn trees(&self) -> u64 {
        self.roots.iter().zip(0..).filter(|(root, vertex)| **root == *vertex).count() as u64
    }
}

pub(super) static DEFINITION: Definition = Definition {
    name: "dfs",
    about: "Depth-first search: a forest of everything the sources reach",
    examples: "\
Examples:
  leadline graph dfs web.store --source 0 -o forest.csv
  # In strict order, from every vertex
  leadline graph dfs web.store --threads 1 --concurrency 1

The order is strict if the graph fits in memory, and else unordered.",
    options: &[AlgorithmOption::new(
        "source",
        "ID",
        OptionKind::Ids,
        "Start at the vertex with this id; may be given several times [default: every vertex, in order]",
    )],
    one_of: &[],
    make: |call| Ok(Box::new(DfsRun { sources: call.vertices(&call.ids("source"))? })),
};

/// [`Graph::dfs`].
#[derive(Debug, Clone, Default)]
pub struct DfsRun {
    /// Where it begins; at every vertex where there are none.
    pub sources: Vec<Vertex>,
}

impl Algorithm for DfsRun {
    fn name(&self) -> &'static str {
        "depth-first search"
    }

    fn table(&self) -> Option<TableShape> {
        Some(TableShape::of::<Dfs>())
    }

    fn state_bytes(&self, graph: &Graph, memory: u64) -> u64 {
        MemoryPlan::new(graph, memory).bytes
    }

    fn reads(&self, blocks: &Blocks<'_>) -> [u64; 2] {
        [blocks.forward, blocks.again(blocks.forward, MOST_PASSES)]
    }

    /// One vertex at a time where all is cached, however many threads there are.
    fn computing(&self, size: &Size) -> Option<[f64; 2]> {
        let pass = size.pass(COST, size.forward);
        Some([pass, pass * size.threads])
    }

    fn run(&self, graph: &Graph, job: &Job) -> Result<Ran, GraphError> {
        job.table(graph, None, || graph.dfs(&self.sources))
    }
}

impl Graph {
    /// Depth-first search from these sources, or from every vertex in the order of the users' ids where there
    /// are none.
    ///
    /// What holds of the forest, however many threads and reads there are: every vertex that the sources lead
    /// to is in it once; an edge leads from every parent to its child; a parent comes before its child in the
    /// order; roots are sources.
    ///
    /// Where all blocks fit in the cache, or with one thread and a depth of one, it is the forest of a
    /// depth-first search which takes the sources and each list in their order: an edge that leads from a
    /// vertex to a later one leads to a descendant. Else it need not be, and with other options another
    /// forest may be found. The same store and options give the same one again.
    ///
    /// # Errors
    /// [`GraphError::Memory`] below about 15 bytes per vertex; what the device or a damaged store gives.
    ///
    /// # Panics
    /// Where a source is not a vertex of the graph; see [`Graph::vertex`].
    pub fn dfs(&self, sources: &[Vertex]) -> Result<Dfs, GraphError> {
        let options = self.options();
        let MemoryPlan { stack, at_once, bytes } = MemoryPlan::new(self, options.memory);
        let (parts, stats) = Engine::run(self, DfsRun::default().name(), bytes, |engine| {
            let mut forest = Forest::new(self.vertices(), stack);
            let mut ids = self.ids();
            let all = if sources.is_empty() { self.vertices() } else { sources.len() as u64 };
            let sources = (0..all).map(|i| match sources.get(i as usize) {
                Some(source) => Ok(*source),
                None => ids.vertex(i),
            });
            match engine.holds_all() || (options.threads <= 1 && options.depth <= 1) {
                true => strict::search(engine, &mut forest, sources)?,
                false => wide::search(engine, &mut forest, sources, at_once as usize)?,
            }
            Ok(forest.into_parts())
        })?;
        let Parts { parents, roots, order, reached } = parts;
        Ok(Dfs { parents, roots, order, reached: u64::from(reached), stats })
    }
}

/// How memory is shared out.
struct MemoryPlan {
    /// Vertices on the stack.
    stack: u64,
    /// Blocks that are visited at once.
    at_once: u64,
    /// Bytes of all.
    bytes: u64,
}

impl MemoryPlan {
    /// Under a cap of `memory` bytes.
    fn new(graph: &Graph, memory: u64) -> MemoryPlan {
        let (vertices, options) = (graph.vertices(), graph.options());
        let least = Forest::least_stack(vertices);
        let (blocks, block_bytes) = (u64::from(graph.all_blocks()), u64::from(graph.header().block_bytes));
        let threads = options.threads.max(1) as u64 * Log::BYTES_PER_BYTE_PER_THREAD * block_bytes;
        // A hub may have all blocks, which are then listed twice; lists grow by doubling.
        let state = Forest::bytes(vertices, least) + threads + blocks * 16;
        let most = spare(graph, memory, state) / 8 / (Log::BYTES_PER_BYTE * block_bytes);
        let at_once = u64::from(options.depth).min(most).max(1);
        let state = state + at_once * Log::BYTES_PER_BYTE * block_bytes;
        // Of what is left even when all blocks are in memory, half may go to a larger stack.
        let frames = blocks * Cache::bytes_per_frame(graph.header().block_bytes);
        let more = (spare(graph, memory, state + frames) / 2 / 4).min(MORE_STACK * vertices);
        MemoryPlan { stack: least + more, at_once, bytes: state + 4 * more }
    }
}
