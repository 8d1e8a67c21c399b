//! Reading and writing pages past the frames: the double-write area, pages that are put right from it, pages
//! that move, superblocks.

use std::ops::Range;

use leadline_device::Request;

use super::core::Core;
use super::error::{Fault, PageOp, PoolError};
use super::io_queue::{IoQueueGuard, Job};
use super::reap::{EIO, IoResults};
use crate::policy::Page;

impl Core {
    /// Reads what is at a page.
    pub(super) fn read_page(&self, io: &mut IoQueueGuard<'_>, page: Page) -> Result<Vec<u8>, PoolError> {
        let page_bytes = self.config.page_bytes;
        let slot = io.slot();
        let mut outcome = IoResults::default();
        let request = Request::read(slot, page * u64::from(page_bytes), page_bytes);
        io.submit(request, Job::Other).map_err(|(_, error)| error)?;
        outcome.others += 1;
        self.reap_others(io, &mut outcome)?;
        match outcome.results.first().and_then(|(_, result)| Fault::of(*result, page_bytes)) {
            Some(fault) => Err(fault.error(PageOp::Read, page, page_bytes)),
            // The slot is free again, and nobody has used it since.
            None => Ok(io.buffer(slot)?.to_vec()),
        }
    }

    /// Reads pages of the device, all at once.
    pub(super) fn read_pages(
        &self,
        io: &mut IoQueueGuard<'_>,
        pages: &[u64],
    ) -> Result<Vec<Result<Vec<u8>, Fault>>, PoolError> {
        let page_bytes = self.config.page_bytes;
        let mut outcome = IoResults::default();
        let mut slots = Vec::with_capacity(pages.len());
        let sent = pages.iter().try_for_each(|page| {
            let slot = io.slot();
            let request = Request::read(slot, page * u64::from(page_bytes), page_bytes);
            io.submit(request, Job::Other).map_err(|(_, error)| error)?;
            outcome.others += 1;
            slots.push(slot);
            Ok::<_, PoolError>(())
        });
        self.reap_others(io, &mut outcome)?;
        sent?;
        let read = |slot: &u32| match Fault::of(outcome.result(*slot), page_bytes) {
            Some(fault) => Ok(Err(fault)),
            // The slots are free again, and nobody has used them since.
            None => Ok(Ok(io.buffer(*slot)?.to_vec())),
        };
        slots.iter().map(read).collect()
    }

    /// The bytes of pages that were read with one request, which came to `result`. If that failed they are
    /// read one by one, and those that cannot be read are zeros.
    pub(super) fn run_read<'a>(
        &self,
        io: &'a mut IoQueueGuard<'_>,
        first: Page,
        pages: usize,
        (slot, result): (u32, i32),
    ) -> Result<&'a [u8], PoolError> {
        let page_bytes = self.config.page_bytes as usize;
        let bytes = pages * page_bytes;
        if Fault::of(result, bytes as u32).is_some() {
            let pages: Vec<Page> = (first..).take(pages).collect();
            let single = self.read_pages(io, &pages)?;
            for (to, page) in io.buffer(slot)?.chunks_exact_mut(page_bytes).zip(single) {
                match page {
                    Ok(bytes) => to.copy_from_slice(&bytes),
                    Err(_) => to.fill(0),
                }
            }
        }
        Ok(&io.buffer(slot)?[..bytes])
    }

    /// Reads neighbouring pages of the device with large requests, several at once, and gives each to `see`
    /// in order; zeros where one cannot be read.
    pub(super) fn read_neighbours(
        &self,
        io: &mut IoQueueGuard<'_>,
        pages: Range<Page>,
        mut see: impl FnMut(Page, &[u8]),
    ) -> Result<(), PoolError> {
        let (page_bytes, run_pages) = (self.config.page_bytes, Page::from(self.config.run_pages()));
        let at_once = Page::from(self.config.moved_at_once());
        for round in pages.clone().step_by(at_once as usize) {
            let end = pages.end.min(round + at_once);
            let mut outcome = IoResults::default();
            let mut runs = Vec::new();
            let sent = (round..end).step_by(run_pages as usize).try_for_each(|first| {
                let (slot, pages) = (io.large_slot(), (end - first).min(run_pages));
                let request = Request::read(slot, first * u64::from(page_bytes), pages as u32 * page_bytes);
                io.submit(request, Job::Other).map_err(|(_, error)| error)?;
                outcome.others += 1;
                runs.push((slot, first, pages as usize));
                Ok::<_, PoolError>(())
            });
            self.reap_others(io, &mut outcome)?;
            sent?;
            for (slot, first, pages) in runs {
                // The slot is free again, and nobody has used it since.
                let bytes = self.run_read(io, first, pages, (slot, outcome.result(slot)))?;
                (first..)
                    .zip(bytes.chunks_exact(page_bytes as usize))
                    .for_each(|(page, bytes)| see(page, bytes));
            }
        }
        Ok(())
    }

    /// Does one request that is for no page of a frame; bytes moved, or a negative errno.
    pub(super) fn request(
        &self,
        io: &mut IoQueueGuard<'_>,
        bytes: Option<&[u8]>,
        request: impl FnOnce(u32) -> Request,
    ) -> Result<i32, PoolError> {
        let slot = io.slot();
        if let Some(bytes) = bytes {
            match io.buffer(slot) {
                Ok(buffer) => buffer[..bytes.len()].copy_from_slice(bytes),
                Err(error) => {
                    io.give_back(slot);
                    return Err(error.into());
                }
            }
        }
        let mut outcome = IoResults::default();
        io.submit(request(slot), Job::Other).map_err(|(_, error)| error)?;
        outcome.others += 1;
        self.reap_others(io, &mut outcome)?;
        Ok(outcome.results.first().map_or(-EIO, |(_, result)| *result))
    }

    /// Writes pages, all at once, and waits for all of them.
    ///
    /// # Errors
    /// The first thing that went wrong; none of the writes is in flight any more.
    pub(super) fn write_pages(
        &self,
        io: &mut IoQueueGuard<'_>,
        pages: &[(Page, Vec<u8>)],
    ) -> Result<(), PoolError> {
        let page_bytes = self.config.page_bytes;
        let mut outcome = IoResults::default();
        let mut slots = Vec::with_capacity(pages.len());
        let sent = pages.iter().try_for_each(|(page, bytes)| {
            let slot = io.slot();
            match io.buffer(slot) {
                Ok(buffer) => buffer.copy_from_slice(bytes),
                Err(error) => {
                    io.give_back(slot);
                    return Err(error);
                }
            }
            let request = Request::write(slot, page * u64::from(page_bytes), page_bytes);
            io.submit(request, Job::Other).map_err(|(_, error)| error)?;
            outcome.others += 1;
            slots.push((slot, *page));
            Ok(())
        });
        // Those that were sent are waited for in any case: whoever uses the queue next would take their
        // results for those of its own requests.
        self.reap_others(io, &mut outcome)?;
        sent?;
        for (slot, result) in outcome.results {
            let page = slots.iter().find(|sent| sent.0 == slot).map_or(0, |sent| sent.1);
            if let Some(fault) = Fault::of(result, page_bytes) {
                self.counters.write_errors.add(1);
                return Err(fault.error(PageOp::Write, page, page_bytes));
            }
        }
        Ok(())
    }

    /// Waits for all requests of `outcome` that are for no frame.
    ///
    /// # Errors
    /// The queue broke. The requests are over all the same.
    pub(super) fn reap_others(
        &self,
        io: &mut IoQueueGuard<'_>,
        outcome: &mut IoResults,
    ) -> Result<(), PoolError> {
        let mut reaped = Ok(());
        while outcome.others > 0 {
            reaped = reaped.and(self.reap(io, outcome.others, outcome));
        }
        reaped
    }
}
