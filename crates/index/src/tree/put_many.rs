//! Many entries at once: the leaves are read together, then each is changed once.

use super::{Tree, View};
use crate::IndexError;
use crate::error::OfPage as _;
use crate::node::Node;

/// What is done with a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Change<'c> {
    Put(&'c [u8]),
    Remove,
}

impl Tree {
    /// Reads the leaves of keys into memory, so that changing them does not wait for the device. The keys
    /// ascend.
    pub(crate) fn read_leaves(&self, keys: &[&[u8]]) -> Result<(), IndexError> {
        self.walk(View::Now, keys, |_, _, _| Ok(()))
    }

    /// The same for one key.
    pub(crate) fn read_leaf_of(&self, key: &[u8]) -> Result<(), IndexError> {
        self.descend(View::Now, 0, key).map(|_| ())
    }

    /// Whether no key or value is too long.
    pub(crate) fn check_all(&self, changes: &[(&[u8], Change<'_>)]) -> Result<(), IndexError> {
        let value = |change| if let Change::Put(value) = change { value } else { &[] };
        changes.iter().try_for_each(|(key, change)| self.check(key, value(*change)))
    }

    /// Makes changes in the order of their keys, which ascend, each once.
    pub(crate) fn change_many(&self, changes: &[(&[u8], Change<'_>)]) -> Result<(), IndexError> {
        debug_assert!(changes.is_sorted_by(|a, b| a.0 < b.0));
        let mut at = 0;
        while at < changes.len() {
            at += self.change_leaf(&changes[at..])?;
        }
        Ok(())
    }

    /// Makes the first changes as far as they are of one leaf and fit into it; how many they were. None
    /// does only where the leaf was split to make room.
    fn change_leaf(&self, changes: &[(&[u8], Change<'_>)]) -> Result<usize, IndexError> {
        let (page, mut guard) = self.descend_to_change(0, changes[0].0)?;
        self.begin_change(page, &mut guard)?;
        for (at, (key, change)) in changes.iter().enumerate() {
            if Node::new(&guard).of_page(page)?.beyond(key).of_page(page)?.is_some() {
                return Ok(at);
            }
            match change {
                Change::Remove => {
                    self.remove_in(page, &mut guard, key)?;
                }
                Change::Put(value) => {
                    if self.put_in(page, &mut guard, key, value)?.is_none() {
                        self.split(page, guard, key)?;
                        return Ok(at);
                    }
                }
            }
        }
        Ok(changes.len())
    }
}
