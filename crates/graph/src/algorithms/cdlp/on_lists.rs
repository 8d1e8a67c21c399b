//! Votes by lists in memory. Once few labels change, a vertex votes again only if a neighbour's label
//! changed: its vote would be the same else.

use std::sync::atomic::{AtomicU32, Ordering};

use leadline_graph_store::format::Vertex;
use rayon::prelude::*;

use super::vote::vote;
use crate::algorithms::decoded::Decoded;
use crate::engine::Passes;
use crate::{Engine, Frontier, GraphError};

/// Vertices that a thread has vote at a time.
const CHUNK: u32 = 1 << 10;

/// Only who has to votes again where the lists of those whose labels changed have less than this share of all
/// entries, 1 in this many: to find who has to takes longer for an entry than to vote.
const FEW_CHANGED: u64 = 16;

/// Vertices with their lists.
pub(super) struct Voters {
    lists: Decoded,
    vertices: Vertex,
    /// Who votes next, if not all do.
    next: Frontier,
    all: bool,
}

/// What a part of the vertices did.
#[derive(Default)]
struct Voted {
    /// Entries of lists.
    seen: u64,
    /// Entries of the lists of those whose labels changed.
    changed: u64,
}

impl Voters {
    /// All of a graph, if its lists are in memory or are to be. No vertex has more than `longest` neighbours.
    ///
    /// # Errors
    /// As [`Engine::sweep`].
    pub(super) fn of(
        engine: &mut Engine<'_>,
        iterations: u32,
        longest: u64,
    ) -> Result<Option<Voters>, GraphError> {
        let vertices = engine.graph().vertices();
        let passes = if iterations > 1 { Passes::Several } else { Passes::One };
        // A set of vertices takes less than the counts of neighbours that are not made.
        // Each thread has the labels of one vertex, in a vector that grows by doubling.
        let beside = engine.threads() as u64 * longest * 2 * 4;
        let lists = Decoded::of(engine, passes, beside)?;
        let voters =
            |lists| Voters { lists, vertices: vertices as Vertex, next: Frontier::new(vertices), all: true };
        Ok(lists.map(voters))
    }

    /// Has all vertices vote, from `labels` to `next`; whether a label is another than before.
    ///
    /// # Errors
    /// [`GraphError::Interrupted`].
    pub(super) fn vote_all(
        &mut self,
        engine: &mut Engine<'_>,
        labels: &[AtomicU32],
        next: &[AtomicU32],
    ) -> Result<bool, GraphError> {
        engine.begin_pass(0)?;
        let vote = |found: &mut Vec<u32>, vertices| self.vote(found, vertices, labels, next);
        let all = self
            .chunks()
            .map_init(Vec::new, vote)
            .reduce(Voted::default, |a, b| Voted { seen: a.seen + b.seen, changed: a.changed + b.changed });
        engine.add_scanned_edges(all.seen);
        self.all = all.changed > self.lists.entries() / FEW_CHANGED;
        if !self.all {
            self.next.clear();
            let neighbours_vote = |vertex: Vertex| {
                let lists = self.lists.lists(vertex);
                lists.flatten().for_each(|neighbour| _ = self.next.insert(*neighbour));
            };
            self.chunks().flatten_iter().for_each(|vertex| {
                let label = |of: &[AtomicU32]| of[vertex as usize].load(Ordering::Relaxed);
                if label(labels) != label(next) {
                    neighbours_vote(vertex);
                }
            });
        }
        // Who has no neighbours keeps its label.
        Ok(all.changed > 0)
    }

    fn chunks(&self) -> impl ParallelIterator<Item = std::ops::Range<Vertex>> + use<> {
        let vertices = self.vertices;
        (0..vertices.div_ceil(CHUNK)).into_par_iter().map(move |chunk| {
            let start = chunk * CHUNK;
            start..start.saturating_add(CHUNK).min(vertices)
        })
    }

    fn vote(
        &self,
        found: &mut Vec<u32>,
        vertices: std::ops::Range<Vertex>,
        labels: &[AtomicU32],
        next: &[AtomicU32],
    ) -> Voted {
        let mut voted = Voted::default();
        for vertex in vertices {
            let before = labels[vertex as usize].load(Ordering::Relaxed);
            let mut label = before;
            if self.all || self.next.contains(vertex) {
                found.clear();
                for list in self.lists.lists(vertex) {
                    found.extend(list.iter().map(|other| labels[*other as usize].load(Ordering::Relaxed)));
                }
                label = vote(found).unwrap_or(before);
                voted.seen += found.len() as u64;
                voted.changed += if label == before { 0 } else { found.len() as u64 };
            }
            next[vertex as usize].store(label, Ordering::Relaxed);
        }
        voted
    }
}
