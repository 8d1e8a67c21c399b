//! When the requests of a parametric device complete: admission, service time, server.

use leadline_device::{Completion, Geometry, Nanos, Op, Request};

use super::admission::Admission;
use super::spec::ParametricSpec;
use super::speed::{Noise, RequestJitter};
use super::station::Station;
use crate::due::Due;
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
    in_flight: Due,
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
            in_flight: Due::default(),
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
        self.in_flight.push(done, request.slot, request.len);
    }

    #[inline]
    fn next_completion(&self) -> Option<Nanos> {
        self.in_flight.next()
    }

    #[inline]
    fn advance(&mut self, now: Nanos, completions: &mut Vec<Completion>) {
        while self.in_flight.next().is_some_and(|done| done <= now) {
            completions.extend(self.in_flight.pop());
        }
    }

    #[inline]
    fn in_flight(&self) -> u32 {
        self.in_flight.len() as u32
    }
}
