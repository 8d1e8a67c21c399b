//! What a database needs of the store that keeps its rows: a sorted map whose changes can be made together.

use leadline_index::{Batch, Index};

use crate::StoreError;

/// A key and its value.
pub type Entry = (Vec<u8>, Vec<u8>);

/// A sorted map of byte strings, shared by threads. [`Index`] is one; a comparison brings others.
///
/// # Errors
/// All methods return the store's reason: [`StoreError::Index`], or [`StoreError::Other`] for another store.
pub trait SortedMap: Send + Sync {
    /// The value of a key.
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError>;

    /// The values of many keys, in their order.
    fn multi_get(&self, keys: &[Vec<u8>]) -> Result<Vec<Option<Vec<u8>>>, StoreError>;

    /// Up to `limit` entries from `first` on and before `end`, ascending.
    fn range(&self, first: &[u8], end: &[u8], limit: usize) -> Result<Vec<Entry>, StoreError>;

    /// Makes all changes of a batch, as durable as the store was opened to make them: after a crash all of
    /// them are there, or none.
    fn commit(&self, batch: &Batch) -> Result<(), StoreError>;

    /// Makes everything durable.
    fn checkpoint(&self) -> Result<(), StoreError>;

    /// Bytes written to the device since the store was opened; 0 where the store does not count.
    fn written_bytes(&self) -> u64 {
        0
    }

    /// What is wrong in the store itself, as place and reason.
    fn problems(&self) -> Vec<(String, String)> {
        Vec::new()
    }
}

impl SortedMap for Index {
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
        Ok(Index::get(self, key)?)
    }

    fn multi_get(&self, keys: &[Vec<u8>]) -> Result<Vec<Option<Vec<u8>>>, StoreError> {
        Ok(Index::multi_get(self, keys)?)
    }

    fn range(&self, first: &[u8], end: &[u8], limit: usize) -> Result<Vec<Entry>, StoreError> {
        Ok(Index::range(self, first..end).take(limit).collect::<Result<_, _>>()?)
    }

    fn commit(&self, batch: &Batch) -> Result<(), StoreError> {
        Ok(Index::commit(self, batch)?)
    }

    fn checkpoint(&self) -> Result<(), StoreError> {
        Ok(Index::checkpoint(self)?)
    }

    fn written_bytes(&self) -> u64 {
        self.stats().written_bytes()
    }

    fn problems(&self) -> Vec<(String, String)> {
        let problems = self.verify(|_, _| {}).problems;
        problems.into_iter().map(|problem| (format!("page {}", problem.page), problem.what)).collect()
    }
}
