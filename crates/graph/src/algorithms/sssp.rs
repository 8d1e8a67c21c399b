//! Single-source shortest paths: how far away every vertex is, by the sum of the weights on the way.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use leadline_graph_store::format::{Block, Direction, Scratch, Vertex};
use leadline_graph_store::graphalytics::Properties;

use super::by_vertex;
use super::memory_plan::{MemoryPlan, StateBytes};
use super::parts::{EqualPartitions, places};
use super::relax::in_parts::{self, relax_in_parts};
use super::relax::{Labels, Rule, lower, relax, relax_bytes};
use crate::algorithm::{Algorithm, AlgorithmOption, Definition, Job, Needs, OptionKind, Ran, TableShape};
use crate::engine::StateFile;
use crate::estimate::{Blocks, Spilled};
use crate::output::{grouped, outcome, vertex_table};
use crate::{Engine, FileValues, Frontier, Graph, GraphError, PerVertex, RunStats, Which};

/// Most passes where not all blocks fit: somewhat more than graphs of random edges and grids took with hardly
/// any cache (tests/estimate.rs: 4.3).
const MOST_PASSES: u64 = 6;

/// How often a part is worked on at most: somewhat more than a graph of random edges in ten parts took
/// (tests/spilled.rs: about 7).
const MOST_VISITS: u64 = 12;

/// Blocks whose weights are looked at to choose the width of a bucket.
const SAMPLE_BLOCKS: u32 = 32;

/// Width of a bucket: this by the mean degree, in mean weights.
const BUCKET_EDGES: f64 = 2.0;

/// The distances from the nearest source.
#[derive(Debug, Clone)]
pub struct Sssp {
    /// By vertex: the least sum of weights on a way from a source; infinity where there is no way.
    pub distances: PerVertex<f64>,
    /// Vertices reached, sources included.
    pub reached: u64,
    /// The largest distance that is not infinite.
    pub farthest: f64,
    /// What it took.
    pub stats: RunStats,
}

/// Distances as bits: of doubles that are not negative the order is that of their bits.
struct Distances(Vec<AtomicU64>);

/// Each edge adds its weight.
struct Weights {
    /// Width of a bucket.
    delta: f64,
}

vertex_table!(Sssp { distances: "distance" Doubles }, spills: true);

outcome!(
    Sssp,
    found: { "reached": found.reached, "farthest": found.farthest },
    format!("reached {} vertices; the farthest {} away", grouped(found.reached), found.farthest)
);

pub(super) static DEFINITION: Definition = Definition {
    name: "sssp",
    about: "Shortest paths from the nearest source, by weight",
    examples: "\
Examples:
  leadline graph sssp roads.store --source 1 -o distances.csv",
    options: &[
        AlgorithmOption::PROPERTIES,
        AlgorithmOption::new(
            "source",
            "ID",
            OptionKind::Ids,
            "Start at the vertex with this id; may be given several times",
        )
        .needed_without(&["estimate", "properties"]),
    ],
    one_of: &[],
    make: |call| {
        let properties = call.properties()?;
        let sources = call.sources(properties.as_ref(), Properties::sssp_source)?;
        Ok(Box::new(SsspRun { sources: call.vertices(&sources)? }))
    },
};

/// What it is called.
const NAME: &str = "shortest paths";

/// [`Graph::sssp`].
#[derive(Debug, Clone, Default)]
pub struct SsspRun {
    /// Where paths begin.
    pub sources: Vec<Vertex>,
}

impl Algorithm for SsspRun {
    fn name(&self) -> &'static str {
        NAME
    }

    fn needs(&self) -> Needs {
        Needs::weights(true)
    }

    fn table(&self) -> Option<TableShape> {
        Some(TableShape::of::<Sssp>())
    }

    fn state_bytes(&self, graph: &Graph, memory: u64) -> u64 {
        state_bytes(graph).resident_bytes(graph, memory)
    }

    fn least_memory(&self, graph: &Graph) -> u64 {
        state_bytes(graph).least_memory(graph)
    }

    fn reads(&self, blocks: &Blocks<'_>) -> [u64; 2] {
        [blocks.forward, blocks.again(blocks.forward, MOST_PASSES)]
    }

    /// Every part is worked on several times, and each time meets the others, if ids are in no order.
    fn spilled(&self, blocks: &Blocks<'_>) -> Option<Spilled> {
        let parts = state_bytes(blocks.graph).plan(blocks.graph, blocks.memory()).ok()?.parts?;
        let (forward, count) = (blocks.forward, parts.ranges.len() as u64);
        let column = StateFile::column_bytes::<f64>(blocks.graph.vertices());
        Some(Spilled {
            blocks: [forward, (MOST_VISITS * count).saturating_mul(forward + count)],
            bytes: [3 * column, (2 * MOST_VISITS * (1 + count)).saturating_mul(column)],
        })
    }

    fn run(&self, graph: &Graph, job: &Job) -> Result<Ran, GraphError> {
        job.table(graph, None, || graph.sssp(&self.sources))
    }
}

impl Graph {
    /// Shortest paths from the nearest of one source or several. Distances equal Dijkstra's algorithm's
    /// to the last bit: sums in the order of the way, and the least of them.
    ///
    /// Below about 8.2 bytes of memory per vertex, it works on one part of the vertices after the other, with
    /// distances in a temporary file ([`Options::temp`]), and reads blocks more often.
    ///
    /// [`Options::temp`]: crate::Options::temp
    ///
    /// # Errors
    /// [`GraphError::NeedsWeights`]; [`GraphError::Malformed`] where a weight on the way is negative or not a
    /// number; [`GraphError::Memory`] where not even small parts fit, below about 0.7 bytes per vertex; what
    /// the device, the temporary file or a damaged store gives.
    ///
    /// # Panics
    /// Where a source is not a vertex of the graph; see [`Graph::vertex`].
    pub fn sssp(&self, sources: &[Vertex]) -> Result<Sssp, GraphError> {
        SsspRun::default().check(self)?;
        let MemoryPlan { bytes, parts } = state_bytes(self).plan(self, self.options().memory)?;
        let (found, stats) = Engine::run(self, NAME, bytes, |engine| match parts {
            None => search(engine, sources),
            Some(parts) => search_in_parts(engine, sources, &parts),
        })?;
        let Searched { distances, reached, farthest } = found.map_err(|edge| self.refused(edge))?;
        Ok(Sssp { distances, reached, farthest, stats })
    }

    /// What is said of an edge that cannot be on a shortest path.
    fn refused(&self, (source, target): (Vertex, Vertex)) -> GraphError {
        match (self.id_of(source), self.id_of(target)) {
            (Ok(source), Ok(target)) => {
                let what = format!(
                    "the edge from {source} to {target} has a negative weight, or one that is not a number; \
                     shortest paths need weights of 0 and more"
                );
                GraphError::malformed(self.name(), what)
            }
            (Err(error), _) | (_, Err(error)) => error,
        }
    }
}

/// What the vertex state takes.
fn state_bytes(graph: &Graph) -> StateBytes<EqualPartitions> {
    let in_memory = graph.vertices() * 8 + Frontier::bytes(graph.vertices()) + relax_bytes(graph);
    StateBytes { what: NAME, in_memory, in_parts: in_parts::bytes(graph) }
}

/// What a search came to.
struct Searched {
    distances: PerVertex<f64>,
    reached: u64,
    farthest: f64,
}

/// The distances, or an edge with a weight that is refused.
type Found = Result<Searched, (Vertex, Vertex)>;

fn search(engine: &mut Engine<'_>, sources: &[Vertex]) -> Result<Found, GraphError> {
    let vertices = engine.graph().vertices();
    let weights = Weights { delta: bucket(engine)? };
    let distances = Distances(by_vertex(vertices, |_| AtomicU64::new(f64::INFINITY.to_bits())));
    let frontier = Frontier::new(vertices);
    for source in sources {
        distances.0[*source as usize].store(0, Ordering::Relaxed);
        frontier.insert(*source);
    }
    // Where every block is in memory, reading one again costs nothing.
    let greedy = !engine.holds_all();
    if let Err(edge) = relax(engine, &distances, &weights, &frontier, greedy)? {
        return Ok(Err(edge));
    }
    let distances: Vec<f64> = distances.0.into_iter().map(|bits| f64::from_bits(bits.into_inner())).collect();
    let (reached, farthest) = count(distances.iter().copied());
    Ok(Ok(Searched { distances: distances.into(), reached, farthest }))
}

fn search_in_parts(
    engine: &mut Engine<'_>,
    sources: &[Vertex],
    parts: &EqualPartitions,
) -> Result<Found, GraphError> {
    let graph = engine.graph();
    let vertices = graph.vertices();
    let weights = Weights { delta: bucket(engine)? };
    let file = Arc::new(StateFile::create(graph.temp_folder(), StateFile::column_bytes::<f64>(vertices))?);
    let column = file.column::<f64>(vertices);
    let waiting = Frontier::new(vertices);
    for source in sources {
        waiting.insert(*source);
    }
    for range in &parts.ranges {
        let distance = |place| if waiting.contains(range.start + place as u32) { 0.0 } else { f64::INFINITY };
        file.store(column, places(range), distance)?;
    }
    if let Err(edge) = relax_in_parts(engine, &file, column, parts, &weights, &waiting)? {
        return Ok(Err(edge));
    }
    drop(waiting);
    let (mut reached, mut farthest) = (0, 0.0_f64);
    for range in &parts.ranges {
        let mut distances = vec![0.0; range.len()];
        file.load(column, places(range), |place, distance| distances[place] = distance)?;
        let (here, far) = count(distances.into_iter());
        (reached, farthest) = (reached + here, farthest.max(far));
    }
    engine.spilled(file.moved());
    let distances = PerVertex::File(FileValues::new(file, column));
    Ok(Ok(Searched { distances, reached, farthest }))
}

/// How many distances are not infinite, and the largest of these.
fn count(distances: impl Iterator<Item = f64>) -> (u64, f64) {
    let finite = distances.filter(|distance| distance.is_finite());
    finite.fold((0, 0.0), |(count, farthest), distance| (count + 1, farthest.max(distance)))
}

/// The width of a bucket, from the weights in a few blocks.
fn bucket(engine: &mut Engine<'_>) -> Result<f64, GraphError> {
    let graph = engine.graph();
    let blocks = graph.directory(Direction::Forward).blocks();
    let step = (blocks / SAMPLE_BLOCKS).max(1) as usize;
    let sample: Vec<u32> = (0..blocks).step_by(step).collect();
    let local = || (Scratch::default(), 0.0, 0u64);
    let sums =
        engine.sweep(Direction::Forward, Which::Blocks(&sample), local, |(scratch, sum, count), block| {
            for vertex in block.vertices() {
                let weights = block.list(vertex, scratch).weights;
                *sum += weights
                    .iter()
                    .filter(|weight| weight.is_finite())
                    .map(|weight| weight.abs())
                    .sum::<f64>();
                *count += weights.len() as u64;
            }
        })?;
    let (sum, count) = sums.iter().fold((0.0, 0), |all, one| (all.0 + one.1, all.1 + one.2));
    let degree = graph.header().edges as f64 / graph.vertices().max(1) as f64;
    Ok(sum / count.max(1) as f64 * BUCKET_EDGES / degree.max(1.0))
}

impl Labels for Distances {
    #[inline]
    fn get(&self, vertex: Vertex) -> u64 {
        self.0[vertex as usize].load(Ordering::Relaxed)
    }

    #[inline]
    fn lower(&self, _: Vertex, neighbour: Vertex, label: u64) -> bool {
        lower(&self.0[neighbour as usize], label)
    }
}

impl Rule for Weights {
    fn bucket(&self, lowest: u64) -> u64 {
        (f64::from_bits(lowest) + self.delta).to_bits().max(lowest + 1)
    }

    #[inline]
    fn offers(
        &self,
        label: u64,
        block: &Block<'_>,
        vertex: Vertex,
        scratch: &mut Scratch,
        mut each: impl FnMut(Vertex, u64),
    ) -> Result<u64, Vertex> {
        let distance = f64::from_bits(label);
        let list = block.list(vertex, scratch);
        for (neighbour, weight) in list.neighbours.iter().zip(list.weights) {
            if *weight < 0.0 || weight.is_nan() {
                return Err(*neighbour);
            }
            each(*neighbour, (distance + weight).to_bits());
        }
        Ok(list.neighbours.len() as u64)
    }
}
