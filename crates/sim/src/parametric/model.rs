//! When the requests of a parametric device complete: admission, service time, server.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use leadline_device::{Completion, Geometry, Nanos, Op, Request};

use super::admission::Admission;
use super::spec::ParametricSpec;
use super::speed::{Noise, RequestJitter};
use super::station::Station;
use crate::nearest::nearest;
use crate::{DeviceModel, VirtualDevice};

/// The timing of a parametric device. When a request completes is decided as it arrives.
pub struct ParametricModel {
    geometry: Geometry,
    read: Station,
    write: Station,
    admission: Admission,
    /// What a flush takes beyond waiting.
    flush: Nanos,
    /// What a durable write takes beyond a plain one, before jitter.
    durable_ns: f64,
    /// When the last write that has arrived is done: what a flush waits for.
    last_write_done: Nanos,
    jitter: RequestJitter,
    noise: Noise,
    /// (done, sequence, slot, bytes): ties complete in the order in which they arrived.
    in_flight: BinaryHeap<Reverse<(Nanos, u64, u32, u32)>>,
    sequence: u64,
}

/// The device in virtual time.
pub type Parametric = VirtualDevice<ParametricModel>;

impl ParametricSpec {
    /// The device in virtual time, at time zero, idle.
    pub fn device(&self) -> Parametric {
        VirtualDevice::new(ParametricModel::new(self))
    }
}

impl ParametricModel {
    /// An idle device.
    pub fn new(spec: &ParametricSpec) -> Self {
        ParametricModel {
            geometry: spec.geometry(),
            read: Station::new(&spec.read, spec.placement),
            write: Station::new(&spec.write, spec.placement),
            admission: Admission::new(spec),
            flush: nearest(spec.flush.service_us * 1e3),
            durable_ns: spec.flush.durable_us * 1e3,
            last_write_done: 0,
            jitter: RequestJitter::new(spec),
            noise: Noise::new(spec),
            in_flight: BinaryHeap::new(),
            sequence: 0,
        }
    }

    /// When a read or write that arrives at `at` is done.
    #[inline]
    fn serve(&mut self, request: &Request, at: Nanos) -> Nanos {
        let admitted = self.admission.admit(request.len, at);
        let factor = self.jitter.factor() / self.noise.speed(admitted);
        let write = request.op == Op::Write;
        let station = if write { &mut self.write } else { &mut self.read };
        let extra_ns = if write && request.durable { self.durable_ns } else { 0.0 };
        let time = (station.service_ns(request.len) + extra_ns) * factor;
        let done = station.serve(admitted, nearest(time).max(1), request.offset);
        if write {
            self.last_write_done = self.last_write_done.max(done);
        }
        done
    }
}

impl DeviceModel for ParametricModel {
    fn geometry(&self) -> Geometry {
        self.geometry
    }

    #[inline]
    fn arrive(&mut self, request: &Request, at: Nanos) {
        let done = match request.op {
            Op::Flush => at.max(self.last_write_done).saturating_add(self.flush),
            Op::Read | Op::Write => self.serve(request, at),
            // It keeps no data, so there is nothing to do, and nobody to wait for.
            Op::Trim => at,
        };
        self.in_flight.push(Reverse((done, self.sequence, request.slot, request.len)));
        self.sequence += 1;
    }

    #[inline]
    fn next_completion(&self) -> Option<Nanos> {
        self.in_flight.peek().map(|&Reverse((done, ..))| done)
    }

    #[inline]
    fn advance(&mut self, now: Nanos, completions: &mut Vec<Completion>) {
        while let Some(&Reverse((done, _, slot, moved))) = self.in_flight.peek() {
            if done > now {
                break;
            }
            self.in_flight.pop();
            completions.push(Completion { slot, result: moved as i32, at: done });
        }
    }

    #[inline]
    fn in_flight(&self) -> u32 {
        self.in_flight.len() as u32
    }
}
