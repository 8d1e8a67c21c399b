//! One entry comes, or goes.

use std::sync::PoisonError;

use leadline_pool::WriteGuard;

use super::{Root, Tree, View};
use crate::IndexError;
use crate::error::OfPage as _;
use crate::node::{Node, NodeBuilder, NodeHead, NodeMut, Page, Put, Value, split};

impl Tree {
    /// The leaf that has a key or would have it, which is in memory then. It leads to the key as long as its
    /// user stays in the tree: where it is split, its next leaves have what it had.
    pub(crate) fn leaf_of(&self, key: &[u8]) -> Result<Page, IndexError> {
        self.descend(View::Now, 0, key).map(|(page, _)| page)
    }

    /// Puts an entry, from the [`leaf_of`](Tree::leaf_of) its key on; true: the key is new.
    pub(crate) fn put(&self, leaf: Page, key: &[u8], value: &[u8]) -> Result<bool, IndexError> {
        loop {
            let (page, mut guard) = self.to_change_from(leaf, key)?;
            self.begin_change(page, &mut guard)?;
            match self.put_in(page, &mut guard, key, value)? {
                Some(is_new) => return Ok(is_new),
                None => self.split(page, guard, key)?,
            }
        }
    }

    /// Takes an entry out, from the [`leaf_of`](Tree::leaf_of) its key on; true: it was there.
    pub(crate) fn remove(&self, leaf: Page, key: &[u8]) -> Result<bool, IndexError> {
        let (page, guard) = self.descend_from(leaf, View::Now, 0, key)?;
        if Node::new(&guard).of_page(page)?.search(key).of_page(page)?.is_err() {
            return Ok(false);
        }
        drop(guard);
        let (page, mut guard) = self.to_change_from(page, key)?;
        self.begin_change(page, &mut guard)?;
        self.remove_in(page, &mut guard, key)
    }

    /// Puts an entry into a leaf that may be changed; true: the key is new; none: the leaf has no room.
    pub(super) fn put_in(
        &self,
        page: Page,
        leaf: &mut [u8],
        key: &[u8],
        value: &[u8],
    ) -> Result<Option<bool>, IndexError> {
        let (old, new) = (self.value_bytes(page, leaf, key)?, value.len());
        let value = self.store(key, value, Some(page))?;
        match NodeMut::new(leaf).and_then(|mut node| node.put(key, value)).of_page(page)? {
            Put::Full => {
                self.take_back(value);
                Ok(None)
            }
            Put::New => {
                self.count(1, (key.len() + new) as i64);
                Ok(Some(true))
            }
            Put::Replaced(long) => {
                long.into_iter().for_each(|long| self.release_long(long));
                self.count(0, new as i64 - old as i64);
                Ok(Some(false))
            }
        }
    }

    /// Takes an entry out of a leaf that may be changed; true: it was there.
    pub(super) fn remove_in(&self, page: Page, leaf: &mut [u8], key: &[u8]) -> Result<bool, IndexError> {
        let node = Node::new(leaf).of_page(page)?;
        let Ok(entry) = node.search(key).of_page(page)? else { return Ok(false) };
        let (long, old) = (node.value(entry).of_page(page)?.long(), self.value_bytes(page, leaf, key)?);
        let before = node.used();
        NodeMut::new(leaf).and_then(|mut node| node.remove(entry)).of_page(page)?;
        self.small.note(&Node::new(leaf).of_page(page)?, before);
        long.into_iter().for_each(|long| self.release_long(long));
        self.count(-1, -((key.len() + old) as i64));
        Ok(true)
    }

    /// Bytes of a key's value in a leaf; 0 if it has none.
    fn value_bytes(&self, page: Page, leaf: &[u8], key: &[u8]) -> Result<usize, IndexError> {
        let node = Node::new(leaf).of_page(page)?;
        let Ok(entry) = node.search(key).of_page(page)? else { return Ok(0) };
        Ok(match node.value(entry).of_page(page)? {
            Value::Inline(value) => value.len(),
            Value::Long(long) => long.bytes as usize,
        })
    }

    /// Divides a node that has no room for `key`.
    pub(super) fn split(&self, page: Page, mut guard: WriteGuard<'_>, key: &[u8]) -> Result<(), IndexError> {
        let right_page = self.take(1, &[page])?;
        let made = self.pool.create(right_page).map_err(IndexError::Pool).and_then(|mut right| {
            let stamp = self.versions.current();
            let bound = split(&mut guard, &mut right, right_page, key, stamp).of_page(page)?;
            Ok((Node::new(&guard).of_page(page)?.level(), bound))
        });
        drop(guard);
        match made {
            Ok((level, bound)) => self.add_child(level + 1, &bound, right_page),
            Err(error) => {
                self.space.give_back(right_page, 1);
                Err(error)
            }
        }
    }

    /// Tells the level above of a node whose keys begin at `low`.
    fn add_child(&self, level: u8, low: &[u8], child: Page) -> Result<(), IndexError> {
        self.grow(level)?;
        loop {
            let (page, mut guard) = self.descend_to_change(level, low)?;
            self.begin_change(page, &mut guard)?;
            let child = child.to_le_bytes();
            let put = NodeMut::new(&mut guard).and_then(|mut node| node.put(low, Value::Inline(&child)));
            match put.of_page(page)? {
                Put::Full => self.split(page, guard, low)?,
                Put::New => return Ok(()),
                Put::Replaced(_) => {
                    return Err(IndexError::Damaged { page, what: "two children begin alike" });
                }
            }
        }
    }

    /// Makes a root of that level, if there is none yet. The node below it that begins the level is its first
    /// child; those who split others tell it of theirs.
    fn grow(&self, level: u8) -> Result<(), IndexError> {
        if self.root().level >= level {
            return Ok(());
        }
        let _one = self.growing.lock().unwrap_or_else(PoisonError::into_inner);
        let below = self.root();
        if below.level >= level {
            return Ok(());
        }
        let page = self.space.take(1);
        let mut guard = self.pool.create(page).inspect_err(|_| self.space.give_back(page, 1))?;
        let head = NodeHead { stamp: self.versions.current(), level, low: &[], high: None };
        NodeBuilder::begin(&mut guard, &head).push(&[], Value::Inline(&below.page.to_le_bytes()));
        drop(guard);
        self.set_root(Root { page, level });
        Ok(())
    }
}
