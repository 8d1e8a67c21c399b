//! Batches take turns in the double-write area: each is saved there, made durable, and then goes to its
//! places.

use super::core::Core;
use super::double_write::{Copy, Layout, List, Turn};
use super::error::PoolError;
use super::io_queue::IoQueueGuard;
use super::write_back::StagedRun;
use crate::policy::Page;

impl Turn {
    /// Goes on after the batch of this number, all of whose pages are durable in their places.
    pub(super) fn resume(&mut self, number: u64) {
        assert!(self.number == 0 && self.saved.is_empty(), "batches were saved already");
        self.number = number;
    }

    /// Writes the staged pages to the area and makes them durable there; and with them those of the batch
    /// before in their places.
    ///
    /// # Errors
    /// What a write or the flush came to: no page may go to its place then.
    pub(super) fn save(
        &mut self,
        core: &Core,
        io: &mut IoQueueGuard<'_>,
        staged: &[StagedRun],
    ) -> Result<(), PoolError> {
        let failures = core.durability.failures();
        if !self.placed || self.failures != failures {
            self.place_again(core, io)?;
        }
        let number = self.number + 1;
        let half = Layout::half(number);
        let mut pages = Vec::with_capacity(1 + staged.len());
        let mut copies = Vec::with_capacity(staged.len());
        for (i, staged) in staged.iter().enumerate() {
            let bytes = io.buffer(staged.slot)?.to_vec();
            let page = staged.writes[0].page;
            assert!(page < self.layout.first, "page {page} is the area's");
            copies.push(Copy::of(page, &bytes));
            pages.push((self.layout.copy(half, i), bytes));
        }
        let list = List { number, copies };
        let at = self.layout.list(half);
        pages.push((at, list.sealed(at, self.layout.batch, core.config.page_bytes)));
        core.write_pages(io, &pages)?;
        core.sync(io)?;
        // A flush that failed in the meantime may have dropped what this one was to make durable.
        core.no_flush_failed_since(failures)?;
        *self = Turn { layout: self.layout, number, saved: list.copies, placed: false, failures };
        Ok(())
    }

    /// All pages of the batch that was saved last are written to their places.
    pub(super) fn placed(&mut self) {
        self.placed = true;
    }

    /// Writes the pages of the batch before to their places once more. One of them could not be written, and
    /// may be torn; or a flush failed, and the device may have dropped any of them or a part. The flush of
    /// the next batch would not make them durable, and the batch after that would take their copies' half.
    fn place_again(&self, core: &Core, io: &mut IoQueueGuard<'_>) -> Result<(), PoolError> {
        let half = Layout::half(self.number);
        for (i, copy) in self.saved.iter().enumerate() {
            core.put_back(io, self.layout.copy(half, i), *copy)?;
        }
        Ok(())
    }
}

impl Core {
    /// Writes a page to its place from its copy at `at`. Does nothing where that is not the copy, or not
    /// whole.
    pub(super) fn put_back(&self, io: &mut IoQueueGuard<'_>, at: Page, copy: Copy) -> Result<(), PoolError> {
        let bytes = self.read_page(io, at)?;
        if copy.is(&bytes) { self.write_pages(io, &[(copy.page, bytes)]) } else { Ok(()) }
    }
}
