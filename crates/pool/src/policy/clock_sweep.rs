//! Clock sweep: CLOCK with a usage count of 0 to 5 instead of a bit. 9 bytes per frame.
//!
//! PostgreSQL's rule (src/backend/storage/buffer/README, "Normal Buffer Replacement Strategy"): a page comes
//! in with usage count 1, a hit adds one up to 5, the hand takes one off what it passes and takes the first
//! page that has 0.

use std::ops::ControlFlow;

use super::ring::Ring;
use super::{Frame, Page, Policy, Verdict, Walk};

/// Highest usage count: BM_MAX_USAGE_COUNT.
const MOST: u8 = 5;

/// PostgreSQL's clock sweep.
#[derive(Debug)]
pub struct ClockSweep {
    ring: Ring,
}

impl ClockSweep {
    /// For frames 0 to `frames` - 1.
    pub fn new(frames: u32) -> Self {
        ClockSweep { ring: Ring::new(frames) }
    }
}

impl Policy for ClockSweep {
    #[inline]
    fn insert(&mut self, frame: Frame, _page: Page, _dirty: bool) {
        self.ring.insert(frame, 1);
    }

    #[inline]
    fn hit(&mut self, frame: Frame, _write: bool) {
        self.ring.count(frame, MOST);
    }

    #[inline]
    fn evict(&mut self, frame: Frame, _page: Page) {
        self.ring.evict(frame);
    }

    /// Up to six rounds.
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
