//! The double-write area: pages go there first, so that one torn by a crash can be put right.
//!
//! The area lies at the end of the device: two halves, each of a list and as many pages as a batch has.
//! Batches take the halves in turn. A batch is written to its half, the device is flushed, then the pages go
//! to their places. The flush of the next batch makes these durable before the half is used again, so one
//! flush a batch is enough.
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

use std::collections::HashSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

use leadline_device::{DeviceError, Request};

use super::checksum;
use super::config::PoolConfig;
use super::core::Core;
use super::error::{Fault, PageOp, PoolError};
use super::io_queue::{IoQueueGuard, Job};
use super::reap::IoResults;
use super::write_back::StagedPage;
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
    first: Page,
    /// Pages of a batch at most.
    batch: u32,
    turn: Mutex<Turn>,
}

/// The batch that has the area.
#[derive(Debug)]
pub(crate) struct Turn {
    /// Its number.
    number: u64,
    first: Page,
    batch: u32,
}

impl DoubleWrite {
    pub(crate) fn new(config: &PoolConfig, device_pages: Page) -> Result<DoubleWrite, PoolError> {
        let batch = config.batch();
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
    fn half(first: Page, batch: u32, number: u64) -> Page {
        first + (number % 2) * Page::from(batch + 1)
    }

    /// Puts pages right that a crash tore.
    pub(crate) fn repair(&self, core: &Core, io: &mut IoQueueGuard<'_>) -> Result<(), PoolError> {
        let mut lists = Vec::new();
        for number in 0..2 {
            let half = Self::half(self.first, self.batch, number);
            if let Some(list) = read_whole(core, io, half)?
                && let Some((number, pages)) = parse(&list, core.config.page_bytes, self.batch)
            {
                lists.push((number, half, pages));
            }
        }
        lists.sort_unstable_by_key(|list| std::cmp::Reverse(list.0));
        let newest = lists.first().map_or(0, |list| list.0);
        let mut seen = HashSet::new();
        let mut repaired = false;
        for (_, half, pages) in lists {
            for (i, page) in pages.into_iter().enumerate() {
                // Only the newest copy of a page says what it was to be.
                if page >= self.first || !seen.insert(page) || read_whole(core, io, page)?.is_some() {
                    continue;
                }
                let copy = half + 1 + i as Page;
                if let Some(bytes) = read_sealed(core, io, copy, page)? {
                    transfer(core, io, Some(&bytes), page)?;
                    repaired = true;
                }
            }
        }
        self.lock().number = newest;
        if repaired { core.sync(io) } else { Ok(()) }
    }
}

impl Turn {
    /// Writes the staged pages to the area and makes them durable there.
    pub(crate) fn save(
        &mut self,
        core: &Core,
        io: &mut IoQueueGuard<'_>,
        staged: &[StagedPage],
    ) -> Result<(), PoolError> {
        self.number += 1;
        let half = DoubleWrite::half(self.first, self.batch, self.number);
        let page_bytes = core.config.page_bytes as usize;
        let mut list = vec![0; page_bytes];
        list[..8].copy_from_slice(MAGIC);
        list[8..16].copy_from_slice(&self.number.to_le_bytes());
        list[16..20].copy_from_slice(&(page_bytes as u32).to_le_bytes());
        list[20..24].copy_from_slice(&(staged.len() as u32).to_le_bytes());
        for (i, staged) in staged.iter().enumerate() {
            list[HEAD + 8 * i..HEAD + 8 * i + 8].copy_from_slice(&staged.write.page.to_le_bytes());
        }
        checksum::seal(&mut list, half);
        let mut outcome = IoResults::default();
        send(core, io, &list, half, &mut outcome)?;
        for (i, staged) in staged.iter().enumerate() {
            let copy = io.buffer(staged.slot)?.to_vec();
            send(core, io, &copy, half + 1 + i as Page, &mut outcome)?;
        }
        while outcome.others > 0 {
            core.reap(io, outcome.others, &mut outcome)?;
        }
        for result in outcome.results {
            if let Some(fault) = Fault::of(result, core.config.page_bytes) {
                core.counters.write_errors.add(1);
                return Err(fault.error(PageOp::Write, half, core.config.page_bytes));
            }
        }
        core.sync(io)
    }
}

/// The number and the pages of a list, if it is one.
fn parse(list: &[u8], page_bytes: u32, batch: u32) -> Option<(u64, Vec<Page>)> {
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

/// A page as it is on the device, if its checksum fits.
fn read_whole(core: &Core, io: &mut IoQueueGuard<'_>, page: Page) -> Result<Option<Vec<u8>>, PoolError> {
    read_sealed(core, io, page, page)
}

/// What lies at `at`, if it is whole as `page`.
fn read_sealed(
    core: &Core,
    io: &mut IoQueueGuard<'_>,
    at: Page,
    page: Page,
) -> Result<Option<Vec<u8>>, PoolError> {
    let bytes = transfer(core, io, None, at)?;
    Ok(checksum::verify(&bytes, page).is_ok().then_some(bytes))
}

/// Writes one page, or reads it.
fn transfer(
    core: &Core,
    io: &mut IoQueueGuard<'_>,
    write: Option<&[u8]>,
    page: Page,
) -> Result<Vec<u8>, PoolError> {
    let page_bytes = core.config.page_bytes;
    let mut outcome = IoResults { others: 1, ..IoResults::default() };
    let Some(slot) = io.slot() else { return Ok(Vec::new()) };
    let offset = page * u64::from(page_bytes);
    let (op, request) = match write {
        Some(bytes) => {
            io.buffer(slot)?.copy_from_slice(bytes);
            (PageOp::Write, Request::write(slot, offset, page_bytes))
        }
        None => (PageOp::Read, Request::read(slot, offset, page_bytes)),
    };
    io.submit(request, Job::Other).map_err(|(_, error)| error)?;
    while outcome.others > 0 {
        core.reap(io, 1, &mut outcome)?;
    }
    match outcome.results.first().and_then(|result| Fault::of(*result, page_bytes)) {
        Some(fault) => Err(fault.error(op, page, page_bytes)),
        None => Ok(io.buffer(slot)?.to_vec()),
    }
}

/// Sends one page of the area.
fn send(
    core: &Core,
    io: &mut IoQueueGuard<'_>,
    bytes: &[u8],
    page: Page,
    outcome: &mut IoResults,
) -> Result<(), PoolError> {
    let page_bytes = core.config.page_bytes;
    let Some(slot) = io.slot() else {
        return Err(DeviceError::Unsupported("a queue pair without a free slot".into()).into());
    };
    io.buffer(slot)?.copy_from_slice(bytes);
    let request = Request::write(slot, page * u64::from(page_bytes), page_bytes);
    io.submit(request, Job::Other).map_err(|(_, error)| error)?;
    outcome.others += 1;
    Ok(())
}
