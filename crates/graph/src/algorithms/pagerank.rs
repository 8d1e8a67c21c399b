//! PageRank: the share of time a surfer spends at a vertex who follows an edge with the damping's
//! probability, and jumps otherwise, or where no edge leads on.
//!
//! Pulled where incoming edges are known: each vertex adds up what its neighbours give, and nothing is
//! written by two threads but the pieces of hubs, which are added up after the sweep. Pushed with atomic
//! additions else.
//!
//! The random accesses are to what neighbours give, so that is kept in single precision where it does for the
//! ranks ([`gives_single`]): twice as many fit in the processor's cache. Sums and ranks are doubles.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use rayon::prelude::*;

use crate::format::{Block, Direction, Group, Vertex};
use crate::{Engine, Graph, GraphError, RunStats, Which};

use super::numbers;

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
#[derive(Debug, Clone, PartialEq)]
pub struct PageRank {
    /// By vertex; they add up to 1.
    pub ranks: Vec<f64>,
    /// Iterations done.
    pub iterations: u32,
    /// By how much the last iteration changed the ranks, in sum.
    pub change: f64,
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
    /// # Errors
    /// [`GraphError::Damping`] for a damping outside of 0 to 1; [`GraphError::Memory`] below about 16 bytes
    /// per vertex, 20 where everything is in doubles; what the device or a damaged store gives.
    ///
    /// # Panics
    /// Where a vertex it is personal to is none of the graph.
    pub fn pagerank(&self, options: &PageRankOptions) -> Result<PageRank, GraphError> {
        if !(0.0..=1.0).contains(&options.damping) {
            return Err(GraphError::Damping { given: options.damping });
        }
        let bytes = pagerank_bytes(self, options);
        let ((ranks, iterations, change), stats) =
            Engine::run(self, "PageRank", bytes, |engine| match gives_single(self, options) {
                true => iterate::<Single>(engine, options),
                false => iterate::<Double>(engine, options),
            })?;
        Ok(PageRank { ranks, iterations, change, stats })
    }
}

/// Bytes of vertex state of PageRank.
pub(crate) fn pagerank_bytes(graph: &Graph, options: &PageRankOptions) -> u64 {
    let give = if gives_single(graph, options) { size_of::<Single>() } else { size_of::<Double>() };
    let vertex = size_of::<Double>() + give + size_of::<AtomicU32>();
    graph.vertices() * vertex as u64 + options.personal.len() as u64 * 4
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

/// Ranks, iterations and the last change.
fn iterate<Give: Shared>(
    engine: &mut Engine<'_>,
    options: &PageRankOptions,
) -> Result<(Vec<f64>, u32, f64), GraphError> {
    let vertices = engine.graph().vertices();
    let degrees = degrees(engine)?;
    let all = || (0..vertices as u32).into_par_iter();
    let mut state = PageRankState::<Give> {
        options,
        ranks: all().map(|_| Double::new(1.0 / vertices as f64)).collect(),
        gives: all().map(|_| Give::new(0.0)).collect(),
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
    Ok((state.ranks.into_iter().map(|rank| rank.get()).collect(), done, change))
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

/// What a vertex is given along the edges of its list here.
#[inline]
fn sum(block: &Block<'_>, vertex: Vertex, place: (usize, usize), give: impl Fn(Vertex) -> f64) -> f64 {
    let mut sum = 0.0;
    for Group { values, len } in block.groups_at(vertex, place) {
        // As many loads at once as there are values, and one addition that waits for the one before.
        let or_none = |i: usize| if i < len { give(values[i]) } else { 0.0 };
        sum += match len {
            4 => (give(values[0]) + give(values[1])) + (give(values[2]) + give(values[3])),
            _ => (give(values[0]) + or_none(1)) + or_none(2),
        };
    }
    sum
}

impl<Give: Shared> PageRankState<'_, Give> {
    /// Sums by reading incoming edges.
    fn pull(&self, engine: &mut Engine<'_>) -> Result<(), GraphError> {
        let (ranks, gives) = (&self.ranks, &self.gives);
        let give = |vertex: Vertex| gives[vertex as usize].get();
        let locals = engine.sweep(Direction::Reverse, Which::All, Vec::new, |pieces, block| {
            for (vertex, place) in block.places() {
                let sum = sum(block, vertex, place, give);
                if block.is_piece(vertex) {
                    pieces.push((vertex, sum));
                } else {
                    ranks[vertex as usize].set(sum);
                }
            }
        })?;
        let mut pieces: Vec<(Vertex, f64)> = locals.into_iter().flatten().collect();
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
        let (damping, vertices) = (self.options.damping, self.ranks.len() as f64);
        let jumping = 1.0 - damping + damping * self.dangling;
        let mut personal = self.options.personal.clone();
        if personal.is_empty() {
            let jump = jumping / vertices;
            return self.give(|sum, _| jump + damping * sum);
        }
        personal.sort_unstable();
        self.give(|sum, vertex| {
            let start = personal.partition_point(|other| *other < vertex);
            let times = personal[start..].iter().take_while(|other| **other == vertex).count();
            jumping * times as f64 / personal.len() as f64 + damping * sum
        })
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
