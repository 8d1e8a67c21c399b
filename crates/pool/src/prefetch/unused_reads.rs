//! The pages that were read ahead and not used yet: who proposed them, and when.

use super::place;
use crate::policy::Page;

/// Where a page that was read ahead comes from.
#[derive(Debug, Clone, Copy)]
pub(super) struct ReadAhead {
    /// Which prefetcher.
    pub(super) source: u8,
    /// How many pages the pool had read by then.
    pub(super) at: u64,
}

/// A table of a fixed size. Where two pages meet in a place, the older is forgotten: it counts as not used.
#[derive(Debug)]
pub(super) struct UnusedReads {
    places: Vec<Option<(Page, ReadAhead)>>,
    bits: u32,
    soon: u64,
}

impl UnusedReads {
    /// For a pool of `frames` frames: two places a frame, 131,072 at most.
    pub(super) fn new(frames: u32) -> Self {
        let bits = (u64::from(frames) * 2).next_power_of_two().trailing_zeros().clamp(8, 17);
        UnusedReads { places: vec![None; 1 << bits], bits, soon: u64::from(frames / 8).max(64) }
    }

    /// A page that was right to be read ahead is used before the pool has read that many others: an eighth of
    /// its frames.
    pub(super) fn soon(&self) -> u64 {
        self.soon
    }

    pub(super) fn insert(&mut self, page: Page, source: u8, at: u64) {
        self.places[place(page, self.bits)] = Some((page, ReadAhead { source, at }));
    }

    pub(super) fn take(&mut self, page: Page) -> Option<ReadAhead> {
        self.places[place(page, self.bits)].take_if(|(known, _)| *known == page).map(|(_, read)| read)
    }
}
