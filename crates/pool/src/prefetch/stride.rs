//! Stride read-ahead: pages at a constant distance, forwards or backwards, several such streams mixed
//! together.

use super::Prefetcher;
use crate::policy::Page;

/// Streams that are followed at once.
const STREAMS: usize = 16;

/// Misses that are searched for a stride; that many streams may be mixed by halves.
const RECENT: usize = 16;

/// Pages at one distance that make a stream: three may be chance, where all pages are near each other.
const RUN: u32 = 4;

/// Pages. Further apart, three pages at one distance are chance.
const LONGEST_STRIDE: u64 = 1 << 20;

/// Proposes the pages further on at the same distance. Distance +1 is left to
/// [`Sequential`](super::Sequential).
#[derive(Debug, Default)]
pub struct Stride {
    streams: [Stream; STREAMS],
    /// Misses that belong to no stream, the newest at `newest`, older ones before it, round the end.
    recent: [Option<Page>; RECENT],
    newest: usize,
    clock: u64,
}

#[derive(Debug, Clone, Copy, Default)]
struct Stream {
    last: Page,
    stride: i64,
    /// Pages seen; 0: no stream.
    run: u32,
    continued: u64,
}

impl Stream {
    fn expects(&self, page: Page) -> bool {
        self.run > 0 && self.last.checked_add_signed(self.stride) == Some(page)
    }
}

impl Stride {
    /// The stride of the latest two misses that lead to `page` at one distance.
    fn stride_to(&self, page: Page) -> Option<i64> {
        (0..RECENT).find_map(|age| {
            let middle = self.aged(age)?;
            let stride = page.wrapping_sub(middle) as i64;
            let stands = middle.checked_add_signed(stride) == Some(page)
                && stride.unsigned_abs() <= LONGEST_STRIDE
                && !matches!(stride, 0 | 1);
            let first = middle.checked_add_signed(-stride).filter(|_| stands)?;
            (age + 1..RECENT).any(|older| self.aged(older) == Some(first)).then_some(stride)
        })
    }

    /// The miss that that many came after.
    fn aged(&self, age: usize) -> Option<Page> {
        self.recent[(self.newest + RECENT - age) % RECENT]
    }

    fn remember(&mut self, page: Page) {
        self.newest = (self.newest + 1) % RECENT;
        self.recent[self.newest] = Some(page);
    }
}

impl Prefetcher for Stride {
    fn accessed(&mut self, page: Page, missed: bool) {
        self.clock += 1;
        if let Some(stream) = self.streams.iter_mut().find(|stream| stream.expects(page)) {
            *stream = Stream {
                last: page,
                run: stream.run.saturating_add(1),
                continued: self.clock,
                stride: stream.stride,
            };
        } else if missed {
            if let Some(stride) = self.stride_to(page)
                && let Some(stream) = self.streams.iter_mut().min_by_key(|stream| stream.continued)
            {
                *stream = Stream { last: page, stride, run: 3, continued: self.clock };
            }
            self.remember(page);
        }
    }

    fn propose(&mut self, page: Page, most: usize, out: &mut Vec<Page>) {
        let ends_here = |stream: &&Stream| stream.run >= RUN && stream.last == page;
        let Some(stream) = self.streams.iter().filter(ends_here).max_by_key(|stream| stream.run) else {
            return;
        };
        let ahead = |&page: &Page| page.checked_add_signed(stream.stride);
        out.extend(std::iter::successors(ahead(&page), ahead).take(most));
    }
}
