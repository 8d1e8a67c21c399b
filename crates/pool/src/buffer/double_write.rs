//! The double-write area: pages go there first, so that one torn by a crash can be put right.
//!
//! The area lies at the end of the device: two halves, each of a list and as many pages as a batch has.
//! Batches take the halves in turn. A batch is written to its half, the device is flushed, then the pages go
//! to their places. The flush of the next batch makes these durable before the half is used again, so one
//! flush per batch is enough.
//!
//! ```text
//! list page    8 bytes  "LLPOOLDW"
//!              8 bytes  number of the batch, from 1, little-endian as all numbers
//!              4 bytes  bytes of a page
//!              4 bytes  pages in the batch, m
//!          m x 8 bytes  their numbers, in the order of the copies that follow the list
//!                       sealed as any page is, with its own page number
//! ```
//!
//! When the pool is opened, the newer half first: a page whose checksum does not fit and whose copy's does is
//! written again from the copy. A half whose list does not fit its checksum was torn itself: its pages were
//! not yet touched.

use std::sync::{Mutex, MutexGuard, PoisonError};

use super::checksum;
use super::error::PoolError;
use crate::config_error::ConfigError;
use crate::policy::Page;

const MAGIC: &[u8; 8] = b"LLPOOLDW";
const HEAD: usize = 24;

/// Pages whose numbers fit a list.
pub(crate) fn most_pages(page_bytes: u32) -> u32 {
    (page_bytes - (HEAD + checksum::TRAILER) as u32) / 8
}

/// Where the area is, and whose turn it is.
#[derive(Debug)]
pub(crate) struct DoubleWrite {
    pub(super) first: Page,
    /// Pages of a batch at most.
    pub(super) batch: u32,
    turn: Mutex<Turn>,
}

/// The batch that has the area.
#[derive(Debug)]
pub(crate) struct Turn {
    /// Its number.
    pub(super) number: u64,
    pub(super) first: Page,
    pub(super) batch: u32,
}

impl DoubleWrite {
    pub(crate) fn new(batch: u32, device_pages: Page) -> Result<DoubleWrite, PoolError> {
        let area = 2 * Page::from(batch + 1);
        match device_pages.checked_sub(area) {
            Some(first) if first > 0 => {
                Ok(DoubleWrite { first, batch, turn: Mutex::new(Turn { number: 0, first, batch }) })
            }
            _ => Err(ConfigError::DoubleWriteTooLarge { pages: device_pages, area }.into()),
        }
    }

    /// The area's first page; users have those before it.
    pub(crate) fn first_page(&self) -> Page {
        self.first
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, Turn> {
        self.turn.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// First page of the half that a batch has.
    pub(super) fn half(first: Page, batch: u32, number: u64) -> Page {
        first + (number % 2) * Page::from(batch + 1)
    }
}

/// The list of batch `number`, to lie at page `half`.
pub(super) fn list(number: u64, half: Page, pages: &[Page], page_bytes: u32) -> Vec<u8> {
    let mut list = vec![0; page_bytes as usize];
    list[..8].copy_from_slice(MAGIC);
    list[8..16].copy_from_slice(&number.to_le_bytes());
    list[16..20].copy_from_slice(&page_bytes.to_le_bytes());
    list[20..24].copy_from_slice(&(pages.len() as u32).to_le_bytes());
    for (i, page) in pages.iter().enumerate() {
        list[HEAD + 8 * i..HEAD + 8 * i + 8].copy_from_slice(&page.to_le_bytes());
    }
    checksum::seal(&mut list, half);
    list
}

/// The number and the pages of a list, if it is one.
pub(super) fn parse(list: &[u8], page_bytes: u32, batch: u32) -> Option<(u64, Vec<Page>)> {
    let word = |at: usize| Some(u64::from_le_bytes(list.get(at..at + 8)?.try_into().ok()?));
    if &list[..8] != MAGIC {
        return None;
    }
    let (number, sizes) = (word(8)?, word(16)?);
    let (stated_bytes, count) = (sizes as u32, (sizes >> 32) as u32);
    if stated_bytes != page_bytes || count > batch {
        return None;
    }
    Some((number, (0..count as usize).map_while(|i| word(HEAD + 8 * i)).collect()))
}
