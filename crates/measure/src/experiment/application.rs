//! A program that has reads and writes to do, one at a time or some together: what `pio-classes` times.

use std::sync::atomic::{AtomicBool, Ordering};

use leadline_profile::PioClass;

use crate::MeasureError;
use crate::load::{AddressStream, Lane};

/// A device that completes nothing for this long is given up, nanoseconds.
const WATCHDOG: u64 = 10_000_000_000;

/// How a program does its requests.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Batches {
    /// Reads done together.
    pub(super) reads: u32,
    /// Writes done together.
    pub(super) writes: u32,
}

impl Batches {
    /// Those of a class at a batch size.
    pub(super) fn of(class: PioClass, batch: u32) -> Self {
        Batches {
            reads: if class.batches_reads() { batch } else { 1 },
            writes: if class.batches_writes() { batch } else { 1 },
        }
    }
}

/// A lane with what the program reads and what it writes.
pub(super) struct Application {
    pub(super) lane: Lane,
    pub(super) reads: AddressStream,
    pub(super) writes: AddressStream,
    /// Share of reads, 0 to 1.
    pub(super) read_share: f64,
}

impl Application {
    /// Does `ops` requests and returns the seconds that took, and how many were done: all, unless cancelled.
    ///
    /// Reads and writes alternate as evenly as their share allows, so that two programs of the same length do
    /// the same. A request of a kind that is batched waits, as a dirty page in a buffer pool does, until
    /// there are enough; then they are sent together, and the program goes on when all of them are done. What
    /// is left at the end is done then.
    ///
    /// # Errors
    /// As [`crate::load::closed_loop`].
    pub(super) fn run(
        &mut self,
        ops: u64,
        batches: Batches,
        cancel: &AtomicBool,
    ) -> Result<(u64, f64), MeasureError> {
        let Application { lane, reads, writes, read_share } = self;
        let began = lane.queue.now();
        let (mut waiting_reads, mut waiting_writes, mut done) = (0, 0, 0);
        for i in 0..ops {
            let read = ((i + 1) as f64 * *read_share).floor() > (i as f64 * *read_share).floor();
            let (waiting, batch, stream) = if read {
                (&mut waiting_reads, batches.reads, &mut *reads)
            } else {
                (&mut waiting_writes, batches.writes, &mut *writes)
            };
            *waiting += 1;
            if *waiting == batch {
                together(lane, stream, batch)?;
                done += u64::from(batch);
                *waiting = 0;
                if cancel.load(Ordering::Relaxed) {
                    return Ok((done, seconds_since(lane, began)));
                }
            }
        }
        together(lane, reads, waiting_reads)?;
        together(lane, writes, waiting_writes)?;
        Ok((ops, seconds_since(lane, began)))
    }
}

/// Sends `count` requests and waits for all of them.
fn together(lane: &mut Lane, stream: &mut AddressStream, count: u32) -> Result<(), MeasureError> {
    let now = lane.queue.now();
    for slot in 0..count {
        lane.send(stream, slot, now)?;
    }
    let mut give_up = now.saturating_add(WATCHDOG);
    let mut left = count;
    while left > 0 {
        if !lane.wait(left, give_up)? {
            if lane.queue.now() >= give_up {
                return Err(lane.stalled(WATCHDOG));
            }
            continue; // a signal; the batch is waited for all the same
        }
        for completion in &lane.completions {
            if completion.result != stream.block_bytes() as i32 {
                return Err(lane.failed(stream, *completion));
            }
        }
        left -= lane.completions.len() as u32;
        give_up = lane.queue.now().saturating_add(WATCHDOG);
    }
    Ok(())
}

fn seconds_since(lane: &Lane, began: u64) -> f64 {
    lane.queue.now().saturating_sub(began) as f64 / 1e9
}
