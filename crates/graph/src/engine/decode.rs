//! Lists are decoded once, in parallel, by the first run that would otherwise decode them twice, and are kept
//! for the runs after it. Where the cap has no room for them in addition to all blocks, there are none.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use leadline_graph_store::format::{Direction, Group, Vertex};
use leadline_graph_store::updates::{BlockLists, ListMerger, Neighbours};

use super::csr::Csr;
use super::sweep::Engine;
use super::work::Which;
use crate::GraphError;
use crate::numbers::{numbers, plain};

/// How often a run goes through the lists of a direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Passes {
    /// A small part of one: lists that are kept serve it, but none are decoded for it.
    Part,
    /// About once: to decode them apart pays only if another run did, or does, go through them too.
    One,
    /// Several times.
    Several,
}

impl Engine<'_> {
    /// The lists of a direction as plain numbers, if they are kept, or if they fit and are worth decoding;
    /// none where the cap has no room for `beside` bytes next to them, which the run's plan does not have.
    ///
    /// # Errors
    /// As [`Engine::sweep`].
    pub(crate) fn csr(
        &mut self,
        direction: Direction,
        passes: Passes,
        beside: u64,
    ) -> Result<Option<Arc<Csr>>, GraphError> {
        let graph = self.graph();
        let kept = graph.with_lists(|lists| lists.of(graph.header(), direction).clone());
        if kept.is_some() {
            return Ok(kept.filter(|_| self.has_room(beside)));
        }
        let is_worth_it = match passes {
            Passes::Part => false,
            Passes::One => graph.is_run_again(),
            Passes::Several => true,
        };
        let Some(bytes) = Csr::bytes_for(graph.header()) else { return Ok(None) };
        if !is_worth_it || !self.holds_all() || !self.has_room(bytes + beside) {
            return Ok(None);
        }
        self.leave_room(bytes + beside);
        let csr = Arc::new(self.decode(direction)?);
        graph.with_lists(|lists| *lists.of(graph.header(), direction) = Some(Arc::clone(&csr)));
        Ok(Some(csr))
    }

    /// Bytes that decoded lists of the reverse direction take in addition to those that are kept.
    pub(crate) fn bytes_of_reverse_lists(&self) -> u64 {
        let header = self.graph().header();
        let is_kept = self.graph().with_lists(|lists| lists.of(header, Direction::Reverse).is_some());
        // Where the graph is not directed they are the forward ones.
        if is_kept || !header.directed { 0 } else { Csr::bytes_for(header).unwrap_or(0) }
    }

    /// Decodes all lists of a direction. They are in the memory of whoever asks.
    ///
    /// # Errors
    /// As [`Engine::sweep`].
    pub(crate) fn decode(&mut self, direction: Direction) -> Result<Csr, GraphError> {
        let vertices = self.graph().vertices();
        // Of each vertex, one behind its place: first its degree, then where its next neighbour goes, and in
        // the end where its list ends.
        let places = numbers(vertices + 1, |_| 0);
        let all = AtomicBool::new(false);
        let degrees = |pieces: &mut Vec<Piece>, lists: &BlockLists<'_>| {
            lists.each_degree(|vertex, degree| {
                let (place, degree) = (&places[vertex as usize + 1], degree as u32);
                if lists.is_piece(vertex) {
                    place.fetch_add(degree, Ordering::Relaxed);
                    pieces.push(Piece { vertex, block: lists.number(), degree });
                } else {
                    place.store(degree, Ordering::Relaxed);
                }
            });
        };
        let pieces = self.sweep_lists(&all, direction, Which::All, Vec::new, degrees)?;
        let mut entries = 0;
        for place in &places[1..] {
            let degree = place.load(Ordering::Relaxed);
            place.store(entries, Ordering::Relaxed);
            entries += degree;
        }
        let pieces = Pieces::new(pieces.into_iter().flatten().collect(), &places);
        let neighbours = numbers(entries.into(), |_| 0);
        let visit = |merger: &mut ListMerger, lists: &BlockLists<'_>| {
            lists.each_list(merger, |vertex, list| {
                let (place, count) = (&places[vertex as usize + 1], list.count());
                let start = if lists.is_piece(vertex) {
                    place.fetch_add(count as u32, Ordering::Relaxed);
                    pieces.start(vertex, lists.number())
                } else {
                    // Nobody else fills this list.
                    let start = place.load(Ordering::Relaxed);
                    place.store(start + count as u32, Ordering::Relaxed);
                    start
                };
                fill(&neighbours[start as usize..start as usize + count], list);
            });
        };
        self.sweep_lists(&all, direction, Which::All, ListMerger::default, visit)?;
        Ok(Csr::new(plain(places), plain(neighbours)))
    }
}

/// Puts a list where it belongs.
fn fill(mut places: &[AtomicU32], list: Neighbours<'_>) {
    match list {
        Neighbours::Unchanged(groups) => {
            for Group { values, len } in groups {
                let (here, others) = places.split_at(len);
                here.iter().zip(values).for_each(|(to, value)| to.store(value, Ordering::Relaxed));
                places = others;
            }
        }
        Neighbours::Changed(list) => {
            places.iter().zip(list).for_each(|(to, value)| to.store(*value, Ordering::Relaxed));
        }
    }
}

/// A piece of a hub's list, which lies in several blocks.
struct Piece {
    vertex: Vertex,
    block: u32,
    degree: u32,
}

/// Where the pieces of hubs' lists begin, in the order of their vertices and blocks.
struct Pieces(Vec<(Vertex, u32, u32)>);

impl Pieces {
    /// One behind the place of each vertex is where its list begins.
    fn new(mut pieces: Vec<Piece>, places: &[AtomicU32]) -> Pieces {
        pieces.sort_unstable_by_key(|piece| (piece.vertex, piece.block));
        let mut starts = Vec::with_capacity(pieces.len());
        for hub in pieces.chunk_by(|one, next| one.vertex == next.vertex) {
            let mut start = places[hub[0].vertex as usize + 1].load(Ordering::Relaxed);
            for piece in hub {
                starts.push((piece.vertex, piece.block, start));
                start += piece.degree;
            }
        }
        Pieces(starts)
    }

    /// Where one begins.
    fn start(&self, vertex: Vertex, block: u32) -> u32 {
        let at = self.0.partition_point(|piece| (piece.0, piece.1) < (vertex, block));
        self.0[at].2
    }
}
