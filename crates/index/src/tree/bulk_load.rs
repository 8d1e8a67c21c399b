//! A tree built from sorted entries: each node is written once, full, in the order of the keys.

use std::ops::Range;

use super::{Root, Tree};
use crate::IndexError;
use crate::node::{LongValue, NodeBuilder, NodeHead, Page, Value, common_prefix, entry_bytes, separator};
use crate::space::{Ranges, Space};

/// An entry of a node that is not written yet, its bytes in the node's buffer: the key, then an inline value.
#[derive(Debug, Clone, Copy)]
struct Pending {
    start: usize,
    key_bytes: usize,
    value: PendingValue,
}

#[derive(Debug, Clone, Copy)]
enum PendingValue {
    /// Its length; its bytes follow the key.
    Inline(usize),
    Long(LongValue),
}

/// The node of a level that is not written yet.
#[derive(Debug)]
struct Level {
    page: Page,
    low: Vec<u8>,
    buffer: Vec<u8>,
    entries: Vec<Pending>,
    /// Bytes of the entries if no key after them has less in common with the lower bound.
    bytes: usize,
}

impl Level {
    fn new(page: Page, low: Vec<u8>) -> Level {
        Level { page, low, buffer: Vec::new(), entries: Vec::new(), bytes: 0 }
    }

    /// Bytes of the entries with one more.
    fn bytes_with(&self, key: &[u8], value: Value<'_>) -> usize {
        let prefix = common_prefix(&self.low, key);
        self.bytes + entry_bytes(key.len() - prefix, value.len())
    }

    fn add(&mut self, key: &[u8], value: Value<'_>) {
        self.bytes = self.bytes_with(key, value);
        let (start, key_bytes) = (self.buffer.len(), key.len());
        self.buffer.extend_from_slice(key);
        let value = match value {
            Value::Inline(bytes) => {
                self.buffer.extend_from_slice(bytes);
                PendingValue::Inline(bytes.len())
            }
            Value::Long(long) => PendingValue::Long(long),
        };
        self.entries.push(Pending { start, key_bytes, value });
    }

    fn key(&self, entry: usize) -> &[u8] {
        let Pending { start, key_bytes, .. } = self.entries[entry];
        &self.buffer[start..start + key_bytes]
    }

    fn value(&self, entry: usize) -> Value<'_> {
        let Pending { start, key_bytes, value } = self.entries[entry];
        match value {
            PendingValue::Inline(bytes) => Value::Inline(&self.buffer[start + key_bytes..][..bytes]),
            PendingValue::Long(long) => Value::Long(long),
        }
    }
}

/// Nodes from the leaves up.
struct Builder<'t> {
    tree: &'t Tree,
    levels: Vec<Level>,
    /// Bytes that entries take in a node that is full enough.
    full: usize,
}

/// Pages that a load was given: dropped, they are as free as before. What was written to them is in nobody's
/// way, since pages are made new before they are used.
struct GivenOut<'t> {
    space: &'t Space,
    before: Option<Ranges>,
}

impl GivenOut<'_> {
    fn since_now(space: &Space) -> GivenOut<'_> {
        GivenOut { space, before: Some(space.now()) }
    }

    fn keep(&mut self) {
        self.before = None;
        self.space.keep();
    }
}

impl Drop for GivenOut<'_> {
    fn drop(&mut self) {
        if let Some(before) = self.before.take() {
            self.space.reset(before);
        }
    }
}

/// Takes the entries of a load, whose keys ascend.
pub(crate) struct Loader<'t> {
    builder: Builder<'t>,
    entries: u64,
    bytes: u64,
    /// The last entry's key.
    last: Vec<u8>,
}

impl Tree {
    /// Fills an empty tree with what `feed` gives to the loader; nodes are filled to a share of `fill`, 0 to
    /// 1. Nobody else may be in the tree. Where it fails, the tree is empty as before.
    pub(crate) fn bulk_load<E: From<IndexError>>(
        &self,
        fill: f64,
        feed: impl FnOnce(&mut Loader<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        self.check_empty()?;
        let (before, mut pages) = (self.state(), GivenOut::since_now(&self.space));
        let mut loader = Loader::new(self, fill);
        let loaded = feed(&mut loader).and_then(|()| {
            let Loader { builder, entries, bytes, .. } = loader;
            Ok((builder.finish()?, entries, bytes))
        });
        loaded.map(|(root, entries, bytes)| {
            pages.keep();
            self.set_root(root);
            self.count(entries as i64, bytes as i64);
            self.space.release(self.versions.current(), before.root.page, 1);
        })
    }

    /// Refuses to load into a tree that has entries.
    pub(crate) fn check_empty(&self) -> Result<(), IndexError> {
        match self.state().entries {
            0 => Ok(()),
            entries => Err(IndexError::NotEmpty { entries }),
        }
    }
}

impl<'t> Loader<'t> {
    fn new(tree: &'t Tree, fill: f64) -> Loader<'t> {
        let full = (fill.clamp(0.5, 1.0) * tree.pool.page_len() as f64) as usize;
        let leaf = Level::new(tree.space.take(1), Vec::new());
        let builder = Builder { tree, levels: vec![leaf], full };
        Loader { builder, entries: 0, bytes: 0, last: Vec::new() }
    }

    /// Adds an entry, whose key is after all others.
    pub(crate) fn add(&mut self, key: &[u8], value: &[u8]) -> Result<(), IndexError> {
        let tree = self.builder.tree;
        tree.check(key, value)?;
        if self.entries > 0 && *key <= *self.last {
            return Err(IndexError::Unsorted { position: self.entries });
        }
        self.entries += 1;
        self.bytes += (key.len() + value.len()) as u64;
        self.last.clear();
        self.last.extend_from_slice(key);
        self.builder.add(0, key, tree.store(key, value, None)?)
    }
}

impl Builder<'_> {
    fn add(&mut self, level: usize, key: &[u8], value: Value<'_>) -> Result<(), IndexError> {
        if level == self.levels.len() {
            self.levels.push(Level::new(self.tree.space.take(1), Vec::new()));
        }
        let node = &self.levels[level];
        // Its bounds, the upper one not longer than the key.
        let bounds = crate::node::HEADER + node.low.len() + key.len();
        if node.entries.len() > 1 && bounds + node.bytes_with(key, value) > self.full {
            self.end_node(level, node.entries.len(), key)?;
        }
        self.levels[level].add(key, value);
        Ok(())
    }

    /// Writes the node of a level, with `most` of its entries; what does not fit goes into the next. `key` is
    /// the next entry's, after all that the node has.
    fn end_node(&mut self, level: usize, most: usize, key: &[u8]) -> Result<(), IndexError> {
        let node = &self.levels[level];
        let next = self.tree.space.take(1);
        // Keys that have less in common with the lower bound make the prefix shorter, and all entries longer.
        for count in (1..=most).rev() {
            let after = if count < node.entries.len() { node.key(count) } else { key };
            let bound = match level {
                0 => separator(node.key(count - 1), after),
                _ => after,
            };
            if !self.write(level, 0..count, Some((bound, next)))? {
                continue;
            }
            let mut rest = Level::new(next, bound.to_vec());
            (count..node.entries.len()).for_each(|entry| rest.add(node.key(entry), node.value(entry)));
            let done = std::mem::replace(&mut self.levels[level], rest);
            return self.add_child(level, &done.low, done.page);
        }
        Err(IndexError::Damaged { page: node.page, what: "no entry fits into it" })
    }

    fn add_child(&mut self, level: usize, low: &[u8], page: Page) -> Result<(), IndexError> {
        self.add(level + 1, low, Value::Inline(&page.to_le_bytes()))
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
        Ok(entries.into_iter().all(|entry| builder.push(node.key(entry), node.value(entry))))
    }

    /// Writes the last node of each level; the highest is the root.
    fn finish(mut self) -> Result<Root, IndexError> {
        let mut level = 0;
        loop {
            let node = &self.levels[level];
            let count = node.entries.len();
            if !self.write(level, 0..count, None)? {
                // Without an upper bound there is no prefix, and its entries are longer: two nodes.
                self.end_node(level, count - 1, &[])?;
                continue;
            }
            let (low, page) = (node.low.clone(), node.page);
            if level + 1 == self.levels.len() {
                return Ok(Root { page, level: level as u8 });
            }
            self.add_child(level, &low, page)?;
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

    fn load<K: AsRef<[u8]>, V: AsRef<[u8]>>(
        tree: &Tree,
        fill: f64,
        entries: impl IntoIterator<Item = (K, V)>,
    ) -> Result<(), IndexError> {
        tree.bulk_load(fill, |loader| {
            entries.into_iter().try_for_each(|(key, value)| loader.add(key.as_ref(), value.as_ref()))
        })
    }

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
            load(&tree, fill, &model).unwrap();
            check(&tree, View::Now, &model);
            for (key, value) in more {
                tree.insert(&key, &value).unwrap();
                model.insert(key, value);
            }
            check(&tree, View::Now, &model);
        }
    }

    #[test]
    fn entries_out_of_order_are_refused_and_leave_the_tree_empty() {
        let tree = tree(4096, 24);
        let numbers = |numbers: &[u32]| -> Vec<([u8; 4], Vec<u8>)> {
            numbers.iter().map(|number| (number.to_be_bytes(), vec![1; 50])).collect()
        };
        // A page that a snapshot may read stays out of use.
        let gone = tree.space.take(1);
        tree.space.release(1, gone, 1);
        let before = tree.space.durable();
        let refused = load(&tree, 1.0, numbers(&[5, 7, 7, 9]));
        assert!(matches!(refused, Err(IndexError::Unsorted { position: 2 })), "{refused:?}");
        assert_eq!((tree.state().entries, tree.space.durable()), (0, before));
        let next = tree.space.take(1);
        assert_ne!(next, gone);
        tree.space.give_back(next, 1);
        load(&tree, 1.0, numbers(&(0..1000).collect::<Vec<u32>>())).unwrap();
        let again = load(&tree, 1.0, numbers(&[]));
        assert!(matches!(again, Err(IndexError::NotEmpty { entries: 1000 })), "{again:?}");
        // 4,056 bytes of entries of 64 bytes.
        assert!(tree.space.used() <= 1000 / 62 + 5, "{} pages", tree.space.used());
    }
}
