//! Pages to frames by open addressing in one array of words, read without a lock.
//!
//! A word is page (36 bits) and frame (28 bits). Only the holder of the replacer's lock changes words. A
//! removal moves words back, so a reader meanwhile may miss what is there: it then asks again under the lock.
//! What a reader finds may be out of date: it verifies the page's number when it takes the frame.
//!
//! Relaxed loads and stores are enough: each word is one atomic, so that a reader sees some word that was
//! there, and trusts it no further than to look at that frame, whose state it acquires. Changes are ordered
//! by the lock.

use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

use crate::cache_line::prefetch;
use crate::policy::{Frame, Page};

const EMPTY: u64 = u64::MAX;
const FRAME_BITS: u32 = 28;

/// Pages to frames. 16 bytes per frame: half of the words are empty, so that a search looks at two on
/// average.
#[derive(Debug)]
pub(super) struct HashTable {
    words: Box<[AtomicU64]>,
}

impl HashTable {
    /// For at most `frames` pages at a time.
    pub(super) fn new(frames: u32) -> Self {
        let words = (frames as usize * 2).max(4);
        HashTable { words: (0..words).map(|_| AtomicU64::new(EMPTY)).collect() }
    }

    /// Where the search for a page begins. Fibonacci hashing: neighbours come to lie far apart.
    #[inline]
    fn home(&self, page: Page) -> usize {
        let hash = page.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        ((u128::from(hash) * self.words.len() as u128) >> 64) as usize
    }

    #[inline]
    fn after(&self, at: usize) -> usize {
        if at + 1 == self.words.len() { 0 } else { at + 1 }
    }

    /// Asks for the word at which the search for a page begins.
    #[inline]
    pub(super) fn prefetch(&self, page: Page) {
        prefetch(&raw const self.words[self.home(page)]);
    }

    /// The page's frame. Under the replacer's lock the answer is exact.
    #[inline]
    pub(super) fn find(&self, page: Page) -> Option<Frame> {
        let mut at = self.home(page);
        // Half of the words are empty, but a reader may run after words that move: it gives up, and asks
        // again.
        for _ in 0..self.words.len() {
            // What the frame holds is acquired with its state, not here.
            let word = self.words[at].load(Relaxed);
            if word >> FRAME_BITS == page && word != EMPTY {
                return Some((word & ((1 << FRAME_BITS) - 1)) as Frame);
            }
            if word == EMPTY {
                return None;
            }
            at = self.after(at);
        }
        None
    }

    /// Adds a page that is not there. Under the replacer's lock.
    pub(super) fn insert(&self, page: Page, frame: Frame) {
        assert!(
            frame < 1 << FRAME_BITS && page < EMPTY >> FRAME_BITS,
            "no word has room for page {page} in frame {frame}"
        );
        let mut at = self.home(page);
        loop {
            let word = self.words[at].load(Relaxed);
            if word == EMPTY {
                break;
            }
            assert!(word >> FRAME_BITS != page, "page {page} is in a frame already, and comes into {frame}");
            at = self.after(at);
        }
        self.words[at].store(page << FRAME_BITS | u64::from(frame), Relaxed);
    }

    /// Takes out a page that is in this frame. Under the replacer's lock.
    pub(super) fn remove(&self, page: Page, frame: Frame) {
        let gone = page << FRAME_BITS | u64::from(frame);
        let mut hole = self.home(page);
        loop {
            let word = self.words[hole].load(Relaxed);
            if word == gone {
                break;
            }
            assert!(word != EMPTY && word >> FRAME_BITS != page, "page {page} is not in frame {frame}");
            hole = self.after(hole);
        }
        // Whatever could have lain nearer its home moves into the hole, which moves on.
        let mut at = hole;
        loop {
            at = self.after(at);
            let word = self.words[at].load(Relaxed);
            if word == EMPTY {
                break;
            }
            if self.distance(self.home(word >> FRAME_BITS), at) >= self.distance(hole, at) {
                self.words[hole].store(word, Relaxed);
                hole = at;
            }
        }
        self.words[hole].store(EMPTY, Relaxed);
    }

    /// Steps from one place to another.
    fn distance(&self, from: usize, to: usize) -> usize {
        if to >= from { to - from } else { to + self.words.len() - from }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;

    #[test]
    fn a_frame_costs_16_bytes() {
        let table = HashTable::new(1000);
        assert_eq!(size_of_val(&table.words[..]), 16_000);
    }

    #[test]
    fn it_is_a_map_under_any_insertions_and_removals() {
        for frames in [1, 2, 3, 50] {
            let (table, mut model) = (HashTable::new(frames), HashMap::new());
            let mut random = fastrand::Rng::with_seed(u64::from(frames));
            for _ in 0..20_000 {
                // Few different pages, some at the end of the range, so that searches run into each other and
                // wrap.
                let page = if random.bool() { random.u64(..80) } else { (1 << 36) - 2 - random.u64(..40) };
                match model.remove(&page) {
                    Some(frame) => table.remove(page, frame),
                    None if model.len() < frames as usize => {
                        let frame = random.u32(..1 << FRAME_BITS);
                        model.insert(page, frame);
                        table.insert(page, frame);
                    }
                    None => {}
                }
                let asked = random.u64(..80);
                assert_eq!(table.find(asked), model.get(&asked).copied());
                assert_eq!(table.find(page), model.get(&page).copied());
            }
            assert!(model.iter().all(|(page, frame)| table.find(*page) == Some(*frame)));
        }
    }
}
