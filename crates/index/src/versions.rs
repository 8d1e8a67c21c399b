//! Nodes as they were, for readers of snapshots.
//!
//! Before a node is changed that a snapshot may still read, it is copied to a page of its own. Who reads a
//! snapshot takes a node as it is if the snapshot is not older than its last change, and otherwise the copy
//! with the newest change that the snapshot has seen.

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::node::Page;

/// The versions of an index: which one is written, which ones snapshots read, and copies of nodes for them.
#[derive(Debug)]
pub(crate) struct Versions {
    /// What changes are stamped with.
    current: AtomicU64,
    /// The newest that a snapshot reads; 0: none does.
    newest: AtomicU64,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// Versions that snapshots read, and how many of them each.
    live: BTreeMap<u64, u32>,
    /// By page, its copies: the version of each, ascending, and where it is.
    copies: HashMap<Page, Vec<(u64, Page)>>,
}

impl State {
    /// Whether a snapshot reads a version from `from` on and before `to`.
    fn reads(&self, from: u64, to: u64) -> bool {
        self.live.range(from..to).next().is_some()
    }
}

impl Versions {
    pub(crate) fn new(current: u64) -> Versions {
        Versions { current: AtomicU64::new(current), newest: AtomicU64::new(0), state: Mutex::default() }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What changes are stamped with now. Relaxed: it changes only while nobody is in the tree.
    #[inline]
    pub(crate) fn current(&self) -> u64 {
        self.current.load(Ordering::Relaxed)
    }

    /// Begins a snapshot: its version. Nobody may be in the tree.
    pub(crate) fn begin(&self) -> u64 {
        let version = self.current.fetch_add(1, Ordering::Relaxed);
        *self.state().live.entry(version).or_default() += 1;
        self.newest.store(version, Ordering::Relaxed);
        version
    }

    /// Whether a node must be copied before it is changed.
    #[inline]
    pub(crate) fn needs_copy(&self, stamp: u64) -> bool {
        stamp <= self.newest.load(Ordering::Relaxed)
    }

    /// A copy of a node with this stamp was made; whoever made it holds the node alone.
    pub(crate) fn copied(&self, page: Page, stamp: u64, copy: Page) {
        self.state().copies.entry(page).or_default().push((stamp, copy));
    }

    /// Where a node is as a snapshot of `version` sees it, which was changed after that.
    pub(crate) fn copy_of(&self, page: Page, version: u64) -> Option<Page> {
        let state = self.state();
        let copies = state.copies.get(&page)?;
        let after = copies.partition_point(|(stamp, _)| *stamp <= version);
        Some(copies[after.checked_sub(1)?].1)
    }

    /// The oldest version that a snapshot reads.
    pub(crate) fn oldest(&self) -> Option<u64> {
        self.state().live.keys().next().copied()
    }

    /// A snapshot ends: the copies that nobody needs any more.
    pub(crate) fn end(&self, version: u64) -> Vec<Page> {
        let mut state = self.state();
        if let Some(count) = state.live.get_mut(&version) {
            *count -= 1;
            if *count > 0 {
                return Vec::new();
            }
            state.live.remove(&version);
        }
        self.newest.store(state.live.keys().next_back().copied().unwrap_or(0), Ordering::Relaxed);
        let mut copies = std::mem::take(&mut state.copies);
        let mut unneeded = Vec::new();
        copies.retain(|_, copies| {
            let until: Vec<u64> = copies.iter().skip(1).map(|(stamp, _)| *stamp).chain([u64::MAX]).collect();
            let mut at = 0;
            copies.retain(|(stamp, copy)| {
                at += 1;
                let is_needed = state.reads(*stamp, until[at - 1]);
                if !is_needed {
                    unneeded.push(*copy);
                }
                is_needed
            });
            !copies.is_empty()
        });
        state.copies = copies;
        unneeded
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_snapshot_reads_the_newest_copy_that_it_has_seen() {
        let versions = Versions::new(1);
        assert!(!versions.needs_copy(1), "nobody reads");
        let first = versions.begin();
        assert!(versions.needs_copy(1) && !versions.needs_copy(2));
        versions.copied(10, 1, 100);
        let second = versions.begin();
        versions.copied(10, 2, 101);
        assert_eq!((first, second, versions.current()), (1, 2, 3));
        assert_eq!([first, second].map(|version| versions.copy_of(10, version)), [Some(100), Some(101)]);
        assert_eq!(versions.copy_of(11, first), None);
        assert_eq!(versions.oldest(), Some(1));
        assert_eq!(versions.end(first), [100]);
        assert!(versions.needs_copy(2));
        assert_eq!(versions.end(second), [101]);
        assert!(!versions.needs_copy(2) && versions.oldest().is_none());
    }

    #[test]
    fn a_copy_stays_for_the_snapshots_in_between() {
        let versions = Versions::new(1);
        let all: Vec<u64> = (0..4).map(|_| versions.begin()).collect();
        versions.copied(10, 1, 100);
        assert!(versions.end(all[0]).is_empty() && versions.end(all[3]).is_empty());
        assert_eq!(versions.copy_of(10, all[1]), Some(100));
        assert!(versions.end(all[1]).is_empty());
        assert_eq!(versions.end(all[2]), [100]);
    }
}
