//! Who writes the log: one of the threads that wait, for all of them.
//!
//! Records are appended to a buffer in memory. The first thread that wants its record durable leads: it takes
//! the buffer, writes and syncs it, and wakes all who waited for it. Threads that come meanwhile wait; one of
//! them leads next. Without more, the threads would form two halves that take turns, one appending while the
//! other's sync runs. So a leader first waits until as many have arrived as took part or waited last time,
//! but no longer than a quarter of the last sync.

use std::time::{Duration, Instant};

use super::buffer::{Batch, Buffer};
use super::primitives::{Condvar, Mutex, MutexGuard, wait_at_most};
use super::record::Payload;
use super::{LogError, Lsn};

/// How long the leader waits for others at most, as a part of the last sync.
const PATIENCE: u32 = 4;

/// How far the log is to be written.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Target {
    /// Handed to the operating system.
    Written(Lsn),
    Durable(Lsn),
}

/// The threads, and the records that they appended.
#[derive(Debug)]
pub(crate) struct GroupCommit {
    state: Mutex<State>,
    /// The leader is done.
    done: Condvar,
    /// All who are expected have arrived.
    arrived: Condvar,
}

#[derive(Debug)]
struct State {
    buffer: Buffer,
    written: Lsn,
    durable: Lsn,
    leading: bool,
    /// Threads that wait for the next batch, its leader among them, and how many are expected.
    waiting: usize,
    expected: usize,
    /// Batches that were taken.
    batches: u64,
    patience: Duration,
    /// Why the log has stopped.
    stopped: Option<String>,
}

impl GroupCommit {
    /// Goes on at `end`, before which everything is durable.
    pub(crate) fn new(end: Lsn) -> GroupCommit {
        let state = State {
            buffer: Buffer::new(end),
            written: end,
            durable: end,
            leading: false,
            waiting: 0,
            expected: 0,
            batches: 0,
            patience: Duration::ZERO,
            stopped: None,
        };
        GroupCommit { state: Mutex::new(state), done: Condvar::new(), arrived: Condvar::new() }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    /// Appends a record, and returns the position behind it and the bytes that are not written yet.
    pub(crate) fn append(&self, session: u64, payload: &Payload<'_>) -> Result<(Lsn, u64), LogError> {
        let mut state = self.lock();
        state.check()?;
        let durable = state.durable;
        let end = state.buffer.append(session, payload, durable);
        Ok((end, end.0 - state.written.0))
    }

    /// Whether the log has stopped.
    pub(crate) fn check(&self) -> Result<(), LogError> {
        self.lock().check()
    }

    /// The position behind the last record.
    pub(crate) fn end(&self) -> Lsn {
        self.lock().buffer.end()
    }

    /// Returns when the target is reached. `write` writes a batch; and syncs it, if asked to.
    pub(crate) fn reach(
        &self,
        target: Target,
        write: impl FnOnce(&Batch, bool) -> Result<(), LogError>,
    ) -> Result<(), LogError> {
        let mut state = self.lock();
        let mut arrived = None;
        loop {
            if state.has(target) || state.stopped.is_some() {
                state.leave(arrived);
                return state.result(target);
            }
            if matches!(target, Target::Durable(_)) && arrived.is_none_or(|batch| batch != state.batches) {
                arrived = Some(state.batches);
                state.waiting += 1;
                if state.waiting == state.expected {
                    self.arrived.notify_one();
                }
            }
            if !state.leading {
                break;
            }
            state = self.done.wait(state).unwrap_or_else(std::sync::PoisonError::into_inner);
        }
        state.leading = true;
        self.lead(state, target, write)
    }

    fn lead<'a>(
        &'a self,
        mut state: MutexGuard<'a, State>,
        target: Target,
        write: impl FnOnce(&Batch, bool) -> Result<(), LogError>,
    ) -> Result<(), LogError> {
        let sync = matches!(target, Target::Durable(_));
        if sync {
            state = self.gather(state);
        }
        let batch = state.buffer.take();
        let members = if sync { std::mem::take(&mut state.waiting) } else { 0 };
        state.batches += u64::from(sync);
        drop(state);

        let start = Instant::now();
        let result = write(&batch, sync);
        let took = start.elapsed();

        let mut state = self.lock();
        state.leading = false;
        match &result {
            Ok(()) => {
                state.written = batch.end();
                if sync {
                    state.durable = batch.end();
                    state.expected = members + state.waiting;
                    state.patience = took / PATIENCE;
                }
            }
            // The next one tries again.
            Err(error) if error.is_full() => {}
            Err(error) => state.stopped = Some(error.to_string()),
        }
        match &result {
            Err(error) if error.is_full() => state.buffer.put_back(batch),
            _ => state.buffer.give_back(batch),
        }
        drop(state);
        self.done.notify_all();
        result
    }

    /// Waits for those who were served last, and will come again soon.
    fn gather<'a>(&'a self, mut state: MutexGuard<'a, State>) -> MutexGuard<'a, State> {
        let start = Instant::now();
        while state.waiting < state.expected
            && let Some(left) = state.patience.checked_sub(start.elapsed())
        {
            let timed_out;
            (state, timed_out) = wait_at_most(&self.arrived, state, left);
            if timed_out {
                break;
            }
        }
        state
    }
}

impl State {
    fn has(&self, target: Target) -> bool {
        match target {
            Target::Written(at) => self.written >= at,
            Target::Durable(at) => self.durable >= at,
        }
    }

    /// What became of a target: what is durable stays so, whatever happened afterwards.
    fn result(&self, target: Target) -> Result<(), LogError> {
        if self.has(target) { Ok(()) } else { self.check() }
    }

    fn check(&self) -> Result<(), LogError> {
        match &self.stopped {
            Some(reason) => Err(LogError::Stopped { reason: reason.clone() }),
            None => Ok(()),
        }
    }

    /// A thread that waited for a batch goes, before the batch is taken.
    fn leave(&mut self, arrived: Option<u64>) {
        if arrived == Some(self.batches) {
            self.waiting -= 1;
        }
    }
}
