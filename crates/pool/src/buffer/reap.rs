//! What follows from requests that are over.

use super::checksum::{self, Damage};
use super::core::Core;
use super::error::{Fault, PageOp, PoolError};
use super::frames::{Load, WriteBack};
use super::io_queue::{IoQueueGuard, Job, JobResult};
use super::places::stamp;
use crate::policy::{Frame, Page};

/// EIO, for a request that the queue pair did not take.
pub(crate) const EIO: i32 = 5;

/// Outcome of the requests that were reaped, in addition to pages loaded.
#[derive(Debug, Default)]
pub(crate) struct IoResults {
    pub(crate) done: Vec<JobResult>,
    /// Pages whose writes are in flight, and the requests for them; whoever sends them counts them here.
    pub(crate) writing: u32,
    pub(crate) write_requests: u32,
    pub(crate) written: Vec<(Frame, Page)>,
    /// The first write that failed.
    pub(crate) error: Option<PoolError>,
    /// Other requests in flight, and of those that are over the slots and results.
    pub(crate) others: u32,
    pub(crate) results: Vec<(u32, i32)>,
}

impl IoResults {
    /// What came of the request of a slot; EIO where none was sent.
    pub(super) fn result(&self, slot: u32) -> i32 {
        self.results.iter().find(|over| over.0 == slot).map_or(-EIO, |over| over.1)
    }

    fn other(&mut self, slot: u32, result: i32) {
        assert!(self.others > 0, "a request is over that nobody here sent");
        self.others -= 1;
        self.results.push((slot, result));
    }
}

impl Core {
    /// Waits until `min` of an I/O queue's requests are over and does what follows from them.
    pub(crate) fn reap(
        &self,
        io: &mut IoQueueGuard<'_>,
        min: u32,
        outcome: &mut IoResults,
    ) -> Result<(), PoolError> {
        let mut done = std::mem::take(&mut outcome.done);
        let reaped = io.reap(min, &mut done);
        for JobResult { slot, job, result } in done.drain(..) {
            match job {
                Job::Read(load) => {
                    let fault = Fault::of(result, self.config.page_bytes);
                    self.read_done(io, slot, load, fault);
                }
                Job::Write(run) => self.run_done(run, result, outcome),
                Job::Other => outcome.other(slot, result),
            }
            io.give_back(slot);
        }
        outcome.done = done;
        Ok(reaped?)
    }

    fn read_done(&self, io: &mut IoQueueGuard<'_>, slot: u32, load: Load, mut fault: Option<Fault>) {
        *io.ahead() -= u32::from(load.ahead);
        let bytes: &[u8] = match io.buffer(slot) {
            Ok(buffer) => buffer,
            Err(_) => &[],
        };
        if fault.is_none() && bytes.len() != self.frames.page_bytes() {
            fault = Some(Fault::Errno(EIO));
        }
        if fault.is_none() && self.config.checksums {
            // Zeros are no page that has a place, but what is left of a segment that was trimmed meanwhile.
            let is_page = self.places.is_none() || stamp::is_stamped(bytes);
            let verified = checksum::verify(bytes, load.page);
            let verified = verified.and(if is_page { Ok(()) } else { Err(Damage::Sum) });
            fault = verified.err().map(Fault::Damaged);
        }
        match fault {
            None => self.frames.loaded(load, bytes),
            // Cleaning has moved it meanwhile, and something else is where it was.
            Some(_) if self.places.is_some() && self.offset(load.page) != Some(load.offset) => {
                *io.ahead() += u32::from(load.ahead);
                self.send_read(io, load);
            }
            Some(fault) => self.load_failed(load, fault),
        }
    }

    fn run_done(&self, run: Vec<WriteBack>, result: i32, outcome: &mut IoResults) {
        outcome.write_requests -= 1;
        for (i, write) in (0..).zip(run) {
            self.write_done(write, Fault::in_run(result, i, self.config.page_bytes), outcome);
        }
    }

    fn write_done(&self, write: WriteBack, fault: Option<Fault>, outcome: &mut IoResults) {
        let (frame, page) = (write.frame, write.page);
        assert!(outcome.writing > 0, "a write of page {page} is over that nobody here sent");
        outcome.writing -= 1;
        match fault {
            None if self.durability.written(frame, page, write.epoch) => {
                self.end_write(write, true);
                self.counters.writes.add(1);
                outcome.written.push((frame, page));
            }
            // A flush failed meanwhile, and may have lost it.
            None => self.end_write(write, false),
            Some(fault) => {
                self.end_write(write, false);
                self.counters.write_errors.add(1);
                let error = fault.error(PageOp::Write, page, self.config.page_bytes);
                outcome.error.get_or_insert(error);
                self.write_failed();
            }
        }
    }
}
