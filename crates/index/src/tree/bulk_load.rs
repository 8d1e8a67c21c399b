//! A tree built from sorted entries: each node is written once, full, in the order of the keys.

use std::ops::Range;

use super::{Root, Tree};
use crate::IndexError;
use crate::node::{LongValue, NodeBuilder, NodeHead, Page, Value, common_prefix, entry_bytes, separator};

/// A value on its way into a node.
#[derive(Debug)]
enum Held {
    Inline(Vec<u8>),
    Long(LongValue),
}

impl Held {
    fn value(&self) -> Value<'_> {
        match self {
            Held::Inline(bytes) => Value::Inline(bytes),
            Held::Long(long) => Value::Long(*long),
        }
    }
}

/// The node of a level that is not written yet.
#[derive(Debug)]
struct Level {
    page: Page,
    low: Vec<u8>,
    entries: Vec<(Vec<u8>, Held)>,
    /// Bytes of the entries if no key after them has less in common with the lower bound.
    bytes: usize,
}

impl Level {
    fn new(page: Page, low: Vec<u8>) -> Level {
        Level { page, low, entries: Vec::new(), bytes: 0 }
    }

    fn add(&mut self, key: Vec<u8>, value: Held) {
        let prefix = common_prefix(&self.low, &key);
        self.bytes += entry_bytes(key.len() - prefix, value.value().len());
        self.entries.push((key, value));
    }
}

/// Nodes from the leaves up.
struct Builder<'t> {
    tree: &'t Tree,
    levels: Vec<Level>,
    /// Bytes that entries take in a node that is full enough.
    full: usize,
}

impl Tree {
    /// Fills an empty tree with entries whose keys ascend; nodes are filled to a share of `fill`, 0 to 1.
    /// Nobody else may be in the tree. Where it fails, the tree is empty as before.
    pub(crate) fn bulk_load(
        &self,
        entries: impl Iterator<Item = Result<(Vec<u8>, Vec<u8>), IndexError>>,
        fill: f64,
    ) -> Result<(), IndexError> {
        let before = self.state();
        if before.entries > 0 {
            return Err(IndexError::NotEmpty { entries: before.entries });
        }
        let pages = self.space.now();
        let loaded = self.build(entries, fill);
        match loaded {
            Ok((root, entries, bytes)) => {
                self.set_root(root);
                self.count(entries as i64, bytes as i64);
                self.space.release(self.versions.current(), before.root.page, 1);
            }
            // What was written is in nobody's way: pages are made new before they are used.
            Err(_) => self.space.reset(pages),
        }
        loaded.map(|_| ())
    }

    fn build(
        &self,
        entries: impl Iterator<Item = Result<(Vec<u8>, Vec<u8>), IndexError>>,
        fill: f64,
    ) -> Result<(Root, u64, u64), IndexError> {
        let full = (fill.clamp(0.5, 1.0) * self.pool.page_len() as f64) as usize;
        let leaf = Level::new(self.space.take(1), Vec::new());
        let mut builder = Builder { tree: self, levels: vec![leaf], full };
        let (mut count, mut bytes, mut last) = (0, 0, None);
        for entry in entries {
            let (key, value) = entry?;
            self.check(&key, &value)?;
            if last.as_ref().is_some_and(|last| key <= *last) {
                return Err(IndexError::Unsorted { position: count });
            }
            count += 1;
            bytes += (key.len() + value.len()) as u64;
            let held = match self.store(&key, &value)? {
                Value::Inline(_) => Held::Inline(value),
                Value::Long(long) => Held::Long(long),
            };
            builder.add(0, key.clone(), held)?;
            last = Some(key);
        }
        let root = builder.finish()?;
        Ok((root, count, bytes))
    }
}

impl Builder<'_> {
    fn add(&mut self, level: usize, key: Vec<u8>, value: Held) -> Result<(), IndexError> {
        if level == self.levels.len() {
            self.levels.push(Level::new(self.tree.space.take(1), Vec::new()));
        }
        let node = &self.levels[level];
        let prefix = common_prefix(&node.low, &key);
        let bytes = node.bytes + entry_bytes(key.len() - prefix, value.value().len());
        // Its bounds, the upper one not longer than the key.
        let bounds = crate::node::HEADER + node.low.len() + key.len();
        if node.entries.len() > 1 && bounds + bytes > self.full {
            self.end_node(level, &key)?;
        }
        self.levels[level].add(key, value);
        Ok(())
    }

    /// Writes the node of a level, before the entry of `key`; what does not fit goes into the next.
    fn end_node(&mut self, level: usize, key: &[u8]) -> Result<(), IndexError> {
        let node = &self.levels[level];
        let next = self.tree.space.take(1);
        // Keys that have less in common with the lower bound make the prefix shorter, and all entries longer.
        for count in (1..=node.entries.len()).rev() {
            let after = node.entries.get(count).map_or(key, |(key, _)| key);
            let bound = match level {
                0 => separator(&node.entries[count - 1].0, after),
                _ => after,
            };
            if !self.write(level, 0..count, Some((bound, next)))? {
                continue;
            }
            let (bound, node) = (bound.to_vec(), &mut self.levels[level]);
            let rest = node.entries.split_off(count);
            let done = std::mem::replace(node, Level::new(next, bound));
            rest.into_iter().for_each(|(key, value)| node.add(key, value));
            return self.add_child(level, done.low, done.page);
        }
        Err(IndexError::Damaged { page: node.page, what: "no entry fits into it" })
    }

    fn add_child(&mut self, level: usize, low: Vec<u8>, page: Page) -> Result<(), IndexError> {
        self.add(level + 1, low, Held::Inline(page.to_le_bytes().to_vec()))
    }

    /// Writes some entries as the node of a level, if they fit.
    fn write(
        &self,
        level: usize,
        entries: Range<usize>,
        high: Option<(&[u8], Page)>,
    ) -> Result<bool, IndexError> {
        let node = &self.levels[level];
        let mut guard = self.tree.pool.create(node.page)?;
        let head = NodeHead { stamp: self.tree.versions.current(), level: level as u8, low: &node.low, high };
        let mut builder = NodeBuilder::begin(&mut guard, &head);
        Ok(node.entries[entries].iter().all(|(key, value)| builder.push(key, value.value())))
    }

    /// Writes the last node of each level; the highest is the root.
    fn finish(mut self) -> Result<Root, IndexError> {
        let mut level = 0;
        loop {
            let node = &self.levels[level];
            if !self.write(level, 0..node.entries.len(), None)? {
                // Without an upper bound there is no prefix: two nodes.
                let last = node.entries[node.entries.len() - 1].0.clone();
                let (key, value) =
                    self.levels[level].entries.pop().expect("a node that is too full has entries");
                self.end_node(level, &last)?;
                self.levels[level].add(key, value);
                continue;
            }
            let (low, page) = (node.low.clone(), node.page);
            if level + 1 == self.levels.len() {
                return Ok(Root { page, level: level as u8 });
            }
            self.add_child(level, low, page)?;
            level += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::super::View;
    use super::super::tests::{check, key, tree, value};
    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(if leadline_testing::exhaustive() { 1000 } else { 24 }))]
        #[test]
        fn what_is_loaded_is_there_and_can_be_changed(
            entries in prop::collection::btree_map(key(), value(), 0..1500),
            fill in 0.3f64..1.1,
            more in prop::collection::vec((key(), value()), 0..50),
        ) {
            let tree = tree(4096, 24);
            let mut model: BTreeMap<_, _> = entries;
            tree.bulk_load(model.clone().into_iter().map(Ok), fill).unwrap();
            check(&tree, View::Now, &model);
            for (key, value) in more {
                tree.put(&key, &value).unwrap();
                model.insert(key, value);
            }
            check(&tree, View::Now, &model);
        }
    }

    #[test]
    fn entries_out_of_order_are_refused_and_leave_the_tree_empty() {
        let tree = tree(4096, 24);
        let entries = [5u32, 7, 7, 9].map(|number| Ok((number.to_be_bytes().to_vec(), vec![0; 10])));
        // A page that a snapshot may read stays out of use.
        let gone = tree.space.take(1);
        tree.space.release(1, gone, 1);
        let before = tree.space.durable();
        let refused = tree.bulk_load(entries.into_iter(), 1.0);
        assert!(matches!(refused, Err(IndexError::Unsorted { position: 2 })), "{refused:?}");
        assert_eq!((tree.state().entries, tree.space.durable()), (0, before));
        let next = tree.space.take(1);
        assert_ne!(next, gone);
        tree.space.give_back(next, 1);
        tree.bulk_load((0..1000u32).map(|number| Ok((number.to_be_bytes().to_vec(), vec![1; 50]))), 1.0)
            .unwrap();
        let again = tree.bulk_load(std::iter::empty(), 1.0);
        assert!(matches!(again, Err(IndexError::NotEmpty { entries: 1000 })), "{again:?}");
        // 4,056 bytes of entries of 64 bytes.
        assert!(tree.space.used() <= 1000 / 62 + 5, "{} pages", tree.space.used());
    }
}
