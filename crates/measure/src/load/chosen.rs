//! Reads at places that the caller chooses: one alone, timed, or many of them at once.

use leadline_device::{Clock, Completion, DeviceError, Nanos, Request};

use super::Lane;
use crate::MeasureError;
use crate::error::reason;

/// A device that completes nothing for this long is given up.
const WATCHDOG: Nanos = 10_000_000_000;

/// Reads `len` bytes at `offset` with nothing else in flight; how long that took, from right before the
/// request is submitted.
///
/// # Errors
/// As [`super::closed_loop`].
pub fn read_alone(lane: &mut Lane, offset: u64, len: u32) -> Result<Nanos, MeasureError> {
    let began = lane.queue.now();
    lane.read_at(0, offset, len)?;
    let give_up = began.saturating_add(WATCHDOG);
    while !lane.wait(1, give_up)? {
        if lane.queue.now() >= give_up {
            return Err(lane.stalled(WATCHDOG));
        }
    }
    let completion = lane.completions[0];
    if completion.result != len as i32 {
        return Err(lane.read_failed(len, completion));
    }
    Ok(completion.at.saturating_sub(began))
}

/// Reads `len` bytes at each of `offsets`, as many at once as the queue pair allows, and waits for all of
/// them.
///
/// # Errors
/// As [`super::closed_loop`].
pub fn read_all(
    lane: &mut Lane,
    offsets: impl IntoIterator<Item = u64>,
    len: u32,
) -> Result<(), MeasureError> {
    let mut offsets = offsets.into_iter();
    let mut free: Vec<u32> = (0..lane.queue.shape().depth).collect();
    let mut give_up = lane.queue.now().saturating_add(WATCHDOG);
    loop {
        while let Some(&slot) = free.last() {
            let Some(offset) = offsets.next() else { break };
            free.pop();
            lane.read_at(slot, offset, len)?;
        }
        if lane.queue.in_flight() == 0 && lane.early.is_empty() {
            return Ok(());
        }
        if !lane.wait(1, give_up)? {
            if lane.queue.now() >= give_up {
                return Err(lane.stalled(WATCHDOG));
            }
            continue;
        }
        for completion in &lane.completions {
            if completion.result != len as i32 {
                return Err(lane.read_failed(len, *completion));
            }
            free.push(completion.slot);
            give_up = completion.at.saturating_add(WATCHDOG);
        }
    }
}

impl Lane {
    /// Lets device time pass with nothing in flight, to the microsecond: a kernel's timer is late by more
    /// than a fast drive takes for a read.
    pub(crate) fn idle_exactly(&mut self, duration: Nanos) -> Result<(), MeasureError> {
        let until = self.queue.now().saturating_add(duration);
        while self.queue.now() < until {
            match self.clock {
                Clock::Wall => std::hint::spin_loop(),
                Clock::Virtual => {
                    self.wait(1, until)?;
                }
            }
        }
        Ok(())
    }

    #[cold]
    fn read_failed(&self, block_bytes: u32, completion: Completion) -> MeasureError {
        let (offset, reason) = (self.offsets[completion.slot as usize], reason(completion.result));
        MeasureError::Request { operation: "read", block_bytes, offset, reason }
    }

    fn read_at(&mut self, slot: u32, offset: u64, len: u32) -> Result<(), MeasureError> {
        self.read += u64::from(len);
        self.offsets[slot as usize] = offset;
        self.queue.submit(Request::read(slot, offset, len)).map_err(DeviceError::from)?;
        Ok(())
    }
}
