//! Devices in virtual time whose inside is known: each says when a request is done, and what that did to its
//! medium.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use leadline_device::{Completion, Geometry, Nanos, Op, Request, Wear};
use leadline_sim::{DeviceModel, VirtualDevice};

mod cached;
mod channels;
mod greedy;

pub use cached::{Cached, Emptied};
pub use channels::{Channelled, Goes};
pub use greedy::{Greedy, uniform};

pub const PAGE: u64 = 4096;

/// What is inside of a device.
pub trait Inside: Send {
    /// When a request that arrives at `at` is done.
    fn done(&mut self, request: &Request, at: Nanos) -> Nanos;

    fn wear(&self) -> Option<Wear> {
        None
    }
}

/// A device with this inside.
pub fn device<I: Inside>(capacity_bytes: u64, inside: I) -> VirtualDevice<Model<I>> {
    VirtualDevice::new(Model { capacity_bytes, inside, due: BinaryHeap::new(), arrived: 0 })
}

pub struct Model<I> {
    capacity_bytes: u64,
    inside: I,
    /// Time, order of arrival, slot, bytes.
    due: BinaryHeap<Reverse<(Nanos, u64, u32, i32)>>,
    arrived: u64,
}

impl<I: Inside> DeviceModel for Model<I> {
    fn geometry(&self) -> Geometry {
        Geometry { capacity_bytes: self.capacity_bytes, block_bytes: 512, writable: true }
    }

    fn arrive(&mut self, request: &Request, at: Nanos) {
        let done = if request.op == Op::Flush { at } else { self.inside.done(request, at) };
        self.arrived += 1;
        self.due.push(Reverse((done, self.arrived, request.slot, request.len as i32)));
    }

    fn next_completion(&self) -> Option<Nanos> {
        self.due.peek().map(|Reverse((at, ..))| *at)
    }

    fn advance(&mut self, now: Nanos, completions: &mut Vec<Completion>) {
        while self.next_completion().is_some_and(|at| at <= now) {
            let Some(Reverse((at, _, slot, result))) = self.due.pop() else { return };
            completions.push(Completion { slot, result, at });
        }
    }

    fn in_flight(&self) -> u32 {
        self.due.len() as u32
    }

    fn wear(&self) -> Option<Wear> {
        self.inside.wear()
    }
}

/// One server that takes this long for each page; what it writes to its medium is `amplification` of the
/// bytes that were written before.
pub struct Amplifying<F> {
    pub page_ns: Nanos,
    pub amplification: F,
    pub free_at: Nanos,
    pub host_bytes: u64,
    pub media_bytes: f64,
}

impl<F: Fn(u64) -> f64 + Send> Amplifying<F> {
    pub fn new(amplification: F) -> Self {
        Amplifying { page_ns: 10_000, amplification, free_at: 0, host_bytes: 0, media_bytes: 0.0 }
    }
}

impl<F: Fn(u64) -> f64 + Send> Inside for Amplifying<F> {
    fn done(&mut self, request: &Request, at: Nanos) -> Nanos {
        if request.op == Op::Write {
            self.media_bytes += f64::from(request.len) * (self.amplification)(self.host_bytes);
            self.host_bytes += u64::from(request.len);
        }
        self.free_at = self.free_at.max(at) + self.page_ns * u64::from(request.len) / PAGE;
        self.free_at
    }

    fn wear(&self) -> Option<Wear> {
        Some(Wear { host_bytes: self.host_bytes, media_bytes: self.media_bytes as u64, ..Wear::default() })
    }
}

/// One server whose speed is a function of what it is asked and when.
pub struct Paced<F> {
    pace: F,
    free_at: Nanos,
}

impl<F: FnMut(&Request, Nanos) -> Nanos + Send> Paced<F> {
    /// `pace` says how long a request takes that is begun at a time.
    pub fn new(pace: F) -> Self {
        Paced { pace, free_at: 0 }
    }
}

impl<F: FnMut(&Request, Nanos) -> Nanos + Send> Inside for Paced<F> {
    fn done(&mut self, request: &Request, at: Nanos) -> Nanos {
        let begin = self.free_at.max(at);
        self.free_at = begin + (self.pace)(request, begin);
        self.free_at
    }
}
