//! The k-cores: for each vertex the largest k such that it is in a subgraph whose vertices all have k
//! neighbours there.
//!
//! By peeling (Seidman, "Network structure and minimum degree", Social Networks 5, 1983; in rounds as in
//! Dhulipala, Blelloch, Shun, "Julienne", SPAA 2017): vertices that have at most k neighbours left are taken
//! away, and lower their neighbours' count, before any that has more. Every list is decoded once. (The other
//! way, h-indices of the neighbours' values until none changes, needs no order, but decodes every list dozens
//! of times.) A vertex that falls within a block that is in memory is taken away at once.

use std::sync::atomic::{AtomicU32, Ordering};

use leadline_graph_store::format::{Direction, Vertex};
use rayon::prelude::*;

use super::lists::{distinct, ends_bytes, merged};
use super::{numbers, plain};
use crate::algorithm::{Algorithm, Definition, Job, Needs, Ran, TableShape};
use crate::estimate::{Blocks, Cost, Passes, Size};
use crate::output::{outcome, vertex_table};
use crate::{Engine, Frontier, Graph, GraphError, RunStats, Which};

/// Most passes where not all blocks fit: somewhat more than graphs of random edges and grids took with hardly
/// any cache (tests/estimate.rs: 14.6). Grids whose ids are at random take more.
const MOST_PASSES: u64 = 16;

/// From benches/RESULTS.md, "The other algorithms": whole runs on rmat20 with all blocks cached, the first
/// read included; two threads.
const COST: Cost = Cost { vertex: 0.0, entry: 27.0 };

/// Vertices that a thread looks through at a time for those that come next.
const CHUNK: u32 = 1 << 16;

/// The core numbers of a graph.
#[derive(Debug, Clone, PartialEq)]
pub struct KCore {
    /// By vertex: its core number.
    pub cores: Vec<u32>,
    /// The largest.
    pub max: u32,
    /// What it took.
    pub stats: RunStats,
}

vertex_table!(KCore { cores: "core" Integers }, spills: false);

outcome!(
    KCore,
    found: { "max_core": found.max, "max_core_vertices": found.innermost() },
    format!("the innermost is the {}-core, of {} vertices", found.max, found.innermost())
);

impl KCore {
    /// How many vertices are in the innermost core.
    pub fn innermost(&self) -> u64 {
        self.cores.iter().filter(|core| **core == self.max).count() as u64
    }
}

pub(super) static DEFINITION: Definition = Definition {
    name: "kcore",
    about: "Core numbers: the largest k-core that each vertex is in",
    examples: "\
Examples:
  leadline graph kcore web.store -o cores.csv

In a k-core, every vertex has at least k neighbours that are also in it.",
    options: &[],
    one_of: &[],
    make: |_| Ok(Box::new(KCoreRun)),
};

/// [`Graph::kcore`].
#[derive(Debug, Clone, Copy)]
pub struct KCoreRun;

impl Algorithm for KCoreRun {
    fn name(&self) -> &'static str {
        "cores"
    }

    fn what(&self) -> &'static str {
        "k-core"
    }

    fn needs(&self) -> Needs {
        Needs::REVERSE
    }

    fn table(&self) -> Option<TableShape> {
        Some(TableShape::of::<KCore>())
    }

    fn state_bytes(&self, graph: &Graph, _: u64) -> u64 {
        let vertices = graph.vertices();
        let ends = ends_bytes(graph);
        // The vertices of a block: an entry takes 2 bytes, and the list grows by doubling.
        let local = graph.options().threads.max(1) as u64 * u64::from(graph.header().block_bytes) * 4;
        vertices * 4 + 3 * Frontier::bytes(vertices) + ends + local
    }

    /// A pass for degrees, and one at least to take all vertices away.
    fn reads(&self, blocks: &Blocks<'_>) -> [u64; 2] {
        let mut passes = blocks.passes();
        passes.repeat(2, Passes::pass_all);
        [passes.read, blocks.again(blocks.all(), MOST_PASSES).max(passes.read)]
    }

    fn computing(&self, size: &Size) -> Option<[f64; 2]> {
        Some([size.pass(COST, size.both); 2])
    }

    fn run(&self, graph: &Graph, job: &Job) -> Result<Ran, GraphError> {
        job.table(graph, None, || graph.kcore())
    }
}

impl Graph {
    /// Core numbers. Self-loops and repetitions of an edge do not count; in a directed graph the degree is
    /// the number of incoming and outgoing edges together, and an edge there and one back are two.
    ///
    /// # Errors
    /// [`GraphError::NeedsReverse`] where the graph is directed and its incoming edges are not known;
    /// [`GraphError::Memory`] below about 4.4 bytes per vertex; what the device or a damaged store gives.
    pub fn kcore(&self) -> Result<KCore, GraphError> {
        KCoreRun.check(self)?;
        let bytes = KCoreRun.state_bytes(self, self.options().memory);
        let (cores, stats) = Engine::run(self, KCoreRun.what(), bytes, peel)?;
        let max = cores.iter().copied().max().unwrap_or(0);
        Ok(KCore { cores, max, stats })
    }
}

struct KCoreState {
    /// Neighbours left; once it is at most k, the core number.
    degrees: Vec<AtomicU32>,
    /// Vertices that are taken away after these.
    next: Frontier,
    k: u32,
}

/// What a thread has at hand in a sweep.
#[derive(Default)]
struct Worker {
    /// Vertices of the block to take away.
    stack: Vec<Vertex>,
    ends: Vec<(Vertex, Vertex)>,
    edges: u64,
}

/// By vertex, its core number.
fn peel(engine: &mut Engine<'_>) -> Result<Vec<u32>, GraphError> {
    let graph = engine.graph();
    let vertices = graph.vertices();
    let mut state = KCoreState { degrees: degrees(engine)?, next: Frontier::new(vertices), k: 0 };
    let (mut now, mut left) = (Frontier::new(vertices), Frontier::new(vertices));
    // Who has no neighbours is in the core 0, and there is no list to read.
    left.fill();
    while let Some(k) = state.min_degree(&left) {
        state.k = k;
        state.start(&left, &now);
        while !now.is_empty() {
            // What falls in a block while forward lists are read is there for the reverse ones; the other way
            // round it is not.
            state.remove_vertices(engine, Direction::Forward, &now)?;
            if graph.header().directed {
                state.remove_vertices(engine, Direction::Reverse, &now)?;
            }
            now.clear();
            std::mem::swap(&mut now, &mut state.next);
        }
    }
    Ok(plain(state.degrees))
}

/// By vertex, its neighbours: incoming and outgoing ones of directed graphs.
fn degrees(engine: &mut Engine<'_>) -> Result<Vec<AtomicU32>, GraphError> {
    let graph = engine.graph();
    let degrees = numbers(graph.vertices(), |_| 0);
    let directions: &[Direction] = if graph.header().directed {
        &[Direction::Forward, Direction::Reverse]
    } else {
        &[Direction::Forward]
    };
    for direction in directions {
        let workers = engine.sweep(*direction, Which::All, Worker::default, |worker, block| {
            for vertex in block.vertices() {
                let mut count = 0;
                distinct(block, vertex, &mut worker.ends, |_| count += 1);
                degrees[vertex as usize].fetch_add(count, Ordering::Relaxed);
                worker.edges += u64::from(count);
            }
        })?;
        for (vertex, _) in ends(engine, workers) {
            degrees[vertex as usize].fetch_add(1, Ordering::Relaxed);
        }
    }
    Ok(degrees)
}

/// The ends of all pieces, each once; counts the rest.
fn ends(engine: &mut Engine<'_>, workers: Vec<Worker>) -> Vec<(Vertex, Vertex)> {
    workers.iter().for_each(|worker| engine.add_scanned_edges(worker.edges));
    let all = merged(workers.into_iter().map(|worker| worker.ends));
    engine.add_scanned_edges(all.len() as u64);
    all
}

impl KCoreState {
    /// The fewest neighbours that a vertex has which is left; takes out of `left` those that no longer are.
    fn min_degree(&self, left: &Frontier) -> Option<u32> {
        let fewest = |range| {
            let mut fewest = None;
            for vertex in left.iter(range) {
                let degree = self.degrees[vertex as usize].load(Ordering::Relaxed);
                if degree <= self.k {
                    left.remove(vertex);
                } else {
                    fewest = Some(fewest.unwrap_or(degree).min(degree));
                }
            }
            fewest
        };
        self.chunks().filter_map(fewest).min()
    }

    /// Puts into `now` all that are left and have k neighbours.
    fn start(&self, left: &Frontier, now: &Frontier) {
        self.chunks().for_each(|range| {
            for vertex in left.iter(range) {
                if self.degrees[vertex as usize].load(Ordering::Relaxed) == self.k {
                    now.insert(vertex);
                    left.remove(vertex);
                }
            }
        });
    }

    fn chunks(&self) -> impl ParallelIterator<Item = std::ops::Range<Vertex>> {
        let vertices = self.degrees.len() as u32;
        (0..vertices.div_ceil(CHUNK)).into_par_iter().map(move |chunk| {
            let start = chunk * CHUNK;
            start..start.saturating_add(CHUNK).min(vertices)
        })
    }

    /// Takes the vertices of `now` out of the lists of their neighbours in a direction.
    fn remove_vertices(
        &self,
        engine: &mut Engine<'_>,
        direction: Direction,
        now: &Frontier,
    ) -> Result<(), GraphError> {
        let workers = engine.sweep(direction, Which::Holding(now), Worker::default, |worker, block| {
            worker.stack.extend(now.iter(block.vertices()));
            let Worker { stack, ends, edges } = worker;
            while let Some(vertex) = stack.pop() {
                distinct(block, vertex, ends, |neighbour| {
                    *edges += 1;
                    if !self.decrement_degree(neighbour) {
                    } else if direction == Direction::Forward
                        && block.vertices().contains(&neighbour)
                        && !block.is_piece(neighbour)
                    {
                        now.insert(neighbour);
                        stack.push(neighbour);
                    } else {
                        self.next.insert(neighbour);
                    }
                });
            }
        })?;
        for (_, neighbour) in ends(engine, workers) {
            if self.decrement_degree(neighbour) {
                self.next.insert(neighbour);
            }
        }
        Ok(())
    }

    /// Takes one neighbour from a vertex that has more than k; whether it has k now, and goes next.
    #[inline]
    fn decrement_degree(&self, vertex: Vertex) -> bool {
        let place = &self.degrees[vertex as usize];
        let mut degree = place.load(Ordering::Relaxed);
        while degree > self.k {
            let (order, now) = (Ordering::Relaxed, degree - 1);
            match place.compare_exchange_weak(degree, now, order, order) {
                Ok(_) => return now == self.k,
                Err(other) => degree = other,
            }
        }
        false
    }
}
