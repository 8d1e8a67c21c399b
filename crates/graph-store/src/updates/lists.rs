//! What changes need of whoever reads lists of a store with its changes: an engine, above this crate.

use std::fmt::Debug;

use super::block_lists::BlockLists;
use super::snapshot::Snapshot;
use crate::format::{Direction, Vertex};
use crate::{GraphError, Options};

/// Which lists of a direction are read.
#[derive(Debug, Clone)]
pub enum WantedLists {
    /// All.
    All,
    /// The lists of some vertices, in any order; one may be named several times.
    Of(Vec<Vertex>),
}

/// Reads lists of a version of a store.
pub trait ReadLists: Debug {
    /// Calls `see` with every wanted list, or once with each block that has a piece of it, on several
    /// threads, each of which has a `T` of its own in each direction; returns these. `name` is the store's in
    /// errors, and `options` say the memory, the threads and the reads in flight.
    ///
    /// # Errors
    /// [`GraphError::Memory`], [`GraphError::Damaged`], [`GraphError::Device`], [`GraphError::Interrupted`].
    fn read_lists<T: Default + Send>(
        &self,
        store: Snapshot,
        name: &str,
        options: &Options,
        wanted: &[(Direction, WantedLists)],
        see: impl Fn(&mut T, Direction, Vertex, &BlockLists<'_>) + Sync,
    ) -> Result<Vec<T>, GraphError>;

    /// Frees what is kept in the memory for reading lists until they are read again.
    fn let_go(&self);
}
