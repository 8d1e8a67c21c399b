//! The protocol of the latches in every order of steps that threads can take (loom).
//!
//! The tree itself cannot run here: its pages are a buffer pool's, which reads files and whose latches are
//! under loom in that crate. So the steps of `descend`, `put`, `remove`, `split`, `add_child`, `grow`,
//! `begin_change`, of a checkpoint's merging and of reading a snapshot are here once more, line by line, with
//! latches of loom. What they do to bytes is the tree's own code: nodes, versions, pages in use.

use std::collections::BTreeMap;

use loom::sync::atomic::{AtomicU64, Ordering};
use loom::sync::{Arc, Mutex, RwLock, RwLockReadGuard, RwLockWriteGuard};
use loom::thread;

use super::Root;
use crate::node::{Node, NodeBuilder, NodeHead, NodeMut, Page, Put, Value, split};
use crate::space::Space;
use crate::versions::Versions;

/// So small that a node has room for three entries.
const PAGE: usize = 160;
const PAGES: usize = 14;
/// Fills a third of a node.
const VALUE: [u8; 24] = [7; 24];

struct Model {
    pages: Vec<RwLock<Vec<u8>>>,
    space: Space,
    versions: Versions,
    root: AtomicU64,
    growing: Mutex<()>,
    /// The index's: whoever is in the tree holds it shared.
    gate: RwLock<()>,
}

type View = Option<(u64, Root)>;

impl Model {
    fn new() -> Model {
        let model = Model {
            pages: (0..PAGES).map(|_| RwLock::new(vec![0; PAGE])).collect(),
            space: Space::new(1, BTreeMap::new()),
            versions: Versions::new(1),
            root: AtomicU64::new(0),
            growing: Mutex::new(()),
            gate: RwLock::new(()),
        };
        let page = model.space.take(1);
        let head = NodeHead { stamp: model.versions.current(), level: 0, low: &[], high: None };
        NodeBuilder::begin(&mut model.write(page), &head);
        model.set_root(Root { page, level: 0 });
        model
    }

    fn read(&self, page: Page) -> RwLockReadGuard<'_, Vec<u8>> {
        self.pages[page as usize].read().unwrap()
    }

    fn write(&self, page: Page) -> RwLockWriteGuard<'_, Vec<u8>> {
        self.pages[page as usize].write().unwrap()
    }

    fn root(&self) -> Root {
        Root::unpack(self.root.load(Ordering::Acquire))
    }

    fn set_root(&self, root: Root) {
        self.root.store(root.pack(), Ordering::Release);
    }

    fn descend(&self, view: View, level: u8, key: &[u8]) -> (Page, RwLockReadGuard<'_, Vec<u8>>) {
        let mut page = view.map_or_else(|| self.root().page, |(_, root)| root.page);
        loop {
            let guard = self.read(page);
            let node = Node::new(&guard).unwrap();
            let copy = view.filter(|(version, _)| node.stamp() > *version);
            page = if let Some((version, _)) = copy {
                self.versions.copy_of(page, version).expect("a snapshot's node was kept")
            } else if let Some(next) = node.beyond(key).unwrap() {
                next
            } else if node.level() > level {
                node.child(node.entry_for(key).unwrap()).unwrap()
            } else {
                return (page, guard);
            };
        }
    }

    fn descend_to_change(&self, level: u8, key: &[u8]) -> (Page, RwLockWriteGuard<'_, Vec<u8>>) {
        let (mut page, guard) = self.descend(None, level, key);
        drop(guard);
        loop {
            let guard = self.write(page);
            match Node::new(&guard).unwrap().beyond(key).unwrap() {
                Some(next) => page = next,
                None => return (page, guard),
            }
        }
    }

    fn begin_change(&self, page: Page, bytes: &mut [u8]) {
        let stamp = Node::new(bytes).unwrap().stamp();
        if self.versions.needs_copy(stamp) {
            let copy = self.space.take(1);
            self.write(copy).copy_from_slice(bytes);
            self.versions.copied(page, stamp, copy);
        }
        NodeMut::new(bytes).unwrap().set_stamp(self.versions.current());
    }

    fn put(&self, key: &[u8]) {
        let _within = self.gate.read().unwrap();
        self.put_at(0, key, &VALUE);
    }

    /// Of a leaf, or of a node above that gets a child.
    fn put_at(&self, level: u8, key: &[u8], value: &[u8]) {
        loop {
            let (page, mut guard) = self.descend_to_change(level, key);
            self.begin_change(page, &mut guard);
            match NodeMut::new(&mut guard).unwrap().put(key, Value::Inline(value)).unwrap() {
                Put::Full => self.split(page, guard, key),
                _ => return,
            }
        }
    }

    fn remove(&self, key: &[u8]) {
        let _within = self.gate.read().unwrap();
        let (page, mut guard) = self.descend_to_change(0, key);
        self.begin_change(page, &mut guard);
        let entry = Node::new(&guard).unwrap().search(key).unwrap().expect("nobody else removes it");
        NodeMut::new(&mut guard).unwrap().remove(entry).unwrap();
    }

    fn split(&self, _page: Page, mut guard: RwLockWriteGuard<'_, Vec<u8>>, key: &[u8]) {
        let right_page = self.space.take(1);
        let mut right = self.write(right_page);
        let bound = split(&mut guard, &mut right, right_page, key, self.versions.current()).unwrap();
        let level = Node::new(&guard).unwrap().level();
        drop((right, guard));
        self.grow(level + 1);
        self.put_at(level + 1, &bound, &right_page.to_le_bytes());
    }

    fn grow(&self, level: u8) {
        if self.root().level >= level {
            return;
        }
        let _one = self.growing.lock().unwrap();
        let below = self.root();
        if below.level >= level {
            return;
        }
        let page = self.space.take(1);
        let head = NodeHead { stamp: self.versions.current(), level, low: &[], high: None };
        let mut guard = self.write(page);
        NodeBuilder::begin(&mut guard, &head).push(&[], Value::Inline(&below.page.to_le_bytes()));
        drop(guard);
        self.set_root(Root { page, level });
    }

    fn get(&self, view: View, key: &[u8]) -> bool {
        let _within = self.gate.read().unwrap();
        let (_, guard) = self.descend(view, 0, key);
        Node::new(&guard).unwrap().search(key).unwrap().is_ok()
    }

    fn snapshot(&self) -> (u64, Root) {
        let _alone = self.gate.write().unwrap();
        (self.versions.begin(), self.root())
    }

    /// A checkpoint, of which only the merging of the first two leaves matters here.
    fn checkpoint(&self) {
        let _alone = self.gate.write().unwrap();
        let root = self.root();
        if root.level == 0 {
            return;
        }
        let mut above = self.write(root.page);
        let node = Node::new(&above).unwrap();
        if node.count() < 2 {
            return;
        }
        let [left_page, right_page] = [0, 1].map(|entry| node.child(entry).unwrap());
        let (left, right) = (self.read(left_page).clone(), self.read(right_page).clone());
        let (left, right) = (Node::new(&left).unwrap(), Node::new(&right).unwrap());
        let is_small = left.used() + right.used() < left.capacity() * 3 / 4;
        if !is_small || left.next() != Some(right_page) {
            return;
        }
        let high = right.high();
        let (low, high) = (left.low(), high.as_deref().zip(right.next()));
        let mut bytes = vec![0; PAGE];
        let mut builder =
            NodeBuilder::begin(&mut bytes, &NodeHead { stamp: left.stamp(), level: 0, low: &low, high });
        for node in [left, right] {
            for entry in 0..node.count() {
                assert!(builder.push(&node.key(entry).unwrap(), node.value(entry).unwrap()));
            }
        }
        self.begin_change(root.page, &mut above);
        let mut guard = self.write(left_page);
        self.begin_change(left_page, &mut guard);
        let stamp = self.versions.current();
        guard.copy_from_slice(&bytes);
        NodeMut::new(&mut guard).unwrap().set_stamp(stamp);
        NodeMut::new(&mut above).unwrap().remove(1).unwrap();
        self.space.release(stamp, right_page, 1);
        drop((guard, above));
        self.space.settle(self.versions.oldest());
    }

    /// All keys, by the leaves' order.
    fn keys(&self) -> Vec<Vec<u8>> {
        let (mut page, _) = self.descend(None, 0, b"");
        let mut keys = Vec::new();
        loop {
            let guard = self.read(page);
            let node = Node::new(&guard).unwrap();
            keys.extend((0..node.count()).map(|entry| node.key(entry).unwrap()));
            match node.next() {
                Some(next) => page = next,
                None => return keys,
            }
        }
    }
}

/// Threads that work on a tree with these keys, which none of them changes; the keys at the end.
fn check(
    before: &'static [&'static [u8]],
    work: &'static [fn(&Model)],
    after: &'static [&'static [u8]],
    preemptions: usize,
) {
    let mut loom = loom::model::Builder::new();
    loom.preemption_bound = Some(preemptions);
    loom.check(move || {
        let model = Arc::new(Model::new());
        before.iter().for_each(|key| model.put(key));
        let threads: Vec<_> = work
            .iter()
            .map(|work| {
                let model = Arc::clone(&model);
                thread::spawn(move || work(&model))
            })
            .collect();
        threads.into_iter().for_each(|thread| thread.join().unwrap());
        assert_eq!(model.keys(), after);
        assert!(after.iter().all(|key| model.get(None, key)), "a key cannot be found from the root");
    });
}

#[test]
fn two_who_divide_the_same_node_and_one_who_reads_lose_nothing() {
    check(
        &[b"b", b"d", b"f"],
        &[
            |model| model.put(b"a"),
            |model| model.put(b"g"),
            |model| {
                [b"b", b"f"].iter().for_each(|key| assert!(model.get(None, *key), "a reader lost a key"));
            },
        ],
        &[b"a", b"b", b"d", b"f", b"g"],
        2,
    );
}

#[test]
fn a_snapshot_stands_still_while_nodes_are_divided() {
    check(
        &[b"b", b"d", b"f"],
        &[
            |model| model.put(b"e"),
            |model| {
                let before = model.get(None, b"e");
                let (version, root) = model.snapshot();
                let view = Some((version, root));
                let seen = model.get(view, b"e");
                assert!(seen || !before, "a snapshot is older than what was read before it");
                assert_eq!(model.get(view, b"e"), seen, "a snapshot changed");
                assert!([b"b", b"d", b"f"].iter().all(|key| model.get(view, *key)), "a snapshot lost a key");
                model.versions.end(version).into_iter().for_each(|copy| model.space.give_back(copy, 1));
            },
        ],
        &[b"b", b"d", b"e", b"f"],
        3,
    );
}

#[test]
fn a_checkpoint_that_merges_disturbs_nobody() {
    check(
        &[b"b", b"d", b"f", b"h"],
        &[
            |model| {
                model.remove(b"h");
                model.checkpoint();
            },
            |model| {
                model.remove(b"b");
                model.put(b"e");
            },
            |model| assert!([b"d", b"f"].iter().all(|key| model.get(None, *key)), "a reader lost a key"),
        ],
        &[b"d", b"e", b"f"],
        2,
    );
}
