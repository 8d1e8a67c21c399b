//! Writing pages back: copied under a short hold, after the log, all at once.

use std::sync::MutexGuard;
use std::sync::atomic::Ordering;

use leadline_device::Request;

use super::checksum;
use super::core::Core;
use super::double_write::Turn;
use super::error::{Fault, PageOp, PoolError};
use super::frames::WriteBack;
use super::io_queue::{IoQueueGuard, Job};
use super::reap::{EIO, IoResults};

/// A page copied into a slot, ready to go out.
pub(crate) struct StagedPage {
    pub(crate) slot: u32,
    pub(crate) write: WriteBack,
}

impl Core {
    /// Writes pages, all at once, and waits for all of them. They are clean then, though not yet durable.
    ///
    /// # Errors
    /// The first thing that went wrong; the pages it concerns are dirty again.
    pub(crate) fn write_out(
        &self,
        io: &mut IoQueueGuard<'_>,
        batch: Vec<WriteBack>,
    ) -> Result<(), PoolError> {
        let mut outcome = IoResults::default();
        // The area is one batch's until its pages are in place.
        let area = self.double_write.as_ref().map(|area| area.lock());
        let batch = self.find_places(io, batch)?;
        let sent = self.stage(io, batch).and_then(|staged| match area {
            Some(area) => self.save_and_write(io, area, staged, &mut outcome),
            None => self.write_and_watch(io, staged, &mut outcome),
        });
        if !outcome.written.is_empty() {
            self.replacer().written(self, &outcome.written);
            self.durability.forget_absent(&self.frames);
        }
        sent.and(outcome.error.map_or(Ok(()), Err))
    }

    /// Writes a batch to the double-write area, then to its places.
    fn save_and_write(
        &self,
        io: &mut IoQueueGuard<'_>,
        mut area: MutexGuard<'_, Turn>,
        staged: Vec<StagedPage>,
        outcome: &mut IoResults,
    ) -> Result<(), PoolError> {
        if let Err(error) = area.save(self, io, &staged) {
            self.abandon(io, staged);
            return Err(error);
        }
        let pages = staged.len();
        self.send(io, staged, outcome);
        let reaped = self.reap_written(io, outcome);
        if outcome.written.len() == pages {
            area.placed();
        }
        reaped
    }

    /// Writes a batch to its places. A batch that went well tells the search for n how long it took, from
    /// sending it to its last completion.
    fn write_and_watch(
        &self,
        io: &mut IoQueueGuard<'_>,
        staged: Vec<StagedPage>,
        outcome: &mut IoResults,
    ) -> Result<(), PoolError> {
        let pages = staged.len() as u32;
        let sent = io.now();
        self.send(io, staged, outcome);
        let reaped = self.reap_written(io, outcome);
        if self.batch_size.is_search() && reaped.is_ok() && outcome.written.len() as u32 == pages {
            self.batch_size.wrote(pages, pages, io.now().saturating_sub(sent));
        }
        reaped
    }

    /// Waits for all writes of `outcome`.
    pub(crate) fn reap_written(
        &self,
        io: &mut IoQueueGuard<'_>,
        outcome: &mut IoResults,
    ) -> Result<(), PoolError> {
        let mut reaped = Ok(());
        while outcome.writing > 0 {
            reaped = reaped.and(self.reap(io, outcome.writing, outcome));
        }
        reaped
    }

    /// Copies pages into slots, seals them, and makes the log durable as far as they need it.
    ///
    /// # Errors
    /// [`PoolError::Log`]; [`PoolError::Device`] where the device gives no queue pair any more. The pages are
    /// dirty again.
    pub(crate) fn stage(
        &self,
        io: &mut IoQueueGuard<'_>,
        batch: Vec<WriteBack>,
    ) -> Result<Vec<StagedPage>, PoolError> {
        assert!(batch.len() <= self.config.most_at_once() as usize, "{} pages at once", batch.len());
        let mut staged = Vec::with_capacity(batch.len());
        let mut lsn = 0;
        let mut broken = None;
        for mut write in batch {
            let slot = io.slot();
            match io.buffer(slot) {
                Ok(buffer) => {
                    lsn = lsn.max(self.frames.copy_out(&mut write, buffer));
                    if let Some(ticket) = &write.ticket {
                        ticket.stamp(buffer);
                    }
                    if self.config.checksums {
                        checksum::seal(buffer, write.page);
                    }
                }
                Err(error) => broken = Some(error),
            }
            staged.push(StagedPage { slot, write });
        }
        if let Some(error) = broken {
            self.abandon(io, staged);
            return Err(error.into());
        }
        let pages = staged.len();
        if let Err(source) = self.flush_log(lsn) {
            self.counters.log_errors.add(1);
            self.abandon(io, staged);
            return Err(PoolError::Log { lsn, pages, source });
        }
        Ok(staged)
    }

    /// Makes the log durable up to `lsn`, unless it is known to be.
    fn flush_log(&self, lsn: u64) -> std::io::Result<()> {
        let Some(log) = &self.config.wal else { return Ok(()) };
        if lsn > self.log_durable.load(Ordering::Acquire) {
            log.flush_until(lsn)?;
            self.log_durable.fetch_max(lsn, Ordering::AcqRel);
        }
        Ok(())
    }

    /// Sends staged pages to their places.
    pub(crate) fn send(&self, io: &mut IoQueueGuard<'_>, staged: Vec<StagedPage>, outcome: &mut IoResults) {
        let page_bytes = self.config.page_bytes;
        for StagedPage { slot, write } in staged {
            let page = write.page;
            assert!(page < self.pages, "page {page} is not a user's");
            let at = match (&self.places, write.ticket) {
                (Some(places), Some(ticket)) => places.layout.device_page(ticket.place),
                _ => page,
            };
            let request = Request::write(slot, at * u64::from(page_bytes), page_bytes);
            match io.submit(request, Job::Write(write)) {
                Ok(()) => outcome.writing += 1,
                Err((job, _)) => {
                    if let Job::Write(write) = job {
                        self.end_write(write, false);
                    }
                    self.counters.write_errors.add(1);
                    let error = Fault::Errno(EIO).error(PageOp::Write, page, page_bytes);
                    outcome.error.get_or_insert(error);
                }
            }
        }
    }

    /// Pages that are not written after all: dirty as before.
    pub(crate) fn abandon(&self, io: &mut IoQueueGuard<'_>, staged: Vec<StagedPage>) {
        for StagedPage { slot, write } in staged {
            self.end_write(write, false);
            io.give_back(slot);
        }
    }
}
