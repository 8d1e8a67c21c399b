//! Requests on the device: their parts, when the model is done with them, and when they are due.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use leadline_device::{Completion, Nanos, Request};
use leadline_sim::{CacheCounters, DeviceModel, Slab};

use crate::answer::Answer;
use crate::capture::Recorded;
use crate::extent::Extent;

/// The models, and the requests that they or the clock are not done with.
pub(crate) struct InFlight {
    /// The device last; before it those that were exchanged and still have requests.
    models: Vec<Box<dyn DeviceModel>>,
    requests: Slab<Pending>,
    /// The request of each part that is on a device; none for a trim, which nobody waits for.
    parts: Slab<Option<u32>>,
    /// Requests whose parts are all done, by the time at which they are due.
    due: BinaryHeap<Reverse<(Nanos, u64, u32)>>,
    sequence: u64,
    /// Device time up to which the models were told.
    model_time: Nanos,
    /// Nothing is answered before.
    stalled_until: Nanos,
    /// How many times as long requests take until then.
    slow: (f64, Nanos),
    /// Power cuts so far: requests from before the last one fail.
    cuts: u64,
    done: Vec<Completion>,
}

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

/// A request as it comes, in wall-clock time.
pub(crate) struct Arrival {
    pub(crate) answer: Answer,
    pub(crate) recorded: Option<Recorded>,
    pub(crate) arrived: Nanos,
    /// Not answered before, however fast the device.
    pub(crate) finished: Nanos,
}

struct Pending {
    arrival: Arrival,
    parts: usize,
    cuts: u64,
}

/// An answer to be sent now.
pub(crate) struct Ready {
    pub(crate) answer: Answer,
    pub(crate) recorded: Option<Recorded>,
    pub(crate) due: Nanos,
    /// What it takes until the program has it.
    pub(crate) answer_overhead: Nanos,
    pub(crate) arrived: Nanos,
    pub(crate) failed: bool,
}

impl InFlight {
    pub(crate) fn new(model: Box<dyn DeviceModel>) -> InFlight {
        InFlight {
            models: vec![model],
            requests: Slab::default(),
            parts: Slab::default(),
            due: BinaryHeap::new(),
            sequence: 0,
            model_time: 0,
            stalled_until: 0,
            slow: (1.0, 0),
            cuts: 0,
            done: Vec::new(),
        }
    }

    /// Takes a request whose work reaches the device at `at`, a time of the model's.
    pub(crate) fn accept(&mut self, work: Work<'_>, at: Nanos, arrival: Arrival) {
        let at = self.model_time_at(at);
        let pending = Pending { arrival, parts: 0, cuts: self.cuts };
        let request = self.requests.insert(pending);
        match work {
            Work::Read(extents) => {
                for extent in extents {
                    self.send(request, at, Request::read(0, extent.offset, extent.len as u32));
                }
            }
            Work::Write(extents, durable) => {
                for extent in extents {
                    let write = Request::write(0, extent.offset, extent.len as u32);
                    self.send(request, at, Request { durable, ..write });
                }
            }
            Work::Flush => self.send(request, at, Request::flush(0)),
        }
        if self.requests.get(request).is_some_and(|pending| pending.parts == 0) {
            self.finish(request);
        }
    }

    /// Trims that nobody waits for.
    pub(crate) fn trim(&mut self, extents: &[Extent], at: Nanos) {
        let at = self.model_time_at(at);
        for extent in extents {
            for done in (0..extent.len).step_by(TRIM_BYTES as usize) {
                let len = (extent.len - done).min(TRIM_BYTES);
                self.arrive(None, at, Request::trim(0, extent.offset + done, len as u32));
            }
        }
    }

    /// No model is told of an earlier time than it knows.
    fn model_time_at(&mut self, at: Nanos) -> Nanos {
        self.model_time = self.model_time.max(at);
        self.model_time
    }

    fn send(&mut self, request: u32, at: Nanos, part: Request) {
        if let Some(pending) = self.requests.get_mut(request) {
            pending.parts += 1;
        }
        self.arrive(Some(request), at, part);
    }

    fn arrive(&mut self, request: Option<u32>, at: Nanos, part: Request) {
        let slot = self.parts.insert(request);
        if let Some(model) = self.models.last_mut() {
            model.arrive(&Request { slot, ..part }, at);
        }
    }

    /// The models' time passes; requests whose last part is done become due.
    pub(crate) fn advance(&mut self, now: Nanos, wall: impl Fn(Nanos) -> Nanos) {
        let mut done = std::mem::take(&mut self.done);
        for i in 0..self.models.len() {
            // No further than to the last completion, so that what arrives next is not taken for later.
            while let Some(at) = self.models[i].next_completion().filter(|&at| at <= now) {
                self.model_time = self.model_time.max(at);
                let model_time = self.model_time;
                self.models[i].advance(model_time, &mut done);
            }
        }
        if self.models.len() > 1 {
            let last = self.models.len() - 1;
            let mut i = 0..;
            self.models.retain(|model| i.next() == Some(last) || model.in_flight() > 0);
        }
        for completion in done.drain(..) {
            let Some(request) = self.parts.remove(completion.slot).flatten() else { continue };
            let Some(pending) = self.requests.get_mut(request) else { continue };
            let finished = &mut pending.arrival.finished;
            *finished = (*finished).max(wall(completion.at));
            pending.parts -= 1;
            if pending.parts == 0 {
                self.finish(request);
            }
        }
        self.done = done;
    }

    /// All parts of a request are done.
    fn finish(&mut self, request: u32) {
        let Some(Pending { arrival, .. }) = self.requests.get(request) else { return };
        let (factor, until) = self.slow;
        let took = arrival.finished - arrival.arrived;
        let took = if arrival.arrived < until { (took as f64 * factor) as Nanos } else { took };
        let due = (arrival.arrived + took).max(self.stalled_until);
        self.due.push(Reverse((due, self.sequence, request)));
        self.sequence += 1;
    }

    /// All requests are due, whatever the device says.
    pub(crate) fn finish_all(&mut self) {
        let on_device: Vec<u32> = self.requests.iter().filter(|(_, p)| p.parts > 0).map(|(i, _)| i).collect();
        for request in on_device {
            if let Some(pending) = self.requests.get_mut(request) {
                pending.parts = 0;
            }
            self.finish(request);
        }
        // What the models still complete belongs to nobody.
        self.parts = Slab::default();
    }

    /// Takes the answers that are due by `last`.
    pub(crate) fn take_due(&mut self, last: Nanos, answer_overhead: Nanos, answers: &mut Vec<Ready>) {
        while let Some(&Reverse((due, _, request))) = self.due.peek()
            && due <= last
        {
            self.due.pop();
            if let Some(Pending { arrival, cuts, .. }) = self.requests.remove(request) {
                let Arrival { answer, recorded, arrived, .. } = arrival;
                let failed = cuts != self.cuts;
                answers.push(Ready { answer, recorded, due, answer_overhead, arrived, failed });
            }
        }
    }

    /// When the next part may be done, a time of the model's.
    pub(crate) fn next_completion(&self) -> Option<Nanos> {
        self.models.iter().filter_map(|model| model.next_completion()).min()
    }

    /// When the next answer is due.
    pub(crate) fn next_due(&self) -> Nanos {
        self.due.peek().map_or(Nanos::MAX, |Reverse((due, ..))| *due)
    }

    /// Exchanges the device; what is on it is completed by the old one.
    pub(crate) fn exchange(&mut self, model: Box<dyn DeviceModel>) {
        self.models.retain(|model| model.in_flight() > 0);
        self.models.push(model);
    }

    /// What the device's block cache has done, where it has one.
    pub(crate) fn cache(&self) -> Option<CacheCounters> {
        self.models.last().and_then(|model| model.cache())
    }

    /// Nothing is answered before.
    pub(crate) fn stall(&mut self, until: Nanos) {
        self.stalled_until = self.stalled_until.max(until);
    }

    /// What arrives before `until` takes `factor` times as long.
    pub(crate) fn slow(&mut self, factor: f64, until: Nanos) {
        self.slow = (factor, until);
    }

    /// What is in flight fails.
    pub(crate) fn fail_all(&mut self) {
        self.cuts += 1;
    }
}
