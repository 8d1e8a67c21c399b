//! Closed loop: a fixed number of requests in flight, each completion answered by the next request.

use std::sync::atomic::{AtomicBool, Ordering};

use super::{AddressStream, Lane, Limits, Recorder, Window};
use crate::MeasureError;

/// A wave of answers that goes back as one batch comes back as a wave, and between waves the device's queue runs dry: at
/// k = 32 that cost a fifth of the throughput of a virtual disk. So at most this share of k is submitted at once.
const PIECES: u32 = 16;

/// Keeps `concurrency` requests of `stream` in flight on one lane until `limits` end the slice, then drains.
///
/// Latency runs from submission to completion. `recorder` is cleared and afterwards holds the window's latencies. A `cancel`
/// ends the slice early: its window is then not `complete`.
///
/// # Errors
/// [`MeasureError`]: a request failed or moved fewer bytes than asked, the device stopped answering, the queue broke.
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
    let (mut window, mut open, mut first_wave) = (Window::default(), false, concurrency);
    // The ramp: every slot once, and no less than a twentieth of the slice.
    let open_after = begin + limits.duration / 20;
    let batch = (concurrency / PIECES).max(1) as usize;
    let mut give_up = begin.saturating_add(limits.watchdog);
    loop {
        if lane.queue.in_flight() == 0 && lane.early.is_empty() {
            return Ok(window); // max_bytes is spent
        }
        if !lane.wait(1, give_up)? {
            if cancel.load(Ordering::Relaxed) {
                return Ok(window);
            }
            if lane.queue.now() >= give_up {
                return Err(lane.stalled(limits.watchdog));
            }
            continue;
        }
        let completed = lane.completions.len();
        let mut now = 0;
        for i in 0..completed {
            let completion = lane.completions[i];
            now = completion.at;
            if completion.result != len as i32 {
                return Err(MeasureError::request(stream, completion.result));
            }
            if open {
                let latency = now.saturating_sub(lane.started[completion.slot as usize]);
                recorder.record(latency);
                window.latency_sum += u128::from(latency);
            }
        }
        if open {
            window.ops += completed as u64;
            window.bytes = window.ops * u64::from(len);
            window.length = now - window.opened;
            if window.length >= limits.duration || window.ops >= limits.max_ops {
                window.complete = true;
                return Ok(window);
            }
        } else {
            // Opened by the first answer after a given moment, as it is closed by the first after another: were it
            // opened by the last of a wave and closed by the first of one, almost a whole wave would be missing.
            if first_wave == 0 && now >= open_after {
                open = true;
                window.opened = now;
            }
            first_wave = first_wave.saturating_sub(completed as u32);
        }
        if cancel.load(Ordering::Relaxed) {
            return Ok(window);
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
                now = lane.queue.now();
            }
        }
    }
}
