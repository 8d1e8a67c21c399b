//! The changes of blocks, from what is kept of them or from where they are stored.

use leadline_graph_store::format::{Block, Directory};
use leadline_graph_store::updates::{BlockLists, Merged, ReadRows, SideChanges};

use crate::GraphError;

/// The changes of the blocks of a direction.
#[derive(Debug, Clone, Copy)]
pub(super) struct RowsOf<'a> {
    pub(super) changes: &'a SideChanges,
    pub(super) directory: &'a Directory,
    pub(super) merged: &'a Merged,
}

impl RowsOf<'_> {
    /// Decodes the changes of a block that is visited soon, and of the others of its group. To ask for them
    /// in the order of blocks, which come in any order, takes least.
    pub(super) fn fetch(&self, number: u32, read: &mut ReadRows) -> Result<(), GraphError> {
        let RowsOf { changes, directory, merged } = *self;
        let group = changes.group_of(number);
        if merged.rows(group).is_none() {
            let (rows, is_new) = changes.rows(read, directory, number)?;
            if is_new {
                merged.keep_rows(group, rows);
            }
        }
        Ok(())
    }

    /// Calls `visit` with the lists of a block after changes; `base` is none where it is not in the store.
    pub(super) fn with(
        &self,
        number: u32,
        base: Option<&Block<'_>>,
        read: &mut ReadRows,
        visit: impl FnOnce(&BlockLists<'_>),
    ) -> Result<(), GraphError> {
        let RowsOf { changes, directory, merged } = *self;
        let rows = match merged.rows(changes.group_of(number)) {
            Some(rows) => rows,
            None => changes.rows(read, directory, number)?.0,
        };
        visit(&changes.lists(rows.of(number), directory, number, base));
        Ok(())
    }
}
