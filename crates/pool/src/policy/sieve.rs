//! SIEVE: FIFO order, and a hand that goes through it and keeps what was used, where it is. 9 bytes per
//! frame.
//!
//! Zhang, Yang, Yue, Vigfusson and Rashmi, NSDI 2024. Pages come in at the front, unvisited; a hit marks a
//! page visited. The hand goes from the back to the front and round again, unmarks what is visited, takes the
//! first page that is not, and stays there. Unlike CLOCK it does not move what it keeps, so new pages are
//! looked at soon.

use std::ops::ControlFlow;

use super::list::List;
use super::{Frame, Page, Policy, Verdict, Walk};

/// SIEVE.
#[derive(Debug)]
pub struct Sieve {
    order: List,
    visited: Vec<bool>,
    /// The frame that is looked at next; `None`: the one at the back.
    hand: Option<Frame>,
}

impl Sieve {
    /// For frames 0 to `frames` - 1.
    pub fn new(frames: u32) -> Self {
        Sieve { order: List::new(frames), visited: vec![false; frames as usize], hand: None }
    }
}

impl Policy for Sieve {
    #[inline]
    fn insert(&mut self, frame: Frame, _page: Page, _dirty: bool) {
        self.order.push_front(frame);
        self.visited[frame as usize] = false;
    }

    #[inline]
    fn hit(&mut self, frame: Frame, _write: bool) {
        self.visited[frame as usize] = true;
    }

    /// The hand stays where it is unless it stood there: a page that was skipped (pinned, being written) is
    /// next.
    #[inline]
    fn evict(&mut self, frame: Frame, _page: Page) {
        if self.hand == Some(frame) {
            self.hand = self.order.before(frame);
        }
        self.order.remove(frame);
    }

    /// From the hand to the front and round again; the visited go in a second round. New pages come in at the
    /// front, so once one page has gone, what is behind the front is later than they are. (A hand that takes
    /// the page at the front itself goes on at the back before the new page is there.)
    #[inline]
    fn walk(&self, visit: &mut dyn FnMut(Frame, Verdict) -> ControlFlow<()>) {
        let Some(first) = self.hand.or(self.order.back()) else { return };
        let (mut victim, mut any_gone) = (Verdict::Evict, false);
        for second_round in [false, true] {
            let mut next = Some(first);
            while let Some(frame) = next {
                let visited = self.visited[frame as usize];
                let goes = visited == second_round;
                let step = match (goes, second_round) {
                    (true, _) => visit(frame, victim),
                    (false, false) => visit(frame, Verdict::SecondChance),
                    (false, true) => ControlFlow::Continue(()),
                };
                if step.is_break() {
                    return;
                }
                let before = self.order.before(frame);
                if before.is_none() && any_gone {
                    victim = Verdict::Later;
                }
                any_gone |= goes;
                next = before.or(self.order.back()).filter(|&next| next != first);
            }
        }
    }

    /// The hand moves for evictions only. What it passes while a page before it is skipped (pinned, being
    /// written) goes behind it, so that the skipped page stays next in turn.
    fn passed(&mut self, frames: &[Frame], why: Walk) {
        if why == Walk::WriteBack {
            return;
        }
        for &frame in frames {
            self.visited[frame as usize] = false;
            match self.hand.or(self.order.back()) {
                Some(hand) if hand != frame => {
                    self.order.remove(frame);
                    self.order.insert_behind(frame, hand);
                    self.hand = Some(hand);
                }
                _ => self.hand = self.order.before(frame),
            }
        }
    }

    fn grow(&mut self, frames: u32) -> bool {
        self.order.grow(frames);
        self.visited.resize(frames as usize, false);
        true
    }
}
