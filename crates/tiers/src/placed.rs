//! Two devices one behind the other: some addresses are slow, the rest fast.

use leadline_device::{Completion, Geometry, Nanos, Op, Request};
use leadline_sim::DeviceModel;

use crate::pair::{Pair, Part, Side};

/// Addresses below a border belong to the slow device, addresses from it on to the fast one. What is
/// placed where is decided by whoever gives files their addresses: [`Placement`](crate::Placement).
pub struct PlacedModel {
    pair: Pair,
    border_bytes: u64,
    capacity_bytes: u64,
    /// Scratch: parts that are done.
    ended: Vec<Part>,
}

impl PlacedModel {
    /// Both idle: `border_bytes` of the slow device, and behind them `fast_bytes` of the fast one.
    pub fn new(
        fast: Box<dyn DeviceModel>,
        slow: Box<dyn DeviceModel>,
        border_bytes: u64,
        fast_bytes: u64,
    ) -> PlacedModel {
        let capacity_bytes = border_bytes.saturating_add(fast_bytes);
        PlacedModel { pair: Pair::new(fast, slow), border_bytes, capacity_bytes, ended: Vec::new() }
    }

    fn run(&mut self, until: Nanos) {
        while self.pair.step(until, &mut self.ended) {}
        self.ended.clear();
    }
}

impl DeviceModel for PlacedModel {
    fn geometry(&self) -> Geometry {
        self.pair.geometry(self.capacity_bytes)
    }

    fn arrive(&mut self, request: &Request, at: Nanos) {
        self.run(at);
        let id = self.pair.begin(request);
        let part = Part { request: Some(id), task: None };
        if request.op == Op::Flush {
            self.pair.send(Side::Fast, request, 0, 0, part);
            self.pair.send(Side::Slow, request, 0, 0, part);
        } else {
            let end = request.offset.saturating_add(u64::from(request.len));
            let border = self.border_bytes.clamp(request.offset, end);
            if request.offset < border {
                self.pair.send(Side::Slow, request, request.offset, border - request.offset, part);
            }
            if border < end {
                self.pair.send(Side::Fast, request, border - self.border_bytes, end - border, part);
            }
        }
        self.pair.release(id);
    }

    fn next_completion(&self) -> Option<Nanos> {
        self.pair.next_completion()
    }

    fn advance(&mut self, now: Nanos, completions: &mut Vec<Completion>) {
        self.run(now);
        self.pair.hand_out(now, completions);
    }

    fn in_flight(&self) -> u32 {
        self.pair.in_flight()
    }
}
