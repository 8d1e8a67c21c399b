//! A B+-tree over pages: keys of one length to row ids, unique, with range scans.
//!
//! The shape of the tree (which node is whose child) is behind one lock: shared by lookups, scans, and the
//! inserts and deletes that stay within a leaf, exclusive for splits and for giving up an empty leaf. Leaves
//! themselves are latched by the guards of their pages. So misses of many threads are in flight in one tree,
//! and the rare change of shape is simple.
//!
//! A node is given up when it is empty, never merged before (free-at-empty: Johnson and Shasha, PODS 1989,
//! find that it loses hardly any space where inserts outnumber deletes).

mod node;
mod shape;

use std::sync::{PoisonError, RwLock};

use crate::StoreError;
use crate::heap::RowId;
use crate::key::Key;
use crate::pages::Pages;
use node::{Kind, Layout};

/// What the catalogue keeps of a tree. Pages are 0 where there is none.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TreeState {
    /// The root.
    pub root: u64,
    /// Levels of inner nodes above the leaves.
    pub height: u64,
    /// First page of the free list.
    pub free: u64,
}

/// A B+-tree.
#[derive(Debug)]
pub struct Tree {
    layout: Layout,
    state: RwLock<TreeState>,
}

/// What became of an attempt that may not change the shape.
enum Within {
    Done,
    /// The leaf was full before, or is empty now.
    ShapeMustChange,
    /// The key was there already (insert) or was not there (delete).
    Not,
}

impl Tree {
    /// The tree that the catalogue describes, of keys of `key_len` bytes; the default state is an empty one.
    pub fn open(key_len: usize, state: TreeState) -> Tree {
        Tree { layout: Layout { key_len }, state: RwLock::new(state) }
    }

    /// For the catalogue.
    pub fn state(&self) -> TreeState {
        *self.shared()
    }

    /// Bytes of a key.
    pub fn key_len(&self) -> usize {
        self.layout.key_len
    }

    /// Entries that a node of `page_len` bytes takes.
    pub fn capacity(&self, page_len: usize) -> usize {
        self.layout.capacity(page_len)
    }

    /// The row of `key`, if it has one.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn get<P: Pages>(&self, pages: &P, key: &Key) -> Result<Option<RowId>, StoreError> {
        let state = self.shared();
        let Some(number) = self.leaf_of(pages, &state, key)? else { return Ok(None) };
        let leaf = pages.read(number)?;
        self.layout.check(number, &leaf, Kind::Leaf)?;
        let at = self.layout.lower_bound(&leaf, key);
        let found = at < self.layout.count(&leaf) && self.layout.key(&leaf, at) == &**key;
        Ok(found.then(|| RowId(self.layout.value(&leaf, at))))
    }

    /// Up to `limit` entries from `first` to `last`, both included, ascending.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn range<P: Pages>(
        &self,
        pages: &P,
        first: &Key,
        last: &Key,
        limit: usize,
    ) -> Result<Vec<(Key, RowId)>, StoreError> {
        let mut found = Vec::new();
        let state = self.shared();
        let mut next = self.leaf_of(pages, &state, first)?.unwrap_or(0);
        while next != 0 && found.len() < limit {
            let leaf = pages.read(next)?;
            self.layout.check(next, &leaf, Kind::Leaf)?;
            for at in self.layout.lower_bound(&leaf, first)..self.layout.count(&leaf) {
                let key = self.layout.key(&leaf, at);
                if found.len() == limit || key > &**last {
                    return Ok(found);
                }
                found.push((Key::from_bytes(key), RowId(self.layout.value(&leaf, at))));
            }
            next = self.layout.link(&leaf);
        }
        Ok(found)
    }

    /// Adds an entry.
    ///
    /// # Errors
    /// [`StoreError::Duplicate`] where the key has a row already, else the pool's reason.
    pub fn insert<P: Pages>(&self, pages: &P, key: &Key, row: RowId) -> Result<(), StoreError> {
        let outcome = match self.insert_within(pages, key, row)? {
            Within::ShapeMustChange => self.insert_splitting(pages, key, row)?,
            other => other,
        };
        match outcome {
            Within::Done => Ok(()),
            _ => Err(StoreError::Duplicate { key: key.to_string() }),
        }
    }

    /// Removes an entry, and says whether it was there.
    ///
    /// # Errors
    /// The pool's reason.
    pub fn delete<P: Pages>(&self, pages: &P, key: &Key) -> Result<bool, StoreError> {
        match self.delete_within(pages, key)? {
            Within::Not => return Ok(false),
            Within::Done => {}
            Within::ShapeMustChange => self.give_up_leaf(pages, key)?,
        }
        Ok(true)
    }

    fn insert_within<P: Pages>(&self, pages: &P, key: &Key, row: RowId) -> Result<Within, StoreError> {
        let state = self.shared();
        let Some(number) = self.leaf_of(pages, &state, key)? else { return Ok(Within::ShapeMustChange) };
        let mut leaf = pages.write(number)?;
        self.layout.check(number, &leaf, Kind::Leaf)?;
        let at = self.layout.lower_bound(&leaf, key);
        if at < self.layout.count(&leaf) && self.layout.key(&leaf, at) == &**key {
            return Ok(Within::Not);
        }
        if self.layout.is_full(&leaf) {
            return Ok(Within::ShapeMustChange);
        }
        self.layout.insert(&mut leaf, at, key, row.0);
        Ok(Within::Done)
    }

    fn delete_within<P: Pages>(&self, pages: &P, key: &Key) -> Result<Within, StoreError> {
        let state = self.shared();
        let Some(number) = self.leaf_of(pages, &state, key)? else { return Ok(Within::Not) };
        let mut leaf = pages.write(number)?;
        self.layout.check(number, &leaf, Kind::Leaf)?;
        let at = self.layout.lower_bound(&leaf, key);
        if at == self.layout.count(&leaf) || self.layout.key(&leaf, at) != &**key {
            return Ok(Within::Not);
        }
        self.layout.remove(&mut leaf, at);
        Ok(if self.layout.count(&leaf) == 0 { Within::ShapeMustChange } else { Within::Done })
    }

    /// Descends to the leaf of `key`; `None` in an empty tree. One node is latched at a time: the shape is
    /// locked.
    fn leaf_of<P: Pages>(&self, pages: &P, state: &TreeState, key: &[u8]) -> Result<Option<u64>, StoreError> {
        if state.root == 0 {
            return Ok(None);
        }
        let mut number = state.root;
        for _ in 0..state.height {
            let node = pages.read(number)?;
            self.layout.check(number, &node, Kind::Inner)?;
            number = self.layout.child(&node, self.layout.child_index(&node, key));
        }
        Ok(Some(number))
    }

    fn shared(&self) -> std::sync::RwLockReadGuard<'_, TreeState> {
        self.state.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn exclusive(&self) -> std::sync::RwLockWriteGuard<'_, TreeState> {
        self.state.write().unwrap_or_else(PoisonError::into_inner)
    }
}
