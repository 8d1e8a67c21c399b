//! Selecting frames along the virtual order: the next victim, and the dirty pages that are written with it.
//!
//! Pages under I/O or in use are passed over as if they were not there: another thread is already dealing
//! with them.

use std::ops::ControlFlow;

use crate::ace::Ace;
use crate::policy::{Frame, Policy, Verdict, Walk};

/// What can be done with a frame just now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FrameState {
    /// Clean and unused: it can be evicted.
    Clean,
    /// Dirty and unused: it can be written.
    Dirty,
    /// Being read or written.
    InFlight,
    /// Pinned by a guard.
    Pinned,
}

/// The page that the policy evicts next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Victim {
    /// It can leave at once.
    Clean(Frame),
    /// It has to be written first.
    Dirty(Frame),
    /// Every page is pinned or under I/O.
    None {
        /// The first in the virtual order that is under I/O.
        in_flight: Option<Frame>,
    },
}

/// Walks the virtual order. Keeps its lists, so that nothing is allocated per walk.
#[derive(Debug, Default)]
pub(crate) struct Selector {
    passed: Vec<Frame>,
    chosen: Vec<Frame>,
}

impl Selector {
    /// The page that goes next; second chances before it are granted. Inlined always, so that the policy's
    /// walk knows what it calls for each page.
    #[inline(always)]
    pub(crate) fn victim<P: Policy + ?Sized>(
        &mut self,
        policy: &mut P,
        state: impl Fn(Frame) -> FrameState,
    ) -> Victim {
        let mut victim = Victim::None { in_flight: None };
        let passed = &mut self.passed;
        passed.clear();
        policy.walk(&mut |frame, verdict| match (verdict, state(frame)) {
            (_, FrameState::Pinned) => ControlFlow::Continue(()),
            (_, FrameState::InFlight) => {
                if let Victim::None { in_flight: first @ None } = &mut victim {
                    *first = Some(frame);
                }
                ControlFlow::Continue(())
            }
            (Verdict::SecondChance, _) => {
                passed.push(frame);
                ControlFlow::Continue(())
            }
            (Verdict::Evict | Verdict::Later, state) => {
                victim = match state {
                    FrameState::Dirty => Victim::Dirty(frame),
                    _ => Victim::Clean(frame),
                };
                ControlFlow::Break(())
            }
        });
        if !passed.is_empty() && !matches!(victim, Victim::None { .. }) {
            policy.passed(passed, Walk::Eviction);
        }
        victim
    }

    /// The pages to write now that the victim is dirty: the victim first.
    ///
    /// COW(n) takes the dirty ones of n pages, COW-X(n) searches on until it has n; neither goes on to pages
    /// that go later than pages still to come. Where a policy rotates pages that it passes when writing back,
    /// those count among COW's n.
    #[inline]
    pub(crate) fn with_victim<P: Policy + ?Sized>(
        &mut self,
        policy: &mut P,
        victim: Frame,
        (ace, n): (Ace, u32),
        state: impl Fn(Frame) -> FrameState,
    ) -> &[Frame] {
        self.chosen.clear();
        self.chosen.push(victim);
        let window = match ace {
            Ace::Off => 1,
            Ace::Cow | Ace::CowE => n,
            Ace::CowX | Ace::CowXE => u32::MAX,
        };
        let most = if ace == Ace::Off { 1 } else { n };
        if most > 1 {
            self.add_dirty(policy, window - 1, most, false, |frame| match frame == victim {
                true => FrameState::Pinned,
                false => state(frame),
            });
        }
        &self.chosen
    }

    /// Adds dirty pages of a window to those chosen, until they are `most`.
    #[inline]
    fn add_dirty<P: Policy + ?Sized>(
        &mut self,
        policy: &mut P,
        window: u32,
        most: u32,
        later: bool,
        state: impl Fn(Frame) -> FrameState,
    ) {
        let (passed, chosen) = (&mut self.passed, &mut self.chosen);
        passed.clear();
        let rotates = policy.rotates_on_write_back();
        let mut left = window;
        policy.walk(&mut |frame, verdict| {
            let state = state(frame);
            if left == 0 || chosen.len() as u32 >= most || verdict == Verdict::Later && !later {
                return ControlFlow::Break(());
            }
            match (verdict, state) {
                (_, FrameState::InFlight | FrameState::Pinned) => return ControlFlow::Continue(()),
                (Verdict::SecondChance, _) if !rotates => return ControlFlow::Continue(()),
                (Verdict::SecondChance, _) => passed.push(frame),
                (_, FrameState::Dirty) => chosen.push(frame),
                _ => {}
            }
            left -= 1;
            ControlFlow::Continue(())
        });
        if !passed.is_empty() {
            policy.passed(passed, Walk::WriteBack);
        }
    }

    /// For a cleaner: at most `most` dirty pages among the next `window` of the virtual order (where it goes
    /// on with pages that go later, so does the window), and as many of the policy's other queue, where it
    /// has one.
    #[inline]
    pub(crate) fn dirty_everywhere<P: Policy + ?Sized>(
        &mut self,
        policy: &mut P,
        window: u32,
        most: u32,
        state: impl Fn(Frame) -> FrameState,
    ) -> &[Frame] {
        self.chosen.clear();
        self.add_dirty(policy, window, most, true, &state);
        let chosen = &mut self.chosen;
        let mut left = window;
        policy.walk_other(&mut |frame, verdict| {
            if left == 0 || chosen.len() as u32 >= most {
                return ControlFlow::Break(());
            }
            match (verdict, state(frame)) {
                (_, FrameState::InFlight | FrameState::Pinned) => return ControlFlow::Continue(()),
                // Where all of the first queue is busy, the walk has come here already.
                (Verdict::Evict | Verdict::Later, FrameState::Dirty) if !chosen.contains(&frame) => {
                    chosen.push(frame)
                }
                _ => {}
            }
            left -= 1;
            ControlFlow::Continue(())
        });
        chosen
    }

    /// The first clean page among the next `window` of the virtual order, of those that go later only where
    /// no other is left, or where the window is [`u32::MAX`]: any clean page then. Grants nothing.
    #[inline]
    pub(crate) fn clean<P: Policy + ?Sized>(
        &mut self,
        policy: &P,
        window: u32,
        state: impl Fn(Frame) -> FrameState,
    ) -> Option<Frame> {
        let mut seen = 0;
        let mut found = None;
        policy.walk(&mut |frame, verdict| {
            let state = state(frame);
            if verdict == Verdict::SecondChance || matches!(state, FrameState::InFlight | FrameState::Pinned)
            {
                return ControlFlow::Continue(());
            }
            let later = verdict == Verdict::Later && seen > 0 && window < u32::MAX;
            if seen == window || later {
                return ControlFlow::Break(());
            }
            if state == FrameState::Clean {
                found = Some(frame);
                return ControlFlow::Break(());
            }
            seen += 1;
            ControlFlow::Continue(())
        });
        found
    }
}

#[cfg(test)]
mod tests;
