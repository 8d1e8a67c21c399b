//! Sequential read-ahead: scans, several at a time, are followed page by page.

use super::Prefetcher;
use crate::policy::Page;

/// Scans that are followed at once; more make each other forgotten, the one that rested longest first.
const STREAMS: usize = 32;

/// Pages in a row that make a scan.
const RUN: u32 = 3;

/// Proposes the pages after one that ends a run of three or more.
#[derive(Debug, Default)]
pub struct Sequential {
    /// The last page of each stream. Apart from the rest because it is searched at every access.
    last: [Page; STREAMS],
    /// Pages in a row each has seen; 0: no stream.
    run: [u32; STREAMS],
    /// When each was last continued.
    continued: [u64; STREAMS],
    clock: u64,
}

impl Sequential {
    /// The stream that ends at `page`, the longest of them.
    fn ending_at(&self, page: Page) -> Option<usize> {
        let mut found: Option<usize> = None;
        for (stream, &last) in self.last.iter().enumerate() {
            if last == page && self.run[stream] > found.map_or(0, |best| self.run[best]) {
                found = Some(stream);
            }
        }
        found
    }

    fn resting_longest(&self) -> usize {
        (0..STREAMS).min_by_key(|&stream| self.continued[stream]).unwrap_or(0)
    }
}

impl Prefetcher for Sequential {
    fn accessed(&mut self, page: Page, missed: bool) {
        let (stream, run) = match page.checked_sub(1).and_then(|before| self.ending_at(before)) {
            Some(stream) => (stream, self.run[stream].saturating_add(1)),
            // Pages that are in the pool anyway begin no scan: there are many, and they need no read-ahead.
            None if missed && self.ending_at(page).is_none() => (self.resting_longest(), 1),
            None => return,
        };
        self.clock += 1;
        self.last[stream] = page;
        self.run[stream] = run;
        self.continued[stream] = self.clock;
    }

    fn propose(&mut self, page: Page, most: usize, out: &mut Vec<Page>) {
        if self.ending_at(page).is_some_and(|stream| self.run[stream] >= RUN) {
            out.extend((1..=most as u64).map_while(|ahead| page.checked_add(ahead)));
        }
    }
}
