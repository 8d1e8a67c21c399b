//! Writing pages back: copied under a short hold, after the log, all at once.

use std::sync::atomic::Ordering;

use leadline_device::Request;

use super::checksum;
use super::core::Core;
use super::error::{Fault, PoolError};
use super::frames::WriteBack;
use super::lane::{HeldLane, Job};
use super::reap::{EIO, Outcome};

/// A page copied into a slot, ready to go out.
pub(crate) struct Staged {
    pub(crate) slot: u32,
    pub(crate) write: WriteBack,
}

impl Core {
    /// Writes pages, all at once, and waits for all of them. They are clean then, though not yet durable.
    ///
    /// # Errors
    /// The first thing that went wrong; the pages it concerns are dirty again.
    pub(crate) fn write_out(&self, lane: &mut HeldLane<'_>, batch: Vec<WriteBack>) -> Result<(), PoolError> {
        let mut outcome = Outcome::default();
        // The area is one batch's until its pages are in place.
        let area = self.double_write.as_ref().map(|area| area.lock());
        let sent = self.stage(lane, batch).and_then(|staged| match area {
            Some(mut area) => {
                let saved = area.save(self, lane, &staged);
                if let Err(error) = saved {
                    self.abandon(lane, staged);
                    return Err(error);
                }
                self.send(lane, staged, &mut outcome);
                self.reap_written(lane, &mut outcome)
            }
            None => self.write_and_watch(lane, staged, &mut outcome),
        });
        if !outcome.written.is_empty() {
            self.directory().written(self, &outcome.written);
            self.durability.forget_absent(&self.frames);
        }
        sent.and(outcome.error.map_or(Ok(()), Err))
    }

    /// Writes a batch to its places. A batch that went well tells the search for n how long it took, from sending it
    /// to its last completion.
    fn write_and_watch(
        &self,
        lane: &mut HeldLane<'_>,
        staged: Vec<Staged>,
        outcome: &mut Outcome,
    ) -> Result<(), PoolError> {
        let pages = staged.len() as u32;
        let sent = lane.now();
        self.send(lane, staged, outcome);
        let reaped = self.reap_written(lane, outcome);
        if self.sizing.is_search() && reaped.is_ok() && outcome.written.len() as u32 == pages {
            self.sizing.wrote(pages, pages, lane.now().saturating_sub(sent));
        }
        reaped
    }

    /// Waits for all writes of `outcome`.
    fn reap_written(&self, lane: &mut HeldLane<'_>, outcome: &mut Outcome) -> Result<(), PoolError> {
        let mut reaped = Ok(());
        while outcome.writing > 0 {
            reaped = reaped.and(self.reap(lane, outcome.writing, outcome));
        }
        reaped
    }

    /// Copies pages into slots, seals them, and makes the log durable as far as they need it.
    ///
    /// # Errors
    /// [`PoolError::Log`]; the pages are dirty again.
    pub(crate) fn stage(
        &self,
        lane: &mut HeldLane<'_>,
        batch: Vec<WriteBack>,
    ) -> Result<Vec<Staged>, PoolError> {
        let mut staged = Vec::with_capacity(batch.len());
        let mut lsn = 0;
        for mut write in batch {
            // A lane has slots for as many pages as are written at once.
            let slot = lane.slot();
            let buffer = slot.and_then(|slot| lane.buffer(slot).ok());
            let (Some(slot), Some(buffer)) = (slot, buffer) else {
                self.frames.end_write_back(write, false);
                slot.into_iter().for_each(|slot| lane.give_back(slot));
                continue;
            };
            lsn = lsn.max(self.frames.copy_out(&mut write, buffer));
            if self.config.checksums {
                checksum::seal(buffer, write.page);
            }
            staged.push(Staged { slot, write });
        }
        let pages = staged.len();
        if let Err(source) = self.flush_log(lsn) {
            self.counters.log_errors.add(1);
            self.abandon(lane, staged);
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
    pub(crate) fn send(&self, lane: &mut HeldLane<'_>, staged: Vec<Staged>, outcome: &mut Outcome) {
        let page_bytes = self.config.page_bytes;
        for Staged { slot, write } in staged {
            let page = write.page;
            let request = Request::write(slot, page * u64::from(page_bytes), page_bytes);
            match lane.submit(request, Job::Write(write)) {
                Ok(()) => outcome.writing += 1,
                Err((job, _)) => {
                    if let Job::Write(write) = job {
                        self.frames.end_write_back(write, false);
                    }
                    self.counters.write_errors.add(1);
                    let error = Fault::Errno(EIO).error("write", page, page_bytes);
                    outcome.error.get_or_insert(error);
                }
            }
        }
    }

    /// Pages that are not written after all: dirty as before.
    pub(crate) fn abandon(&self, lane: &mut HeldLane<'_>, staged: Vec<Staged>) {
        for Staged { slot, write } in staged {
            self.frames.end_write_back(write, false);
            lane.give_back(slot);
        }
    }
}
