//! PageRank: the share of time a surfer spends at a vertex who follows an edge with the damping's
//! probability, and jumps otherwise, or where no edge leads on. All edges of a vertex are as likely, or each
//! is in proportion to its weight.
//!
//! 16 bytes per vertex, 20 in doubles, 24 with weights; one pass for degrees or for the sums of weights, and
//! one for each iteration. With less memory, state is in a file, in parts, and an iteration takes several.
//!
//! Pulled where incoming edges are known: each vertex adds up what its neighbours give, and nothing is
//! written by two threads but the pieces of hubs, which are added up after the sweep. Pushed with atomic
//! additions else.
//!
//! The random accesses are to what neighbours give, so that is kept in single precision where it does for the
//! ranks ([`Precision::of`]): twice as many fit in the processor's cache. Sums and ranks are doubles.

mod edges;
mod hubs;
mod in_parts;
mod jumps;
mod on_lists;
mod run;
mod shared;
mod sums;

use std::sync::atomic::AtomicBool;

use leadline_graph_store::format::{Direction, Vertex};
use rayon::prelude::*;

use crate::engine::Stored;
use crate::{Engine, Graph, GraphError, PerVertex, RunStats, Which};

use super::by_vertex;
use super::memory_plan::{MemoryPlan, StateBytes};
use super::parts::{PartitionBytes, Partitioning};
use super::previous::Previous;
use crate::algorithm::Needs;
use edges::{Edges, Unweighted, Weighted};
use hubs::each_hub;
use jumps::Jumps;
use on_lists::Give;
pub use run::PageRankRun;
pub(super) use run::{COST, DEFINITION};
use run::{NAME, WEIGHTED};
use shared::{Double, Shared, Single};
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
    /// Whether edges are followed in proportion to their weights. A vertex whose weights are all 0 is then as
    /// one without edges.
    pub weighted: bool,
}

impl Default for PageRankOptions {
    /// Ten iterations with a damping of 0.85, jumps to anywhere, and all edges alike.
    fn default() -> Self {
        let personal = Vec::new();
        PageRankOptions { damping: 0.85, iterations: 10, tolerance: 0.0, personal, weighted: false }
    }
}

impl PageRankOptions {
    /// Iterations where only a tolerance is given: more change nothing that a double can show at the usual
    /// damping.
    const MOST_ITERATIONS: u32 = 1000;

    /// What is computed where no more is said. Whoever gives a tolerance wants to end by it, and not by a
    /// number of iterations.
    pub fn usual(tolerance: Option<f64>) -> PageRankOptions {
        let usual = PageRankOptions::default();
        match tolerance {
            Some(tolerance) => PageRankOptions { iterations: Self::MOST_ITERATIONS, tolerance, ..usual },
            None => usual,
        }
    }

    /// Estimates the share of the run, 0 to 1, that `passes` complete: one for totals, one per iteration. The
    /// change of an iteration is at most the damping times the one before.
    fn share(&self, passes: u32) -> f64 {
        let all = f64::from(self.iterations);
        let expected = match self.damping.ln() {
            slower if self.tolerance > 0.0 && slower < 0.0 => (self.tolerance.ln() / slower).clamp(1.0, all),
            _ => all,
        };
        (f64::from(passes) / (1.0 + expected)).min(1.0)
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
    /// Whether that is less than the tolerance, if there was one.
    pub converged: Option<bool>,
    /// The highest rank; 0 where there are no vertices.
    pub highest: f64,
    /// What it took.
    pub stats: RunStats,
}

impl Graph {
    /// PageRank. All ranks begin at 1 / vertices. The rank of vertices without edges goes where jumps go.
    ///
    /// Everything is computed in doubles with weights, up to 2^17 vertices, a tolerance below 1e-7, a
    /// damping above 0.9 or personal jumps. Else what a vertex gives along its edges is rounded to single
    /// precision, and ranks are within a relative 6e-7 of those in doubles.
    ///
    /// Below about 16 bytes of memory per vertex, 20 where everything is in doubles, 24 with weights, it
    /// works on one part of the vertices after the other, with their state in a temporary file
    /// ([`Options::temp`]), and reads all blocks several times in each iteration; the ranks are then in that
    /// file too.
    ///
    /// [`Options::temp`]: crate::Options::temp
    ///
    /// # Errors
    /// [`GraphError::Damping`] for a damping outside of 0 to 1; [`GraphError::NeedsWeights`];
    /// [`GraphError::Malformed`] where a weight is negative or not finite, or where the weights of a vertex
    /// add up to less than 1e-250, but not to 0, or to more than 1e250; [`GraphError::Memory`] where not even
    /// small parts fit; what the device, the temporary file or a damaged store gives.
    ///
    /// # Panics
    /// Where a vertex it is personal to is none of the graph.
    pub fn pagerank(&self, options: &PageRankOptions) -> Result<PageRank, GraphError> {
        self.ranked(options, None)
    }

    /// PageRank that begins with the ranks of an earlier version, so that fewer iterations bring it within a
    /// tolerance. Where the cap has no room for the state of all vertices it is [`Graph::pagerank`].
    ///
    /// # Errors
    /// As [`Graph::pagerank`]; [`GraphError::Malformed`] where the result is not one of ranks.
    ///
    /// # Panics
    /// As [`Graph::pagerank`].
    pub fn pagerank_after(
        &self,
        options: &PageRankOptions,
        previous: &Previous,
    ) -> Result<PageRank, GraphError> {
        self.ranked(options, Some(previous))
    }

    fn ranked(&self, options: &PageRankOptions, previous: Option<&Previous>) -> Result<PageRank, GraphError> {
        if !(0.0..=1.0).contains(&options.damping) {
            return Err(GraphError::Damping { given: options.damping });
        }
        Needs::weights(options.weighted).check(self, WEIGHTED)?;
        let MemoryPlan { bytes, parts } = state_bytes(self, options).plan(self, self.options().memory)?;
        let (ranked, stats) =
            Engine::run(self, NAME, bytes, |engine| match Precision::of(self.vertices(), options) {
                Precision::Single => unweighted::<Single, f32>(engine, options, previous, parts),
                Precision::Double => unweighted::<Double, f64>(engine, options, previous, parts),
                Precision::Weighted => run::<Weighted>(engine, options, previous, parts),
            })?;
        let Ranked { ranks, iterations, change, highest } = ranked;
        // Ranks of no vertices do not change.
        let converged = || change < options.tolerance || self.vertices() == 0;
        let converged = (options.tolerance > 0.0).then(converged);
        Ok(PageRank { ranks, iterations, change, converged, highest, stats })
    }
}

/// What an iteration, or all of them, came to.
struct Ranked {
    ranks: PerVertex<f64>,
    iterations: u32,
    change: f64,
    highest: f64,
}

/// The whole run where edges count alike, on a thread of the engine.
fn unweighted<S: Shared + Stored, G: Give>(
    engine: &mut Engine<'_>,
    options: &PageRankOptions,
    previous: Option<&Previous>,
    parts: Option<Partitioning>,
) -> Result<Ranked, GraphError> {
    if parts.is_none()
        && let Some(lists) = on_lists::Lists::of::<G>(engine, options)?
    {
        return on_lists::iterate::<G>(engine, &lists, options, previous);
    }
    run::<Unweighted<S>>(engine, options, previous, parts)
}

/// The whole run on blocks, on a thread of the engine.
fn run<E: Edges>(
    engine: &mut Engine<'_>,
    options: &PageRankOptions,
    previous: Option<&Previous>,
    parts: Option<Partitioning>,
) -> Result<Ranked, GraphError> {
    match parts {
        None => iterate::<E>(engine, options, previous),
        Some(parts) => in_parts::iterate::<E>(engine, options, &parts),
    }
}

/// What the vertex state takes.
fn state_bytes(graph: &Graph, options: &PageRankOptions) -> StateBytes<Partitioning> {
    let value_bytes = Precision::of(graph.vertices(), options).value_bytes();
    let vertex = size_of::<Double>() as u64 + value_bytes.give + value_bytes.total;
    let personal = options.personal.len() as u64 * 4;
    let parts = in_parts::part_bytes(graph, value_bytes);
    StateBytes {
        what: NAME,
        in_memory: graph.vertices() * vertex + personal,
        in_parts: PartitionBytes { fixed: parts.fixed + personal, ..parts },
    }
}

/// Bytes that parts write to the file and read from it: before the first iteration, and in each at least, and
/// on top of that at most.
fn spilled_bytes(graph: &Graph, options: &PageRankOptions, parts: &Partitioning) -> [u64; 3] {
    in_parts::spilled_bytes(graph, Precision::of(graph.vertices(), options).value_bytes(), parts)
}

/// Up to that many vertices, doubles stay in a processor's cache.
const FEW_VERTICES: u64 = 1 << 17;

/// What is kept of vertices and edges.
enum Precision {
    /// Degrees, and what vertices give in single precision.
    Single,
    /// Degrees, and what vertices give in double precision.
    Double,
    /// The sums of weights, and what vertices give, in double precision.
    Weighted,
}

impl Precision {
    /// What vertices give is rounded to single precision where that does: an iteration then changes a rank by
    /// a relative 2^-24 at most, and the damping's share of that is passed on: 2^-24 / (1 - damping) in all.
    /// A small tolerance asks for more than that; and where jumps are personal, ranks far away may be smaller
    /// than single precision goes.
    fn of(vertices: u64, options: &PageRankOptions) -> Precision {
        let is_exact_enough = options.tolerance == 0.0 || options.tolerance >= 1e-7;
        let is_in_range = options.damping <= 0.9 && options.personal.is_empty();
        if options.weighted {
            Precision::Weighted
        } else if vertices > FEW_VERTICES && is_exact_enough && is_in_range {
            Precision::Single
        } else {
            Precision::Double
        }
    }

    fn value_bytes(self) -> ValueBytes {
        match self {
            Precision::Single => ValueBytes::of::<Unweighted<Single>>(),
            Precision::Double => ValueBytes::of::<Unweighted<Double>>(),
            Precision::Weighted => ValueBytes::of::<Weighted>(),
        }
    }
}

/// Bytes for each vertex, in memory and in a file.
#[derive(Debug, Clone, Copy)]
struct ValueBytes {
    /// Of what it gives.
    give: u64,
    /// Of its degree or its weights together.
    total: u64,
}

impl ValueBytes {
    fn of<E: Edges>() -> ValueBytes {
        ValueBytes { give: E::Give::BYTES as u64, total: E::Total::BYTES as u64 }
    }
}

/// Vertices whose sums are added up one after the other.
const CHUNK: usize = 1 << 14;

/// Takes the ranks of a result; vertices that it does not have keep theirs, and all add up to 1 again.
fn begin_with(ranks: &[Double], graph: &Graph, previous: &Previous) -> Result<(), GraphError> {
    let mut row = 0;
    previous.each(graph, |vertex, _, rank| {
        let rank = f64::from_bits(rank);
        if !(0.0..=1.0).contains(&rank) {
            return Err(previous.wrong(row, format!("has no rank from 0 to 1, but {rank}")));
        }
        ranks[vertex as usize].set(rank);
        row += 1;
        Ok(())
    })?;
    let sum: f64 = ranks.iter().map(|rank| rank.get()).sum();
    ranks.par_iter().for_each(|rank| rank.set(rank.get() / sum));
    Ok(())
}

struct PageRankState<'a, E: Edges> {
    options: &'a PageRankOptions,
    /// Of each vertex: its rank; while a sweep lasts, the sum of what it is given.
    ranks: Vec<Double>,
    /// Of each vertex: what it gives along an edge of weight 1.
    contributions: Vec<E::Give>,
    /// Of each vertex: the weights of its edges together.
    totals: Vec<E::Total>,
    /// The rank of all vertices whose weights are 0 together.
    dangling: f64,
}

/// All iterations, with the state of all vertices in memory.
fn iterate<E: Edges>(
    engine: &mut Engine<'_>,
    options: &PageRankOptions,
    previous: Option<&Previous>,
) -> Result<Ranked, GraphError> {
    let vertices = engine.graph().vertices();
    engine.expect(0.0..options.share(1));
    let totals = E::totals(engine, &(0..vertices as Vertex))?;
    let mut state = PageRankState::<E> {
        options,
        ranks: by_vertex(vertices, |_| Double::new(1.0 / vertices as f64)),
        contributions: by_vertex(vertices, |_| E::Give::new(0.0)),
        totals,
        dangling: 0.0,
    };
    if let Some(previous) = previous {
        begin_with(&state.ranks, engine.graph(), previous)?;
    }
    state.give(|rank, _| rank);
    let (mut done, mut change) = (0, f64::INFINITY);
    while done < options.iterations && change >= options.tolerance && vertices > 0 {
        engine.expect(options.share(done + 1)..options.share(done + 2));
        match engine.graph().header().has_reverse() {
            true => state.pull(engine)?,
            false => state.push(engine)?,
        }
        change = state.apply_damping();
        engine.add_scanned_edges(engine.graph().header().edges);
        done += 1;
    }
    let ranks: Vec<f64> = state.ranks.into_iter().map(|rank| rank.get()).collect();
    let highest = ranks.iter().copied().fold(0.0, f64::max);
    Ok(Ranked { ranks: ranks.into(), iterations: done, change, highest })
}

/// What a vertex's rank is divided by.
fn divisor(total: f64) -> f64 {
    if total > 0.0 { total } else { 1.0 }
}

impl<E: Edges> PageRankState<'_, E> {
    /// Sums by reading incoming edges.
    fn pull(&self, engine: &mut Engine<'_>) -> Result<(), GraphError> {
        let (ranks, contributions) = (&self.ranks, &self.contributions);
        let locals = engine.sweep_lists(
            &AtomicBool::new(false),
            Direction::Reverse,
            Which::All,
            || (Sums::<E>::new(), Vec::new()),
            |(sums, pieces), lists| {
                sums.of(
                    lists,
                    |_| true,
                    contributions,
                    |vertex| vertex,
                    |vertex, sum| {
                        if lists.is_piece(vertex) {
                            pieces.push((vertex, sum));
                        } else {
                            ranks[vertex as usize].set(sum);
                        }
                    },
                );
            },
        )?;
        let pieces = locals.into_iter().flat_map(|(_, pieces)| pieces);
        each_hub(pieces, |vertex, sum| ranks[vertex as usize].set(sum));
        Ok(())
    }

    /// Sums by reading outgoing edges.
    fn push(&self, engine: &mut Engine<'_>) -> Result<(), GraphError> {
        let (ranks, contributions) = (&self.ranks, &self.contributions);
        ranks.par_iter().for_each(|rank| rank.set(0.0));
        engine.sweep(
            Direction::Forward,
            Which::All,
            || (),
            |(), block| {
                for (vertex, list) in block.places() {
                    let give = contributions[vertex as usize].get();
                    E::scan(block, vertex, list, |edge| {
                        ranks[E::end(edge) as usize].add(E::carried(give, edge));
                    });
                }
            },
        )?;
        Ok(())
    }

    /// From sums to ranks; by how much they changed in sum.
    fn apply_damping(&mut self) -> f64 {
        let jumps = Jumps::new(self.options, self.dangling, self.ranks.len() as u64);
        self.give(|sum, vertex| jumps.rank(sum, vertex))
    }

    /// Makes ranks of what is in their place, and of these what each vertex gives.
    fn give(&mut self, rank: impl Fn(f64, Vertex) -> f64 + Sync) -> f64 {
        // Chunks of one size, added up in order: the same sum for any number of threads.
        let chunks: Vec<(f64, f64)> =
            (self.ranks.par_chunks(CHUNK).zip(self.contributions.par_chunks(CHUNK)))
                .zip(self.totals.par_chunks(CHUNK))
                .enumerate()
                .map(|(chunk, ((ranks, contributions), totals))| {
                    let (mut dangling, mut change) = (0.0, 0.0);
                    let vertices = (chunk * CHUNK) as Vertex..;
                    for (((place, give), total), vertex) in
                        ranks.iter().zip(contributions).zip(totals).zip(vertices)
                    {
                        let total: f64 = (*total).into();
                        let divisor = divisor(total);
                        let now = rank(place.get(), vertex);
                        change += (now - give.get() * divisor).abs();
                        place.set(now);
                        give.set(now / divisor);
                        if total == 0.0 {
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
