//! Ranges of keys, for users.

use std::ops::{Bound, RangeBounds};
use std::sync::Arc;

use crate::error::IndexError;
use crate::kept::Kept;
use crate::shared::Shared;
use crate::tree::{Cursor, End, KeyRange, Pair, View};

/// Entries of a range of keys, in their order, from either end. After an error it ends.
pub struct Range {
    shared: Arc<Shared>,
    cursor: Cursor,
    has_failed: bool,
    /// Keeps the snapshot whose range it is.
    _kept: Option<Arc<Kept>>,
}

/// The keys of a range from one on, and before another.
pub(crate) fn bounds<K: AsRef<[u8]>>(range: &impl RangeBounds<K>) -> KeyRange {
    // The key after `key`.
    let after = |key: &K| [key.as_ref(), &[0]].concat();
    let low = match range.start_bound() {
        Bound::Included(key) => key.as_ref().to_vec(),
        Bound::Excluded(key) => after(key),
        Bound::Unbounded => Vec::new(),
    };
    let high = match range.end_bound() {
        Bound::Included(key) => Some(after(key)),
        Bound::Excluded(key) => Some(key.as_ref().to_vec()),
        Bound::Unbounded => None,
    };
    (low, high)
}

impl Range {
    pub(crate) fn new(
        shared: Arc<Shared>,
        view: View,
        kept: Option<Arc<Kept>>,
        (low, high): KeyRange,
    ) -> Range {
        Range { shared, cursor: Cursor::new(view, low, high), has_failed: false, _kept: kept }
    }

    fn take(&mut self, end: End) -> Option<Result<Pair, IndexError>> {
        if self.has_failed {
            return None;
        }
        loop {
            if let Some(pair) = self.cursor.pop(end) {
                return Some(Ok(pair));
            }
            if self.cursor.is_read() {
                return None;
            }
            let within = self.shared.enter();
            let read = self.shared.tree.read_leaf(&mut self.cursor, end);
            drop(within);
            if let Err(error) = self.shared.named(read) {
                self.has_failed = true;
                return Some(Err(error));
            }
        }
    }
}

impl Iterator for Range {
    type Item = Result<Pair, IndexError>;

    fn next(&mut self) -> Option<Result<Pair, IndexError>> {
        self.take(End::Front)
    }
}

impl DoubleEndedIterator for Range {
    fn next_back(&mut self) -> Option<Result<Pair, IndexError>> {
        self.take(End::Back)
    }
}

impl std::fmt::Debug for Range {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Range").field("cursor", &self.cursor).finish_non_exhaustive()
    }
}
