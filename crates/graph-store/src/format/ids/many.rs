//! Many ids at once, in the order in which the store has them: each page of them is read once, however many
//! of its ids are wanted.

use std::collections::HashMap;

use super::Ids;
use crate::GraphError;
use crate::format::{NO_VERTEX, Vertex};
use crate::updates::id::Id;

impl Ids<'_> {
    /// The vertex of each of some ids, in their order; none where the graph has no such vertex.
    ///
    /// # Errors
    /// [`GraphError::Damaged`].
    pub fn vertices_of(&mut self, ids: &[impl AsRef<str>]) -> Result<Vec<Option<Vertex>>, GraphError> {
        let parsed = (0..).zip(ids).filter_map(|(place, id)| Some((self.parse(id.as_ref())?, place)));
        let mut wanted: Vec<(Id, usize)> = parsed.collect();
        wanted.sort_unstable();
        let (mut vertices, mut from) = (vec![None; ids.len()], 0);
        for (id, place) in &wanted {
            let found = self.search_from(from, id)?;
            from = found.unwrap_or_else(|smaller| smaller);
            if let Some(rank) = self.rank_of_found(id, found) {
                vertices[*place] = Some(self.vertex(rank)?);
            }
        }
        Ok(vertices)
    }

    /// The ranks of vertices of the graph, which ascend, each once. Of a store that was imported renumbered
    /// all vertices are looked at.
    ///
    /// # Errors
    /// [`GraphError::Damaged`].
    pub fn ranks_of(&mut self, vertices: &[Vertex]) -> Result<Vec<u32>, GraphError> {
        debug_assert!(vertices.is_sorted_by(|vertex, next| vertex < next), "they are searched");
        if !self.renumbered() {
            return Ok(vertices.to_vec());
        }
        let mut ranks = vec![NO_VERTEX; vertices.len()];
        if let (None, Some(changes)) = (&self.order, self.changes) {
            let moved: HashMap<Vertex, u64> = changes.moved().collect();
            for (rank, vertex) in ranks.iter_mut().zip(vertices) {
                let of_base = || changes.rank_of_base((*vertex).into());
                *rank = moved.get(vertex).copied().or_else(of_base).map_or(NO_VERTEX, |rank| rank as u32);
            }
        } else {
            let mut rank = 0;
            self.each_vertex(|vertex| {
                if let Ok(place) = vertices.binary_search(&vertex) {
                    ranks[place] = rank;
                }
                rank += 1;
            })?;
        }
        match vertices.iter().zip(&ranks).find(|(_, rank)| **rank == NO_VERTEX) {
            Some((vertex, _)) => Err(GraphError::damaged(self.name, format!("vertex {vertex} has no rank"))),
            None => Ok(ranks),
        }
    }
}
