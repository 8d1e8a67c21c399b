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

/// Pages copied into a slot, ready to go out with one request: one page, or neighbours where pages are
/// written out of place.
pub(crate) struct StagedRun {
    pub(crate) slot: u32,
    pub(crate) writes: Vec<WriteBack>,
}

fn pages_of(staged: &[StagedRun]) -> usize {
    staged.iter().map(|run| run.writes.len()).sum()
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
        self.try_write_out(io, batch).inspect_err(|_| self.write_failed())
    }

    fn try_write_out(&self, io: &mut IoQueueGuard<'_>, batch: Vec<WriteBack>) -> Result<(), PoolError> {
        if !self.writable {
            batch.into_iter().for_each(|write| self.end_write(write, false));
            return Err(PoolError::ChangesDoNotFit { frames: self.frames.count() });
        }
        let mut outcome = IoResults::default();
        // The area is one batch's until its pages are in place.
        let area = self.double_write.as_ref().map(|area| area.lock());
        let batch = self.find_places(io, batch)?;
        let sent = self.stage(io, self.runs(batch)).and_then(|staged| match area {
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
        staged: Vec<StagedRun>,
        outcome: &mut IoResults,
    ) -> Result<(), PoolError> {
        if let Err(error) = area.save(self, io, &staged) {
            self.abandon(io, staged);
            return Err(error);
        }
        let pages = pages_of(&staged);
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
        staged: Vec<StagedRun>,
        outcome: &mut IoResults,
    ) -> Result<(), PoolError> {
        let pages = pages_of(&staged) as u32;
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
            reaped = reaped.and(self.reap(io, outcome.write_requests, outcome));
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
        runs: Vec<Vec<WriteBack>>,
    ) -> Result<Vec<StagedRun>, PoolError> {
        let page_bytes = self.config.page_bytes as usize;
        let pages = runs.iter().map(Vec::len).sum();
        assert!(pages <= self.config.most_together() as usize, "{pages} pages at once");
        let mut staged = Vec::with_capacity(runs.len());
        let mut lsn = 0;
        let mut broken = None;
        for mut writes in runs {
            let slot = if self.places.is_some() { io.large_slot() } else { io.slot() };
            match io.buffer(slot) {
                Ok(buffer) => {
                    for (write, bytes) in writes.iter_mut().zip(buffer.chunks_exact_mut(page_bytes)) {
                        lsn = lsn.max(self.copy_out(write, bytes));
                    }
                }
                Err(error) => broken = Some(error),
            }
            staged.push(StagedRun { slot, writes });
        }
        if let Some(error) = broken {
            self.abandon(io, staged);
            return Err(error.into());
        }
        if let Err(source) = self.flush_log(lsn) {
            self.counters.log_errors.add(1);
            self.abandon(io, staged);
            return Err(PoolError::Log { lsn, pages, source });
        }
        Ok(staged)
    }

    /// A page with all that it has on the device; the log it depends on.
    fn copy_out(&self, write: &mut WriteBack, bytes: &mut [u8]) -> u64 {
        let lsn = self.frames.copy_out(write, bytes);
        if let Some(ticket) = &write.ticket {
            ticket.stamp(bytes);
        }
        if self.config.checksums {
            checksum::seal(bytes, write.page);
        }
        lsn
    }

    /// A batch cut into what goes out with one request each: neighbours on the device where they are written
    /// out of place, single pages elsewhere, where neighbours are rare.
    pub(crate) fn runs(&self, batch: Vec<WriteBack>) -> Vec<Vec<WriteBack>> {
        let most = self.config.run_pages() as usize;
        let mut runs: Vec<Vec<WriteBack>> = Vec::new();
        let mut next = None;
        for write in batch {
            let place = write.ticket.map(|ticket| ticket.place);
            match runs.last_mut() {
                Some(run) if place.is_some() && place == next && run.len() < most => run.push(write),
                _ => runs.push(vec![write]),
            }
            next = place.map(|place| place + 1);
        }
        runs
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
    pub(crate) fn send(&self, io: &mut IoQueueGuard<'_>, staged: Vec<StagedRun>, outcome: &mut IoResults) {
        let page_bytes = self.config.page_bytes;
        for StagedRun { slot, writes } in staged {
            let page = writes[0].page;
            assert!(writes.iter().all(|write| write.page < self.pages), "page {page} is not a user's");
            let at = match (&self.places, writes[0].ticket) {
                (Some(places), Some(ticket)) => places.layout.device_page(ticket.place),
                _ => page,
            };
            let pages = writes.len() as u32;
            let request = Request::write(slot, at * u64::from(page_bytes), pages * page_bytes);
            match io.submit(request, Job::Write(writes)) {
                Ok(()) => {
                    outcome.writing += pages;
                    outcome.write_requests += 1;
                }
                Err((job, _)) => {
                    if let Job::Write(writes) = job {
                        writes.into_iter().for_each(|write| self.end_write(write, false));
                    }
                    self.counters.write_errors.add(u64::from(pages));
                    let error = Fault::Errno(EIO).error(PageOp::Write, page, page_bytes);
                    outcome.error.get_or_insert(error);
                }
            }
        }
    }

    /// Pages that are not written after all: dirty as before.
    pub(crate) fn abandon(&self, io: &mut IoQueueGuard<'_>, staged: Vec<StagedRun>) {
        for StagedRun { slot, writes } in staged {
            writes.into_iter().for_each(|write| self.end_write(write, false));
            io.give_back(slot);
        }
    }
}
