//! What readers of an index and of its snapshots ask for.

use std::ops::RangeBounds;

use crate::error::IndexError;
use crate::range::bounds;
use crate::shared::Shared;
use crate::tree::{Pair, View};

impl Shared {
    /// The value of a key.
    pub(crate) fn get(&self, view: View, key: &[u8]) -> Result<Option<Vec<u8>>, IndexError> {
        let _in = self.enter();
        self.named(self.tree.get(view, key))
    }

    /// The values of keys, in their order.
    pub(crate) fn get_many<K: AsRef<[u8]>>(
        &self,
        view: View,
        keys: &[K],
    ) -> Result<Vec<Option<Vec<u8>>>, IndexError> {
        let keys: Vec<&[u8]> = keys.iter().map(AsRef::as_ref).collect();
        let _in = self.enter();
        self.named(self.tree.get_many(view, &keys))
    }

    /// The entries of ranges, in their order.
    pub(crate) fn range_many<K: AsRef<[u8]>, R: RangeBounds<K>>(
        &self,
        view: View,
        ranges: &[R],
    ) -> Result<Vec<Vec<Pair>>, IndexError> {
        let ranges: Vec<_> = ranges.iter().map(bounds).collect();
        let _in = self.enter();
        self.named(self.tree.range_many(view, &ranges))
    }
}
