//! 2Q: a page that is used once goes by FIFO; one that is used again after that is kept by LRU. 9 bytes a
//! frame and, for ghosts, 13 to 15 more.
//!
//! Johnson and Shasha, VLDB 1994, the full version, with the sizes they recommend: Kin is a quarter of the
//! pool, Kout half of it. A page comes into A1in, a FIFO that hits do not change; what leaves it is
//! remembered in A1out. A page that is asked for while it is in A1out comes into Am, an LRU list. The victim
//! is the last of A1in if this has more than Kin pages, else the last of Am.

use std::ops::ControlFlow;

use super::ghosts::Ghosts;
use super::lists::Lists;
use super::{Frame, Page, Policy, Verdict};

const A1_IN: usize = 0;
const AM: usize = 1;
const A1_OUT: usize = 0;

/// 2Q, full version.
#[derive(Debug)]
pub struct TwoQ {
    queues: Lists<2>,
    /// Frames in Am.
    in_am: Vec<bool>,
    a1_out: Ghosts,
    /// Pages that A1in may keep.
    kin: u32,
}

impl TwoQ {
    /// For frames 0 to `frames` - 1.
    pub fn new(frames: u32) -> Self {
        TwoQ {
            queues: Lists::new(frames),
            in_am: vec![false; frames as usize],
            a1_out: Ghosts::new(frames / 2),
            kin: frames / 4,
        }
    }

    /// The queue that the next victim is in, and the other.
    fn order(&self) -> [usize; 2] {
        let a1_in_first = self.queues.len(A1_IN) > self.kin || self.queues.len(AM) == 0;
        if a1_in_first { [A1_IN, AM] } else { [AM, A1_IN] }
    }
}

impl Policy for TwoQ {
    fn missed(&mut self, page: Page) {
        self.a1_out.asked_for(page);
    }

    fn insert(&mut self, frame: Frame, page: Page, _dirty: bool) {
        let again = self.a1_out.came_in(page);
        self.in_am[frame as usize] = again;
        self.queues.push_front(if again { AM } else { A1_IN }, frame);
    }

    fn hit(&mut self, frame: Frame, _write: bool) {
        if self.in_am[frame as usize] {
            self.queues.remove(AM, frame);
            self.queues.push_front(AM, frame);
        }
    }

    fn expect_hits(&self, frames: &[Frame]) {
        self.queues.prefetch(frames);
    }

    fn evict(&mut self, frame: Frame, page: Page) {
        if self.in_am[frame as usize] {
            self.queues.remove(AM, frame);
        } else {
            self.queues.remove(A1_IN, frame);
            self.a1_out.remember(A1_OUT, page);
        }
    }

    /// The queue that the next victim is in, then the other. New pages come into A1in: it stays as long as it
    /// is while victims come from there, and takes over soon where they come from Am.
    fn walk(&self, visit: &mut dyn FnMut(Frame, Verdict) -> ControlFlow<()>) {
        let [first, other] = self.order();
        let walked = self.queues.walk(first, &mut |frame| visit(frame, Verdict::Evict));
        if walked.is_continue() {
            let _ = self.queues.walk(other, &mut |frame| visit(frame, Verdict::Later));
        }
    }

    fn walk_other(&self, visit: &mut dyn FnMut(Frame, Verdict) -> ControlFlow<()>) {
        let [_, other] = self.order();
        let _ = self.queues.walk(other, &mut |frame| visit(frame, Verdict::Later));
    }
}
