//! Open loop: requests start on a schedule that does not wait for the device.

use std::sync::atomic::{AtomicBool, Ordering};

use leadline_device::{Clock, Nanos};

use super::{AddressStream, Lane, Limits, Recorder, Window};
use crate::MeasureError;

/// A timer wakes this late at worst in ordinary times; closer than that the lane polls.
pub(super) const TIMER_SLACK: Nanos = 60_000;

/// When requests should start.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Arrivals {
    /// Evenly spaced, this many per second.
    Constant(f64),
    /// Independent of each other, this many per second on average.
    Poisson(f64),
}

impl Arrivals {
    pub(super) fn gap_ns(self, random: &mut fastrand::Rng) -> f64 {
        match self {
            Arrivals::Constant(rate) => 1e9 / rate,
            Arrivals::Poisson(rate) => -(1.0 - random.f64()).ln() * 1e9 / rate,
        }
    }
}

/// Sends `stream` at the rate of `arrivals` for `limits.duration`, then drains.
///
/// Latency runs from the intended start: while all slots are in use, requests wait outside and their waiting
/// counts, so that a stall hides nothing. Every request whose intended start is in the slice is completed
/// and counted; the window's length is the slice's, or longer where the last of them completed later. A slice
/// whose `max_bytes` are spent ends there and is not `complete`; `min_ops` and `max_ops` have no meaning
/// here.
///
/// # Errors
/// As [`super::closed_loop`].
///
/// # Panics
/// If the rate is not a positive number.
pub fn open_loop(
    lane: &mut Lane,
    stream: &mut AddressStream,
    arrivals: Arrivals,
    limits: &Limits,
    recorder: &mut Recorder,
    seed: u64,
    cancel: &AtomicBool,
) -> Result<Window, MeasureError> {
    let (Arrivals::Constant(rate) | Arrivals::Poisson(rate)) = arrivals;
    assert!(rate.is_finite() && rate > 0.0, "an arrival rate is a positive number");
    recorder.clear();
    let mut random = fastrand::Rng::with_seed(seed);
    let len = stream.block_bytes();
    let begin = lane.queue.now();
    let end = begin.saturating_add(limits.duration);
    let mut free: Vec<u32> = (0..lane.queue.shape().depth).rev().collect();
    let mut next = begin as f64 + arrivals.gap_ns(&mut random);
    let mut window = Window { opened: begin, ..Window::default() };
    let (mut last_answer, mut budget_bytes) = (begin, limits.max_bytes);
    loop {
        let now = lane.queue.now();
        while next <= now as f64 && next < end as f64 && budget_bytes >= u64::from(len) {
            let Some(slot) = free.pop() else { break };
            budget_bytes -= u64::from(len);
            if lane.queue.in_flight() == 0 {
                last_answer = now; // the watchdog counts from when the device had something to do
            }
            lane.send(stream, slot, next as Nanos)?;
            next += arrivals.gap_ns(&mut random);
        }
        let in_flight = lane.queue.in_flight();
        let spent = budget_bytes < u64::from(len);
        let sent_all = next >= end as f64 || spent || cancel.load(Ordering::Relaxed);
        if sent_all && in_flight == 0 {
            // A slice cut short ends with its last answer: the time after it held no load.
            let until = if next >= end as f64 { end } else { begin + 1 };
            window.length = now.max(until) - begin;
            window.complete = next >= end as f64 && !cancel.load(Ordering::Relaxed);
            return Ok(window);
        }
        let give_up = if in_flight > 0 { last_answer.saturating_add(limits.watchdog) } else { Nanos::MAX };
        // With a slot free the next arrival ends the wait; without one only a completion can.
        let due = if sent_all || free.is_empty() { Nanos::MAX } else { next.ceil() as Nanos };
        let poll = due <= now.saturating_add(TIMER_SLACK) && lane.clock == Clock::Wall;
        let deadline = if poll { 0 } else { due.min(give_up) };
        if !lane.wait(u32::from(!poll), deadline)? {
            if in_flight > 0 && lane.queue.now() >= give_up {
                return Err(lane.stalled(limits.watchdog));
            }
            continue;
        }
        for i in 0..lane.completions.len() {
            let completion = lane.completions[i];
            if completion.result != len as i32 {
                return Err(lane.failed(stream, completion));
            }
            let latency = completion.at.saturating_sub(lane.started[completion.slot as usize]);
            recorder.record(latency);
            window.latency_sum += u128::from(latency);
            window.ops += 1;
            window.bytes += u64::from(len);
            last_answer = completion.at;
            free.push(completion.slot);
        }
    }
}
