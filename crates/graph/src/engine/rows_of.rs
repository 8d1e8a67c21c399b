//! The changes of blocks, from what is kept of them or from where they are stored.

use leadline_graph_store::format::{Block, Directory};
use leadline_graph_store::updates::{BlockLists, BlockRows, Merged, ReadRows, SideChanges};

use crate::GraphError;

/// Blocks before one, and after it, whose changes are kept with it where they were decoded together.
const MOST_OTHERS: usize = 128;

/// The changes of the blocks of a direction.
#[derive(Debug, Clone, Copy)]
pub(super) struct RowsOf<'a> {
    pub(super) changes: &'a SideChanges,
    pub(super) directory: &'a Directory,
    pub(super) merged: &'a Merged,
    /// Number of block 0 among those that are kept.
    pub(super) base: u32,
}

impl RowsOf<'_> {
    /// Keeps the changes of a block that is visited soon, if there is room. Rows of runs are read and decoded
    /// some at a time: to ask for them in the order of blocks, which come in any order, takes least. What was
    /// decoded with them is kept too, so that it is decoded once.
    pub(super) fn fetch(&self, number: u32, read: &mut ReadRows) -> Result<(), GraphError> {
        if !self.keep(number, read)? {
            return Ok(());
        }
        let (before, after) = ((0..number).rev(), number + 1..self.directory.blocks());
        for others in
            [&mut before.take(MOST_OTHERS) as &mut dyn Iterator<Item = u32>, &mut after.take(MOST_OTHERS)]
        {
            for other in others {
                if !self.changes.has_rows_at_hand(read, self.directory, other) {
                    break;
                }
                self.keep(other, read)?;
            }
        }
        Ok(())
    }

    /// Keeps the changes of a block, if there is room and they are not kept yet; whether it did.
    fn keep(&self, number: u32, read: &mut ReadRows) -> Result<bool, GraphError> {
        let at = self.base + number;
        let is_wanted = self.merged.rows(at).is_none() && self.merged.has_room();
        if is_wanted {
            let rows = self.changes.rows(read, self.directory, number)?;
            self.merged.keep_rows(at, rows);
        }
        Ok(is_wanted)
    }

    /// Calls `visit` with the lists of a block after changes; `base` is none where it is not in the store.
    pub(super) fn with(
        &self,
        number: u32,
        base: Option<&Block<'_>>,
        read: &mut ReadRows,
        visit: impl FnOnce(&BlockLists<'_>),
    ) -> Result<(), GraphError> {
        let RowsOf { changes, directory, merged, .. } = *self;
        let at = self.base + number;
        let see = |rows: &BlockRows| visit(&changes.lists(rows, directory, number, base));
        match merged.rows(at) {
            Some(Some(rows)) => see(rows),
            Some(None) => see(&BlockRows::default()),
            None => {
                let rows = changes.rows(read, directory, number)?;
                match merged.keep_rows(at, rows) {
                    Some(rows) => see(&rows),
                    None => see(merged.rows(at).flatten().unwrap_or(&BlockRows::default())),
                }
            }
        }
        Ok(())
    }
}
