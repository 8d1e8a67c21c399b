//! From vertices to the users' ids, in any order.

use leadline_graph_store::format::{Ids, NO_VERTEX, Vertex};
use rayon::prelude::*;

use super::ROWS;
use crate::{Graph, GraphError};

/// No id. An id of this value would be one of 2^64 vertices.
pub(super) const NONE: u64 = u64::MAX;

/// Ids by vertex and by rank. A renumbered store's ranks are held in memory, 4 bytes per vertex.
#[derive(Debug)]
pub(crate) struct Names<'g> {
    ids: Ids<'g>,
    /// By vertex; empty where a vertex is its rank.
    ranks: Vec<u32>,
}

impl<'g> Names<'g> {
    /// Bytes in memory.
    pub(crate) fn bytes(graph: &Graph) -> u64 {
        Ids::BYTES + if graph.header().renumbered { graph.vertices() * 4 } else { 0 }
    }

    /// # Errors
    /// [`GraphError::Damaged`].
    pub(crate) fn new(graph: &'g Graph) -> Result<Names<'g>, GraphError> {
        Ok(Names { ids: graph.ids(), ranks: ranks(graph)? })
    }

    pub(crate) fn are_strings(&self) -> bool {
        self.ids.are_strings()
    }

    /// The vertex at a place in the order of ids.
    pub(crate) fn vertex(&mut self, rank: u64) -> Result<Vertex, GraphError> {
        self.ids.vertex(rank)
    }

    pub(crate) fn rank(&self, vertex: Vertex) -> u64 {
        u64::from(self.ranks.get(vertex as usize).copied().unwrap_or(vertex))
    }

    /// Turns ranks into the numbers that are their ids, and leaves [`NONE`]; at most [`ROWS`] of them, so
    /// that a place among them has 16 bits. They are read in the order of ranks: every page of ids once,
    /// however many ask for it.
    pub(crate) fn numbers(&mut self, ranks: &mut [u64]) -> Result<(), GraphError> {
        debug_assert!(ranks.len() <= ROWS);
        if self.ids.are_dense() {
            return Ok(());
        }
        // Ranks have 32 bits.
        let known = (0..).zip(&*ranks).filter(|(_, rank)| **rank != NONE);
        let mut places: Vec<u64> = known.map(|(place, rank)| rank << 16 | place).collect();
        places.par_sort_unstable();
        for rank_and_place in places {
            ranks[(rank_and_place & 0xffff) as usize] = self.ids.number(rank_and_place >> 16)?;
        }
        Ok(())
    }

    pub(crate) fn text(&mut self, rank: u64) -> Result<String, GraphError> {
        self.ids.text(rank)
    }
}

/// By vertex, its place in the order of ids; empty where that is the vertex itself.
///
/// # Errors
/// [`GraphError::Damaged`], also where two ids have one vertex.
pub(crate) fn ranks(graph: &Graph) -> Result<Vec<u32>, GraphError> {
    if !graph.header().renumbered {
        return Ok(Vec::new());
    }
    let mut ids = graph.ids();
    let mut ranks = vec![NO_VERTEX; graph.vertices() as usize];
    for rank in 0..graph.vertices() {
        let place = &mut ranks[ids.vertex(rank)? as usize];
        if *place != NO_VERTEX {
            let what = format!("its ids {place} and {rank} have one vertex");
            return Err(GraphError::damaged(graph.name(), what));
        }
        *place = rank as u32;
    }
    Ok(ranks)
}
