//! CLOCK: FIFO in which a page that was used since the hand last came by stays for another round. 9 bytes a
//! frame.
//!
//! Corbató, "A Paging Experiment with the Multics System", 1968. A page comes in with its reference bit 0 and
//! a hit sets it, so that a page must be used again to stay; libCacheSim's Clock does the same, others set
//! the bit at once (for that rule see [`ClockSweep`](super::ClockSweep)). The hand clears bits and takes the
//! first page whose bit is 0.

use std::ops::ControlFlow;

use super::ring::Ring;
use super::{Frame, Page, Policy, Verdict, Walk};

/// Second chance, one bit per page.
#[derive(Debug)]
pub struct Clock {
    /// The counts are the reference bits.
    ring: Ring,
}

impl Clock {
    /// For frames 0 to `frames` - 1.
    pub fn new(frames: u32) -> Self {
        Clock { ring: Ring::new(frames) }
    }
}

impl Policy for Clock {
    #[inline]
    fn insert(&mut self, frame: Frame, _page: Page, _dirty: bool) {
        self.ring.insert(frame, 0);
    }

    #[inline]
    fn hit(&mut self, frame: Frame, _write: bool) {
        self.ring.count(frame, 1);
    }

    #[inline]
    fn evict(&mut self, frame: Frame, _page: Page) {
        self.ring.evict(frame);
    }

    #[inline]
    fn walk(&self, visit: &mut dyn FnMut(Frame, Verdict) -> ControlFlow<()>) {
        self.ring.walk(visit);
    }

    /// The hand moves for evictions only.
    fn passed(&mut self, frames: &[Frame], why: Walk) {
        if why == Walk::Eviction {
            self.ring.pass(frames);
        }
    }

    fn grow(&mut self, frames: u32) -> bool {
        self.ring.grow(frames);
        true
    }
}
