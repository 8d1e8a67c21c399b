//! Nodes that became small are merged with a neighbour, so that what was removed makes room.
//!
//! Only while nobody else is in the tree: whoever is on his way may hold the number of a page that goes.

use std::collections::BTreeSet;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::{Root, Tree};
use crate::IndexError;
use crate::error::OfPage as _;
use crate::node::{Node, NodeBuilder, NodeHead, NodeMut, Page, bounds_fit};

/// Small nodes are remembered up to that many; of more, some stay small.
const MOST: usize = 1 << 18;

/// Nodes that became small: their levels and lower bounds.
#[derive(Debug, Default)]
pub(super) struct SmallNodes(Mutex<BTreeSet<(u8, Vec<u8>)>>);

impl SmallNodes {
    fn lock(&self) -> MutexGuard<'_, BTreeSet<(u8, Vec<u8>)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Remembers a node if a change has just made it small: it had `before` bytes of entries.
    pub(super) fn note(&self, node: &Node<'_>, before: usize) {
        let least = node.capacity() / 4;
        let after = node.used();
        if (after < least && before >= least) || node.count() == 0 {
            let mut small = self.lock();
            if small.len() < MOST {
                small.insert((node.level(), node.low()));
            }
        }
    }
}

impl Tree {
    /// Merges nodes that became small, the lowest first, until that takes longer than `most`. Nobody else may
    /// be in the tree.
    pub(crate) fn merge_small(&self, most: Duration) {
        let end = Instant::now() + most;
        while Instant::now() < end {
            let Some((level, low)) = self.small.lock().pop_first() else { break };
            if level < self.root().level {
                // A node that cannot be read stays as it is.
                let _ = self.merge(level, &low);
            }
        }
        let _ = self.lower_root();
    }

    /// Merges the node of a level that has `key` with a neighbour below the same node, if both fit in one.
    fn merge(&self, level: u8, key: &[u8]) -> Result<(), IndexError> {
        // Whatever may fail is done before anything changes.
        let (above_page, mut above) = self.descend_to_change(level + 1, key)?;
        self.begin_change(above_page, &mut above)?;
        let node = Node::new(&above).of_page(above_page)?;
        let entry = node.entry_for(key).of_page(above_page)?;
        // With the one before it, or else the one after it.
        let pairs = [entry.checked_sub(1), Some(entry)].into_iter().flatten();
        for left in pairs.filter(|left| left + 1 < node.count()) {
            let [left_page, right_page] = [left, left + 1].map(|entry| node.child(entry));
            let (left_page, right_page) = (left_page.of_page(above_page)?, right_page.of_page(above_page)?);
            if [left_page, right_page].contains(&above_page) {
                return Err(IndexError::Damaged { page: above_page, what: "it is its own child" });
            }
            if self.merge_pair(above_page, left_page, right_page)? {
                let before = node.used();
                let mut node = NodeMut::new(&mut above).of_page(above_page)?;
                node.remove(left + 1).of_page(above_page)?;
                self.small.note(&node.node().of_page(above_page)?, before);
                self.space.release(self.versions.current(), right_page, 1);
                return Ok(());
            }
        }
        Ok(())
    }

    /// Moves the entries of a node to the one before it, if that leaves some room there. Their parent is
    /// held.
    fn merge_pair(&self, above: Page, left_page: Page, right_page: Page) -> Result<bool, IndexError> {
        let right = self.pool.read(right_page)?;
        let right_node = Node::new(&right).of_page(right_page)?;
        let left = self.pool.read(left_page)?.to_vec();
        let left_node = Node::new(&left).of_page(left_page)?;
        let is_small = left_node.used() + right_node.used() < left_node.capacity() * 3 / 4;
        // Where the level above does not know a node between them, they stay as they are.
        if !is_small || left_node.next() != Some(right_page) || left_node.level() != right_node.level() {
            return Ok(false);
        }
        let mut bytes = vec![0; left.len()];
        let (low, high) = (left_node.low(), right_node.high());
        if !bounds_fit(&low, high.as_deref(), left.len()) {
            return Ok(false);
        }
        let head = NodeHead {
            stamp: left_node.stamp(),
            level: left_node.level(),
            low: &low,
            high: high.as_deref().zip(right_node.next()),
        };
        let mut builder = NodeBuilder::begin(&mut bytes, &head);
        for (page, node) in [(left_page, left_node), (right_page, right_node)] {
            for entry in 0..node.count() {
                let (key, value) = (node.key(entry).of_page(page)?, node.value(entry).of_page(page)?);
                if !builder.push(&key, value) {
                    // Less of the keys is in common.
                    return Ok(false);
                }
            }
        }
        drop(right);
        let mut guard = self.pool.write(left_page)?;
        let stamp = self.begin_change_below(left_page, &mut guard, above)?;
        guard.copy_from_slice(&bytes);
        NodeMut::new(&mut guard).of_page(left_page)?.set_stamp(stamp);
        Ok(true)
    }

    /// A root with one child goes.
    fn lower_root(&self) -> Result<(), IndexError> {
        loop {
            let Root { page, level } = self.root();
            let guard = self.pool.read(page)?;
            let node = Node::new(&guard).of_page(page)?;
            if level == 0 || node.count() != 1 {
                return Ok(());
            }
            let child = node.child(0).of_page(page)?;
            drop(guard);
            // A child that was split without this node knowing needs it yet.
            if Node::new(&self.pool.read(child)?).of_page(child)?.next().is_some() {
                return Ok(());
            }
            self.set_root(Root { page: child, level: level - 1 });
            self.space.release(self.versions.current(), page, 1);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::super::View;
    use super::super::tests::{check, tree};
    use super::*;

    #[test]
    fn removed_entries_give_their_pages_back_and_snapshots_keep_them() {
        let tree = tree(4096, 64);
        let key = |number: u32| [&number.to_be_bytes()[..], &[b'k'; 60]].concat();
        let mut model = BTreeMap::new();
        for number in 0..4000u32 {
            tree.insert(&key(number), &[7; 100]).unwrap();
            model.insert(key(number), vec![7; 100]);
        }
        let full = tree.space.used();
        let (version, root) = (tree.versions.begin(), tree.root());
        let before = model.clone();
        for number in 0..4000u32 {
            if number % 50 != 0 {
                tree.delete(&key(number)).unwrap();
                model.remove(&key(number));
            }
        }
        tree.merge_small(Duration::from_secs(60));
        check(&tree, View::Now, &model);
        check(&tree, View::Snapshot { version, root }, &before);
        tree.end_snapshot(version);
        tree.space.settle(None);
        assert_eq!(tree.verify(&mut |_, _| {}).problems, []);
        assert!(tree.space.used() * 5 < full, "{} of {full} pages", tree.space.used());
        for number in 0..4000u32 {
            tree.delete(&key(number)).unwrap();
        }
        tree.merge_small(Duration::from_secs(60));
        tree.space.settle(None);
        check(&tree, View::Now, &BTreeMap::new());
        assert_eq!((tree.root().level, tree.space.used()), (0, 2));
        tree.insert(b"again", b"1").unwrap();
        check(&tree, View::Now, &BTreeMap::from([(b"again".to_vec(), b"1".to_vec())]));
    }
}
