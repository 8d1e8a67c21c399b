//! LRU: the page that was used longest ago goes first. 8 bytes per frame.

use std::ops::ControlFlow;

use super::list::List;
use super::{Frame, Page, Policy, Verdict};

/// Least recently used.
#[derive(Debug)]
pub struct Lru {
    order: List,
}

impl Lru {
    /// For frames 0 to `frames` - 1.
    pub fn new(frames: u32) -> Self {
        Lru { order: List::new(frames) }
    }
}

impl Policy for Lru {
    #[inline]
    fn insert(&mut self, frame: Frame, _page: Page, _dirty: bool) {
        self.order.push_front(frame);
    }

    #[inline]
    fn hit(&mut self, frame: Frame, _write: bool) {
        self.order.remove(frame);
        self.order.push_front(frame);
    }

    fn expect_hits(&self, frames: &[Frame]) {
        self.order.prefetch(frames);
    }

    #[inline]
    fn evict(&mut self, frame: Frame, _page: Page) {
        self.order.remove(frame);
    }

    #[inline]
    fn walk(&self, visit: &mut dyn FnMut(Frame, Verdict) -> ControlFlow<()>) {
        let mut next = self.order.back();
        while let Some(frame) = next {
            if visit(frame, Verdict::Evict).is_break() {
                return;
            }
            next = self.order.before(frame);
        }
    }

    fn grow(&mut self, frames: u32) -> bool {
        self.order.grow(frames);
        true
    }
}
