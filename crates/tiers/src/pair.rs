//! Two devices in one time: requests whose parts go to either, done when the last part is.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use leadline_device::{Completion, Geometry, Nanos, Request};
use leadline_sim::{DeviceModel, Slab};

/// Most bytes of one part, so that its length is a number that every model takes.
const PART_BYTES: u64 = 1 << 30;

/// Which of the two.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    Fast,
    Slow,
}

/// What a part is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Part {
    /// The request that waits for it.
    pub(crate) request: Option<u32>,
    /// What whoever sent it has to do when it is done, by a number of theirs.
    pub(crate) task: Option<u32>,
}

/// A request of which parts are under way.
struct Pending {
    slot: u32,
    len: u32,
    sequence: u64,
    /// What it still waits for.
    holds: u32,
}

/// The two devices, and the requests on them.
pub(crate) struct Pair {
    fast: Box<dyn DeviceModel>,
    slow: Box<dyn DeviceModel>,
    parts: Slab<Part>,
    requests: Slab<Pending>,
    /// Requests that are done and were not handed out: time, order of arrival, slot and length.
    done: BinaryHeap<Reverse<(Nanos, u64, u32, u32)>>,
    now: Nanos,
    sequence: u64,
    in_flight: u32,
    /// Scratch: what a device is done with.
    completions: Vec<Completion>,
}

impl Pair {
    /// Both idle.
    pub(crate) fn new(fast: Box<dyn DeviceModel>, slow: Box<dyn DeviceModel>) -> Self {
        Pair {
            fast,
            slow,
            parts: Slab::default(),
            requests: Slab::default(),
            done: BinaryHeap::new(),
            now: 0,
            sequence: 0,
            in_flight: 0,
            completions: Vec::new(),
        }
    }

    fn device(&mut self, side: Side) -> &mut dyn DeviceModel {
        match side {
            Side::Fast => &mut *self.fast,
            Side::Slow => &mut *self.slow,
        }
    }

    /// What both present themselves as together, with this capacity.
    pub(crate) fn geometry(&self, capacity_bytes: u64) -> Geometry {
        let (fast, slow) = (self.fast.geometry(), self.slow.geometry());
        Geometry {
            capacity_bytes,
            block_bytes: fast.block_bytes.max(slow.block_bytes),
            writable: fast.writable && slow.writable,
        }
    }

    /// A request arrives now; [`Pair::release`] once all of its parts were sent.
    pub(crate) fn begin(&mut self, request: &Request) -> u32 {
        let pending = Pending { slot: request.slot, len: request.len, sequence: self.sequence, holds: 1 };
        self.sequence += 1;
        self.in_flight += 1;
        self.requests.insert(pending)
    }

    /// A request has to wait for one thing more.
    pub(crate) fn hold(&mut self, request: u32) {
        if let Some(pending) = self.requests.get_mut(request) {
            pending.holds += 1;
        }
    }

    /// What a request has waited for is there; with the last of it, the request is done.
    pub(crate) fn release(&mut self, request: u32) {
        let Some(pending) = self.requests.get_mut(request) else { return };
        pending.holds -= 1;
        if pending.holds > 0 {
            return;
        }
        if let Some(Pending { slot, len, sequence, .. }) = self.requests.remove(request) {
            self.done.push(Reverse((self.now, sequence, slot, len)));
        }
    }

    /// Sends what `like` asks for, except for this range, to a device now; in how many parts.
    pub(crate) fn send(&mut self, side: Side, like: &Request, offset: u64, len: u64, part: Part) -> u32 {
        let mut sent = 0;
        let mut done = 0;
        // A flush has no length, and is one part.
        while done < len || sent == 0 {
            let piece = (len - done).min(PART_BYTES);
            if let Some(request) = part.request {
                self.hold(request);
            }
            let slot = self.parts.insert(part);
            let now = self.now;
            let piece_of = Request { slot, offset: offset.saturating_add(done), len: piece as u32, ..*like };
            self.device(side).arrive(&piece_of, now);
            done += piece;
            sent += 1;
        }
        sent
    }

    /// When the next thing happens on either device.
    fn next(&self) -> Option<Nanos> {
        match (self.fast.next_completion(), self.slow.next_completion()) {
            (Some(fast), Some(slow)) => Some(fast.min(slow)),
            (fast, slow) => fast.or(slow),
        }
    }

    /// Lets the next thing happen that is due by `until`: appends the parts that are done by it. False when
    /// there is nothing more by then, and it is `until`.
    pub(crate) fn step(&mut self, until: Nanos, ended: &mut Vec<Part>) -> bool {
        let Some(next) = self.next().filter(|&next| next <= until) else {
            self.now = self.now.max(until);
            return false;
        };
        self.now = self.now.max(next);
        let now = self.now;
        let mut completions = std::mem::take(&mut self.completions);
        for side in [Side::Fast, Side::Slow] {
            let device = self.device(side);
            if device.next_completion().is_some_and(|due| due <= now) {
                device.advance(now, &mut completions);
            }
        }
        for completion in completions.drain(..) {
            let Some(part) = self.parts.remove(completion.slot) else { continue };
            ended.push(part);
            if let Some(request) = part.request {
                self.release(request);
            }
        }
        self.completions = completions;
        true
    }

    /// [`DeviceModel::next_completion`]. What goes on behind the requests is none of them.
    pub(crate) fn next_completion(&self) -> Option<Nanos> {
        if self.in_flight == 0 {
            return None;
        }
        let done = self.done.peek().map_or(Nanos::MAX, |Reverse((at, ..))| *at);
        Some(done.min(self.next().unwrap_or(Nanos::MAX)))
    }

    /// Hands out the requests that are done by `now`.
    pub(crate) fn hand_out(&mut self, now: Nanos, completions: &mut Vec<Completion>) {
        while let Some(&Reverse((at, _, slot, len))) = self.done.peek()
            && at <= now
        {
            self.done.pop();
            self.in_flight -= 1;
            completions.push(Completion { slot, result: len as i32, at });
        }
    }

    /// Requests that were not handed out yet.
    pub(crate) fn in_flight(&self) -> u32 {
        self.in_flight
    }
}
