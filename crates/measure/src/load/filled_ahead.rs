//! Large requests one at a time, each right behind the one before.

use std::sync::atomic::{AtomicBool, Ordering};

use super::{AddressStream, Lane, Limits, Window};
use crate::MeasureError;

/// Sends a request of `stream` as soon as the one before has completed, until `limits` end the slice; the
/// window is all of it.
///
/// The data of the next write is made while the one before is under way: where a request has many megabytes,
/// making them in between would leave the device idle for a good part of the time. `max_bytes` and a cancel
/// end the slice early: its window is then not `complete`.
///
/// # Errors
/// As [`super::closed_loop`].
///
/// # Panics
/// If the queue pair has fewer than two slots.
pub fn filled_ahead(
    lane: &mut Lane,
    stream: &mut AddressStream,
    limits: &Limits,
    cancel: &AtomicBool,
) -> Result<Window, MeasureError> {
    assert!(lane.queue.shape().slots > 1, "one is filled while another is in flight");
    let (len, writes) = (stream.block_bytes(), stream.writes());
    let mut left = limits.max_bytes;
    let mut slot = 0;
    if writes {
        lane.fill(slot, len);
    }
    let began = lane.queue.now();
    let mut window = Window { opened: began, ..Window::default() };
    let mut now = began;
    loop {
        let enough = window.length >= limits.duration && window.ops >= limits.min_ops;
        if enough || window.ops >= limits.max_ops {
            window.complete = true;
            return Ok(window);
        }
        if left < u64::from(len) || cancel.load(Ordering::Relaxed) {
            return Ok(window);
        }
        left -= u64::from(len);
        let (op, offset) = stream.next();
        lane.submit(op, offset, stream, slot, now)?;
        lane.push_out()?;
        let give_up = lane.queue.now().saturating_add(limits.watchdog);
        let next = 1 - slot;
        if writes {
            lane.fill(next, len);
        }
        while !lane.wait(1, give_up)? {
            if lane.queue.now() >= give_up {
                return Err(lane.stalled(limits.watchdog));
            }
        }
        let completion = lane.completions[0];
        if completion.result != len as i32 {
            return Err(lane.failed(stream, completion));
        }
        slot = next;
        window.latency_sum += u128::from(completion.at.saturating_sub(now));
        now = completion.at;
        window.ops += 1;
        window.bytes += u64::from(len);
        window.length = now - began;
    }
}
