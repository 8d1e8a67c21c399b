//! Walks in memory: a row per step, as their files have it.

use leadline_graph_store::format::Vertex;

use super::ROWS;
use super::budget::Budget;
use super::columns::{RowColumn, RowValues, Rows};
use super::id_table::IdTable;
use super::names::ranks;
use crate::algorithms::WalkOptions;
use crate::{Graph, GraphError};

/// Takes walks and makes rows of them: `walk`, `step`, `vertex`.
pub struct WalkRows<'g> {
    graph: &'g Graph,
    /// Of all walks, one behind the other.
    vertices: Vec<Vertex>,
    /// By walk: where its vertices end.
    ends: Vec<u64>,
}

impl<'g> WalkRows<'g> {
    /// For the walks of these options, before they are made. The sink bytes of the options must be
    /// [`WalkRows::bytes`], for the cap to hold.
    ///
    /// # Errors
    /// [`GraphError::Memory`] where the cap has no room for the rows.
    pub fn new(graph: &'g Graph, options: &WalkOptions) -> Result<WalkRows<'g>, GraphError> {
        Budget::new(graph).take(WalkRows::bytes(graph, options))?;
        let (walks, rows) = counts(graph, options);
        let (vertices, ends) = (Vec::with_capacity(rows as usize), Vec::with_capacity(walks as usize));
        Ok(WalkRows { graph, vertices, ends })
    }

    /// Most bytes that the walks of these options take, where none of them ends early; strings taken to be of
    /// mean length.
    pub fn bytes(graph: &Graph, options: &WalkOptions) -> u64 {
        let (walks, rows) = counts(graph, options);
        let ids = IdTable::bytes(graph);
        let an_id = match graph.ids().are_strings() {
            true => ids.div_ceil(graph.vertices().max(1)),
            false => 8,
        };
        let ranks = if graph.header().renumbered { graph.vertices() * 4 } else { 0 };
        // A vertex, and then its row.
        let all = rows.saturating_mul(4 + 16 + an_id).saturating_add(walks.saturating_mul(8));
        // More than any machine has, and yet small enough for sums.
        all.min(1 << 62) + ids + ranks
    }

    /// Appends a walk; the first has the number 0, and each one more than the one before.
    pub fn put(&mut self, walk: u64, vertices: &[Vertex]) {
        debug_assert_eq!(walk, self.ends.len() as u64, "walks come in order");
        self.vertices.extend_from_slice(vertices);
        self.ends.push(self.vertices.len() as u64);
    }

    /// The rows of all walks.
    ///
    /// # Errors
    /// [`GraphError::Memory`] where strings are longer than [`WalkRows::bytes`] took them to be;
    /// [`GraphError::Damaged`] (the ids), [`GraphError::Interrupted`].
    pub fn finish(self) -> Result<Rows, GraphError> {
        let WalkRows { graph, vertices, ends } = self;
        let mut budget = Budget::new(graph);
        let (ids, ranks) = (IdTable::read(graph)?, ranks(graph)?);
        budget.take(vertices.len() as u64 * 20 + ends.len() as u64 * 8)?;
        budget.take(IdTable::bytes(graph) + ranks.len() as u64 * 4)?;
        let rank = |row: usize| {
            let vertex = vertices[row];
            ranks.get(vertex as usize).copied().unwrap_or(vertex)
        };
        let vertex = ids.column(graph, &mut budget, vertices.len(), rank)?;
        let mut walks = Vec::with_capacity(vertices.len());
        let mut steps = Vec::with_capacity(vertices.len());
        let mut start = 0;
        for (walk, end) in (0..).zip(ends) {
            if walk % ROWS as u64 == 0 {
                graph.check_stop()?;
            }
            walks.resize(end as usize, walk);
            steps.extend(0..end - start);
            start = end;
        }
        let columns = [("walk", RowValues::Ids(walks)), ("step", RowValues::Ids(steps)), ("vertex", vertex)];
        let columns = columns.into_iter().map(|(name, values)| RowColumn::full(name, values)).collect();
        Ok(Rows { columns })
    }
}

/// Walks, and most rows of them.
fn counts(graph: &Graph, options: &WalkOptions) -> (u64, u64) {
    let walks = graph.walk_count(options);
    (walks, walks.saturating_mul(u64::from(options.length) + 1))
}
