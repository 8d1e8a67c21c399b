//! A set of vertices in an order of its own.

use crate::format::Vertex;

/// Vertices, each once, and the place of each.
#[derive(Debug, Clone, Default)]
pub(super) struct Members {
    /// Ascending.
    sorted: Vec<Vertex>,
    /// By place among the sorted ones: the place in the set's order.
    places: Vec<u32>,
}

impl Members {
    /// Bytes in memory of that many, while they are made too.
    pub(super) fn bytes(vertices: usize) -> u64 {
        vertices as u64 * 16
    }

    /// Of vertices in the set's order; of one that is there several times, the first counts.
    pub(super) fn new(vertices: &[Vertex]) -> Members {
        let mut pairs: Vec<(Vertex, u32)> = vertices.iter().copied().zip(0..).collect();
        pairs.sort_unstable();
        pairs.dedup_by_key(|(vertex, _)| *vertex);
        let (sorted, places) = pairs.into_iter().unzip();
        Members { sorted, places }
    }

    /// All, ascending.
    pub(super) fn sorted(&self) -> &[Vertex] {
        &self.sorted
    }

    /// Where a vertex is among the sorted ones.
    pub(super) fn sorted_place(&self, vertex: Vertex) -> Option<usize> {
        self.sorted.binary_search(&vertex).ok()
    }

    /// Where a vertex is in the set's order.
    pub(super) fn place(&self, vertex: Vertex) -> Option<u32> {
        self.sorted_place(vertex).map(|at| self.places[at])
    }
}
