//! From the vertices of an answer to the users' ids.

use std::sync::Arc;

use rayon::prelude::*;

use crate::format::{List, Vertex};
use crate::output::{Budget, IdTable, RowColumn, ranks};
use crate::{Graph, GraphError};

/// An answer with more rows than one for that many vertices of the graph reads all ids: that is quicker than
/// to look for each.
const SOME: u64 = 16;

/// The ids of all vertices of a graph, in memory.
#[derive(Debug)]
pub(super) struct AllIds {
    /// By vertex; empty where a vertex is its rank.
    ranks: Vec<u32>,
    ids: IdTable,
}

impl AllIds {
    /// Bytes in memory.
    pub(super) fn bytes(graph: &Graph) -> u64 {
        let of_ranks = if graph.header().renumbered { graph.vertices() * 4 } else { 0 };
        of_ranks + if graph.ids().are_dense() { 0 } else { IdTable::bytes(graph) }
    }

    /// # Errors
    /// [`GraphError::Damaged`], [`GraphError::Interrupted`].
    pub(super) fn read(graph: &Graph) -> Result<AllIds, GraphError> {
        Ok(AllIds { ranks: ranks(graph)?, ids: IdTable::read(graph)? })
    }
}

/// The ids that an answer needs.
enum Known {
    All(Arc<AllIds>),
    Some {
        /// Ascending.
        vertices: Vec<Vertex>,
        /// Of these.
        ranks: Vec<u32>,
        /// The same, ascending.
        sorted: Vec<u32>,
        /// Of the sorted ones.
        ids: IdTable,
    },
}

impl Known {
    /// Of [`Known::Some`]: a vertex, its rank twice, and its id.
    const BYTES_PER_NAME: u64 = 4 + 8 + 8;
}

/// How large the rows of an answer are.
pub(super) struct Sizes {
    /// Bytes of the answer without its rows.
    pub(super) held: u64,
    /// Vertices that are named, each as often as it is there.
    pub(super) names: usize,
    pub(super) rows: usize,
    /// Columns of ids.
    pub(super) ids: u64,
    /// Bytes of other columns for each row.
    pub(super) others: u64,
}

/// The ids of the vertices of an answer, in memory.
pub(super) struct Naming<'g> {
    graph: &'g Graph,
    budget: Budget,
    rows: usize,
    known: Known,
}

impl<'g> Naming<'g> {
    /// Begins the rows of an answer. Strings are taken to be of mean length until they are read.
    ///
    /// # Errors
    /// [`GraphError::Memory`] with what all of it takes.
    pub(super) fn begin(graph: &'g Graph, sizes: &Sizes) -> Result<Naming<'g>, GraphError> {
        let (names, rows) = (sizes.names as u64, sizes.rows as u64);
        let all = AllIds::bytes(graph);
        let text = match graph.ids().are_strings() {
            true => IdTable::bytes(graph).div_ceil(graph.vertices().max(1)),
            false => 0,
        };
        let known = (names * (Known::BYTES_PER_NAME + text)).min(2 * all);
        let mut budget = Budget::new(graph);
        // Of ids there are ranks first.
        budget.take(sizes.held + rows * (4 * sizes.ids + sizes.others))?;
        budget.check(known + rows * sizes.ids * (8 + text))?;
        graph.make_room(budget.taken());
        let none = AllIds { ranks: Vec::new(), ids: IdTable::Dense };
        Ok(Naming { graph, budget, rows: sizes.rows, known: Known::All(Arc::new(none)) })
    }

    /// Uses ids that are in memory.
    pub(super) fn with(self, ids: Arc<AllIds>) -> Naming<'g> {
        Naming { known: Known::All(ids), ..self }
    }

    /// Takes that many bytes, and lets go of the blocks that are cached where there is no room for both.
    fn take(&mut self, bytes: u64) -> Result<(), GraphError> {
        self.budget.take(bytes)?;
        self.graph.make_room(self.budget.taken());
        Ok(())
    }

    /// Reads the ids of these vertices, each of which may be there several times.
    ///
    /// # Errors
    /// [`GraphError::Memory`], [`GraphError::Damaged`], [`GraphError::Interrupted`].
    pub(super) fn read(&mut self, vertices: impl Iterator<Item = Vertex>) -> Result<(), GraphError> {
        let graph = self.graph;
        let all = AllIds::bytes(graph);
        if all == 0 || self.rows as u64 > graph.vertices() / SOME && all <= self.budget.left() / 2 {
            self.take(all)?;
            self.known = Known::All(Arc::new(AllIds::read(graph)?));
            return Ok(());
        }
        let mut wanted: Vec<Vertex> = vertices.collect();
        self.take(wanted.len() as u64 * 4)?;
        wanted.par_sort_unstable();
        wanted.dedup();
        // Ranks twice: as they belong to vertices, and ascending.
        self.take(wanted.len() as u64 * 8)?;
        let ranks = graph.ids().ranks_of(&wanted)?;
        let mut sorted = ranks.clone();
        sorted.par_sort_unstable();
        let ids = IdTable::of(graph, &mut self.budget, &sorted)?;
        self.known = Known::Some { vertices: wanted, ranks, sorted, ids };
        Ok(())
    }

    /// The rank of a vertex that was read.
    pub(super) fn rank(&self, vertex: Vertex) -> u32 {
        match &self.known {
            Known::All(all) if all.ranks.is_empty() => vertex,
            Known::All(all) => all.ranks[vertex as usize],
            Known::Some { vertices, ranks, .. } => {
                let found = vertices.binary_search(&vertex);
                ranks[found.expect("every vertex of an answer was read")]
            }
        }
    }

    /// Appends the ranks of a list, ascending, and its weights with them; of parallel edges the lighter
    /// first.
    pub(super) fn put_list(&self, list: List<'_>, ranks: &mut Vec<u32>, weights: &mut Vec<f64>) {
        let start = ranks.len();
        ranks.extend(list.neighbours.iter().map(|vertex| self.rank(*vertex)));
        if list.weights.is_empty() {
            if self.graph.header().renumbered {
                ranks[start..].sort_unstable();
            }
            return;
        }
        // A copy of an edge that an update added follows those of the base, whatever the weights.
        let edges = || ranks[start..].iter().zip(list.weights);
        if edges().is_sorted_by(|a, b| a.0.cmp(b.0).then(a.1.total_cmp(b.1)).is_le()) {
            weights.extend_from_slice(list.weights);
        } else {
            let ranked = ranks.drain(start..).zip(list.weights.iter().copied());
            let mut both: Vec<(u32, f64)> = ranked.collect();
            both.sort_unstable_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
            ranks.extend(both.iter().map(|(rank, _)| *rank));
            weights.extend(both.iter().map(|(_, weight)| *weight));
        }
    }

    /// A column of ids, by their ranks.
    ///
    /// # Errors
    /// [`GraphError::Memory`], [`GraphError::Interrupted`].
    pub(super) fn column(&mut self, name: &'static str, ranks: &[u32]) -> Result<RowColumn, GraphError> {
        let Naming { graph, budget, known, .. } = self;
        let values = match known {
            Known::All(all) => all.ids.column(graph, budget, ranks.len(), |row| ranks[row])?,
            Known::Some { sorted, ids, .. } => {
                let place = |row: usize| sorted.binary_search(&ranks[row]).unwrap_or_default() as u32;
                ids.column(graph, budget, ranks.len(), place)?
            }
        };
        graph.make_room(budget.taken());
        Ok(RowColumn::full(name, values))
    }
}
