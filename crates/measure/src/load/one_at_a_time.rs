//! One request at a time, timed at two places: by the program, and around the system call.

use std::sync::atomic::{AtomicBool, Ordering};

use super::{AddressStream, Lane, Limits, Recorder};
use crate::MeasureError;

/// What [`one_at_a_time`] did.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct OneAtATime {
    /// Requests completed.
    pub ops: u64,
    /// Sum of their latencies, nanoseconds.
    pub latency_sum: u128,
    /// Sum of the times from right before the system call that submitted each until it returned with the
    /// completion, nanoseconds.
    pub call_sum: u128,
    /// Whether it was ended by its limits, and not by a cancel or by `max_bytes`.
    pub complete: bool,
}

/// Sends a request of `stream` when the one before has completed, until `limits` end the slice.
///
/// Latency runs from one completion to the next: making the request and its data is part of it. No request is
/// left out, since a single one in flight has no ramp. `recorder` is cleared and afterwards holds all
/// latencies. `min_ops` has no meaning here.
///
/// # Errors
/// As [`super::closed_loop`].
pub fn one_at_a_time(
    lane: &mut Lane,
    stream: &mut AddressStream,
    limits: &Limits,
    recorder: &mut Recorder,
    cancel: &AtomicBool,
) -> Result<OneAtATime, MeasureError> {
    recorder.clear();
    let len = stream.block_bytes();
    let begin = lane.queue.now();
    let end = begin.saturating_add(limits.duration);
    let mut done = OneAtATime::default();
    let (mut now, mut left) = (begin, limits.max_bytes);
    while now < end && done.ops < limits.max_ops {
        if left < u64::from(len) || cancel.load(Ordering::Relaxed) {
            return Ok(done);
        }
        left -= u64::from(len);
        let began = now;
        lane.send(stream, 0, began)?;
        let called = lane.queue.now();
        let give_up = called.saturating_add(limits.watchdog);
        while !lane.wait(1, give_up)? {
            if lane.queue.now() >= give_up {
                return Err(lane.stalled(limits.watchdog));
            }
        }
        let completion = lane.completions[0];
        if completion.result != len as i32 {
            return Err(lane.failed(stream, completion));
        }
        now = completion.at;
        let latency = now.saturating_sub(began);
        recorder.record(latency);
        done.latency_sum += u128::from(latency);
        done.call_sum += u128::from(now.saturating_sub(called));
        done.ops += 1;
    }
    done.complete = true;
    Ok(done)
}
