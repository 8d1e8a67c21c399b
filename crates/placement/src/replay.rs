//! A capture in virtual time on another device.
//!
//! Each request is sent when the one that it waits for is completed there, and the program has computed for
//! as long as it did when the capture was made.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use leadline_device::{Completion, Nanos, Request as DeviceRequest};
use leadline_sim::DeviceModel;

use crate::captured::{Captured, Kind, Request};
use crate::layout::Layout;
use crate::waits::{After, Wait, Waits};

/// How long a capture takes on a device. The parts add up: `total_ns = io_ns + computing_ns`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Prediction {
    /// From the beginning of the capture to its end.
    pub total_ns: u64,
    /// Of that, what was spent on waiting for requests that others waited for.
    pub io_ns: u64,
    /// The rest.
    pub computing_ns: u64,
}

impl Prediction {
    /// Of the total, in seconds.
    pub fn seconds(&self) -> f64 {
        self.total_ns as f64 / 1e9
    }
}

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
    /// Those whose time of issue is known, the earliest first.
    ready: BinaryHeap<Reverse<(Nanos, u32)>>,
    /// The latest time that the device was told.
    told: Nanos,
}

impl<'a> Replay<'a> {
    fn new(captured: &'a Captured, waits: &'a Waits, layout: &'a Layout) -> Self {
        let requests = captured.requests.len();
        let (completed, computing) = (vec![0; requests], vec![0; requests]);
        Replay { captured, waits, layout, completed, computing, ready: BinaryHeap::new(), told: 0 }
    }

    fn run(mut self, device: &mut dyn DeviceModel) -> Prediction {
        for &first in self.waits.first() {
            self.release(first, 0, 0);
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

    /// `request` waits no longer: it is issued after its computing time, behind `computed` of its path.
    fn release(&mut self, request: u32, from: Nanos, computed: Nanos) {
        let computing = self.waits.of_request(request).computing_ns;
        self.computing[request as usize] = computed + computing;
        self.ready.push(Reverse((from + computing, request)));
    }

    fn issued(&mut self, request: u32, at: Nanos) {
        let computed = self.computing[request as usize];
        let waits = self.waits;
        for &next in waits.after_issue(request) {
            self.release(next, at, computed);
        }
    }

    fn complete(&mut self, completion: Completion) {
        let request = completion.slot;
        self.completed[request as usize] = completion.at;
        let computed = self.computing[request as usize];
        let waits = self.waits;
        for &next in waits.after_completion(request) {
            self.release(next, completion.at, computed);
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
        let Wait { after, computing_ns } = self.waits.end();
        let (from, computed) = match after {
            After::Completed(last) => (self.completed[last as usize], self.computing[last as usize]),
            _ => (0, 0),
        };
        let (total_ns, computing_ns) = (from + computing_ns, computed + computing_ns);
        Prediction { total_ns, io_ns: total_ns - computing_ns, computing_ns }
    }
}
