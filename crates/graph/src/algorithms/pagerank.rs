//! PageRank: the share of time a surfer spends at a vertex who follows an edge with the damping's
//! probability, and jumps otherwise, or where no edge leads on.
//!
//! Pulled where incoming edges are known: each vertex adds up what its neighbours give, and nothing is
//! written by two threads but the pieces of hubs, which are added up after the sweep. Pushed with atomic
//! additions else.
//!
//! The random accesses are to what neighbours give, so that is kept in single precision where it does for the
//! ranks ([`gives_single`]): twice as many fit in the processor's cache. Sums and ranks are doubles.

mod in_parts;
mod jumps;
mod sums;

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use rayon::prelude::*;

use crate::engine::Stored;
use crate::format::{Direction, Vertex};
use crate::{Engine, Graph, GraphError, PerVertex, RunStats, Which};

use super::parts::{PartBytes, Parts};
use super::room::{Room, StateBytes};
use super::{by_vertex, numbers};
use jumps::Jumps;
use sums::Sums;

/// How PageRank is computed.
#[derive(Debug, Clone, PartialEq)]
pub struct PageRankOptions {
    /// Probability of following an edge, 0 to 1.
    pub damping: f64,
    /// Most iterations.
    pub iterations: u32,
    /// Stop once the ranks of an iteration differ from those before by less than this in sum; 0: never.
    pub tolerance: f64,
    /// Vertices that jumps go to, each as likely; all where it is empty.
    pub personal: Vec<Vertex>,
}

impl Default for PageRankOptions {
    /// Ten iterations with a damping of 0.85, and jumps to anywhere.
    fn default() -> Self {
        PageRankOptions { damping: 0.85, iterations: 10, tolerance: 0.0, personal: Vec::new() }
    }
}

/// The ranks of a graph.
#[derive(Debug, Clone)]
pub struct PageRank {
    /// By vertex; they add up to 1.
    pub ranks: PerVertex<f64>,
    /// Iterations done.
    pub iterations: u32,
    /// By how much the last iteration changed the ranks, in sum.
    pub change: f64,
    /// The highest rank; 0 where there are no vertices.
    pub highest: f64,
    /// What it took.
    pub stats: RunStats,
}

impl Graph {
    /// PageRank. All ranks begin at 1 / vertices. The rank of vertices without edges goes where jumps go.
    ///
    /// Everything is computed in doubles with up to 2^20 vertices, a tolerance below 1e-7, a damping above
    /// 0.9 or personal jumps. Else what a vertex gives along its edges is rounded to single precision, and
    /// ranks are within a relative 6e-7 of those in doubles.
    ///
    /// Below about 16 bytes of memory per vertex, 20 where everything is in doubles, it works on one part of
    /// the vertices after the other, with their state in a temporary file ([`Options::temp`]), and reads all
    /// blocks several times in each iteration; the ranks are then in that file too.
    ///
    /// [`Options::temp`]: crate::Options::temp
    ///
    /// # Errors
    /// [`GraphError::Damping`] for a damping outside of 0 to 1; [`GraphError::Memory`] where not even small
    /// parts fit; what the device, the temporary file or a damaged store gives.
    ///
    /// # Panics
    /// Where a vertex it is personal to is none of the graph.
    pub fn pagerank(&self, options: &PageRankOptions) -> Result<PageRank, GraphError> {
        if !(0.0..=1.0).contains(&options.damping) {
            return Err(GraphError::Damping { given: options.damping });
        }
        let Room { bytes, parts } = state_bytes(self, options).room(self, self.options().memory)?;
        let (ranked, stats) =
            Engine::run(self, WHAT, bytes, |engine| match (gives_single(self, options), parts) {
                (true, None) => iterate::<Single>(engine, options),
                (false, None) => iterate::<Double>(engine, options),
                (true, Some(parts)) => in_parts::iterate::<Single>(engine, options, &parts),
                (false, Some(parts)) => in_parts::iterate::<Double>(engine, options, &parts),
            })?;
        let Ranked { ranks, iterations, change, highest } = ranked;
        Ok(PageRank { ranks, iterations, change, highest, stats })
    }
}

/// What it is called.
const WHAT: &str = "PageRank";

/// What an iteration, or all of them, came to.
struct Ranked {
    ranks: PerVertex<f64>,
    iterations: u32,
    change: f64,
    highest: f64,
}

/// What the vertex state takes.
pub(crate) fn state_bytes(graph: &Graph, options: &PageRankOptions) -> StateBytes<Parts> {
    let give = if gives_single(graph, options) { size_of::<Single>() } else { size_of::<Double>() };
    let vertex = size_of::<Double>() + give + size_of::<AtomicU32>();
    let in_memory = graph.vertices() * vertex as u64 + options.personal.len() as u64 * 4;
    StateBytes { what: WHAT, in_memory, in_parts: part_bytes(graph, options) }
}

/// What parts take, jumps to few vertices included.
fn part_bytes(graph: &Graph, options: &PageRankOptions) -> PartBytes {
    let bytes = match gives_single(graph, options) {
        true => in_parts::part_bytes::<Single>(graph),
        false => in_parts::part_bytes::<Double>(graph),
    };
    PartBytes { fixed: bytes.fixed + 4 * options.personal.len() as u64, ..bytes }
}

/// Bytes that parts write to the file and read from it: before the first iteration, and in each at least, and
/// on top of that at most.
pub(crate) fn spilled_bytes(graph: &Graph, options: &PageRankOptions, parts: &Parts) -> [u64; 3] {
    match gives_single(graph, options) {
        true => in_parts::spilled_bytes::<Single>(graph, parts),
        false => in_parts::spilled_bytes::<Double>(graph, parts),
    }
}

/// Up to so many vertices, doubles stay in a processor's cache.
const FEW_VERTICES: u64 = 1 << 20;

/// Whether what vertices give is rounded to single precision. An iteration then changes a rank by a relative
/// 2^-24 at most, and the damping's share of that is passed on: 2^-24 / (1 - damping) in all. A small
/// tolerance asks for more than that; and where jumps are personal, ranks far away may be smaller than single
/// precision goes.
fn gives_single(graph: &Graph, options: &PageRankOptions) -> bool {
    let is_exact_enough = options.tolerance == 0.0 || options.tolerance >= 1e-7;
    let is_in_range = options.damping <= 0.9 && options.personal.is_empty();
    graph.vertices() > FEW_VERTICES && is_exact_enough && is_in_range
}

/// A number that threads share, without any order among its changes.
trait Shared: Send + Sync {
    fn new(value: f64) -> Self;
    fn get(&self) -> f64;
    fn set(&self, value: f64);
}

/// In single precision.
#[derive(Debug)]
struct Single(AtomicU32);

impl Shared for Single {
    fn new(value: f64) -> Single {
        Single(AtomicU32::new((value as f32).to_bits()))
    }

    #[inline]
    fn get(&self) -> f64 {
        f32::from_bits(self.0.load(Ordering::Relaxed)).into()
    }

    #[inline]
    fn set(&self, value: f64) {
        self.0.store((value as f32).to_bits(), Ordering::Relaxed);
    }
}

/// In double precision.
#[derive(Debug)]
struct Double(AtomicU64);

impl Shared for Double {
    fn new(value: f64) -> Double {
        Double(AtomicU64::new(value.to_bits()))
    }

    #[inline]
    fn get(&self) -> f64 {
        f64::from_bits(self.0.load(Ordering::Relaxed))
    }

    #[inline]
    fn set(&self, value: f64) {
        self.0.store(value.to_bits(), Ordering::Relaxed);
    }
}

impl Stored for Single {
    const BYTES: usize = size_of::<u32>();

    #[inline]
    fn store(&self, bytes: &mut [u8]) {
        self.0.load(Ordering::Relaxed).store(bytes);
    }

    #[inline]
    fn load(bytes: &[u8]) -> Single {
        Single(AtomicU32::new(u32::load(bytes)))
    }
}

impl Stored for Double {
    const BYTES: usize = size_of::<u64>();

    #[inline]
    fn store(&self, bytes: &mut [u8]) {
        self.0.load(Ordering::Relaxed).store(bytes);
    }

    #[inline]
    fn load(bytes: &[u8]) -> Double {
        Double(AtomicU64::new(u64::load(bytes)))
    }
}

impl Double {
    /// Adds while others may add.
    #[inline]
    fn add(&self, value: f64) {
        let mut before = self.0.load(Ordering::Relaxed);
        loop {
            let sum = (f64::from_bits(before) + value).to_bits();
            match self.0.compare_exchange_weak(before, sum, Ordering::Relaxed, Ordering::Relaxed) {
                Ok(_) => return,
                Err(now) => before = now,
            }
        }
    }
}

/// Vertices whose sums are added up one after the other.
const CHUNK: usize = 1 << 14;

struct PageRankState<'a, Give> {
    options: &'a PageRankOptions,
    /// Of each vertex: its rank; while a sweep lasts, the sum of what it is given.
    ranks: Vec<Double>,
    /// Of each vertex: what it gives along each of its edges.
    gives: Vec<Give>,
    degrees: Vec<AtomicU32>,
    /// The rank of all vertices without edges together.
    dangling: f64,
}

/// All iterations, with the state of all vertices in memory.
fn iterate<Give: Shared>(engine: &mut Engine<'_>, options: &PageRankOptions) -> Result<Ranked, GraphError> {
    let vertices = engine.graph().vertices();
    let degrees = degrees(engine)?;
    let mut state = PageRankState::<Give> {
        options,
        ranks: by_vertex(vertices, |_| Double::new(1.0 / vertices as f64)),
        gives: by_vertex(vertices, |_| Give::new(0.0)),
        degrees,
        dangling: 0.0,
    };
    state.give(|rank, _| rank);
    let (mut done, mut change) = (0, f64::INFINITY);
    while done < options.iterations && change >= options.tolerance && vertices > 0 {
        match engine.graph().header().has_reverse() {
            true => state.pull(engine)?,
            false => state.push(engine)?,
        }
        change = state.settle();
        engine.looked_at(engine.graph().header().edges);
        done += 1;
    }
    let ranks: Vec<f64> = state.ranks.into_iter().map(|rank| rank.get()).collect();
    let highest = ranks.iter().copied().fold(0.0, f64::max);
    Ok(Ranked { ranks: ranks.into(), iterations: done, change, highest })
}

/// By vertex, how many edges lead on from it.
fn degrees(engine: &mut Engine<'_>) -> Result<Vec<AtomicU32>, GraphError> {
    let degrees = numbers(engine.graph().vertices(), |_| 0);
    engine.sweep(
        Direction::Forward,
        Which::All,
        || (),
        |(), block| {
            for (vertex, place) in block.places() {
                let (degree, here) = (&degrees[vertex as usize], block.degree_at(place) as u32);
                if block.is_piece(vertex) {
                    degree.fetch_add(here, Ordering::Relaxed);
                } else {
                    degree.store(here, Ordering::Relaxed);
                }
            }
        },
    )?;
    Ok(degrees)
}

impl<Give: Shared> PageRankState<'_, Give> {
    /// Sums by reading incoming edges.
    fn pull(&self, engine: &mut Engine<'_>) -> Result<(), GraphError> {
        let (ranks, gives) = (&self.ranks, &self.gives);
        let locals = engine.sweep(
            Direction::Reverse,
            Which::All,
            || (Sums::new(), Vec::new()),
            |(sums, pieces), block| {
                sums.of(
                    block,
                    block.places(),
                    gives,
                    |vertex| vertex,
                    |vertex, sum| {
                        if block.is_piece(vertex) {
                            pieces.push((vertex, sum));
                        } else {
                            ranks[vertex as usize].set(sum);
                        }
                    },
                );
            },
        )?;
        let mut pieces: Vec<(Vertex, f64)> = locals.into_iter().flat_map(|(_, pieces)| pieces).collect();
        // In one order, whatever the threads did: the same sum every time.
        pieces.sort_unstable_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
        for hub in pieces.chunk_by(|a, b| a.0 == b.0) {
            ranks[hub[0].0 as usize].set(hub.iter().map(|piece| piece.1).sum());
        }
        Ok(())
    }

    /// Sums by reading outgoing edges.
    fn push(&self, engine: &mut Engine<'_>) -> Result<(), GraphError> {
        let (ranks, gives) = (&self.ranks, &self.gives);
        ranks.par_iter().for_each(|rank| rank.set(0.0));
        engine.sweep(
            Direction::Forward,
            Which::All,
            || (),
            |(), block| {
                for vertex in block.vertices() {
                    let give = gives[vertex as usize].get();
                    block.scan(vertex, |neighbour| {
                        ranks[neighbour as usize].add(give);
                        true
                    });
                }
            },
        )?;
        Ok(())
    }

    /// From sums to ranks; by how much they changed in sum.
    fn settle(&mut self) -> f64 {
        let jumps = Jumps::new(self.options, self.dangling, self.ranks.len() as u64);
        self.give(|sum, vertex| jumps.rank(sum, vertex))
    }

    /// Makes ranks of what is in their place, and of these what each vertex gives.
    fn give(&mut self, rank: impl Fn(f64, Vertex) -> f64 + Sync) -> f64 {
        // Chunks of one size, added up in order: the same sum for any number of threads.
        let chunks: Vec<(f64, f64)> = (self.ranks.par_chunks(CHUNK).zip(self.gives.par_chunks(CHUNK)))
            .zip(self.degrees.par_chunks(CHUNK))
            .enumerate()
            .map(|(chunk, ((ranks, gives), degrees))| {
                let (mut dangling, mut change) = (0.0, 0.0);
                let vertices = (chunk * CHUNK) as Vertex..;
                for (((place, give), degree), vertex) in ranks.iter().zip(gives).zip(degrees).zip(vertices) {
                    let degree = degree.load(Ordering::Relaxed);
                    let along = f64::from(degree.max(1));
                    let now = rank(place.get(), vertex);
                    change += (now - give.get() * along).abs();
                    place.set(now);
                    give.set(now / along);
                    if degree == 0 {
                        dangling += now;
                    }
                }
                (dangling, change)
            })
            .collect();
        self.dangling = chunks.iter().map(|chunk| chunk.0).sum();
        chunks.iter().map(|chunk| chunk.1).sum()
    }
}
