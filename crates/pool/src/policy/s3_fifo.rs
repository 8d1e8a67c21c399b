//! S3-FIFO: a small FIFO that most pages leave soon, and a main FIFO for those used in the meantime. 10 bytes
//! a frame, 8 for the walk and, for ghosts, 23 to 26 more.
//!
//! Yang, Zhang, Qiu, Yue and Rashmi, SOSP 2023. A page comes into the small FIFO, a tenth of the pool, or, if
//! it is asked for while it is remembered, into the main FIFO. Hits count up to 3. Victims come from the
//! small FIFO while the main one has no more than its nine tenths: the oldest page moves to the main FIFO if
//! it was hit at least twice, its count 0 again; else it goes and is remembered, as one of at most nine
//! tenths of B. In the main FIFO the oldest page goes if its count is 0, else it moves to the front with a
//! count one lower.
//!
//! What the paper leaves open is as in libCacheSim 0.3, the authors' own code. There, before the first
//! eviction, a page that finds the small FIFO full comes into the main one; so it does here.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::ops::ControlFlow;

use super::ghosts::Ghosts;
use super::lists::Lists;
use super::{Frame, Page, Policy, Verdict, Walk};

const SMALL: usize = 0;
const MAIN: usize = 1;
const GHOST: usize = 0;

/// Highest count.
const MOST: u8 = 3;
/// Count with which a page moves from the small to the main FIFO.
const PROMOTED: u8 = 2;

/// S3-FIFO.
#[derive(Debug)]
pub struct S3Fifo {
    queues: Lists<2>,
    state: Vec<State>,
    ghosts: Ghosts,
    /// Pages of the small FIFO, at least 1; the main FIFO has the others.
    small_pages: u32,
    /// Whether any page has gone yet.
    has_evicted: bool,
    /// A victim is being sought in the small FIFO, and pages have moved from there to the main one on the
    /// way. The search stays there although the main FIFO may have more than its share by now.
    in_small: bool,
    /// Pages of the main FIFO beyond which victims come from there.
    main_pages: u32,
    /// What a walk puts at the front of the main FIFO in its mind; empty between walks, kept for its memory.
    kept: RefCell<VecDeque<(Frame, u8)>>,
}

#[derive(Debug, Clone, Copy, Default)]
struct State {
    in_main: bool,
    count: u8,
}

impl S3Fifo {
    /// For frames 0 to `frames` - 1.
    pub fn new(frames: u32) -> Self {
        let small_pages = (frames / 10).max(1);
        S3Fifo {
            queues: Lists::new(frames),
            state: vec![State::default(); frames as usize],
            ghosts: Ghosts::new((u64::from(frames) * 9 / 10) as u32),
            small_pages,
            has_evicted: false,
            in_small: false,
            main_pages: frames - small_pages,
            kept: RefCell::new(VecDeque::with_capacity(frames as usize)),
        }
    }

    fn queue(&self, frame: Frame) -> usize {
        if self.state[frame as usize].in_main { MAIN } else { SMALL }
    }

    /// Whether the next victim is sought in the main FIFO first.
    fn main_first(&self) -> bool {
        let main_is_large = self.queues.len(MAIN) > self.main_pages;
        self.queues.len(SMALL) == 0 || main_is_large && !self.in_small
    }
}

impl Policy for S3Fifo {
    fn missed(&mut self, page: Page) {
        self.ghosts.asked_for(page);
    }

    fn insert(&mut self, frame: Frame, page: Page, _dirty: bool) {
        let fills_main = !self.has_evicted && self.queues.len(SMALL) >= self.small_pages;
        let in_main = self.ghosts.came_in(page) || fills_main;
        self.state[frame as usize] = State { in_main, count: 0 };
        self.queues.push_front(self.queue(frame), frame);
    }

    #[inline]
    fn hit(&mut self, frame: Frame, _write: bool) {
        let count = &mut self.state[frame as usize].count;
        *count = MOST.min(*count + 1);
    }

    fn evict(&mut self, frame: Frame, page: Page) {
        self.has_evicted = true;
        self.in_small = false;
        let queue = self.queue(frame);
        self.queues.remove(queue, frame);
        if queue == SMALL {
            self.ghosts.remember(GHOST, page);
        }
    }

    /// The queue that the next victim is in, then the other. Do not walk within a walk: the inner one would
    /// have to allocate.
    fn walk(&self, visit: &mut dyn FnMut(Frame, Verdict) -> ControlFlow<()>) {
        let mut kept = self.kept.take();
        // Broken off or finished, it is all the same.
        let _ = Look::at(self, &mut kept).until_break(visit);
        kept.clear();
        self.kept.replace(kept);
    }

    /// What moves within the main FIFO, or to it, comes up with a second chance.
    fn walk_other(&self, visit: &mut dyn FnMut(Frame, Verdict) -> ControlFlow<()>) {
        let (other, kept_from) = if self.main_first() { (SMALL, PROMOTED) } else { (MAIN, 1) };
        let _ = self.queues.walk(other, &mut |frame| {
            let kept = self.state[frame as usize].count >= kept_from;
            visit(frame, if kept { Verdict::SecondChance } else { Verdict::Later })
        });
    }

    fn passed(&mut self, frames: &[Frame], why: Walk) {
        if why == Walk::WriteBack {
            return;
        }
        for &frame in frames {
            self.queues.remove(self.queue(frame), frame);
            self.queues.push_front(MAIN, frame);
            let state = &mut self.state[frame as usize];
            self.in_small |= !state.in_main;
            let count = if state.in_main { state.count.saturating_sub(1) } else { 0 };
            *state = State { in_main: true, count };
        }
    }
}

/// Victim after victim, without doing any of it.
struct Look<'a> {
    policy: &'a S3Fifo,
    /// The oldest page of the small FIFO that is left.
    small: Option<Frame>,
    /// The same of the main FIFO as it is; what is moved to its front is in `kept`.
    main: Option<Frame>,
    kept: &'a mut VecDeque<(Frame, u8)>,
}

impl<'a> Look<'a> {
    fn at(policy: &'a S3Fifo, kept: &'a mut VecDeque<(Frame, u8)>) -> Self {
        Look { policy, small: policy.queues.back(SMALL), main: policy.queues.back(MAIN), kept }
    }

    fn until_break(&mut self, visit: &mut dyn FnMut(Frame, Verdict) -> ControlFlow<()>) -> ControlFlow<()> {
        let found = !self.policy.main_first() && self.small(visit)?;
        if found {
            // What comes in goes to the small FIFO, which so stays as long as it is.
            while let Some((frame, _)) = self.next_of_main() {
                visit(frame, Verdict::Later)?;
            }
            return ControlFlow::Continue(());
        }
        self.main(visit)?;
        while let Some(frame) = self.small {
            self.small = self.policy.queues.before(frame);
            visit(frame, Verdict::Later)?;
        }
        ControlFlow::Continue(())
    }

    /// The small FIFO: whether there was a victim in it.
    fn small(&mut self, visit: &mut dyn FnMut(Frame, Verdict) -> ControlFlow<()>) -> ControlFlow<(), bool> {
        let mut found = false;
        while let Some(frame) = self.small {
            self.small = self.policy.queues.before(frame);
            if self.policy.state[frame as usize].count < PROMOTED {
                found = true;
                visit(frame, Verdict::Evict)?;
            } else {
                self.kept.push_back((frame, 0));
                visit(frame, Verdict::SecondChance)?;
            }
        }
        ControlFlow::Continue(found)
    }

    /// The main FIFO, with what moved to it, round after round.
    fn main(&mut self, visit: &mut dyn FnMut(Frame, Verdict) -> ControlFlow<()>) -> ControlFlow<()> {
        while let Some((frame, count)) = self.next_of_main() {
            if count == 0 {
                visit(frame, Verdict::Evict)?;
            } else {
                self.kept.push_back((frame, count - 1));
                visit(frame, Verdict::SecondChance)?;
            }
        }
        ControlFlow::Continue(())
    }

    fn next_of_main(&mut self) -> Option<(Frame, u8)> {
        if let Some(frame) = self.main {
            self.main = self.policy.queues.before(frame);
            return Some((frame, self.policy.state[frame as usize].count));
        }
        self.kept.pop_front()
    }
}
