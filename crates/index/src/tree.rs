//! The tree: nodes in pages of a pool.
//!
//! Who looks for a key holds one node at a time: to the child, or to the next node where the key is beyond
//! the upper bound because the node was split meanwhile. Who splits a node writes the new one first, then the
//! old one, lets both go, and only then tells the level above (Lehman and Yao, TODS 1981). Nodes are never
//! merged while anybody is in the tree.

mod bulk_load;
mod get_many;
mod long;
mod merge;
mod put;
mod put_many;
mod range;
mod range_many;
mod read_many;
mod verify;

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use leadline_pool::{Pool, ReadGuard, WriteGuard};

use crate::IndexError;
use crate::error::{OfPage as _, start_of};
use crate::node::{Limits, Node, NodeBuilder, NodeHead, Page, Value};
use crate::space::Space;
use crate::versions::Versions;

pub(crate) use bulk_load::Loader;
use long::MOST_VALUE_BYTES;
use merge::SmallNodes;
pub(crate) use put_many::Change;
pub(crate) use range::{Cursor, End, Pair};
pub(crate) use range_many::KeyRange;
pub use verify::{Problem, Verified};

/// The highest node and its level.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Root {
    pub(crate) page: Page,
    pub(crate) level: u8,
}

impl Root {
    fn pack(self) -> u64 {
        self.page << 8 | u64::from(self.level)
    }

    fn unpack(word: u64) -> Root {
        Root { page: word >> 8, level: word as u8 }
    }
}

/// What a reader sees: the tree as it is, or as it was.
#[derive(Debug, Clone, Copy)]
pub(crate) enum View {
    Now,
    Snapshot { version: u64, root: Root },
}

/// A B+-tree. Threads share it by reference.
pub(crate) struct Tree {
    pub(crate) pool: Pool,
    pub(crate) space: Space,
    pub(crate) versions: Versions,
    pub(crate) limits: Limits,
    root: AtomicU64,
    /// Held by who makes a new root.
    growing: Mutex<()>,
    small: SmallNodes,
    entries: AtomicU64,
    /// Bytes of keys and values, as their users see them.
    bytes: AtomicU64,
}

/// What of a tree is not in its nodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TreeState {
    pub(crate) root: Root,
    pub(crate) entries: u64,
    pub(crate) bytes: u64,
}

impl Tree {
    /// A tree whose nodes are in the pool.
    pub(crate) fn open(pool: Pool, space: Space, versions: Versions, state: TreeState) -> Tree {
        Tree {
            limits: Limits::of(pool.page_len()),
            root: AtomicU64::new(state.root.pack()),
            growing: Mutex::new(()),
            small: SmallNodes::default(),
            entries: AtomicU64::new(state.entries),
            bytes: AtomicU64::new(state.bytes),
            pool,
            space,
            versions,
        }
    }

    /// A tree without entries.
    pub(crate) fn create(pool: Pool, space: Space, versions: Versions) -> Result<Tree, IndexError> {
        let page = space.take(1);
        let mut guard = pool.create(page)?;
        let head = NodeHead { stamp: versions.current(), level: 0, low: &[], high: None };
        NodeBuilder::begin(&mut guard, &head);
        drop(guard);
        let state = TreeState { root: Root { page, level: 0 }, entries: 0, bytes: 0 };
        Ok(Tree::open(pool, space, versions, state))
    }

    pub(crate) fn state(&self) -> TreeState {
        TreeState {
            root: self.root(),
            entries: self.entries.load(Ordering::Relaxed),
            bytes: self.bytes.load(Ordering::Relaxed),
        }
    }

    /// The tree is what it was, which a snapshot has kept. Nobody else is in it.
    pub(crate) fn go_back(&self, state: TreeState) {
        self.set_root(state.root);
        self.entries.store(state.entries, Ordering::Relaxed);
        self.bytes.store(state.bytes, Ordering::Relaxed);
    }

    /// Acquire: who sees a root sees the node that was written before it.
    #[inline]
    pub(crate) fn root(&self) -> Root {
        Root::unpack(self.root.load(Ordering::Acquire))
    }

    fn set_root(&self, root: Root) {
        self.root.store(root.pack(), Ordering::Release);
    }

    /// Whether an entry is not too long.
    pub(crate) fn check(&self, key: &[u8], value: &[u8]) -> Result<(), IndexError> {
        if key.len() > self.limits.key {
            let (bytes, most) = (key.len(), self.limits.key);
            let (key, node_bytes) = (start_of(key), self.pool.config().page_bytes);
            return Err(IndexError::KeyTooLong { key, bytes, most, node_bytes });
        }
        if value.len() > MOST_VALUE_BYTES {
            let (key, bytes) = (start_of(key), value.len());
            return Err(IndexError::ValueTooLong { key, bytes, most: MOST_VALUE_BYTES });
        }
        Ok(())
    }

    /// Counts entries that came and went.
    fn count(&self, entries: i64, bytes: i64) {
        self.entries.fetch_add(entries as u64, Ordering::Relaxed);
        self.bytes.fetch_add(bytes as u64, Ordering::Relaxed);
    }

    fn root_of(&self, view: View) -> Root {
        match view {
            View::Now => self.root(),
            View::Snapshot { root, .. } => root,
        }
    }

    /// Where a node is to be read instead, in a snapshot that is older than its last change.
    #[inline]
    fn moved(&self, view: View, page: Page, node: &Node<'_>) -> Result<Option<Page>, IndexError> {
        match view {
            View::Snapshot { version, .. } if node.stamp() > version => {
                let copy = self.versions.copy_of(page, version);
                let what = "a snapshot needs what it was before, which was not kept";
                copy.map(Some).ok_or(IndexError::Damaged { page, what })
            }
            _ => Ok(None),
        }
    }

    /// The node of a level that has the key, to be read.
    fn descend(&self, view: View, level: u8, key: &[u8]) -> Result<(Page, ReadGuard<'_>), IndexError> {
        self.descend_from(self.root_of(view).page, view, level, key)
    }

    /// The same from a node on that leads there, or did so before it was split.
    fn descend_from(
        &self,
        mut page: Page,
        view: View,
        level: u8,
        key: &[u8],
    ) -> Result<(Page, ReadGuard<'_>), IndexError> {
        for steps in 0.. {
            self.check_way(steps, page)?;
            let guard = self.pool.read(page)?;
            let node = Node::new(&guard).of_page(page)?;
            page = if let Some(copy) = self.moved(view, page, &node)? {
                copy
            } else if let Some(next) = node.beyond(key).of_page(page)? {
                next
            } else if node.level() > level {
                let entry = node.entry_for(key).of_page(page)?;
                node.child(entry).of_page(page)?
            } else {
                return Ok((page, guard));
            };
        }
        unreachable!("the way ends, or is found to be too long")
    }

    /// Refuses to go on where nodes lead back to where one came from: no way is longer than all pages.
    #[inline]
    fn check_way(&self, steps: u64, page: Page) -> Result<(), IndexError> {
        const USUAL: u64 = 1000;
        match steps > USUAL && steps > self.space.used() {
            true => Err(IndexError::Damaged { page, what: "it leads back to where one came from" }),
            false => Ok(()),
        }
    }

    /// The node of a level that has the key, to be changed; its page first.
    fn descend_to_change(&self, level: u8, key: &[u8]) -> Result<(Page, WriteGuard<'_>), IndexError> {
        let (page, guard) = self.descend(View::Now, level, key)?;
        drop(guard);
        self.to_change_from(page, key)
    }

    /// The same from a node of the level on that had the key before it was split.
    fn to_change_from(&self, mut page: Page, key: &[u8]) -> Result<(Page, WriteGuard<'_>), IndexError> {
        for steps in 0.. {
            self.check_way(steps, page)?;
            let guard = self.pool.write(page)?;
            match Node::new(&guard).of_page(page)?.beyond(key).of_page(page)? {
                Some(next) => page = next,
                None => return Ok((page, guard)),
            }
        }
        unreachable!("the way ends, or is found to be too long")
    }

    /// Takes pages, none of which may be one that is held: whoever waited for it would wait for itself. That
    /// one is free is what a damaged page 0 says.
    fn take(&self, count: u64, held: &[Page]) -> Result<Page, IndexError> {
        let first = self.space.take(count);
        match held.iter().find(|page| (first..first + count).contains(page)) {
            Some(page) => Err(IndexError::Damaged { page: *page, what: "it is in use, and said to be free" }),
            None => Ok(first),
        }
    }

    /// A node is about to be changed by who holds it alone: it is copied if a snapshot needs it, and stamped.
    fn begin_change(&self, page: Page, bytes: &mut [u8]) -> Result<u64, IndexError> {
        self.begin_change_below(page, bytes, page)
    }

    /// The same by who holds the node `above`, too.
    fn begin_change_below(&self, page: Page, bytes: &mut [u8], above: Page) -> Result<u64, IndexError> {
        let stamp = Node::new(bytes).of_page(page)?.stamp();
        if self.versions.needs_copy(stamp) {
            let copy = self.take(1, &[page, above])?;
            match self.pool.create(copy) {
                Ok(mut guard) => guard.copy_from_slice(bytes),
                Err(error) => {
                    self.space.give_back(copy, 1);
                    return Err(error.into());
                }
            }
            self.versions.copied(page, stamp, copy);
        }
        let now = self.versions.current();
        crate::node::NodeMut::new(bytes).of_page(page)?.set_stamp(now);
        Ok(now)
    }

    /// A snapshot of a version ends.
    pub(crate) fn end_snapshot(&self, version: u64) {
        self.versions.end(version).into_iter().for_each(|copy| self.space.give_back(copy, 1));
    }

    /// Reads the value of a key.
    pub(crate) fn get(&self, view: View, key: &[u8]) -> Result<Option<Vec<u8>>, IndexError> {
        let (page, guard) = self.descend(view, 0, key)?;
        let node = Node::new(&guard).of_page(page)?;
        match node.search(key).of_page(page)? {
            Err(_) => Ok(None),
            Ok(entry) => match node.value(entry).of_page(page)? {
                Value::Inline(value) => Ok(Some(value.to_vec())),
                Value::Long(long) => self.read_long(page, long).map(Some),
            },
        }
    }
}

#[cfg(test)]
mod latch_model;
#[cfg(test)]
mod tests;
