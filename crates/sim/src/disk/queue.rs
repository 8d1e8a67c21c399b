//! Requests that wait for the head.

use std::collections::VecDeque;

use leadline_device::Nanos;

use super::arm::Span;
use crate::host::Job;

/// A request that the head has to see to.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pending {
    pub(super) job: Job,
    pub(super) span: Span,
    /// From when on the head may move for it.
    pub(super) ready: Nanos,
    /// A write that the host has been told is done.
    pub(super) cached: bool,
}

/// Requests in the order of arrival, of which the disk knows the first few.
pub(super) struct Queue {
    known: Vec<Pending>,
    beyond: VecDeque<Pending>,
    depth: usize,
}

impl Queue {
    pub(super) fn new(depth: u32) -> Self {
        let depth = depth as usize;
        Queue { known: Vec::with_capacity(depth), beyond: VecDeque::new(), depth }
    }

    pub(super) fn push(&mut self, pending: Pending) {
        if self.known.len() < self.depth {
            self.known.push(pending);
        } else {
            self.beyond.push_back(pending);
        }
    }

    /// Those that the disk may choose from at `now`, the one that came first at the front.
    pub(super) fn ready(&self, now: Nanos) -> &[Pending] {
        &self.known[..self.known.partition_point(|pending| pending.ready <= now)]
    }

    /// When the first of them is ready.
    pub(super) fn next(&self) -> Option<Nanos> {
        self.known.first().map(|pending| pending.ready)
    }

    /// Takes one of [`Queue::ready`] out.
    pub(super) fn take(&mut self, index: usize) {
        self.known.remove(index);
        self.known.extend(self.beyond.pop_front());
    }

    /// Whether one of them covers this.
    pub(super) fn covers(&self, offset: u64, len: u32) -> bool {
        self.known.iter().chain(&self.beyond).any(|pending| pending.covers(offset, len))
    }
}

impl Pending {
    /// Whether all of this is in it.
    pub(super) fn covers(&self, offset: u64, len: u32) -> bool {
        let request = &self.job.request;
        let end = |offset: u64, len: u32| offset + u64::from(len);
        request.offset <= offset && end(offset, len) <= end(request.offset, request.len)
    }
}
