//! Single-source shortest paths: how far away every vertex is, by the sum of the weights on the way.

use std::sync::atomic::{AtomicU64, Ordering};

use super::relax::{Labels, relax, relax_bytes};
use crate::format::{Block, Direction, Scratch, Vertex};
use crate::{Engine, Frontier, Graph, GraphError, RunStats, Which};

/// Blocks whose weights are looked at to choose the width of a bucket.
const SAMPLE_BLOCKS: u32 = 32;

/// Width of a bucket: this by the mean degree, in mean weights.
const BUCKET_EDGES: f64 = 2.0;

/// The distances from the nearest source.
#[derive(Debug, Clone, PartialEq)]
pub struct Sssp {
    /// By vertex: the least sum of weights on a way from a source; infinity where there is no way.
    pub distances: Vec<f64>,
    /// Vertices reached, sources included.
    pub reached: u64,
    /// The largest distance that is not infinite.
    pub farthest: f64,
    /// What it took.
    pub stats: RunStats,
}

/// Distances as bits: of doubles that are not negative the order is that of their bits.
struct Distances {
    bits: Vec<AtomicU64>,
    /// Width of a bucket.
    delta: f64,
}

impl Graph {
    /// Shortest paths from the nearest of one source or several. Distances are those of Dijkstra's algorithm
    /// to the last bit: sums in the order of the way, and the least of them.
    ///
    /// # Errors
    /// [`GraphError::NeedsWeights`]; [`GraphError::Malformed`] where a weight on the way is negative or not a
    /// number; [`GraphError::Memory`] below about 8.2 bytes per vertex; what the device or a damaged store
    /// gives.
    ///
    /// # Panics
    /// Where a source is not a vertex of the graph; see [`Graph::vertex`].
    pub fn sssp(&self, sources: &[Vertex]) -> Result<Sssp, GraphError> {
        self.need_weights("shortest paths")?;
        let bytes = sssp_bytes(self);
        let (found, stats) = Engine::run(self, "shortest paths", bytes, |engine| search(engine, sources))?;
        let distances = found.map_err(|edge| self.refused(edge))?;
        let finite = || distances.iter().copied().filter(|distance| distance.is_finite());
        let (reached, farthest) = (finite().count() as u64, finite().fold(0.0, f64::max));
        Ok(Sssp { distances, reached, farthest, stats })
    }

    /// What is said of an edge that cannot be on a shortest path.
    fn refused(&self, (source, target): (Vertex, Vertex)) -> GraphError {
        let mut ids = self.ids();
        let mut id = |vertex: Vertex| {
            for rank in 0..self.vertices() {
                if ids.vertex(rank)? == vertex {
                    return ids.text(rank);
                }
            }
            Err(GraphError::damaged(self.name(), format!("vertex {vertex} has no rank")))
        };
        match (id(source), id(target)) {
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

/// Bytes of vertex state of shortest paths.
pub(crate) fn sssp_bytes(graph: &Graph) -> u64 {
    graph.vertices() * 8 + Frontier::bytes(graph.vertices()) + relax_bytes(graph)
}

/// The distances, or an edge with a weight that is refused.
fn search(
    engine: &mut Engine<'_>,
    sources: &[Vertex],
) -> Result<Result<Vec<f64>, (Vertex, Vertex)>, GraphError> {
    let vertices = engine.graph().vertices();
    let bits = (0..vertices).map(|_| AtomicU64::new(f64::INFINITY.to_bits())).collect();
    let distances = Distances { bits, delta: bucket(engine)? };
    let frontier = Frontier::new(vertices);
    for source in sources {
        distances.bits[*source as usize].store(0, Ordering::Relaxed);
        frontier.insert(*source);
    }
    // Where every block is in memory, reading one again costs nothing.
    let greedy = !engine.holds_all();
    let done = relax(engine, &distances, frontier, greedy)?;
    Ok(done.map(|()| distances.bits.into_iter().map(|bits| f64::from_bits(bits.into_inner())).collect()))
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
        self.bits[vertex as usize].load(Ordering::Relaxed)
    }

    #[inline]
    fn lower(&self, vertex: Vertex, label: u64) -> bool {
        let place = &self.bits[vertex as usize];
        label < place.load(Ordering::Relaxed) && label < place.fetch_min(label, Ordering::Relaxed)
    }

    fn bucket(&self, lowest: u64) -> u64 {
        (f64::from_bits(lowest) + self.delta).to_bits().max(lowest + 1)
    }

    #[inline]
    fn offers(
        &self,
        block: &Block<'_>,
        vertex: Vertex,
        scratch: &mut Scratch,
        mut each: impl FnMut(Vertex, u64),
    ) -> Result<u64, Vertex> {
        let distance = f64::from_bits(self.get(vertex));
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
