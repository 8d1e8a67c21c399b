//! A row per vertex in memory: what a file of the same columns has, in the same order.

use std::borrow::Cow;

use leadline_graph_store::format::Vertex;

use super::budget::Budget;
use super::columns::{RowColumn, RowValues, Rows};
use super::id_table::{self, IdTable, fill};
use super::names::ranks;
use super::table::{self, Column, Kind, Values};
use crate::{Graph, GraphError};

impl Rows {
    /// Whether the cap has room for a result of these columns and its rows; to be asked before the work.
    /// Strings in other columns than the vertex's own are taken to be of mean length.
    ///
    /// # Errors
    /// [`GraphError::Memory`] with the least that would do.
    pub fn check_memory(graph: &Graph, columns: &[(&str, Kind)]) -> Result<(), GraphError> {
        Budget::new(graph).take(bytes(graph, columns))
    }

    /// The least memory with which [`Rows::check_memory`] agrees, bytes.
    pub(crate) fn least_memory(graph: &Graph, columns: &[(&str, Kind)]) -> u64 {
        bytes(graph, columns).next_multiple_of(1 << 10)
    }

    /// Makes the rows: the vertex's id first, ascending by it, then these columns. Vectors that are columns
    /// already are moved: doubles of a store that was not renumbered. Blocks that the last run cached are let
    /// go where the cap has no room for both.
    ///
    /// # Errors
    /// [`GraphError::Memory`], above all where strings are longer than [`Rows::check_memory`] took them to
    /// be; [`GraphError::Damaged`] (the ids), [`GraphError::Interrupted`].
    ///
    /// # Panics
    /// Where a column has not a value for each vertex.
    pub fn collect(graph: &Graph, columns: Vec<Column<'_>>) -> Result<Rows, GraphError> {
        table::check_lengths(graph, &columns);
        let kinds: Vec<(&str, Kind)> =
            columns.iter().map(|column| (column.name, column.values.kind())).collect();
        graph.make_room(bytes(graph, &kinds));
        let mut budget = Budget::new(graph);
        budget.take(table::held(graph, &kinds) + IdTable::bytes(graph) + Order::bytes(graph))?;
        let (ids, order) = (IdTable::read(graph)?, Order::read(graph)?);
        let mut collected = Vec::with_capacity(1 + columns.len());
        for column in columns {
            collected.push(order.column(graph, &ids, &mut budget, column)?);
        }
        let vertex = RowColumn::full("vertex", ids.into_column(graph)?);
        collected.insert(0, vertex);
        Ok(Rows { columns: collected })
    }

    /// How many rows there are.
    pub fn count(&self) -> usize {
        self.columns.first().map_or(0, |column| column.values.count())
    }
}

/// Most bytes of a result of these columns, its rows and what it takes to make them; of strings that are in
/// several columns as many as in the first.
fn bytes(graph: &Graph, columns: &[(&str, Kind)]) -> u64 {
    let (vertices, renumbered) = (graph.vertices(), graph.header().renumbered);
    let of_column = |kind: Kind| match kind {
        Kind::Doubles if !renumbered => 0,
        Kind::Doubles | Kind::Integers | Kind::Counts => vertices * 8,
        Kind::Vertices | Kind::Ranks => IdTable::bytes(graph) + vertices.div_ceil(8),
    };
    let cells: u64 = columns.iter().map(|(_, kind)| of_column(*kind)).sum();
    table::held(graph, columns) + IdTable::bytes(graph) + Order::bytes(graph) + cells
}

/// From the order of ids to vertices and back; empty where they are the same.
struct Order {
    vertices: Vec<Vertex>,
    ranks: Vec<u32>,
}

impl Order {
    fn bytes(graph: &Graph) -> u64 {
        if graph.header().renumbered { graph.vertices() * 8 } else { 0 }
    }

    fn read(graph: &Graph) -> Result<Order, GraphError> {
        let ranks = ranks(graph)?;
        let mut vertices = vec![0; ranks.len()];
        for (rank, vertex) in ranks.iter().zip(0..) {
            vertices[*rank as usize] = vertex;
        }
        Ok(Order { vertices, ranks })
    }

    /// The vertex of a rank.
    #[inline]
    fn vertex(&self, rank: usize) -> usize {
        self.vertices.get(rank).map_or(rank, |vertex| *vertex as usize)
    }

    /// The rank of a vertex; of none, none.
    #[inline]
    fn rank(&self, vertex: Vertex) -> u32 {
        self.ranks.get(vertex as usize).copied().unwrap_or(vertex)
    }

    /// A column in the order of ids.
    fn column(
        &self,
        graph: &Graph,
        ids: &IdTable,
        budget: &mut Budget,
        column: Column<'_>,
    ) -> Result<RowColumn, GraphError> {
        let Column { name, values } = column;
        let count = values.len();
        let (optional, mut present) = (values.kind() == Kind::Vertices, None);
        let values = match values {
            Values::Integers(values) => {
                let values = &*values.load()?;
                budget.take(count as u64 * 8)?;
                RowValues::Integers(fill(graph, count, |rank| table::integer(values[self.vertex(rank)]))?)
            }
            Values::Counts(values) => {
                let values = &*values.load()?;
                budget.take(count as u64 * 8)?;
                RowValues::Integers(fill(graph, count, |rank| values[self.vertex(rank)] as i64)?)
            }
            Values::Doubles(values) => match values.load()? {
                Cow::Owned(values) if self.vertices.is_empty() => RowValues::Doubles(values),
                values => {
                    budget.take(count as u64 * 8)?;
                    RowValues::Doubles(fill(graph, count, |rank| values[self.vertex(rank)])?)
                }
            },
            Values::Vertices(others) => {
                let others = &*others.load()?;
                let rank = |rank: usize| self.rank(others[self.vertex(rank)]);
                present = id_table::present(graph, budget, count, rank)?;
                ids.column(graph, budget, count, rank)?
            }
            Values::Ranks(ranks) => {
                let ranks = &*ranks.load()?;
                ids.column(graph, budget, count, |rank| ranks[self.vertex(rank)])?
            }
        };
        Ok(RowColumn { name, optional, present, values })
    }
}
