//! When the requests of a parametric device complete: admission, service time, server.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use leadline_device::{Completion, Geometry, Nanos, Op, Request};

use super::spec::ParametricSpec;
use super::speed::{Noise, RequestJitter};
use super::station::Station;
use crate::DeviceModel;

/// The timing of a parametric device. When a request completes is decided as it arrives.
pub struct ParametricModel {
    geometry: Geometry,
    read: Station,
    write: Station,
    /// Nanoseconds between two admissions under the cap; 0 without one.
    cap_gap_ns: f64,
    next_admission: f64,
    /// When the last write that has arrived is done: what a flush waits for.
    last_write_done: Nanos,
    jitter: RequestJitter,
    noise: Noise,
    /// (done, sequence, slot, bytes): ties complete in the order in which they arrived.
    in_flight: BinaryHeap<Reverse<(Nanos, u64, u32, u32)>>,
    sequence: u64,
}

impl ParametricModel {
    /// An idle device.
    pub fn new(spec: &ParametricSpec) -> Self {
        ParametricModel {
            geometry: spec.geometry(),
            read: Station::new(&spec.read, spec.placement),
            write: Station::new(&spec.write, spec.placement),
            cap_gap_ns: if spec.cap_iops > 0.0 { 1e9 / spec.cap_iops } else { 0.0 },
            next_admission: 0.0,
            last_write_done: 0,
            jitter: RequestJitter::new(spec),
            noise: Noise::new(spec),
            in_flight: BinaryHeap::new(),
            sequence: 0,
        }
    }

    /// When a read or write that arrives at `at` is done.
    fn serve(&mut self, request: &Request, at: Nanos) -> Nanos {
        let admitted = self.admit(at);
        let factor = self.jitter.factor() / self.noise.speed(admitted);
        let station = if request.op == Op::Read { &mut self.read } else { &mut self.write };
        let time = station.service_ns(request.len) * factor;
        station.serve(admitted, nearest(time).max(1), request.offset)
    }

    /// The cap admits requests one by one, evenly spaced, and saves up no credit.
    fn admit(&mut self, at: Nanos) -> Nanos {
        if self.cap_gap_ns == 0.0 {
            return at;
        }
        let admitted = self.next_admission.max(at as f64);
        self.next_admission = admitted + self.cap_gap_ns;
        nearest(admitted)
    }
}

impl DeviceModel for ParametricModel {
    fn geometry(&self) -> Geometry {
        self.geometry
    }

    fn arrive(&mut self, request: &Request, at: Nanos) {
        let done = match request.op {
            Op::Flush => at.max(self.last_write_done),
            Op::Read => self.serve(request, at),
            Op::Write => {
                let done = self.serve(request, at);
                self.last_write_done = self.last_write_done.max(done);
                done
            }
        };
        let moved = if request.op == Op::Flush { 0 } else { request.len };
        self.in_flight.push(Reverse((done, self.sequence, request.slot, moved)));
        self.sequence += 1;
    }

    fn next_completion(&self) -> Option<Nanos> {
        self.in_flight.peek().map(|&Reverse((done, ..))| done)
    }

    fn advance(&mut self, now: Nanos, completions: &mut Vec<Completion>) {
        while let Some(&Reverse((done, _, slot, moved))) = self.in_flight.peek() {
            if done > now {
                break;
            }
            self.in_flight.pop();
            completions.push(Completion { slot, result: moved as i32, at: done });
        }
    }

    fn in_flight(&self) -> u32 {
        self.in_flight.len() as u32
    }
}

/// The nearest whole number. Not [`f64::round`]: without SSE4.1 that is a call, and this is done for every
/// request.
#[inline]
fn nearest(nanos: f64) -> Nanos {
    (nanos + 0.5) as Nanos
}
