//! Edges as users have them: one file a format, behind one trait.

use crate::GraphError;

/// Edges in the users' ids, as they stand in the input.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Batch {
    /// Source and target.
    pub pairs: Vec<(u64, u64)>,
    /// One a pair where the input has weights that are wanted; empty else.
    pub weights: Vec<f64>,
    /// Vertices that are named without an edge.
    pub vertices: Vec<u64>,
}

/// What an input declares before its edges.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Declared {
    /// Vertices 0 to this - 1 exist whether or not they have edges (METIS, Matrix Market; ids are counted from 1 there and
    /// kept so: the first is then [`Declared::first`]).
    pub vertices: Option<u64>,
    /// Id of the first declared vertex.
    pub first: u64,
    /// The input says itself that each edge leads both ways and is listed once.
    pub undirected: bool,
    /// The input says itself that each edge leads both ways and is listed twice, once from either end (METIS).
    pub both_ways: bool,
    /// The input has weights.
    pub weighted: bool,
}

/// An input of edges, read once from its beginning.
pub trait EdgeReader: Send {
    /// What is known before the first edge.
    fn declared(&self) -> Declared;

    /// Fills `batch` with some more edges (it is cleared first); false when there are no more.
    ///
    /// # Errors
    /// [`GraphError::Input`] names the file, the line (or the byte) and what was expected there.
    fn next_batch(&mut self, batch: &mut Batch) -> Result<bool, GraphError>;

    /// Bytes of the input (compressed where it is) consumed so far, and in all where that is known.
    fn progress(&self) -> (u64, Option<u64>);

    /// The strings behind the numbers of the pairs, by number, where ids are strings; called after the last batch.
    fn strings(&mut self) -> Option<Vec<String>> {
        None
    }

    /// Bytes in memory now.
    fn memory_bytes(&self) -> u64;
}
