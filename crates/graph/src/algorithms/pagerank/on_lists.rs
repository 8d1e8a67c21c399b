//! PageRank on lists in memory. An iteration is one pass: each vertex adds up what its neighbours give, and
//! what it gives itself in the next iteration goes to another place, so that no thread waits for another.

use std::sync::Arc;

use leadline_graph_store::format::{Direction, Vertex};
use rayon::prelude::*;

use super::edges::{Edges, Unweighted};
use super::jumps::Jumps;
use super::shared::{Double, Shared as _};
use super::{PageRankOptions, Ranked, begin_with, divisor};
use crate::algorithms::by_vertex;
use crate::algorithms::previous::Previous;
use crate::engine::{Csr, Passes};
use crate::prefetch::prefetch;
use crate::{Engine, Graph, GraphError};

/// Vertices that a thread takes at a time. What they come to is added up in their order: the same sums for
/// any number of threads.
const CHUNK: usize = 1 << 12;

/// Entries of lists that lie between the one that is added up and the one whose value the processor is told
/// to load: the ends of lists are guessed wrong, and what was loaded beyond them by guessing would be lost.
const AHEAD: usize = 128;

/// Where neighbours lie nearer than that, what they give is in the processor's cache.
const NEAR: u32 = 1 << 14;

/// What a vertex gives along each of its edges, in single or double precision.
pub(super) trait Give: Copy + Send + Sync + Into<f64> {
    /// Rounded.
    fn of(value: f64) -> Self;
}

impl Give for f32 {
    #[inline]
    fn of(value: f64) -> f32 {
        value as f32
    }
}

impl Give for f64 {
    #[inline]
    fn of(value: f64) -> f64 {
        value
    }
}

/// Lists that ranks are summed by, and how many edges each vertex shares its rank out among.
pub(super) struct Lists {
    incoming: Arc<Csr>,
    /// Those of a directed graph; of an undirected one the lists tell.
    degrees: Option<Vec<u32>>,
}

impl Lists {
    /// Those of a graph, if they are in memory or are to be.
    ///
    /// # Errors
    /// As [`Engine::csr`].
    pub(super) fn of<G: Give>(
        engine: &mut Engine<'_>,
        options: &PageRankOptions,
    ) -> Result<Option<Lists>, GraphError> {
        let graph = engine.graph();
        if !graph.header().has_reverse() {
            return Ok(None);
        }
        let passes = if options.iterations > 1 { Passes::Several } else { Passes::One };
        engine.expect(0.0..options.share(1));
        let beside = graph.vertices() * size_of::<G>() as u64;
        let Some(incoming) = engine.csr(Direction::Reverse, passes, beside)? else { return Ok(None) };
        let all = 0..graph.vertices() as Vertex;
        let degrees = match graph.header().directed {
            true => Some(Unweighted::<Double>::totals(engine, &all)?),
            false => None,
        };
        Ok(Some(Lists { incoming, degrees }))
    }

    /// Edges that a vertex shares its rank out among.
    #[inline]
    fn degree(&self, vertex: usize) -> u32 {
        match &self.degrees {
            Some(degrees) => degrees[vertex],
            None => self.incoming.degree(vertex as Vertex),
        }
    }

    #[inline]
    fn divisor(&self, vertex: usize) -> f64 {
        divisor(self.degree(vertex).into())
    }
}

/// All iterations.
pub(super) fn iterate<G: Give>(
    engine: &mut Engine<'_>,
    lists: &Lists,
    options: &PageRankOptions,
    previous: Option<&Previous>,
) -> Result<Ranked, GraphError> {
    let graph = engine.graph();
    let vertices = graph.vertices();
    let ranks = by_vertex(vertices, |_| Double::new(1.0 / vertices as f64));
    if let Some(previous) = previous {
        begin_with(&ranks, graph, previous)?;
    }
    let give = |vertex: u32| G::of(ranks[vertex as usize].get() / lists.divisor(vertex as usize));
    let ahead = lists.incoming.is_scattered(NEAR);
    let mut state = State { lists, ahead, gives: by_vertex(vertices, give), dangling: 0.0 };
    let rank_of = |vertex: usize| if lists.degree(vertex) == 0 { ranks[vertex].get() } else { 0.0 };
    state.dangling = (0..vertices as usize).map(rank_of).sum();
    let mut next = by_vertex(vertices, |_| G::of(0.0));
    let (mut done, mut change) = (0, f64::INFINITY);
    while done < options.iterations && change >= options.tolerance && vertices > 0 {
        engine.expect(options.share(done + 1)..options.share(done + 2));
        engine.begin_pass(next.chunks(CHUNK).len() as u32)?;
        done += 1;
        let jumps = Jumps::new(options, state.dangling, vertices);
        // Ranks are wanted only in the end.
        let may_be_last = options.tolerance > 0.0 || done == options.iterations;
        let ranks = may_be_last.then_some(&ranks);
        let chunks = match state.ahead {
            true => state.pass(graph, &jumps, &mut next, ranks, sum_and_load),
            false => state.pass(graph, &jumps, &mut next, ranks, |gives, list, _| sum(gives, list)),
        };
        graph.check_stop()?;
        state.dangling = chunks.iter().map(|chunk| chunk.dangling).sum();
        change = chunks.iter().map(|chunk| chunk.change).sum();
        std::mem::swap(&mut state.gives, &mut next);
        engine.add_scanned_edges(lists.incoming.entries());
    }
    let ranks: Vec<f64> = ranks.into_iter().map(|rank| rank.get()).collect();
    let highest = ranks.iter().copied().fold(0.0, f64::max);
    Ok(Ranked { ranks: ranks.into(), iterations: done, change, highest })
}

struct State<'l, G> {
    lists: &'l Lists,
    /// Whether values are loaded ahead.
    ahead: bool,
    /// Of each vertex: what it gives along an edge.
    gives: Vec<G>,
    /// The rank of all vertices without edges together.
    dangling: f64,
}

/// What the vertices of a chunk came to.
#[derive(Default)]
struct Chunk {
    dangling: f64,
    change: f64,
}

impl<G: Give> State<'_, G> {
    /// An iteration: what each vertex gives in the `next`, and its rank where that is wanted.
    /// `sum` adds up what the vertices of a list give, and may load what those of a later one give.
    fn pass(
        &self,
        graph: &Graph,
        jumps: &Jumps,
        next: &mut [G],
        ranks: Option<&Vec<Double>>,
        sum: impl Fn(&[G], &[Vertex], &[Vertex]) -> f64 + Sync,
    ) -> Vec<Chunk> {
        let chunk_of = |(chunk, next): (usize, &mut [G])| {
            let mut found = Chunk::default();
            if !graph.step() {
                return found;
            }
            let first = chunk * CHUNK;
            let lists = self.lists.incoming.lists_and_later(first..first + next.len(), AHEAD);
            for ((next, (list, later)), vertex) in next.iter_mut().zip(lists).zip(first..) {
                let (degree, before) = (f64::from(self.lists.degree(vertex)), self.gives[vertex].into());
                let divisor = divisor(degree);
                let rank = jumps.rank(sum(&self.gives, list, later), vertex as Vertex);
                found.change += (rank - before * divisor).abs();
                *next = G::of(rank / divisor);
                if let Some(ranks) = ranks {
                    ranks[vertex].set(rank);
                }
                if degree == 0.0 {
                    found.dangling += rank;
                }
            }
            found
        };
        next.par_chunks_mut(CHUNK).enumerate().map(chunk_of).collect()
    }
}

/// What some vertices give together.
#[inline]
fn sum<G: Give>(gives: &[G], vertices: &[Vertex]) -> f64 {
    let (groups, rest) = vertices.as_chunks();
    groups.iter().map(|group| of_group(gives, group)).sum::<f64>() + of_rest(gives, rest)
}

/// The same, in the same order, while what as many later ones give is loaded.
#[inline]
fn sum_and_load<G: Give>(gives: &[G], vertices: &[Vertex], later: &[Vertex]) -> f64 {
    let ((groups, rest), (later, later_rest)) = (vertices.as_chunks(), later.as_chunks::<4>());
    let group = |(group, later): (&[Vertex; 4], &[Vertex; 4])| {
        later.iter().for_each(|vertex| prefetch(&gives[*vertex as usize]));
        of_group(gives, group)
    };
    let sum = groups.iter().zip(later).map(group).sum::<f64>();
    later_rest.iter().for_each(|vertex| prefetch(&gives[*vertex as usize]));
    sum + of_rest(gives, rest)
}

/// One addition that waits for the one before, for each group.
#[inline]
fn of_group<G: Give>(gives: &[G], group: &[Vertex; 4]) -> f64 {
    let [a, b, c, d] = group.map(|vertex| -> f64 { gives[vertex as usize].into() });
    (a + b) + (c + d)
}

#[inline]
fn of_rest<G: Give>(gives: &[G], rest: &[Vertex]) -> f64 {
    rest.iter().map(|vertex| -> f64 { gives[*vertex as usize].into() }).sum()
}
