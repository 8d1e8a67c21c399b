//! Readers of an index as it was.

use std::ops::RangeBounds;
use std::sync::Arc;

use crate::error::IndexError;
use crate::kept::Kept;
use crate::range::{Range, bounds};
use crate::shared::Shared;
use crate::tree::{Pair, TreeState};

/// An index as it was when [`Index::snapshot`](crate::Index::snapshot) was called. Clones are the same
/// snapshot. As long as one lives, nodes that are changed are kept as they were, too.
#[derive(Clone)]
pub struct Snapshot {
    kept: Arc<Kept>,
}

impl Snapshot {
    pub(crate) fn new(shared: Arc<Shared>, version: u64, state: TreeState) -> Snapshot {
        Snapshot { kept: Arc::new(Kept { shared, version, state }) }
    }

    /// The value of a key.
    ///
    /// # Errors
    /// A page cannot be read, or is damaged; so in all methods.
    pub fn get(&self, key: impl AsRef<[u8]>) -> Result<Option<Vec<u8>>, IndexError> {
        self.kept.shared.get(self.kept.view(), key.as_ref())
    }

    /// The values of many keys, as [`Index::multi_get`](crate::Index::multi_get).
    ///
    /// # Errors
    /// [`Snapshot::get`].
    pub fn multi_get<K: AsRef<[u8]>>(&self, keys: &[K]) -> Result<Vec<Option<Vec<u8>>>, IndexError> {
        self.kept.shared.get_many(self.kept.view(), keys)
    }

    /// The entries of a range of keys, in their order, from either end.
    pub fn range<K: AsRef<[u8]>>(&self, range: impl RangeBounds<K>) -> Range {
        let kept = Some(Arc::clone(&self.kept));
        Range::new(Arc::clone(&self.kept.shared), self.kept.view(), kept, bounds(&range))
    }

    /// All entries.
    pub fn iter(&self) -> Range {
        self.range::<&[u8]>(..)
    }

    /// The entries of many ranges, as [`Index::range_many`](crate::Index::range_many).
    ///
    /// # Errors
    /// [`Snapshot::get`].
    pub fn range_many<K: AsRef<[u8]>, R: RangeBounds<K>>(
        &self,
        ranges: &[R],
    ) -> Result<Vec<Vec<Pair>>, IndexError> {
        self.kept.shared.range_many(self.kept.view(), ranges)
    }

    /// Keys in it.
    pub fn len(&self) -> u64 {
        self.kept.state.entries
    }

    /// Whether there is no key.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl std::fmt::Debug for Snapshot {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Snapshot").field("entries", &self.len()).finish_non_exhaustive()
    }
}
