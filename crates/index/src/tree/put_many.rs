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

impl<'c> Change<'c> {
    /// The new value; nothing where there is none.
    pub(crate) fn value(self) -> &'c [u8] {
        match self {
            Change::Put(value) => value,
            Change::Remove => &[],
        }
    }
}

impl Tree {
    /// Changes whose leaves are read at once: they must stay in memory until they are changed.
    fn most_at_once(&self) -> usize {
        (self.pool.config().frames / 8).clamp(8, 4096) as usize
    }

    /// Reads the leaves of the first changes into memory, so that [`Tree::change_many`] does not wait for the
    /// device at first.
    pub(crate) fn read_first_leaves(&self, changes: &[(&[u8], Change<'_>)]) -> Result<(), IndexError> {
        let first = changes.iter().take(self.most_at_once());
        let keys: Vec<&[u8]> = first.map(|(key, _)| *key).collect();
        self.walk(View::Now, &keys, |_, _, _| Ok(()))
    }

    /// Whether no key or value is too long.
    pub(crate) fn check_all(&self, changes: &[(&[u8], Change<'_>)]) -> Result<(), IndexError> {
        changes.iter().try_for_each(|(key, change)| self.check(key, change.value()))
    }

    /// Makes changes in the order of their keys, which ascend, each once.
    /// [`Tree::read_first_leaves`] was called for them.
    pub(crate) fn change_many(&self, changes: &[(&[u8], Change<'_>)]) -> Result<(), IndexError> {
        debug_assert!(changes.is_sorted_by(|a, b| a.0 < b.0));
        for (number, part) in changes.chunks(self.most_at_once()).enumerate() {
            if number > 0 {
                self.read_first_leaves(part)?;
            }
            let mut at = 0;
            while at < part.len() {
                at += self.change_leaf(&part[at..])?;
            }
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
