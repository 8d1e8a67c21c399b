//! Which pages are in use.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::node::Page;

/// Gives out pages and takes them back.
#[derive(Debug)]
pub(crate) struct Space(Mutex<Ranges>);

/// Pages by who may use them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Ranges {
    /// Pages from this one on were never used.
    pub(crate) next: Page,
    /// Pages that are free: the first of each range, and how many it has.
    pub(crate) free: BTreeMap<Page, u64>,
    /// Pages that nobody comes to any more, apart from those who are on their way since before: version of
    /// the index, first, how many.
    gone: Vec<(u64, Page, u64)>,
    /// Where they may be reset: pages that were given back since.
    returned: Option<BTreeSet<Page>>,
}

impl Space {
    /// Of an index whose pages up to `next` are in use except those of `free`.
    pub(crate) fn new(next: Page, free: BTreeMap<Page, u64>) -> Space {
        Space(Mutex::new(Ranges { next, free, gone: Vec::new(), returned: None }))
    }

    fn ranges(&self) -> MutexGuard<'_, Ranges> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes pages that follow one another; the first.
    pub(crate) fn take(&self, count: u64) -> Page {
        let mut ranges = self.ranges();
        let fitting =
            ranges.free.iter().find(|(_, pages)| **pages >= count).map(|(first, pages)| (*first, *pages));
        match fitting {
            Some((first, pages)) => {
                ranges.free.remove(&first);
                if pages > count {
                    ranges.free.insert(first + count, pages - count);
                }
                first
            }
            None => {
                ranges.next += count;
                ranges.next - count
            }
        }
    }

    /// Gives back pages that nobody else has seen.
    pub(crate) fn give_back(&self, first: Page, count: u64) {
        let mut ranges = self.ranges();
        ranges.add(first, count);
        ranges.returned.iter_mut().for_each(|returned| returned.extend(first..first + count));
    }

    /// Pages are gone at a version; they may be used again after [`Space::settle`].
    pub(crate) fn release(&self, version: u64, first: Page, count: u64) {
        self.ranges().gone.push((version, first, count));
    }

    /// Frees the pages that are gone and that no snapshot can come to: the oldest is of version `oldest`.
    /// Nobody may be on his way in the tree.
    pub(crate) fn settle(&self, oldest: Option<u64>) -> Vec<(Page, u64)> {
        let mut ranges = self.ranges();
        let gone = std::mem::take(&mut ranges.gone);
        let (kept, freed) = gone.into_iter().partition(|gone| oldest.is_some_and(|oldest| oldest < gone.0));
        ranges.gone = kept;
        let freed: Vec<_> = freed.into_iter().map(|(_, first, count)| (first, count)).collect();
        freed.iter().for_each(|(first, count)| ranges.add(*first, *count));
        freed
    }

    /// The pages as they are after a crash, when there is no snapshot any more: all that are gone are free.
    pub(crate) fn durable(&self) -> (Page, BTreeMap<Page, u64>) {
        let mut ranges = self.ranges().clone();
        for (_, first, count) in std::mem::take(&mut ranges.gone) {
            ranges.add(first, count);
        }
        (ranges.next, ranges.free)
    }

    /// The pages as they are now, until [`Space::keep`] or [`Space::reset`].
    pub(crate) fn now(&self) -> Ranges {
        let mut ranges = self.ranges();
        let before = ranges.clone();
        ranges.returned = Some(BTreeSet::new());
        before
    }

    /// What was given out stays so.
    pub(crate) fn keep(&self) {
        self.ranges().returned = None;
    }

    /// Makes the pages what they were; nobody has seen the ones that were given out since. Those that were in
    /// use and were given back, by a snapshot that ended, are free.
    pub(crate) fn reset(&self, before: Ranges) {
        let mut ranges = self.ranges();
        let returned = ranges.returned.take().unwrap_or_default();
        *ranges = before;
        for page in returned {
            if ranges.is_used(page) {
                ranges.add(page, 1);
            }
        }
    }

    /// Pages in use, those that are gone and not yet free included.
    pub(crate) fn used(&self) -> u64 {
        let ranges = self.ranges();
        ranges.next - ranges.free.values().sum::<u64>()
    }
}

impl Ranges {
    fn is_used(&self, page: Page) -> bool {
        let free = self.free.range(..=page).next_back().is_some_and(|(first, count)| page < first + count);
        page < self.next && !free
    }

    fn add(&mut self, first: Page, count: u64) {
        let (mut first, mut count) = (first, count);
        if let Some((before, pages)) = self.free.range(..first).next_back().map(|(at, pages)| (*at, *pages))
            && before + pages == first
        {
            self.free.remove(&before);
            (first, count) = (before, count + pages);
        }
        if let Some(pages) = self.free.remove(&(first + count)) {
            count += pages;
        }
        if first + count == self.next {
            self.next = first;
        } else {
            self.free.insert(first, count);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn no_page_is_given_out_twice(steps in prop::collection::vec((0u8..4, 1u64..5), 0..200)) {
            let space = Space::new(1, BTreeMap::new());
            let (mut held, mut used) = (Vec::new(), BTreeSet::new());
            for (at, (what, count)) in steps.into_iter().enumerate() {
                match what {
                    0 | 1 => {
                        let first = space.take(count);
                        prop_assert!((first..first + count).all(|page| page > 0 && used.insert(page)));
                        held.push((first, count));
                    }
                    2 if !held.is_empty() => {
                        let (first, count) = held.swap_remove(at % held.len());
                        space.release(at as u64, first, count);
                        // In use as long as somebody may be on his way to it.
                        if at % 2 == 0 {
                            space.settle(None);
                            used = held.iter().flat_map(|(first, count)| *first..first + count).collect();
                        }
                    }
                    3 if !held.is_empty() => {
                        let (first, count) = held.swap_remove(at % held.len());
                        space.give_back(first, count);
                        (first..first + count).for_each(|page| prop_assert_unwrap(used.remove(&page)));
                    }
                    _ => {}
                }
            }
            prop_assert_eq!(space.used() - 1, used.len() as u64);
            for (first, count) in held {
                space.give_back(first, count);
            }
            let (next, free) = space.durable();
            prop_assert_eq!((next, free.len()), (1, 0));
        }
    }

    fn prop_assert_unwrap(held: bool) {
        assert!(held);
    }

    #[test]
    fn pages_that_a_snapshot_gives_back_during_a_load_that_fails_are_free() {
        let space = Space::new(1, BTreeMap::new());
        let (root, copies) = (space.take(1), space.take(3));
        space.give_back(copies, 1);
        let before = space.now();
        let of_load: Vec<Page> = (0..3).map(|_| space.take(1)).collect();
        assert_eq!(of_load, [2, 5, 6]);
        space.give_back(copies + 2, 1);
        // It takes that one too, and gives one of its own back.
        assert_eq!(space.take(1), copies + 2);
        space.give_back(6, 1);
        space.reset(before);
        // The root, and the copy that a snapshot has yet.
        assert_eq!((space.used() - 1, root), (2, 1));
        assert_eq!([space.take(1), space.take(1), space.take(1)], [2, 4, 5]);
    }

    #[test]
    fn pages_that_a_snapshot_may_read_are_not_used_again() {
        let space = Space::new(1, BTreeMap::new());
        let first = space.take(4);
        space.release(5, first, 1);
        space.release(9, first + 1, 1);
        // A snapshot of version 7 reads what was there before version 9.
        assert_eq!(space.settle(Some(7)), [(1, 1)]);
        assert_eq!((space.take(1), space.take(1)), (1, 5));
        assert_eq!(space.settle(None), [(2, 1)]);
        assert_eq!(space.take(1), 2);
    }
}
