//! A foreground of one request at a time with a background, on one queue pair.

use std::sync::atomic::{AtomicBool, Ordering};

use leadline_device::{Clock, Nanos};

use super::open::TIMER_SLACK;
use super::{AddressStream, Arrivals, Lane, Limits, Recorder};
use crate::MeasureError;

/// The slot of the foreground; all others are the background's.
const FOREGROUND: u32 = 0;

/// Share of a slice after which latencies count: the background's queue begins empty.
const RAMP: f64 = 0.1;

/// When requests of the background are sent.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum SendTimes {
    /// On a schedule of their own.
    Arrivals(Arrivals),
    /// One as soon as the last one is completed.
    OneAtATime,
}

impl SendTimes {
    /// Nanoseconds from one request's time to the next.
    fn gap_ns(self, random: &mut fastrand::Rng) -> f64 {
        match self {
            SendTimes::Arrivals(arrivals) => arrivals.gap_ns(random),
            SendTimes::OneAtATime => 0.0,
        }
    }
}

/// What [`beside`] did.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Beside {
    /// Foreground requests timed.
    pub ops: u64,
    /// Sum of their latencies, nanoseconds.
    pub latency_sum: u128,
    /// Background requests completed within the slice.
    pub background_ops: u64,
    /// Length of the slice.
    pub length: Nanos,
    /// Whether background requests whose time had come still waited for a free slot when the slice ended.
    pub fell_behind: bool,
    /// Whether it was ended by its limits, and not by a cancel or by `max_bytes`.
    pub complete: bool,
}

/// Sends requests of `foreground` one at a time, and requests of `background` as `send_times` has them, on a
/// schedule whether the device keeps up or not, for `limits.duration`; then drains.
///
/// The foreground's latency runs from one of its completions to its next, as in [`super::one_at_a_time`]; in
/// the first tenth of the slice it does not count. A background on a schedule has all slots but one; what
/// finds none free waits outside. `recorder` is cleared and afterwards holds the foreground's latencies.
/// `max_bytes` counts the writes of both; `min_ops` and `max_ops` have no meaning here.
///
/// # Errors
/// As [`super::closed_loop`].
///
/// # Panics
/// If the queue pair has fewer than two slots.
#[allow(clippy::too_many_arguments)] // two streams
pub fn beside(
    lane: &mut Lane,
    foreground: &mut AddressStream,
    background: &mut AddressStream,
    send_times: SendTimes,
    limits: &Limits,
    recorder: &mut Recorder,
    seed: u64,
    cancel: &AtomicBool,
) -> Result<Beside, MeasureError> {
    let depth = lane.queue.shape().depth;
    assert!(depth > 1, "the background needs slots of its own");
    recorder.clear();
    let lengths = [foreground.block_bytes(), background.block_bytes()];
    let mut random = fastrand::Rng::with_seed(seed);
    let begin = lane.queue.now();
    let end = begin.saturating_add(limits.duration);
    let counts_from = begin + (limits.duration as f64 * RAMP) as Nanos;
    let slots = if send_times == SendTimes::OneAtATime { 1 } else { depth - 1 };
    let mut free: Vec<u32> = (1..=slots).rev().collect();
    let mut next = begin as f64 + send_times.gap_ns(&mut random);
    let mut done = Beside::default();
    let written = |stream: &AddressStream| u64::from(stream.block_bytes()) * u64::from(stream.writes());
    let costs = [written(foreground), written(background)];
    let (mut idle, mut left) = (true, limits.max_bytes);
    let mut last_answer = begin;
    let mut ended = false;
    loop {
        let now = lane.queue.now();
        if !ended {
            let spent = left < costs[0] + costs[1];
            let cancelled = cancel.load(Ordering::Relaxed);
            if now >= end || spent || cancelled {
                ended = true;
                done.length = now - begin;
                let waits = next <= now as f64 && free.is_empty();
                done.fell_behind = waits && send_times != SendTimes::OneAtATime;
                done.complete = !spent && !cancelled;
            }
        }
        if !ended {
            if idle {
                left -= costs[0];
                lane.send(foreground, FOREGROUND, now)?;
                idle = false;
            }
            while next <= now as f64 && left >= costs[1] {
                let Some(slot) = free.pop() else { break };
                left -= costs[1];
                lane.send(background, slot, now)?;
                next += send_times.gap_ns(&mut random);
            }
        } else if lane.queue.in_flight() == 0 {
            return Ok(done);
        }
        let give_up = last_answer.saturating_add(limits.watchdog);
        // With a slot free the next arrival ends the wait; without one only a completion can.
        let due = if ended || free.is_empty() { Nanos::MAX } else { next.ceil() as Nanos };
        let poll = due <= now.saturating_add(TIMER_SLACK) && lane.clock == Clock::Wall;
        let deadline = if poll { 0 } else { due.min(give_up) };
        if !lane.wait(u32::from(!poll), deadline)? {
            if lane.queue.now() >= give_up {
                return Err(lane.stalled(limits.watchdog));
            }
            continue;
        }
        for i in 0..lane.completions.len() {
            let completion = lane.completions[i];
            let of_foreground = completion.slot == FOREGROUND;
            let len = lengths[usize::from(!of_foreground)];
            if completion.result != len as i32 {
                let stream = if of_foreground { &*foreground } else { &*background };
                return Err(lane.failed(stream, completion));
            }
            last_answer = completion.at;
            if !of_foreground {
                free.push(completion.slot);
                done.background_ops += u64::from(!ended);
                continue;
            }
            idle = true;
            let started = lane.started[FOREGROUND as usize];
            if started >= counts_from {
                let latency = completion.at.saturating_sub(started);
                recorder.record(latency);
                done.latency_sum += u128::from(latency);
                done.ops += 1;
            }
        }
    }
}
