//! Sums of what the neighbours of each list give along its edges.
//!
//! Where contributions do not fit in the processor's cache, waiting for them is most of the work. A loop that
//! decodes a list and adds up at once has few of them on their way: the processor looks only that many
//! instructions ahead, and decoding takes most of those. So lists are decoded first, with a prefetch for each
//! neighbour, and added up when there are some hundred.

use leadline_graph_store::format::{Block, Group, List, Vertex};
use leadline_graph_store::updates::{BlockLists, ListMerger};

use super::edges::{Edges, GROUP};
use super::shared::Shared;
use crate::prefetch::prefetch;

/// Gives that are on their way together: what the first-level cache has room for, a line each.
const MANY: usize = 256;

/// What neighbours give that takes no more bytes than this is in the processor's cache soon, and hardly
/// waited for: a list is then added up as it is decoded.
const CACHED_BYTES: usize = 4 << 20;

/// Decoded lists that wait for their sums.
pub(super) struct Sums<E: Edges> {
    /// One list after the other. Each edge leads to the place of a neighbour's give.
    edges: [E::Edge; MANY + GROUP],
    /// How many there are.
    filled: usize,
    /// Of each list that is decoded to its end: the vertex it belongs to, and where it ends.
    ends: Vec<(Vertex, usize)>,
    /// What was added up of the first list already.
    begun: f64,
    merger: ListMerger,
}

impl<E: Edges> Sums<E> {
    pub(super) fn new() -> Sums<E> {
        Sums {
            edges: [E::Edge::default(); MANY + GROUP],
            filled: 0,
            ends: Vec::new(),
            begun: 0.0,
            merger: ListMerger::default(),
        }
    }

    /// Calls `take` with the sum of each of the `wanted` lists of a block, in their order. What a neighbour
    /// gives is at its `place` among `contributions`. Neighbours that changes added come behind the others.
    #[inline]
    pub(super) fn of(
        &mut self,
        lists: &BlockLists<'_>,
        wanted: impl Fn(Vertex) -> bool,
        contributions: &[E::Give],
        place: impl Fn(Vertex) -> u32,
        mut take: impl FnMut(Vertex, f64),
    ) {
        match lists.as_block() {
            Some(block) => {
                let own = block.places().filter(|(vertex, _)| wanted(*vertex));
                if size_of_val(contributions) <= CACHED_BYTES {
                    own.for_each(|(vertex, list)| {
                        take(vertex, at_once::<E>(block, vertex, list, contributions, &place));
                    });
                    return;
                }
                for (vertex, list) in own {
                    self.decode(block, vertex, list, contributions, &place, &mut take);
                    self.ends.push((vertex, self.filled));
                }
            }
            None => self.of_changed(lists, wanted, contributions, place, &mut take),
        }
        self.add_up(contributions, &mut take);
    }

    /// The same of a block with changes; some lists may be left to be added up. Lists are decoded first even
    /// where contributions fit in the cache: finding the changes of a list takes more instructions than a
    /// processor looks ahead.
    fn of_changed(
        &mut self,
        lists: &BlockLists<'_>,
        wanted: impl Fn(Vertex) -> bool,
        contributions: &[E::Give],
        place: impl Fn(Vertex) -> u32,
        take: &mut impl FnMut(Vertex, f64),
    ) {
        let mut merger = std::mem::take(&mut self.merger);
        lists.each_part(&mut merger, |vertex, base, List { neighbours, weights }| {
            if !wanted(vertex) {
                return;
            }
            let weight = |at: usize| weights.get(at).copied().unwrap_or(1.0);
            let edge = |(at, neighbour): (usize, &Vertex)| E::edge(place(*neighbour), weight(at));
            let added = neighbours.iter().enumerate().map(edge);
            if let Some((block, list)) = base {
                self.decode(block, vertex, list, contributions, &place, take);
            }
            for edge in added {
                if let Some(give) = contributions.get(E::end(edge) as usize) {
                    prefetch(give);
                }
                self.edges[self.filled] = edge;
                self.filled += 1;
                if self.filled >= MANY {
                    self.add_up(contributions, take);
                }
            }
            self.ends.push((vertex, self.filled));
        });
        self.merger = merger;
    }

    /// Decodes a list of a block.
    #[inline]
    fn decode(
        &mut self,
        block: &Block<'_>,
        vertex: Vertex,
        list: (usize, usize),
        contributions: &[E::Give],
        place: impl Fn(Vertex) -> u32,
        take: &mut impl FnMut(Vertex, f64),
    ) {
        let groups = block.groups_at(vertex, list);
        let mut weights = E::weights(block, list, &groups);
        for Group { values, len } in groups {
            let places = values.map(&place);
            for place in places {
                if let Some(give) = contributions.get(place as usize) {
                    prefetch(give);
                }
            }
            let edges = E::edges(places, &mut weights);
            self.edges[self.filled..self.filled + GROUP].copy_from_slice(&edges);
            self.filled += len;
            if self.filled >= MANY {
                self.add_up(contributions, take);
            }
        }
    }

    /// Adds up all that is decoded.
    #[inline]
    fn add_up(&mut self, contributions: &[E::Give], take: &mut impl FnMut(Vertex, f64)) {
        let mut from = 0;
        for (vertex, end) in self.ends.drain(..) {
            take(vertex, self.begun + sum::<E>(contributions, &self.edges[from..end]));
            (self.begun, from) = (0.0, end);
        }
        self.begun += sum::<E>(contributions, &self.edges[from..self.filled]);
        self.filled = 0;
    }
}

/// The sum of a list of a block, added up as it is decoded.
#[inline(always)]
fn at_once<E: Edges>(
    block: &Block<'_>,
    vertex: Vertex,
    list: (usize, usize),
    contributions: &[E::Give],
    place: impl Fn(Vertex) -> u32,
) -> f64 {
    let carried = |edge: E::Edge| E::carried(contributions[E::end(edge) as usize].get(), edge);
    let groups = block.groups_at(vertex, list);
    let mut weights = E::weights(block, list, &groups);
    let mut sum = 0.0;
    for Group { values, len } in groups {
        let edges = E::edges(values.map(&place), &mut weights);
        if len == GROUP {
            let [a, b, c, d] = edges.map(carried);
            sum += (a + b) + (c + d);
        } else {
            sum += edges.into_iter().take(len).map(carried).sum::<f64>();
        }
    }
    sum
}

/// What some edges carry.
#[inline]
fn sum<E: Edges>(contributions: &[E::Give], edges: &[E::Edge]) -> f64 {
    let carried = |edge: E::Edge| E::carried(contributions[E::end(edge) as usize].get(), edge);
    let (groups, rest) = edges.as_chunks::<GROUP>();
    // One addition that waits for the one before, for each group.
    let group = |[a, b, c, d]: &[E::Edge; GROUP]| (carried(*a) + carried(*b)) + (carried(*c) + carried(*d));
    let sum = groups.iter().map(group).sum::<f64>();
    sum + rest.iter().map(|edge| carried(*edge)).sum::<f64>()
}
