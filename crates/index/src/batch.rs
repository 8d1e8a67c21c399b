//! Changes that are made together, or not at all.

use std::collections::BTreeMap;

use crate::tree::Change;

/// Changes for [`Index::commit`](crate::Index::commit): after a crash either all or none of them are there.
/// Of several changes of one key the last one counts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Batch {
    /// By key, its new value; none: it goes.
    changes: BTreeMap<Vec<u8>, Option<Vec<u8>>>,
}

impl Batch {
    /// A batch without changes.
    pub fn new() -> Batch {
        Batch::default()
    }

    /// Adds an entry, or replaces the key's value.
    pub fn insert(&mut self, key: impl Into<Vec<u8>>, value: impl Into<Vec<u8>>) -> &mut Batch {
        self.changes.insert(key.into(), Some(value.into()));
        self
    }

    /// Removes a key's entry, if there is one.
    pub fn remove(&mut self, key: impl Into<Vec<u8>>) -> &mut Batch {
        self.changes.insert(key.into(), None);
        self
    }

    /// What it does to a key: the new value, or none where the key goes. None at all where it leaves the key
    /// as it is.
    pub fn get(&self, key: impl AsRef<[u8]>) -> Option<Option<&[u8]>> {
        self.changes.get(key.as_ref()).map(Option::as_deref)
    }

    /// All changes in the order of their keys: the new value, or none where the key goes.
    pub fn iter(&self) -> impl Iterator<Item = (&[u8], Option<&[u8]>)> {
        self.changes.iter().map(|(key, value)| (key.as_slice(), value.as_deref()))
    }

    /// Keys that it changes.
    pub fn len(&self) -> usize {
        self.changes.len()
    }

    /// Whether it changes nothing.
    pub fn is_empty(&self) -> bool {
        self.changes.is_empty()
    }

    pub(crate) fn changes(&self) -> Vec<(&[u8], Change<'_>)> {
        self.iter().map(|(key, value)| (key, value.map_or(Change::Remove, Change::Put))).collect()
    }
}

impl<K: Into<Vec<u8>>, V: Into<Vec<u8>>> Extend<(K, V)> for Batch {
    fn extend<T: IntoIterator<Item = (K, V)>>(&mut self, entries: T) {
        for (key, value) in entries {
            self.insert(key, value);
        }
    }
}

impl<K: Into<Vec<u8>>, V: Into<Vec<u8>>> FromIterator<(K, V)> for Batch {
    fn from_iter<T: IntoIterator<Item = (K, V)>>(entries: T) -> Batch {
        let mut batch = Batch::new();
        batch.extend(entries);
        batch
    }
}
