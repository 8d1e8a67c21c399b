//! ARC: pages used once and pages used again, in shares that follow what would have helped. 9 bytes per frame
//! and, for ghosts, 50 to 58 more.
//!
//! Megiddo and Modha, FAST 2003, figure 4. T1 has the pages used once, T2 those used again, each by LRU; B1
//! and B2 remember pages that left T1 and T2. A miss that B1 remembers raises the target size p of T1, one
//! that B2 remembers lowers it; both come into T2. The victim is the last of T1 if this is larger than p (or
//! as large, and the page asked for is in B2), else the last of T2.
//!
//! The paper trims B1 or B2 before it replaces, here they are trimmed when the new page comes in; what is
//! left is the same, and so is the case IV A of a full T1, whose last page is forgotten at once.

use std::ops::ControlFlow;

use super::ghosts::Ghosts;
use super::lists::Lists;
use super::{Frame, Page, Policy, Verdict};

/// Pages used once: in the pool T1, remembered B1.
const ONCE: usize = 0;
/// Pages used again: in the pool T2, remembered B2.
const AGAIN: usize = 1;

/// The adaptive replacement cache.
#[derive(Debug)]
pub struct AdaptiveReplacement {
    pages: Lists<2>,
    /// Frames in T2.
    again: Vec<bool>,
    ghosts: Ghosts,
    /// c: pages in the pool.
    frames: u32,
    /// p: what T1 should have, 0 to c.
    target: f64,
    /// Whether the page asked for last is in B2.
    asked_again: bool,
}

impl AdaptiveReplacement {
    /// For frames 0 to `frames` - 1.
    pub fn new(frames: u32) -> Self {
        AdaptiveReplacement {
            pages: Lists::new(frames),
            again: vec![false; frames as usize],
            // T1, T2, B1 and B2 together never have more than 2 c pages.
            ghosts: Ghosts::new(2 * frames),
            frames,
            target: 0.0,
            asked_again: false,
        }
    }

    /// REPLACE: whether the victim is of T1.
    fn replaces_once(&self) -> bool {
        let once = f64::from(self.pages.len(ONCE));
        let beyond = once > self.target || (self.asked_again && once == self.target);
        once > 0.0 && (beyond || self.pages.len(AGAIN) == 0)
    }

    fn list(&self, frame: Frame) -> usize {
        if self.again[frame as usize] { AGAIN } else { ONCE }
    }

    /// The list that the next victim is in, and the other.
    fn order(&self) -> [usize; 2] {
        if self.replaces_once() { [ONCE, AGAIN] } else { [AGAIN, ONCE] }
    }
}

impl Policy for AdaptiveReplacement {
    /// Cases II and III: p learns.
    fn missed(&mut self, page: Page) {
        let (b1, b2) = (f64::from(self.ghosts.len(ONCE)), f64::from(self.ghosts.len(AGAIN)));
        let ghost = self.ghosts.asked_for(page);
        self.asked_again = ghost == Some(AGAIN);
        match ghost {
            Some(ONCE) => self.target = f64::from(self.frames).min(self.target + (b2 / b1).max(1.0)),
            Some(_) => self.target = (self.target - (b1 / b2).max(1.0)).max(0.0),
            None => {}
        }
    }

    fn insert(&mut self, frame: Frame, page: Page, _dirty: bool) {
        let again = self.ghosts.came_in(page);
        self.again[frame as usize] = again;
        self.pages.push_front(self.list(frame), frame);
        self.asked_again = false;
        // T1 and B1 have at most c pages, all four lists at most 2 c.
        while self.pages.len(ONCE) + self.ghosts.len(ONCE) > self.frames && self.ghosts.forget_oldest(ONCE) {}
        let all = |arc: &Self| {
            arc.pages.len(ONCE) + arc.pages.len(AGAIN) + arc.ghosts.len(ONCE) + arc.ghosts.len(AGAIN)
        };
        while all(self) > 2 * self.frames && self.ghosts.forget_oldest(AGAIN) {}
    }

    /// Case I.
    fn hit(&mut self, frame: Frame, _write: bool) {
        self.pages.remove(self.list(frame), frame);
        self.pages.push_front(AGAIN, frame);
        self.again[frame as usize] = true;
    }

    fn expect_hits(&self, frames: &[Frame]) {
        self.pages.prefetch(frames);
    }

    fn evict(&mut self, frame: Frame, page: Page) {
        let list = self.list(frame);
        self.pages.remove(list, frame);
        self.ghosts.remember(list, page);
    }

    /// The list that the next victim is in, then the other. New pages come into T1: it stays as long as it is
    /// while victims come from there, and takes over soon where they come from T2.
    fn walk(&self, visit: &mut dyn FnMut(Frame, Verdict) -> ControlFlow<()>) {
        let [first, other] = self.order();
        let walked = self.pages.walk(first, &mut |frame| visit(frame, Verdict::Evict));
        if walked.is_continue() {
            let _ = self.pages.walk(other, &mut |frame| visit(frame, Verdict::Later));
        }
    }

    fn walk_other(&self, visit: &mut dyn FnMut(Frame, Verdict) -> ControlFlow<()>) {
        let [_, other] = self.order();
        let _ = self.pages.walk(other, &mut |frame| visit(frame, Verdict::Later));
    }
}
