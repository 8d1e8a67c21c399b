//! Pages in a circle with a hand, and a small count for each: what CLOCK and its kin share. 9 bytes per
//! frame.
//!
//! The circle is a list that begins at the hand: passing a page is moving it to the other end. Unlike a hand
//! over an array, this keeps a page that was skipped (pinned, being written) next in turn, and a new page
//! last, whichever frame it got.

use std::cmp::Ordering;
use std::ops::ControlFlow;

use super::list::List;
use super::{Frame, Verdict};

/// The hand passes a page whose count is not 0 and takes one off; it takes a page whose count is 0.
#[derive(Debug)]
pub(crate) struct Ring {
    /// The hand is at the back.
    order: List,
    counts: Vec<u8>,
}

impl Ring {
    /// Empty, for frames 0 to `frames` - 1.
    pub(crate) fn new(frames: u32) -> Self {
        Ring { order: List::new(frames), counts: vec![0; frames as usize] }
    }

    /// Frames up to `frames` - 1 from now on, which are at least as many as before.
    pub(crate) fn grow(&mut self, frames: u32) {
        self.order.grow(frames);
        self.counts.resize(frames as usize, 0);
    }

    #[inline]
    pub(crate) fn insert(&mut self, frame: Frame, count: u8) {
        self.order.push_front(frame);
        self.counts[frame as usize] = count;
    }

    /// One more, up to `most`.
    #[inline]
    pub(crate) fn count(&mut self, frame: Frame, most: u8) {
        let count = &mut self.counts[frame as usize];
        *count = most.min(*count + 1);
    }

    /// Takes a page out.
    #[inline]
    pub(crate) fn evict(&mut self, frame: Frame) {
        self.order.remove(frame);
    }

    /// The hand has passed `frames`, in this order.
    #[inline]
    pub(crate) fn pass(&mut self, frames: &[Frame]) {
        for &frame in frames {
            let count = &mut self.counts[frame as usize];
            *count = count.saturating_sub(1);
            self.order.remove(frame);
            self.order.push_front(frame);
        }
    }

    /// Round after round from the hand: a page goes in the round whose number, from 0, is its count.
    #[inline]
    pub(crate) fn walk(&self, visit: &mut dyn FnMut(Frame, Verdict) -> ControlFlow<()>) {
        for round in 0..=u8::MAX {
            let mut any_left = false;
            let mut next = self.order.back();
            while let Some(frame) = next {
                let step = match self.counts[frame as usize].cmp(&round) {
                    Ordering::Less => ControlFlow::Continue(()),
                    Ordering::Equal => visit(frame, Verdict::Evict),
                    Ordering::Greater => {
                        any_left = true;
                        visit(frame, Verdict::SecondChance)
                    }
                };
                if step.is_break() {
                    return;
                }
                next = self.order.before(frame);
            }
            if !any_left {
                return;
            }
        }
    }
}
