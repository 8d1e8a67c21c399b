//! Which frame holds a page, read without a lock.
//!
//! Only the holder of the replacer's lock changes the table. What a reader finds may be out of date: it
//! verifies the page's number when it takes the frame. What it does not find it looks for again under the
//! lock.

use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;

use super::hash_table::HashTable;
use crate::cache_line::prefetch;
use crate::policy::{Frame, Page};

/// Pages per frame up to which a word for every page takes no more memory than the hash table.
const DIRECT: u64 = 4;

/// Pages to frames, in at most 16 bytes per frame.
#[derive(Debug)]
pub(crate) enum Table {
    /// A word for every page: the frame plus one, or 0. Relaxed: as the hash table's words.
    Direct(Box<[AtomicU32]>),
    /// For devices of many more pages than there are frames.
    Hashed(HashTable),
}

impl Table {
    /// For at most `frames` of `pages` pages at a time.
    pub(crate) fn new(frames: u32, pages: Page) -> Self {
        if pages <= u64::from(frames) * DIRECT {
            Table::Direct((0..pages).map(|_| AtomicU32::new(0)).collect())
        } else {
            Table::Hashed(HashTable::new(frames))
        }
    }

    /// Asks the processor for the word at which the search for a page begins.
    #[inline]
    pub(crate) fn prefetch(&self, page: Page) {
        match self {
            Table::Direct(words) => words.get(page as usize).into_iter().for_each(|word| prefetch(word)),
            Table::Hashed(table) => table.prefetch(page),
        }
    }

    /// The page's frame. Under the replacer's lock the answer is exact.
    #[inline]
    pub(crate) fn find(&self, page: Page) -> Option<Frame> {
        match self {
            Table::Direct(words) => words.get(page as usize)?.load(Relaxed).checked_sub(1),
            Table::Hashed(table) => table.find(page),
        }
    }

    /// Adds a page that is not there. Under the replacer's lock.
    pub(crate) fn insert(&self, page: Page, frame: Frame) {
        match self {
            Table::Direct(words) => {
                let before = words[page as usize].swap(frame + 1, Relaxed);
                assert!(before == 0, "page {page} is in a frame already, and comes into {frame}");
            }
            Table::Hashed(table) => table.insert(page, frame),
        }
    }

    /// Takes out a page that is in this frame. Under the replacer's lock.
    pub(crate) fn remove(&self, page: Page, frame: Frame) {
        match self {
            Table::Direct(words) => {
                let before = words[page as usize].swap(0, Relaxed);
                assert!(before == frame + 1, "page {page} is not in frame {frame}");
            }
            Table::Hashed(table) => table.remove(page, frame),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;

    #[test]
    fn it_is_a_map_whether_pages_are_few_or_many() {
        for pages in [1, 40, 200, 201, 5000] {
            let (table, mut model) = (Table::new(50, pages), HashMap::new());
            assert_eq!(matches!(table, Table::Direct(_)), pages <= 200);
            let mut random = fastrand::Rng::with_seed(pages);
            for _ in 0..5_000 {
                let (page, frame) = (random.u64(..pages), random.u32(..1 << 26));
                match model.remove(&page) {
                    Some(frame) => table.remove(page, frame),
                    None if model.len() < 50 => {
                        model.insert(page, frame);
                        table.insert(page, frame);
                    }
                    None => {}
                }
                let asked = random.u64(..pages);
                assert_eq!(table.find(asked), model.get(&asked).copied());
                assert_eq!(table.find(page), model.get(&page).copied());
            }
            assert_eq!(table.find(pages.max(201)), None, "there is no such page");
            assert_eq!(table.find(Page::MAX >> 28), None, "there is no such page");
        }
    }
}
