//! A capture in virtual time on another device.
//!
//! Each request is sent when the requests that it waits for are completed there, and its program has computed
//! for as long as it did when the capture was made.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use leadline_device::{Completion, Nanos, Request as DeviceRequest};
use leadline_sim::DeviceModel;

use crate::captured::{Captured, Kind, Request};
use crate::layout::Layout;
use crate::prediction::Prediction;
use crate::waits::Waits;

/// Plays `captured` on `device`, idle at first, with files where `layout` has them.
pub fn replay(
    captured: &Captured,
    waits: &Waits,
    layout: &Layout,
    device: &mut dyn DeviceModel,
) -> Prediction {
    Replay::new(captured, waits, layout).run(device)
}

struct Replay<'a> {
    captured: &'a Captured,
    waits: &'a Waits,
    layout: &'a Layout,
    /// When each was completed, once it is.
    completed: Vec<Nanos>,
    /// Of the path to each request's completion, what was computing.
    computing: Vec<Nanos>,
    /// How many each still waits for, and when the last one came so far.
    awaited: Vec<u32>,
    came: Vec<Nanos>,
    /// Those whose time of issue is known, the earliest first.
    ready: BinaryHeap<Reverse<(Nanos, u32)>>,
    /// The latest time that the device was told.
    told: Nanos,
}

impl<'a> Replay<'a> {
    fn new(captured: &'a Captured, waits: &'a Waits, layout: &'a Layout) -> Self {
        let requests = captured.requests.len();
        Replay {
            captured,
            waits,
            layout,
            completed: vec![0; requests],
            computing: vec![0; requests],
            awaited: (0..requests as u32).map(|i| waits.after(i).len() as u32).collect(),
            came: vec![0; requests],
            ready: BinaryHeap::new(),
            told: 0,
        }
    }

    fn run(mut self, device: &mut dyn DeviceModel) -> Prediction {
        for &first in self.waits.first() {
            self.release(first);
        }
        let mut done: Vec<Completion> = Vec::new();
        loop {
            let issue = self.ready.peek().map(|Reverse((at, _))| *at);
            match (issue, device.next_completion()) {
                (Some(at), due) if due.is_none_or(|due| at < due) => {
                    let Some(Reverse((_, request))) = self.ready.pop() else { break };
                    self.told = self.told.max(at);
                    device.arrive(&self.to_device(request), at);
                    self.issued(request, at);
                }
                (_, Some(due)) => {
                    self.told = self.told.max(due);
                    device.advance(self.told, &mut done);
                    for completion in done.drain(..) {
                        self.complete(completion);
                    }
                }
                (None, None) => break,
                (Some(_), None) => unreachable!("without a completion to come the issue is first"),
            }
        }
        self.prediction()
    }

    /// What `request` waits for came at `at`, behind `computed` of its path.
    fn comes(&mut self, request: u32, at: Nanos, computed: Nanos) {
        let i = request as usize;
        if at >= self.came[i] {
            (self.came[i], self.computing[i]) = (at, computed);
        }
        self.awaited[i] -= 1;
        if self.awaited[i] == 0 {
            self.release(request);
        }
    }

    /// `request` waits no longer: it is issued after its computing time.
    fn release(&mut self, request: u32) {
        let computing = self.waits.computing_ns(request);
        self.computing[request as usize] += computing;
        self.ready.push(Reverse((self.came[request as usize] + computing, request)));
    }

    fn issued(&mut self, request: u32, at: Nanos) {
        let computed = self.computing[request as usize];
        let waits = self.waits;
        for &next in waits.after_issue(request) {
            self.comes(next, at, computed);
        }
    }

    fn complete(&mut self, completion: Completion) {
        let request = completion.slot;
        self.completed[request as usize] = completion.at;
        let computed = self.computing[request as usize];
        let waits = self.waits;
        for &next in waits.after_completion(request) {
            self.comes(next, completion.at, computed);
        }
    }

    fn to_device(&self, request: u32) -> DeviceRequest {
        let Request { file, offset, bytes, kind, .. } = self.captured.requests[request as usize];
        let address = self.layout[file as usize] + offset;
        match kind {
            Kind::Read => DeviceRequest::read(request, address, bytes),
            Kind::Write => DeviceRequest::write(request, address, bytes),
            Kind::DurableWrite => {
                DeviceRequest { durable: true, ..DeviceRequest::write(request, address, bytes) }
            }
            Kind::Flush => DeviceRequest::flush(request),
        }
    }

    fn prediction(&self) -> Prediction {
        let ends = (0..self.completed.len()).filter(|&i| self.waits.counts(i as u32));
        let last = ends.max_by_key(|&i| self.completed[i]);
        let (from, computed) = last.map_or((0, 0), |last| (self.completed[last], self.computing[last]));
        let total_ns = from + self.waits.tail_ns();
        let computing_ns = computed + self.waits.tail_ns();
        Prediction { total_ns, io_ns: total_ns - computing_ns, computing_ns }
    }
}
