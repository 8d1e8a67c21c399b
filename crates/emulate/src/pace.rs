//! When requests are answered: at the time at which the modelled device would have, in wall-clock time.
//!
//! Whoever receives a request does its work at once and leaves the answer here with the parts of the device
//! that it touches. One thread asks the model when these are done and sends the answers. It sleeps until
//! shortly before an answer is due, then spins, because a thread that sleeps is woken too late by more than a
//! fast device takes.
//!
//! What the kernel and FUSE take on the way in and out is measured at the start and taken off: a request
//! arrives at the device when its program sent it, and is answered so that the program has the answer in
//! time.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::num::NonZeroU64;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use leadline_device::{Completion, Nanos, Request};
use leadline_sim::{CacheCounters, DeviceModel};

use crate::answer::Answer;
use crate::capture::Recorded;
use crate::counters::Counters;
use crate::extents::Extent;
use crate::way::Way;

/// An answer may be this late without being counted as late, or by a twentieth of the device's time.
const TOLERANCE: Nanos = 20_000;

/// What a probe of the way in and out takes: long enough that the thread that answers later sends it, as it
/// does for requests that reach the device, and not the one that received it.
const PROBE_TIME: Nanos = 50_000;

/// Most bytes of one trim.
const TRIM_BYTES: u64 = 1 << 30;

/// What a request asks of the device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Work<'a> {
    /// Reads of these extents.
    Read(&'a [Extent]),
    /// Writes to them, each durable when it is done or not.
    Write(&'a [Extent], bool),
    /// A flush of all writes before.
    Flush,
}

/// Sends answers when they are due.
pub(crate) struct Pacer {
    origin: Instant,
    slowdown: f64,
    state: Mutex<State>,
    /// Tells the thread that something is due sooner than it thought.
    sooner: Condvar,
    /// When the thread will look again.
    looks_at: AtomicU64,
    sleeps: AtomicBool,
    stopped: AtomicBool,
    /// Of a request until it is received here, and of an answer until its program has it.
    pub(crate) way_in: Way,
    pub(crate) way_out: Way,
    counters: Counters,
}

struct State {
    /// The device last; before it those that were exchanged and still have requests.
    models: Vec<Box<dyn DeviceModel>>,
    requests: Slab<Pending>,
    /// The request of each part that is on a device; none for a trim, which nobody waits for.
    parts: Slab<Option<usize>>,
    /// Requests whose parts are all done, by the time at which they are due.
    due: BinaryHeap<Reverse<(Nanos, u64, usize)>>,
    sequence: u64,
    /// Device time up to which the models were told.
    told: Nanos,
    /// Nothing is answered before.
    stalled_until: Nanos,
    /// Requests take so many times as long until then.
    slow: (f64, Nanos),
    /// Power cuts so far: requests from before the last one fail.
    cuts: u64,
    done: Vec<Completion>,
}

struct Pending {
    answer: Answer,
    recorded: Option<Recorded>,
    arrived: Nanos,
    finished: Nanos,
    parts: usize,
    cuts: u64,
}

impl Pacer {
    pub(crate) fn new(model: Box<dyn DeviceModel>, slowdown: f64) -> Pacer {
        let state = State {
            models: vec![model],
            requests: Slab::default(),
            parts: Slab::default(),
            due: BinaryHeap::new(),
            sequence: 0,
            told: 0,
            stalled_until: 0,
            slow: (1.0, 0),
            cuts: 0,
            done: Vec::new(),
        };
        Pacer {
            origin: Instant::now(),
            slowdown,
            state: Mutex::new(state),
            sooner: Condvar::new(),
            looks_at: AtomicU64::new(0),
            sleeps: AtomicBool::new(false),
            stopped: AtomicBool::new(false),
            way_in: Way::default(),
            way_out: Way::default(),
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

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn device_time(&self, wall: Nanos) -> Nanos {
        if self.slowdown == 1.0 { wall } else { (wall as f64 / self.slowdown) as Nanos }
    }

    fn wall_time(&self, device: Nanos) -> Nanos {
        if self.slowdown == 1.0 { device } else { (device as f64 * self.slowdown).ceil() as Nanos }
    }

    /// When a request that was received at `received` was sent by its program.
    pub(crate) fn sent(&self, received: Nanos) -> Nanos {
        received.saturating_sub(self.way_in.takes(received))
    }

    /// Takes a request that was received at `received`; its answer is sent when the device is done with it.
    pub(crate) fn submit(&self, work: Work<'_>, received: Nanos, answer: Answer, recorded: Option<Recorded>) {
        let arrived = self.sent(received);
        self.way_in.used(received);
        let mut state = self.lock();
        let at = self.device_time(arrived).max(state.told);
        state.told = at;
        let cuts = state.cuts;
        let finished = arrived + if answer.is_probe() { PROBE_TIME } else { 0 };
        let pending = Pending { answer, recorded, arrived, finished, parts: 0, cuts };
        let request = state.requests.insert(pending);
        match work {
            Work::Read(extents) => {
                for extent in extents {
                    state.send(request, at, Request::read(0, extent.offset, extent.len as u32));
                }
            }
            Work::Write(extents, durable) => {
                for extent in extents {
                    let write = Request::write(0, extent.offset, extent.len as u32);
                    state.send(request, at, Request { durable, ..write });
                }
            }
            Work::Flush => state.send(request, at, Request::flush(0)),
        }
        if state.requests.get(request).is_some_and(|pending| pending.parts == 0) {
            state.finish(request);
        }
        // What is due already, such as a flush that takes no time, need not wait for the thread to wake up.
        let mut answers = Vec::new();
        self.take_due(&mut state, &mut answers);
        let next = self.next(&state);
        drop(state);
        // Never later than another request has asked for meanwhile; too early does no harm.
        let is_sooner = next < self.looks_at.fetch_min(next, Ordering::AcqRel);
        if is_sooner && self.sleeps.load(Ordering::Acquire) {
            // Under the lock, so that the thread is not about to sleep without having seen it.
            let _state = self.lock();
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
        let mut state = self.lock();
        let at = self.device_time(now.saturating_sub(self.way_in.takes(now))).max(state.told);
        state.told = at;
        for extent in extents {
            for done in (0..extent.len).step_by(TRIM_BYTES as usize) {
                let len = (extent.len - done).min(TRIM_BYTES);
                state.arrive(None, at, Request::trim(0, extent.offset + done, len as u32));
            }
        }
        // So that those that are done do not pile up where nothing else is asked for.
        state.advance(self.device_time(now), |at| self.wall_time(at));
    }

    /// Takes the answers that have to be sent now; after the end, all.
    fn take_due(&self, state: &mut State, answers: &mut Vec<Ready>) {
        let now = self.now();
        let way_out = self.way_out.takes(now);
        let horizon = now + way_out;
        state.advance(self.device_time(horizon), |at| self.wall_time(at));
        let stopped = self.stopped.load(Ordering::Acquire);
        if stopped {
            state.finish_all();
        }
        state.take_due(if stopped { Nanos::MAX } else { horizon }, way_out, answers);
    }

    /// When the next answer has to be sent, or the next part may be done.
    fn next(&self, state: &State) -> Nanos {
        let parts = state.models.iter().filter_map(|model| model.next_completion()).min();
        let due = state.due.peek().map_or(Nanos::MAX, |Reverse((due, ..))| *due);
        let next = parts.map_or(Nanos::MAX, |at| self.wall_time(at)).min(due);
        if next == Nanos::MAX { next } else { next.saturating_sub(self.way_out.takes(next)) }
    }

    /// Exchanges the device; requests in flight are completed by the old one.
    pub(crate) fn exchange(&self, model: Box<dyn DeviceModel>) {
        let mut state = self.lock();
        state.models.retain(|model| model.in_flight() > 0);
        state.models.push(model);
    }

    /// What the device's block cache has done, where it has one.
    pub(crate) fn cache(&self) -> Option<CacheCounters> {
        self.lock().models.last().and_then(|model| model.cache())
    }

    /// Answers nothing for so long.
    pub(crate) fn stall(&self, seconds: f64) {
        let until = self.now() + (seconds * 1e9) as Nanos;
        let mut state = self.lock();
        state.stalled_until = state.stalled_until.max(until);
    }

    /// Requests take `factor` times as long for so long.
    pub(crate) fn slow(&self, factor: f64, seconds: f64) {
        self.lock().slow = (factor, self.now() + (seconds * 1e9) as Nanos);
    }

    /// Requests in flight fail: the power is gone.
    pub(crate) fn fail_all(&self) {
        self.lock().cuts += 1;
    }

    /// Ends the thread; what is in flight is answered at once.
    pub(crate) fn stop(&self) {
        self.stopped.store(true, Ordering::Release);
        let _state = self.lock();
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
            let mut state = self.lock();
            self.take_due(&mut state, &mut answers);
            if answers.is_empty() {
                if self.stopped.load(Ordering::Acquire) {
                    return;
                }
                let next = self.next(&state);
                self.looks_at.store(next, Ordering::Release);
                self.wait(state, next, spin);
                continue;
            }
            drop(state);
            self.send(&mut answers);
        }
    }

    fn send(&self, answers: &mut Vec<Ready>) {
        for Ready { answer, recorded, due, way_out, arrived, failed } in answers.drain(..) {
            let now = self.now();
            let overshoot = now.saturating_sub(due.saturating_sub(way_out));
            let late = overshoot > TOLERANCE.max((due - arrived) / 20);
            if !answer.is_probe() {
                self.counters.answered(overshoot, late);
            }
            self.way_out.used(now);
            if let Some(recorded) = recorded {
                recorded.answered(due.max(now + way_out), failed);
            }
            answer.send(failed, now);
        }
    }

    /// Waits until `next`, or until something is due sooner.
    fn wait(&self, state: MutexGuard<'_, State>, next: Nanos, spin: Nanos) {
        let now = self.now();
        if next > now.saturating_add(spin) {
            self.sleeps.store(true, Ordering::Release);
            // A day at most: far enough, and no overflow.
            let time = Duration::from_nanos((next - now - spin).min(86_400_000_000_000));
            let waited = self.sooner.wait_timeout(state, time).unwrap_or_else(PoisonError::into_inner);
            self.sleeps.store(false, Ordering::Release);
            drop(waited);
            return;
        }
        drop(state);
        while self.now() < self.looks_at.load(Ordering::Acquire) && !self.stopped.load(Ordering::Relaxed) {
            std::hint::spin_loop();
        }
    }
}

/// An answer to be sent now.
struct Ready {
    answer: Answer,
    recorded: Option<Recorded>,
    due: Nanos,
    /// What it takes until the program has it.
    way_out: Nanos,
    arrived: Nanos,
    failed: bool,
}

impl State {
    fn send(&mut self, request: usize, at: Nanos, part: Request) {
        if let Some(pending) = self.requests.get_mut(request) {
            pending.parts += 1;
        }
        self.arrive(Some(request), at, part);
    }

    fn arrive(&mut self, request: Option<usize>, at: Nanos, part: Request) {
        let slot = self.parts.insert(request);
        if let Some(model) = self.models.last_mut() {
            model.arrive(&Request { slot: slot as u32, ..part }, at);
        }
    }

    /// The models' time passes; requests whose last part is done become due.
    fn advance(&mut self, now: Nanos, wall: impl Fn(Nanos) -> Nanos) {
        let mut done = std::mem::take(&mut self.done);
        for i in 0..self.models.len() {
            // No further than to the last completion, so that what arrives next is not taken for later.
            while let Some(at) = self.models[i].next_completion().filter(|&at| at <= now) {
                self.told = self.told.max(at);
                let told = self.told;
                self.models[i].advance(told, &mut done);
            }
        }
        if self.models.len() > 1 {
            let last = self.models.len() - 1;
            let mut i = 0..;
            self.models.retain(|model| i.next() == Some(last) || model.in_flight() > 0);
        }
        for completion in done.drain(..) {
            let Some(request) = self.parts.remove(completion.slot as usize).flatten() else { continue };
            let Some(pending) = self.requests.get_mut(request) else { continue };
            pending.finished = pending.finished.max(wall(completion.at));
            pending.parts -= 1;
            if pending.parts == 0 {
                self.finish(request);
            }
        }
        self.done = done;
    }

    /// All parts of a request are done.
    fn finish(&mut self, request: usize) {
        let Some(pending) = self.requests.get(request) else { return };
        let (factor, until) = self.slow;
        let took = pending.finished - pending.arrived;
        let took = if pending.arrived < until { (took as f64 * factor) as Nanos } else { took };
        let due = (pending.arrived + took).max(self.stalled_until);
        self.due.push(Reverse((due, self.sequence, request)));
        self.sequence += 1;
    }

    /// All requests are due, whatever the device says.
    fn finish_all(&mut self) {
        let on_device: Vec<usize> =
            self.requests.iter().filter(|(_, p)| p.parts > 0).map(|(i, _)| i).collect();
        for request in on_device {
            if let Some(pending) = self.requests.get_mut(request) {
                pending.parts = 0;
            }
            self.finish(request);
        }
        // What the models still complete belongs to nobody.
        self.parts = Slab::default();
    }

    fn take_due(&mut self, last: Nanos, way_out: Nanos, answers: &mut Vec<Ready>) {
        while let Some(&Reverse((due, _, request))) = self.due.peek()
            && due <= last
        {
            self.due.pop();
            if let Some(Pending { answer, recorded, arrived, cuts, .. }) = self.requests.remove(request) {
                answers.push(Ready { answer, recorded, due, way_out, arrived, failed: cuts != self.cuts });
            }
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

/// Things in numbered places.
struct Slab<T> {
    places: Vec<Option<T>>,
    free: Vec<usize>,
}

impl<T> Default for Slab<T> {
    fn default() -> Self {
        Slab { places: Vec::new(), free: Vec::new() }
    }
}

impl<T> Slab<T> {
    fn insert(&mut self, thing: T) -> usize {
        match self.free.pop() {
            Some(place) => {
                self.places[place] = Some(thing);
                place
            }
            None => {
                self.places.push(Some(thing));
                self.places.len() - 1
            }
        }
    }

    fn iter(&self) -> impl Iterator<Item = (usize, &T)> {
        self.places.iter().enumerate().filter_map(|(i, place)| Some((i, place.as_ref()?)))
    }

    fn get(&self, place: usize) -> Option<&T> {
        self.places.get(place)?.as_ref()
    }

    fn get_mut(&mut self, place: usize) -> Option<&mut T> {
        self.places.get_mut(place)?.as_mut()
    }

    fn remove(&mut self, place: usize) -> Option<T> {
        let thing = self.places.get_mut(place)?.take();
        if thing.is_some() {
            self.free.push(place);
        }
        thing
    }
}
