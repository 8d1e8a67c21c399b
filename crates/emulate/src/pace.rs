//! When requests are answered: at the time at which the modelled device would have, in wall-clock time.
//!
//! Whoever receives a request does its work at once and leaves the answer here with the parts of the device
//! that it touches. One thread asks the model when these are done and sends the answers. It sleeps until
//! shortly before an answer is due, then spins, because a thread that sleeps is woken too late by more than a
//! fast device takes.
//!
//! What the kernel and FUSE take for requests and answers is measured at the start and taken off: a request
//! arrives at the device when its program sent it, and is answered so that the program has the answer in
//! time.

use std::num::NonZeroU64;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use leadline_device::Nanos;
use leadline_sim::{CacheCounters, DeviceModel};

use crate::answer::Answer;
use crate::capture::Recorded;
use crate::counters::Counters;
use crate::extent::Extent;
use crate::in_flight::{Arrival, InFlight, Ready, Work};
use crate::overhead::Overhead;

/// An answer may be this late without being counted as late, or by a twentieth of the device's time.
const TOLERANCE: Nanos = 20_000;

/// What a probe of both overheads takes: long enough that the thread that answers later sends it, as it
/// does for requests that reach the device, and not the one that received it.
const PROBE_TIME: Nanos = 50_000;

/// Sends answers when they are due.
pub(crate) struct Pacer {
    origin: Instant,
    slowdown: f64,
    in_flight: Mutex<InFlight>,
    /// Tells the thread that something is due sooner than it thought.
    sooner: Condvar,
    /// When the thread will look again.
    looks_at: AtomicU64,
    sleeps: AtomicBool,
    stopped: AtomicBool,
    /// Of a request until it is received here, and of an answer until its program has it.
    pub(crate) request_overhead: Overhead,
    pub(crate) answer_overhead: Overhead,
    counters: Counters,
}

impl Pacer {
    pub(crate) fn new(model: Box<dyn DeviceModel>, slowdown: f64) -> Pacer {
        Pacer {
            origin: Instant::now(),
            slowdown,
            in_flight: Mutex::new(InFlight::new(model)),
            sooner: Condvar::new(),
            looks_at: AtomicU64::new(0),
            sleeps: AtomicBool::new(false),
            stopped: AtomicBool::new(false),
            request_overhead: Overhead::default(),
            answer_overhead: Overhead::default(),
            counters: Counters::default(),
        }
    }

    /// Nanoseconds of wall-clock time since the start.
    pub(crate) fn now(&self) -> Nanos {
        self.at(Instant::now())
    }

    /// Nanoseconds from the start to `moment`.
    pub(crate) fn at(&self, moment: Instant) -> Nanos {
        moment.saturating_duration_since(self.origin).as_nanos() as Nanos
    }

    pub(crate) fn seconds(&self) -> f64 {
        self.origin.elapsed().as_secs_f64()
    }

    pub(crate) fn counters(&self) -> &Counters {
        &self.counters
    }

    fn lock(&self) -> MutexGuard<'_, InFlight> {
        self.in_flight.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn device_time(&self, wall: Nanos) -> Nanos {
        if self.slowdown == 1.0 { wall } else { (wall as f64 / self.slowdown) as Nanos }
    }

    fn wall_time(&self, device: Nanos) -> Nanos {
        if self.slowdown == 1.0 { device } else { (device as f64 * self.slowdown).ceil() as Nanos }
    }

    /// When a request that was received at `received` was sent by its program.
    pub(crate) fn sent(&self, received: Nanos) -> Nanos {
        received.saturating_sub(self.request_overhead.takes(received))
    }

    /// Takes a request that was received at `received`; its answer is sent when the device is done with it.
    pub(crate) fn submit(&self, work: Work<'_>, received: Nanos, answer: Answer, recorded: Option<Recorded>) {
        let arrived = self.sent(received);
        self.request_overhead.used(received);
        let finished = arrived + if answer.is_probe() { PROBE_TIME } else { 0 };
        let mut in_flight = self.lock();
        let arrival = Arrival { answer, recorded, arrived, finished };
        in_flight.accept(work, self.device_time(arrived), arrival);
        // What is due already, such as a flush that takes no time, need not wait for the thread to wake up.
        let mut answers = Vec::new();
        self.take_due(&mut in_flight, &mut answers);
        let next = self.next(&in_flight);
        drop(in_flight);
        // Never later than another request has asked for meanwhile; too early does no harm.
        let is_sooner = next < self.looks_at.fetch_min(next, Ordering::AcqRel);
        if is_sooner && self.sleeps.load(Ordering::Acquire) {
            // Under the lock, so that the thread is not about to sleep without having seen it.
            let _in_flight = self.lock();
            self.sooner.notify_one();
        }
        self.send(&mut answers);
    }

    /// Tells the device that these extents hold nothing any more. Nobody waits for it, as a file system need
    /// not wait for its trims.
    pub(crate) fn trim(&self, extents: &[Extent]) {
        if extents.is_empty() {
            return;
        }
        let now = self.now();
        let mut in_flight = self.lock();
        let arrived = now.saturating_sub(self.request_overhead.takes(now));
        in_flight.trim(extents, self.device_time(arrived));
        // So that those that are done do not pile up where nothing else is asked for.
        in_flight.advance(self.device_time(now), |at| self.wall_time(at));
    }

    /// Takes the answers that have to be sent now; after the end, all.
    fn take_due(&self, in_flight: &mut InFlight, answers: &mut Vec<Ready>) {
        let now = self.now();
        let answer_overhead = self.answer_overhead.takes(now);
        let horizon = now + answer_overhead;
        in_flight.advance(self.device_time(horizon), |at| self.wall_time(at));
        let stopped = self.stopped.load(Ordering::Acquire);
        if stopped {
            in_flight.finish_all();
        }
        in_flight.take_due(if stopped { Nanos::MAX } else { horizon }, answer_overhead, answers);
    }

    /// When the next answer has to be sent, or the next part may be done.
    fn next(&self, in_flight: &InFlight) -> Nanos {
        let part = in_flight.next_completion().map_or(Nanos::MAX, |at| self.wall_time(at));
        let next = part.min(in_flight.next_due());
        if next == Nanos::MAX { next } else { next.saturating_sub(self.answer_overhead.takes(next)) }
    }

    /// Exchanges the device; requests in flight are completed by the old one.
    pub(crate) fn exchange(&self, model: Box<dyn DeviceModel>) {
        self.lock().exchange(model);
    }

    /// What the device's block cache has done, where it has one.
    pub(crate) fn cache(&self) -> Option<CacheCounters> {
        self.lock().cache()
    }

    /// Answers nothing for so long.
    pub(crate) fn stall(&self, seconds: f64) {
        let until = self.now() + (seconds * 1e9) as Nanos;
        self.lock().stall(until);
    }

    /// Requests take `factor` times as long for so long.
    pub(crate) fn slow(&self, factor: f64, seconds: f64) {
        let until = self.now() + (seconds * 1e9) as Nanos;
        self.lock().slow(factor, until);
    }

    /// Requests in flight fail: the power is gone.
    pub(crate) fn fail_all(&self) {
        self.lock().fail_all();
    }

    /// Ends the thread; what is in flight is answered at once.
    pub(crate) fn stop(&self) {
        self.stopped.store(true, Ordering::Release);
        let _in_flight = self.lock();
        self.looks_at.store(0, Ordering::Release);
        self.sooner.notify_all();
    }

    /// The thread that answers.
    pub(crate) fn run(&self) {
        // By default the kernel may wake a thread 50 us late, to wake several at once.
        let _ = rustix::thread::set_current_timer_slack(NonZeroU64::new(1));
        let spin = wake_up_delay();
        let mut answers = Vec::new();
        loop {
            let mut in_flight = self.lock();
            self.take_due(&mut in_flight, &mut answers);
            if answers.is_empty() {
                if self.stopped.load(Ordering::Acquire) {
                    return;
                }
                let next = self.next(&in_flight);
                self.looks_at.store(next, Ordering::Release);
                self.wait(in_flight, next, spin);
                continue;
            }
            drop(in_flight);
            self.send(&mut answers);
        }
    }

    fn send(&self, answers: &mut Vec<Ready>) {
        for Ready { answer, recorded, due, answer_overhead, arrived, failed } in answers.drain(..) {
            let now = self.now();
            let overshoot = now.saturating_sub(due.saturating_sub(answer_overhead));
            let late = overshoot > TOLERANCE.max((due - arrived) / 20);
            if !answer.is_probe() {
                self.counters.answered(overshoot, late);
            }
            self.answer_overhead.used(now);
            if let Some(recorded) = recorded {
                recorded.answered(due.max(now + answer_overhead), failed);
            }
            answer.send(failed, now);
        }
    }

    /// Waits until `next`, or until something is due sooner.
    fn wait(&self, in_flight: MutexGuard<'_, InFlight>, next: Nanos, spin: Nanos) {
        let now = self.now();
        if next > now.saturating_add(spin) {
            self.sleeps.store(true, Ordering::Release);
            // A day at most: far enough, and no overflow.
            let time = Duration::from_nanos((next - now - spin).min(86_400_000_000_000));
            let waited = self.sooner.wait_timeout(in_flight, time).unwrap_or_else(PoisonError::into_inner);
            self.sleeps.store(false, Ordering::Release);
            drop(waited);
            return;
        }
        drop(in_flight);
        while self.now() < self.looks_at.load(Ordering::Acquire) && !self.stopped.load(Ordering::Relaxed) {
            std::hint::spin_loop();
        }
    }
}

/// How late a thread wakes up here, nanoseconds.
fn wake_up_delay() -> Nanos {
    let nap = Duration::from_micros(100);
    let mut delays: Vec<Nanos> = (0..50)
        .map(|_| {
            let began = Instant::now();
            std::thread::sleep(nap);
            began.elapsed().saturating_sub(nap).as_nanos() as Nanos
        })
        .collect();
    delays.sort_unstable();
    // Nine of ten times in time; at the least what going to sleep and coming back takes.
    delays[delays.len() * 9 / 10].clamp(10_000, 300_000)
}
