//! The processors that send requests.

use leadline_device::Nanos;

use super::HostLinkSpec;
use crate::nearest::{nanos, nearest};

/// One processor for each queue, each taking one request after the other.
pub(super) struct Software {
    /// When each is free again.
    free: Vec<Nanos>,
    request: Nanos,
    latency: Nanos,
    ns_per_byte: f64,
}

impl Software {
    pub(super) fn new(spec: &HostLinkSpec) -> Self {
        Software {
            free: vec![0; spec.queues as usize],
            request: nanos(spec.request_us),
            latency: nanos(spec.alone_us(0.0)),
            ns_per_byte: spec.per_kib_us * 1e3 / 1024.0,
        }
    }

    /// When a request of that many bytes that a program makes at `at` is on its way. What is made in one slot
    /// always passes the same queue, as the requests of one thread do.
    pub(super) fn send(&mut self, slot: u32, bytes: u32, at: Nanos) -> Nanos {
        let queue = slot as usize % self.free.len();
        let begun = at.max(self.free[queue]).saturating_add(nearest(self.ns_per_byte * f64::from(bytes)));
        self.free[queue] = begun.saturating_add(self.request);
        begun.saturating_add(self.latency)
    }
}
