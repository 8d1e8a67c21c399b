//! Changes that only the log has are made again when an index is opened: many at once, so that reading their
//! leaves keeps the device busy.

use crate::batch::Batch;
use crate::change_record::decode;
use crate::error::IndexError;
use crate::tree::{Change, Tree};

/// Keys that are changed together at most, and bytes of them and their values.
const MOST_KEYS: usize = 4096;
const MOST_BYTES: usize = 4 << 20;

/// Changes that are to be made.
pub(crate) struct Redo<'t> {
    tree: &'t Tree,
    batch: Batch,
    bytes: usize,
}

impl<'t> Redo<'t> {
    pub(crate) fn new(tree: &'t Tree) -> Redo<'t> {
        Redo { tree, batch: Batch::new(), bytes: 0 }
    }

    /// Adds the changes of a record, which are later than all before.
    pub(crate) fn add(&mut self, record: &[u8]) -> Result<(), IndexError> {
        let what = "a record of it has no changes that this version knows";
        let changes = decode(record).ok_or(IndexError::Record { what })?;
        self.tree.check_all(&changes)?;
        for (key, change) in changes {
            match change {
                Change::Put(value) => self.batch.insert(key, value),
                Change::Remove => self.batch.remove(key),
            };
        }
        self.bytes += record.len();
        if self.batch.len() < MOST_KEYS && self.bytes < MOST_BYTES { Ok(()) } else { self.make() }
    }

    fn make(&mut self) -> Result<(), IndexError> {
        let (batch, _) = (std::mem::take(&mut self.batch), std::mem::take(&mut self.bytes));
        let changes = batch.changes();
        self.tree.read_first_leaves(&changes)?;
        self.tree.change_many(&changes)
    }

    /// Makes the changes that are left.
    pub(crate) fn finish(mut self) -> Result<(), IndexError> {
        self.make()
    }
}
