//! LRU-WSR: LRU in which a dirty page has a second chance before it goes. 10 bytes per frame.
//!
//! Jung, Shim, Park, Kang and Cha, IEEE Transactions on Consumer Electronics 2008. A page comes in not cold.
//! A dirty page at the LRU end that is not cold moves to the MRU end and is cold from then on; a clean one,
//! or a dirty one that is cold, is the victim. A hit makes a page not cold, unless the page is the MRU page
//! already.
//!
//! Whoever seeks dirty pages beyond the victim uses second chances up as well, as the published COW variant
//! does (Papon and Athanassoulis, ICDE 2023): [`Walk::WriteBack`] rotates like [`Walk::Eviction`].

use std::ops::ControlFlow;

use super::list::List;
use super::{Frame, Page, Policy, Verdict, Walk};

/// LRU with write sequence reordering.
#[derive(Debug)]
pub struct LruWsr {
    order: List,
    state: Vec<State>,
}

#[derive(Debug, Clone, Copy, Default)]
struct State {
    dirty: bool,
    cold: bool,
}

impl State {
    fn verdict(self) -> Verdict {
        if self.dirty && !self.cold { Verdict::SecondChance } else { Verdict::Evict }
    }
}

impl LruWsr {
    /// For frames 0 to `frames` - 1.
    pub fn new(frames: u32) -> Self {
        LruWsr { order: List::new(frames), state: vec![State::default(); frames as usize] }
    }
}

impl Policy for LruWsr {
    fn insert(&mut self, frame: Frame, _page: Page, dirty: bool) {
        self.order.push_front(frame);
        self.state[frame as usize] = State { dirty, cold: false };
    }

    fn hit(&mut self, frame: Frame, write: bool) {
        let state = &mut self.state[frame as usize];
        state.dirty |= write;
        if self.order.front() != Some(frame) {
            state.cold = false;
            self.order.remove(frame);
            self.order.push_front(frame);
        }
    }

    fn cleaned(&mut self, frame: Frame) {
        self.state[frame as usize].dirty = false;
    }

    fn expect_hits(&self, frames: &[Frame]) {
        self.order.prefetch(frames);
    }

    fn evict(&mut self, frame: Frame, _page: Page) {
        self.order.remove(frame);
    }

    /// The whole order once; then again those that had a second chance, cold by then.
    fn walk(&self, visit: &mut dyn FnMut(Frame, Verdict) -> ControlFlow<()>) {
        let mut next = self.order.back();
        while let Some(frame) = next {
            if visit(frame, self.state[frame as usize].verdict()).is_break() {
                return;
            }
            next = self.order.before(frame);
        }
        let mut next = self.order.back();
        while let Some(frame) = next {
            let again = self.state[frame as usize].verdict() == Verdict::SecondChance;
            if again && visit(frame, Verdict::Evict).is_break() {
                return;
            }
            next = self.order.before(frame);
        }
    }

    fn rotates_on_write_back(&self) -> bool {
        true
    }

    fn passed(&mut self, frames: &[Frame], _why: Walk) {
        for &frame in frames {
            self.state[frame as usize].cold = true;
            self.order.remove(frame);
            self.order.push_front(frame);
        }
    }
}
