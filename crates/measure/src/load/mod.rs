//! The load generator: keeps requests in flight, or sends them on a schedule, and times every one.
//!
//! It is the instrument, so it must never be what is measured: no allocation, no lock and one clock reading a
//! batch in its loops. A [`Workload`] says what is asked for; [`closed_loop`] keeps a fixed number of
//! requests in flight; [`open_loop`] sends them at a given rate and counts latency from when each should have
//! started; [`one_at_a_time`] also times the system call; [`beside`] keeps one request in flight with
//! others that arrive on a schedule; [`read_alone`] and [`read_all`] read what the caller chooses.

mod address;
mod beside;
mod chosen;
mod closed;
mod filled_ahead;
mod one_at_a_time;
mod open;
mod order;
mod recorder;
mod window;

pub use address::{AddressStream, Region, Spread, Workload};
pub use beside::{Beside, SendTimes, beside};
pub use chosen::{read_all, read_alone};
pub use closed::closed_loop;
pub use filled_ahead::filled_ahead;
pub use one_at_a_time::{OneAtATime, one_at_a_time};
pub use open::{Arrivals, open_loop};
pub use order::Order;
pub use recorder::{Recorder, Window};

use std::sync::atomic::{AtomicBool, Ordering};

use leadline_device::{Clock, Completion, DeviceError, Nanos, Op, Payload, QueuePair, Request};

use crate::MeasureError;
use crate::error::reason;

/// When a slice ends.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Window length to reach, device time.
    pub duration: Nanos,
    /// Completions that the window waits for, however long that takes; fewer than `max_ops`, 0 for none.
    pub min_ops: u64,
    /// Completions after which the window closes early; [`u64::MAX`] for none.
    pub max_ops: u64,
    /// Bytes after which no further request is sent; [`u64::MAX`] for none.
    pub max_bytes: u64,
    /// A device that completes nothing for this long is given up.
    pub watchdog: Nanos,
}

impl Limits {
    /// `duration` alone, with a watchdog of ten seconds.
    pub fn of(duration: Nanos) -> Self {
        Limits { duration, min_ops: 0, max_ops: u64::MAX, max_bytes: u64::MAX, watchdog: 10_000_000_000 }
    }
}

/// A queue pair with what one thread needs to drive it; made once, used for every slice.
pub struct Lane {
    pub(crate) queue: Box<dyn QueuePair>,
    clock: Clock,
    payload: Payload,
    pub(crate) completions: Vec<Completion>,
    /// Completions that came while requests were sent on their way.
    early: Vec<Completion>,
    /// When each slot's request was sent, or should have been.
    started: Vec<Nanos>,
    /// Where each slot's request went.
    offsets: Vec<u64>,
    /// Bytes of writes sent since the lane was made.
    written: u64,
    /// Bytes of reads sent since the lane was made.
    read: u64,
}

impl Lane {
    /// Wraps a queue pair of a device with this clock; `seed` makes the written data.
    pub fn new(queue: Box<dyn QueuePair>, clock: Clock, seed: u64) -> Self {
        let shape = queue.shape();
        Lane {
            queue,
            clock,
            payload: Payload::new(seed),
            completions: Vec::with_capacity(shape.slots as usize),
            early: Vec::with_capacity(shape.slots as usize),
            started: vec![0; shape.slots as usize],
            offsets: vec![0; shape.slots as usize],
            written: 0,
            read: 0,
        }
    }

    /// Bytes of reads and of writes sent since the lane was made.
    pub fn traffic(&self) -> (u64, u64) {
        (self.read, self.written)
    }

    /// Sends the stream's next request from `slot`, to be timed from `started`.
    #[inline]
    pub(crate) fn send(
        &mut self,
        stream: &mut AddressStream,
        slot: u32,
        started: Nanos,
    ) -> Result<(), MeasureError> {
        let (op, offset) = stream.next();
        let len = stream.block_bytes();
        if op == Op::Write {
            self.fill(slot, len);
        }
        self.submit(op, offset, stream, slot, started)
    }

    /// Puts new data into a slot's buffer.
    #[inline]
    fn fill(&mut self, slot: u32, len: u32) {
        let buffer = self.queue.buffer(slot);
        let used = buffer.len().min(len as usize);
        self.payload.fill(&mut buffer[..used]);
    }

    #[inline]
    fn submit(
        &mut self,
        op: Op,
        offset: u64,
        stream: &AddressStream,
        slot: u32,
        started: Nanos,
    ) -> Result<(), MeasureError> {
        let len = stream.block_bytes();
        let sent = if op == Op::Write { &mut self.written } else { &mut self.read };
        *sent += u64::from(len);
        (self.started[slot as usize], self.offsets[slot as usize]) = (started, offset);
        let durable = op == Op::Write && stream.durable();
        self.queue.submit(Request { op, durable, slot, len, offset }).map_err(DeviceError::from)?;
        Ok(())
    }

    /// Waits for at least one completion. `Ok(false)`: none came before `deadline`, or a signal arrived.
    #[inline]
    pub(crate) fn wait(&mut self, min: u32, deadline: Nanos) -> Result<bool, MeasureError> {
        self.completions.clear();
        std::mem::swap(&mut self.completions, &mut self.early);
        // With nothing in flight a deadline would be slept out: what is here already must not wait for it.
        let (min, deadline) = if self.completions.is_empty() { (min, deadline) } else { (0, 0) };
        self.queue.reap(min, deadline, &mut self.completions)?;
        Ok(!self.completions.is_empty())
    }

    /// Sends what is queued on its way without waiting; what has completed by then is for the next
    /// [`Lane::wait`].
    #[inline]
    fn push_out(&mut self) -> Result<(), MeasureError> {
        Ok(self.queue.reap(0, 0, &mut self.early)?)
    }

    /// Reaps whatever is still in flight, so that the next slice finds the device quiet.
    pub(crate) fn drain(&mut self, watchdog: Nanos) -> Result<(), MeasureError> {
        let mut quiet_until = self.queue.now().saturating_add(watchdog);
        while self.queue.in_flight() > 0 {
            if self.wait(self.queue.in_flight(), quiet_until)? {
                quiet_until = self.queue.now().saturating_add(watchdog);
            } else if self.queue.now() >= quiet_until {
                return Err(self.stalled(watchdog));
            }
        }
        self.early.clear();
        Ok(())
    }

    /// One flush, waited for: what was written before is durable after.
    pub(crate) fn flush(&mut self, watchdog: Nanos) -> Result<(), MeasureError> {
        if self.queue.submit(Request::flush(0)).is_err() {
            return Ok(()); // a queue pair that polls for completions takes no flush
        }
        let deadline = self.queue.now().saturating_add(watchdog);
        while !self.wait(1, deadline)? {
            if self.queue.now() >= deadline {
                return Err(self.stalled(watchdog));
            }
        }
        match self.completions[0].result {
            errno if errno < 0 => Err(MeasureError::flush(errno)),
            _ => Ok(()),
        }
    }

    /// Lets device time pass with nothing in flight.
    pub(crate) fn idle(&mut self, duration: Nanos, cancel: &AtomicBool) -> Result<(), MeasureError> {
        let until = self.queue.now().saturating_add(duration);
        while self.queue.now() < until && !cancel.load(Ordering::Relaxed) {
            self.wait(1, until)?;
        }
        Ok(())
    }

    /// Why a request of `stream` that did not move all of its bytes is an error.
    #[cold]
    pub(crate) fn failed(&self, stream: &AddressStream, completion: Completion) -> MeasureError {
        MeasureError::Request {
            operation: stream.operation(),
            block_bytes: stream.block_bytes(),
            offset: self.offsets[completion.slot as usize],
            reason: reason(completion.result),
        }
    }

    pub(crate) fn stalled(&self, watchdog: Nanos) -> MeasureError {
        MeasureError::Stalled { in_flight: self.queue.in_flight(), seconds: watchdog as f64 / 1e9 }
    }
}
