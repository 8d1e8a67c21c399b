//! The double-write area: pages go there first, so that one torn by a crash can be put right.
//!
//! The area is at the end of the device: two halves, each of a list and as many pages as a batch has.
//! Batches take the halves in turn. A batch is written to its half, the device is flushed, then the pages go
//! to their places. The flush of the next batch makes these durable before the half is used again, so one
//! flush per batch is enough.
//!
//! ```text
//! area         n pages  copies of half 0, which has the batches of even numbers
//!              n pages  copies of half 1
//!              1 page   list of half 0
//!              1 page   list of half 1, the device's last page
//!
//! list page    8 bytes  "LLPOOLD2"
//!              8 bytes  number of the batch, from 1, little-endian as all numbers
//!              4 bytes  bytes of a page
//!              4 bytes  n, the pages that a half has room for
//!              4 bytes  pages in the batch, m
//!              4 bytes  0
//!         m x 12 bytes  for each copy, in order: its page's number (8), the checksum in its trailer (4)
//!                       sealed as any page is, with its own page number
//! ```
//!
//! A power cut while a half is being written leaves any part of it. A list that is there may have copies
//! next to it that are not: torn, or left by an older batch, and then perhaps an older version of the very
//! page that the list names. Hence the checksum of each copy in the list: only the copy that was written with
//! the list fits it. The lists are where they are found without knowing n, since a pool that looked for
//! copies in other places would repair nothing, or would later repair from copies long out of date.

use std::sync::{Mutex, MutexGuard, PoisonError};

use super::checksum;
use super::error::PoolError;
use crate::config_error::ConfigError;
use crate::policy::Page;

const MAGIC: &[u8; 8] = b"LLPOOLD2";
const HEAD: usize = 32;
const ENTRY: usize = 12;

/// Pages that a list has room for.
pub(crate) fn most_pages(page_bytes: u32) -> u32 {
    ((page_bytes as usize - HEAD - checksum::TRAILER) / ENTRY) as u32
}

/// The area, and whose turn it is.
#[derive(Debug)]
pub(crate) struct DoubleWrite {
    pub(super) layout: Layout,
    turn: Mutex<Turn>,
}

/// Where everything is in the area.
#[derive(Debug, Clone, Copy)]
pub(super) struct Layout {
    /// The area's first page; users have those before it.
    pub(super) first: Page,
    /// Pages that a half has room for.
    pub(super) batch: u32,
}

/// A batch as its list has it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct List {
    pub(super) number: u64,
    /// In the order in which they are in the half.
    pub(super) copies: Vec<Copy>,
}

/// A copy of a page in the area.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Copy {
    pub(super) page: Page,
    /// The checksum in its trailer.
    pub(super) sum: u32,
}

/// The batch that has the area, and the one before it.
#[derive(Debug)]
pub(crate) struct Turn {
    pub(super) layout: Layout,
    /// The last batch that was made durable in the area. The next one takes the other half, and this one's
    /// number only when it is durable itself: a batch that could not be saved leaves its half to the next.
    pub(super) number: u64,
    /// The copies of that batch. None after the pool was opened: all pages are in their places then.
    pub(super) saved: Vec<Copy>,
    /// Whether all its pages were written to their places.
    pub(super) placed: bool,
    /// Flushes of the device that had failed when the batch was begun.
    pub(super) failures: u64,
}

impl Turn {
    fn new(layout: Layout) -> Turn {
        Turn { layout, number: 0, saved: Vec::new(), placed: true, failures: 0 }
    }
}

impl DoubleWrite {
    pub(crate) fn new(batch: u32, device_pages: Page) -> Result<DoubleWrite, PoolError> {
        let area = 2 * (Page::from(batch) + 1);
        match device_pages.checked_sub(area) {
            Some(first) if first > 0 => {
                let layout = Layout { first, batch };
                Ok(DoubleWrite { layout, turn: Mutex::new(Turn::new(layout)) })
            }
            _ => Err(ConfigError::DoubleWriteTooLarge { pages: device_pages, area }.into()),
        }
    }

    /// The area's first page; users have those before it.
    pub(crate) fn first_page(&self) -> Page {
        self.layout.first
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, Turn> {
        self.turn.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Layout {
    /// The half that a batch has: 0 or 1.
    pub(super) fn half(number: u64) -> u32 {
        (number % 2) as u32
    }

    /// Where the list of a half lies.
    pub(super) fn list(self, half: u32) -> Page {
        assert!(half < 2);
        self.first + 2 * Page::from(self.batch) + Page::from(half)
    }

    /// Where copy `i` of a half lies.
    pub(super) fn copy(self, half: u32, i: usize) -> Page {
        assert!(half < 2 && i < self.batch as usize, "a half has no room for copy {i}");
        self.first + Page::from(half) * Page::from(self.batch) + i as Page
    }
}

impl Copy {
    /// The copy that these bytes are, a sealed page.
    pub(super) fn of(page: Page, sealed: &[u8]) -> Copy {
        debug_assert!(checksum::verify(sealed, page).is_ok(), "page {page} is not sealed");
        Copy { page, sum: checksum::stored(sealed) }
    }

    /// Whether these bytes are this copy, and all of it.
    pub(super) fn is(self, bytes: &[u8]) -> bool {
        checksum::stored(bytes) == self.sum && checksum::verify(bytes, self.page).is_ok()
    }
}

impl List {
    /// As a page that is to be at `at`.
    pub(super) fn sealed(&self, at: Page, batch: u32, page_bytes: u32) -> Vec<u8> {
        assert!(self.copies.len() <= batch as usize && batch <= most_pages(page_bytes));
        let mut list = Vec::with_capacity(page_bytes as usize);
        list.extend_from_slice(MAGIC);
        list.extend_from_slice(&self.number.to_le_bytes());
        for number in [page_bytes, batch, self.copies.len() as u32, 0] {
            list.extend_from_slice(&number.to_le_bytes());
        }
        for copy in &self.copies {
            list.extend_from_slice(&copy.page.to_le_bytes());
            list.extend_from_slice(&copy.sum.to_le_bytes());
        }
        list.resize(page_bytes as usize, 0);
        checksum::seal(&mut list, at);
        list
    }

    /// The list in these bytes, which are at `at`, with the pages that a half had room for. `None` where
    /// there is none, or part of one.
    pub(super) fn parse(bytes: &[u8], at: Page, page_bytes: u32) -> Option<(List, u32)> {
        checksum::verify(bytes, at).ok()?;
        let (head, entries) = bytes.split_at_checked(HEAD)?;
        let (magic, head) = head.split_first_chunk()?;
        let (number, head) = head.split_first_chunk()?;
        let mut words =
            head.chunks_exact(4).filter_map(|word| Some(u32::from_le_bytes(word.try_into().ok()?)));
        let (stated_bytes, batch, count) = (words.next()?, words.next()?, words.next()?);
        if magic != MAGIC || stated_bytes != page_bytes || count > batch || batch > most_pages(page_bytes) {
            return None;
        }
        let entry = |entry: &[u8]| {
            let (page, sum) = entry.split_first_chunk()?;
            Some(Copy { page: u64::from_le_bytes(*page), sum: u32::from_le_bytes(sum.try_into().ok()?) })
        };
        let copies = entries.chunks_exact(ENTRY).take(count as usize).map(entry).collect::<Option<_>>()?;
        Some((List { number: u64::from_le_bytes(*number), copies }, batch))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_read_as_it_was_written_and_only_where_it_was() {
        for page_bytes in [4096, 8192, 65_536] {
            let most = most_pages(page_bytes);
            for count in [0, 1, most] {
                let copies =
                    (0..count).map(|i| Copy { page: u64::from(i) << 30, sum: i.wrapping_mul(0x9E37_79B9) });
                let list = List { number: 1 << 40, copies: copies.collect() };
                let bytes = list.sealed(77, most, page_bytes);
                assert_eq!(bytes.len(), page_bytes as usize);
                assert_eq!(List::parse(&bytes, 78, page_bytes), None);
                assert_eq!(List::parse(&bytes, 77, page_bytes), Some((list, most)));
            }
        }
        assert_eq!(List::parse(&[0; 4096], 77, 4096), None, "zeros are no list");
    }

    #[test]
    fn only_the_copy_itself_fits() {
        let mut page = vec![1; 4096];
        checksum::seal(&mut page, 5);
        let copy = Copy::of(5, &page);
        assert!(copy.is(&page));
        assert!(!copy.is(&[0; 4096]), "a page never written is whole, but not this copy");
        page[0] ^= 1;
        assert!(!copy.is(&page), "torn");
        checksum::seal(&mut page, 5);
        assert!(!copy.is(&page), "whole, and another version");
        checksum::seal(&mut page, 6);
        assert!(!copy.is(&page), "another page");
    }

    #[test]
    fn the_parts_of_the_area_do_not_overlap_and_fill_it() {
        let layout = DoubleWrite::new(3, 20).unwrap().layout;
        let mut pages: Vec<Page> = [0, 1].map(|half| layout.list(half)).into();
        pages.extend([0, 1].iter().flat_map(|half| (0..3).map(|i| layout.copy(*half, i))));
        pages.sort_unstable();
        assert_eq!(pages, (12..20).collect::<Vec<_>>());
        assert!(DoubleWrite::new(3, 8).is_err(), "no page is left");
    }
}
