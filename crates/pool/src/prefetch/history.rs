//! History: after this page, what missed last time?
//!
//! The table is a Markov chain with one successor a page, the last one seen (after Joseph and Grunwald,
//! "Prefetching using Markov predictors", ISCA 1997, with one arc instead of four). Following it from page to
//! page gives back a sequence of misses of any shape, once it comes round again.

use super::{Prefetcher, place, spread};
use crate::policy::Page;

/// Entries that share a place.
const WAYS: usize = 4;

/// Proposes the pages that missed after this one the last time it did, in their order.
#[derive(Debug)]
pub struct History {
    /// [`WAYS`] entries a place.
    entries: Vec<Entry>,
    bits: u32,
    previous: Option<Page>,
    /// Draws who is forgotten where a place is full. Not the oldest: of a cycle that is a little longer than
    /// its place, each page would push out the one that comes next. Not by turns either: a cycle may keep
    /// step with them.
    draw: u64,
    /// Number of the proposal, so that a chain that bites its tail ends there.
    proposal: u32,
}

/// 16 bytes: there are many.
#[derive(Debug, Clone, Copy, Default)]
struct Entry {
    /// Stands for the page; 0: no entry. Two pages of one tag are taken for one, which is a wrong guess and
    /// no more.
    tag: u32,
    /// The last proposal that came through here.
    passed: u32,
    next: Page,
}

impl History {
    /// For a pool of `frames` frames: remembers some six pools full of misses at 128 to 256 bytes per frame,
    /// 524,288 misses (8 MB) at most.
    pub fn new(frames: u32) -> Self {
        let bits = (u64::from(frames) * 2).next_power_of_two().trailing_zeros().clamp(8, 17);
        History { entries: vec![Entry::default(); WAYS << bits], bits, previous: None, draw: 0, proposal: 0 }
    }

    /// The entries where the page's would be, and its tag.
    fn set(&mut self, page: Page) -> (&mut [Entry], u32) {
        let first = place(page, self.bits) * WAYS;
        (&mut self.entries[first..first + WAYS], spread(page) as u32 | 1)
    }

    fn learn(&mut self, page: Page, next: Page) {
        self.draw = spread(self.draw).wrapping_add(1);
        let drawn = (self.draw >> 62) as usize;
        let (set, tag) = self.set(page);
        let way_of = |tag: u32| set.iter().position(|e| e.tag == tag);
        let way = way_of(tag).or_else(|| way_of(0)).unwrap_or(drawn);
        set[way] = Entry { tag, next, passed: 0 };
    }

    fn entry(&mut self, page: Page) -> Option<&mut Entry> {
        let (set, tag) = self.set(page);
        set.iter_mut().find(|e| e.tag == tag)
    }
}

impl Prefetcher for History {
    fn accessed(&mut self, page: Page, missed: bool) {
        if !missed || self.previous == Some(page) {
            return;
        }
        if let Some(previous) = self.previous.replace(page) {
            self.learn(previous, page);
        }
    }

    fn propose(&mut self, page: Page, most: usize, out: &mut Vec<Page>) {
        // After four thousand million proposals an old mark may end one chain early.
        self.proposal = self.proposal.wrapping_add(1).max(1);
        let proposal = self.proposal;
        let mut here = page;
        for _ in 0..most {
            let Some(entry) = self.entry(here) else { return };
            entry.passed = proposal;
            let next = entry.next;
            if self.entry(next).is_some_and(|entry| entry.passed == proposal) {
                return;
            }
            out.push(next);
            here = next;
        }
    }
}
