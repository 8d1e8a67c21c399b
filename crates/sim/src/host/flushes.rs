//! Flushes, which wait for writes.

use leadline_device::Nanos;

use super::drive::{Due, Finished, Job};

/// Flushes at the drive. Each is done some time after the last of the writes that arrived before it.
#[derive(Default)]
pub(crate) struct Flushes {
    waiting: Vec<Waiting>,
    /// Writes that have arrived and whose end is not known yet.
    open: u32,
    /// The latest end of a write that is known.
    last_done: Nanos,
    /// What a flush takes once the writes are done.
    service: Nanos,
}

struct Waiting {
    job: Job,
    /// Writes before it whose end is not known yet.
    writes: u32,
    /// When the others are done.
    after: Nanos,
}

impl Flushes {
    pub(crate) fn new(service: Nanos) -> Self {
        Flushes { service, ..Flushes::default() }
    }

    /// A write has arrived.
    pub(crate) fn write_arrives(&mut self) {
        self.open += 1;
    }

    /// The end of a write has become known.
    pub(crate) fn write_ends(&mut self, sequence: u64, done: Nanos, due: &mut Due) {
        self.open -= 1;
        self.last_done = self.last_done.max(done);
        let service = self.service;
        self.waiting.retain_mut(|flush| {
            if flush.job.sequence < sequence {
                return true;
            }
            flush.writes -= 1;
            flush.after = flush.after.max(done);
            if flush.writes == 0 {
                due.push(finished(flush.job, flush.after, service));
            }
            flush.writes > 0
        });
    }

    /// A flush has arrived.
    pub(crate) fn arrive(&mut self, job: Job, at: Nanos, due: &mut Due) {
        let after = at.max(self.last_done);
        if self.open == 0 {
            due.push(finished(job, after, self.service));
        } else {
            self.waiting.push(Waiting { job, writes: self.open, after });
        }
    }

    /// Whether a flush waits for a write.
    pub(crate) fn waiting(&self) -> bool {
        !self.waiting.is_empty()
    }
}

fn finished(job: Job, after: Nanos, service: Nanos) -> Finished {
    let at = after.saturating_add(service);
    Finished { at, first: at, job }
}
