//! Changes of a tree's shape, with the tree to itself: splits, and leaves given up when they are empty.

use super::node::Kind;
use super::{Tree, TreeState, Within};
use crate::StoreError;
use crate::heap::RowId;
use crate::key::Key;
use crate::pages::Pages;

/// An inner node on the way down, and which of its children was taken.
#[derive(Clone, Copy)]
struct Step {
    page: u64,
    index: usize,
    /// Whether that was its last child.
    last: bool,
}

impl Tree {
    /// Inserts where the leaf is full, or the tree empty.
    pub(super) fn insert_splitting<P: Pages>(
        &self,
        pages: &P,
        key: &Key,
        row: RowId,
    ) -> Result<Within, StoreError> {
        let mut state = self.exclusive();
        if state.root == 0 {
            let (root, mut leaf) = self.fresh(&mut state, pages, Kind::Leaf, 0)?;
            self.layout.insert(&mut leaf, 0, key, row.0);
            state.root = root;
            return Ok(Within::Done);
        }
        let (mut path, number) = self.path_to(pages, &state, key)?;
        let mut leaf = pages.write(number)?;
        self.layout.check(number, &leaf, Kind::Leaf)?;
        let at = self.layout.lower_bound(&leaf, key);
        if at < self.layout.count(&leaf) && self.layout.key(&leaf, at) == &**key {
            return Ok(Within::Not);
        }
        // Somebody else may have split it in between.
        if !self.layout.is_full(&leaf) {
            self.layout.insert(&mut leaf, at, key, row.0);
            return Ok(Within::Done);
        }
        let (right_number, mut right) = self.fresh(&mut state, pages, Kind::Leaf, self.layout.link(&leaf))?;
        let middle = self.split_at(at, &leaf, self.layout.link(&leaf) == 0);
        self.layout.split(&mut leaf, &mut right, middle);
        self.layout.set_link(&mut leaf, right_number);
        if at < middle || (at == middle && self.layout.count(&right) > 0) {
            self.layout.insert(&mut leaf, at, key, row.0);
        } else {
            self.layout.insert(&mut right, at - middle, key, row.0);
        }
        let separator = Key::from_bytes(self.layout.key(&right, 0));
        drop((leaf, right));
        self.insert_child(pages, &mut state, &mut path, separator, right_number)?;
        Ok(Within::Done)
    }

    /// Puts a new child into the parent, and splits upwards as far as nodes are full.
    fn insert_child<P: Pages>(
        &self,
        pages: &P,
        state: &mut TreeState,
        path: &mut Vec<Step>,
        mut separator: Key,
        mut child: u64,
    ) -> Result<(), StoreError> {
        while let Some(Step { page, index, .. }) = path.pop() {
            let mut node = pages.write(page)?;
            if !self.layout.is_full(&node) {
                self.layout.insert(&mut node, index, &separator, child);
                return Ok(());
            }
            let at_the_end = path.iter().all(|step| step.last);
            let (right_number, mut right) = self.fresh(state, pages, Kind::Inner, 0)?;
            let middle = self.split_at(index, &node, at_the_end).min(self.layout.count(&node) - 1);
            self.layout.split(&mut node, &mut right, middle);
            // The first key of the right half moves up, and its child is the right half's first.
            let up = Key::from_bytes(self.layout.key(&right, 0));
            let first_child = self.layout.value(&right, 0);
            self.layout.set_link(&mut right, first_child);
            self.layout.remove(&mut right, 0);
            if index <= middle {
                self.layout.insert(&mut node, index, &separator, child);
            } else {
                self.layout.insert(&mut right, index - middle - 1, &separator, child);
            }
            (separator, child) = (up, right_number);
        }
        let (root, mut node) = self.fresh(state, pages, Kind::Inner, state.root)?;
        self.layout.insert(&mut node, 0, &separator, child);
        state.root = root;
        state.height += 1;
        Ok(())
    }

    /// Entries that stay left. A node at the right end that grows at its end stays full, as keys that ascend
    /// would leave every node half empty otherwise.
    fn split_at(&self, at: usize, node: &[u8], at_the_end: bool) -> usize {
        let count = self.layout.count(node);
        if at_the_end && at == count { count } else { count / 2 }
    }

    /// Gives up the leaf of `key`, which was seen empty, and every inner node that has no child left by that.
    pub(super) fn give_up_leaf<P: Pages>(&self, pages: &P, key: &Key) -> Result<(), StoreError> {
        let mut state = self.exclusive();
        if state.root == 0 {
            return Ok(());
        }
        let (mut path, number) = self.path_to(pages, &state, key)?;
        let (empty, next) = {
            let leaf = pages.read(number)?;
            self.layout.check(number, &leaf, Kind::Leaf)?;
            (self.layout.count(&leaf) == 0, self.layout.link(&leaf))
        };
        // Somebody may have inserted into it in between.
        if !empty {
            return Ok(());
        }
        if let Some(before) = self.leaf_before(pages, &path)? {
            self.layout.set_link(&mut pages.write(before)?, next);
        }
        self.free(&mut state, pages, number)?;
        while let Some(Step { page, index, .. }) = path.pop() {
            let mut node = pages.write(page)?;
            if self.layout.count(&node) > 0 {
                self.layout.remove_child(&mut node, index);
                return Ok(());
            }
            drop(node);
            self.free(&mut state, pages, page)?;
        }
        (state.root, state.height) = (0, 0);
        Ok(())
    }

    /// The leaf to the left of the one that `path` leads to.
    fn leaf_before<P: Pages>(&self, pages: &P, path: &[Step]) -> Result<Option<u64>, StoreError> {
        let Some(turn) = path.iter().rposition(|step| step.index > 0) else { return Ok(None) };
        let mut number = {
            let node = pages.read(path[turn].page)?;
            self.layout.child(&node, path[turn].index - 1)
        };
        for _ in turn + 1..path.len() {
            let node = pages.read(number)?;
            self.layout.check(number, &node, Kind::Inner)?;
            number = self.layout.child(&node, self.layout.count(&node));
        }
        Ok(Some(number))
    }

    /// The leaf of `key` and the inner nodes above it, the root first.
    fn path_to<P: Pages>(
        &self,
        pages: &P,
        state: &TreeState,
        key: &[u8],
    ) -> Result<(Vec<Step>, u64), StoreError> {
        let mut path = Vec::new();
        let mut number = state.root;
        for _ in 0..state.height {
            let node = pages.read(number)?;
            self.layout.check(number, &node, Kind::Inner)?;
            let index = self.layout.child_index(&node, key);
            path.push(Step { page: number, index, last: index == self.layout.count(&node) });
            number = self.layout.child(&node, index);
        }
        Ok((path, number))
    }

    /// An empty node: a page that was given up, else a new one.
    fn fresh<'a, P: Pages>(
        &self,
        state: &mut TreeState,
        pages: &'a P,
        kind: Kind,
        link: u64,
    ) -> Result<(u64, P::Write<'a>), StoreError> {
        let (number, mut page) = match state.free {
            0 => pages.new_page()?,
            free => {
                let page = pages.write(free)?;
                self.layout.check(free, &page, Kind::Free)?;
                state.free = self.layout.link(&page);
                (free, page)
            }
        };
        self.layout.format(&mut page, kind, link);
        Ok((number, page))
    }

    /// Puts a page on the free list. Its entries are gone.
    fn free<P: Pages>(&self, state: &mut TreeState, pages: &P, page: u64) -> Result<(), StoreError> {
        let mut node = pages.write(page)?;
        self.layout.format(&mut node, Kind::Free, state.free);
        state.free = page;
        Ok(())
    }
}
