//! Batches go to the double-write area first; when a pool is opened, torn pages are put right from there.

use std::collections::HashSet;

use leadline_device::{DeviceError, Request};

use super::checksum;
use super::core::Core;
use super::double_write::{DoubleWrite, Turn, list, parse};
use super::error::{Fault, PageOp, PoolError};
use super::io_queue::{IoQueueGuard, Job};
use super::reap::IoResults;
use super::write_back::StagedPage;
use crate::policy::Page;

impl DoubleWrite {
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
        let pages: Vec<Page> = staged.iter().map(|staged| staged.write.page).collect();
        let list = list(self.number, half, &pages, core.config.page_bytes);
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
