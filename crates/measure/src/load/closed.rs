//! Closed loop: a fixed number of requests in flight, each completion answered by the next request.

use std::sync::atomic::{AtomicBool, Ordering};

use super::window::Gate;
use super::{AddressStream, Lane, Limits, Recorder, Window};
use crate::MeasureError;

/// A wave of answers that goes back as one batch comes back as a wave, and between waves the device's queue
/// runs dry: at k = 32 that cost a fifth of the throughput of a virtual disk. So at most this share of k is
/// submitted at once.
const PIECES: u32 = 16;

/// Keeps `concurrency` requests of `stream` in flight on one lane until `limits` end the slice, then drains.
///
/// Latency runs from one answer of a slot to its next: the request's way into the kernel is part of it, as it
/// is for an application that keeps that many requests in flight, and Little's law holds. `recorder` is
/// cleared and afterwards holds the window's latencies. A `cancel` ends the slice early: its window is then
/// not `complete`.
///
/// # Errors
/// [`MeasureError`]: a request failed or moved fewer bytes than asked, the device stopped answering, the
/// queue broke.
///
/// # Panics
/// If `concurrency` is 0 or more than the queue pair's depth.
pub fn closed_loop(
    lane: &mut Lane,
    stream: &mut AddressStream,
    concurrency: u32,
    limits: &Limits,
    recorder: &mut Recorder,
    cancel: &AtomicBool,
) -> Result<Window, MeasureError> {
    assert!(
        (1..=lane.queue.shape().depth).contains(&concurrency),
        "concurrency {concurrency} beyond the queue"
    );
    let result = run(lane, stream, concurrency, limits, recorder, cancel);
    // A broken device is left as it is; waiting for it again would only hide the first error.
    if result.is_ok() {
        lane.drain(limits.watchdog)?;
    }
    result
}

fn run(
    lane: &mut Lane,
    stream: &mut AddressStream,
    concurrency: u32,
    limits: &Limits,
    recorder: &mut Recorder,
    cancel: &AtomicBool,
) -> Result<Window, MeasureError> {
    recorder.clear();
    let len = stream.block_bytes();
    let begin = lane.queue.now();
    let mut budget_bytes = limits.max_bytes;
    for slot in 0..concurrency {
        if budget_bytes < u64::from(len) {
            break;
        }
        budget_bytes -= u64::from(len);
        lane.send(stream, slot, begin)?;
    }
    let mut gate = Gate::new(begin, concurrency, limits);
    let piece = (concurrency / PIECES).max(1) as usize;
    let mut batch = piece;
    let mut give_up = begin.saturating_add(limits.watchdog);
    loop {
        if lane.queue.in_flight() == 0 && lane.early.is_empty() {
            return Ok(gate.window()); // max_bytes is spent
        }
        if !lane.wait(1, give_up)? {
            if cancel.load(Ordering::Relaxed) {
                return Ok(gate.window());
            }
            if lane.queue.now() >= give_up {
                return Err(lane.stalled(limits.watchdog));
            }
            continue;
        }
        let completed = lane.completions.len();
        let (mut now, mut latency_sum) = (0, 0);
        for i in 0..completed {
            let completion = lane.completions[i];
            now = completion.at;
            if completion.result != len as i32 {
                return Err(lane.failed(stream, completion));
            }
            if gate.is_open() {
                let latency = now.saturating_sub(lane.started[completion.slot as usize]);
                recorder.record(latency);
                latency_sum += u128::from(latency);
            }
        }
        let bytes = completed as u64 * u64::from(len);
        if gate.pass(now, completed as u64, bytes, latency_sum) || cancel.load(Ordering::Relaxed) {
            return Ok(gate.window());
        }
        give_up = now.saturating_add(limits.watchdog);
        for i in 0..completed {
            if budget_bytes < u64::from(len) {
                break;
            }
            budget_bytes -= u64::from(len);
            let slot = lane.completions[i].slot;
            lane.send(stream, slot, now)?;
            if (i + 1) % batch == 0 && i + 1 < completed {
                lane.push_out()?;
            }
        }
        // Answers that came meanwhile say that the device is faster than we are: then larger pieces, fewer
        // calls.
        batch = if lane.early.is_empty() { piece } else { (batch * 2).min(concurrency as usize) };
    }
}
