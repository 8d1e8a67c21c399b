//! Pairs in memory: a row for each, as their files have it.

use leadline_graph_store::format::Vertex;

use super::budget::Budget;
use super::columns::{RowColumn, RowValues, Rows};
use super::id_table::IdTable;
use super::names::ranks;
use crate::{Graph, GraphError};

/// Takes pairs and makes rows of them: `vertex`, `other` and a value.
pub struct PairRows<'g> {
    graph: &'g Graph,
    /// What the value is called.
    value: &'static str,
    vertices: Vec<Vertex>,
    others: Vec<Vertex>,
    values: Vec<f64>,
}

impl<'g> PairRows<'g> {
    /// For that many pairs at most, before they are found. What finds them must count [`PairRows::bytes`]
    /// against the cap.
    ///
    /// # Errors
    /// [`GraphError::Memory`] where the cap has no room for the rows.
    pub fn new(graph: &'g Graph, value: &'static str, most: u64) -> Result<PairRows<'g>, GraphError> {
        Budget::new(graph).take(PairRows::bytes(graph, most))?;
        let most = most as usize;
        let (vertices, others) = (Vec::with_capacity(most), Vec::with_capacity(most));
        Ok(PairRows { graph, value, vertices, others, values: Vec::with_capacity(most) })
    }

    /// Bytes of `most` pairs; strings are assumed to have mean length.
    pub fn bytes(graph: &Graph, most: u64) -> u64 {
        let ids = IdTable::bytes(graph);
        let an_id = match graph.ids().are_strings() {
            true => 8 + ids.div_ceil(graph.vertices().max(1)),
            false => 8,
        };
        let ranks = if graph.header().renumbered { graph.vertices() * 4 } else { 0 };
        // Two vertices and the value, and then the ids.
        let all = most.saturating_mul(16 + 2 * an_id);
        // More than any machine has, and yet small enough for sums.
        all.min(1 << 62) + ids + ranks
    }

    /// Appends a pair.
    ///
    /// # Panics
    /// Where there are more than there was to be room for.
    pub fn put(&mut self, vertex: Vertex, other: Vertex, value: f64) {
        assert!(self.values.len() < self.values.capacity(), "more pairs than there is room for");
        self.vertices.push(vertex);
        self.others.push(other);
        self.values.push(value);
    }

    /// The rows of all pairs, in their order.
    ///
    /// # Errors
    /// [`GraphError::Memory`] where strings are longer than [`PairRows::bytes`] took them to be;
    /// [`GraphError::Damaged`] (the ids), [`GraphError::Interrupted`].
    pub fn finish(self) -> Result<Rows, GraphError> {
        let PairRows { graph, value, vertices, others, values } = self;
        let mut budget = Budget::new(graph);
        let (ids, ranks) = (IdTable::read(graph)?, ranks(graph)?);
        budget.take(values.len() as u64 * 16 + IdTable::bytes(graph) + ranks.len() as u64 * 4)?;
        let mut named = |vertices: &[Vertex]| {
            let rank = |row: usize| {
                let vertex = vertices[row];
                ranks.get(vertex as usize).copied().unwrap_or(vertex)
            };
            ids.column(graph, &mut budget, vertices.len(), rank)
        };
        let (vertices, others) = (named(&vertices)?, named(&others)?);
        let columns = [("vertex", vertices), ("other", others), (value, RowValues::Doubles(values))];
        let columns = columns.into_iter().map(|(name, values)| RowColumn::full(name, values)).collect();
        Ok(Rows { columns })
    }
}
