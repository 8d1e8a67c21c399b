//! The writer's choice: the next victim, and the dirty pages that go out with it.
//!
//! Pages under I/O or in use are passed over as if they were not there: somebody else is already dealing with them.

use std::ops::ControlFlow;

use crate::ace::Ace;
use crate::policy::{Frame, Policy, Verdict, Walk};

/// What can be done with a frame just now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum State {
    /// Clean and unused: it can be evicted.
    Clean,
    /// Dirty and unused: it can be written.
    Dirty,
    /// In use, being read or being written.
    Busy,
}

/// A page that the policy gives up next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Victim {
    pub(crate) frame: Frame,
    pub(crate) dirty: bool,
}

/// Walks the virtual order. Holds its lists, so that nothing is allocated.
#[derive(Debug, Default)]
pub(crate) struct Writer {
    passed: Vec<Frame>,
    chosen: Vec<Frame>,
}

impl Writer {
    /// The page that goes next; second chances before it are granted. `None` where every page is busy.
    #[inline]
    pub(crate) fn victim<P: Policy + ?Sized>(
        &mut self,
        policy: &mut P,
        state: impl Fn(Frame) -> State,
    ) -> Option<Victim> {
        let mut victim = None;
        let passed = &mut self.passed;
        passed.clear();
        policy.walk(&mut |frame, verdict| match (verdict, state(frame)) {
            (_, State::Busy) => ControlFlow::Continue(()),
            (Verdict::SecondChance, _) => {
                passed.push(frame);
                ControlFlow::Continue(())
            }
            (Verdict::Evict | Verdict::Later, state) => {
                victim = Some(Victim { frame, dirty: state == State::Dirty });
                ControlFlow::Break(())
            }
        });
        if victim.is_some() && !passed.is_empty() {
            policy.passed(passed, Walk::Eviction);
        }
        victim
    }

    /// The pages to write now that the victim is dirty: the victim first.
    ///
    /// COW(n) takes the dirty ones of n pages, COW-X(n) searches on until it has n; neither goes on to pages that go
    /// later than pages still to come. Where a policy rotates pages that it passes when writing back, those count among
    /// COW's n.
    #[inline]
    pub(crate) fn with_victim<P: Policy + ?Sized>(
        &mut self,
        policy: &mut P,
        victim: Frame,
        (ace, n): (Ace, u32),
        state: impl Fn(Frame) -> State,
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
                true => State::Busy,
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
        state: impl Fn(Frame) -> State,
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
                (_, State::Busy) => return ControlFlow::Continue(()),
                (Verdict::SecondChance, _) if !rotates => return ControlFlow::Continue(()),
                (Verdict::SecondChance, _) => passed.push(frame),
                (_, State::Dirty) => chosen.push(frame),
                _ => {}
            }
            left -= 1;
            ControlFlow::Continue(())
        });
        if !passed.is_empty() {
            policy.passed(passed, Walk::WriteBack);
        }
    }

    /// For a cleaner: at most `most` dirty pages among the next `window` of the virtual order (where it goes on with pages
    /// that go later, so does the window), and as many of the policy's other queue, where it has one.
    #[inline]
    pub(crate) fn dirty_everywhere<P: Policy + ?Sized>(
        &mut self,
        policy: &mut P,
        window: u32,
        most: u32,
        state: impl Fn(Frame) -> State,
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
                (_, State::Busy) => return ControlFlow::Continue(()),
                // Where all of the first queue is busy, the walk has come here already.
                (Verdict::Evict | Verdict::Later, State::Dirty) if !chosen.contains(&frame) => {
                    chosen.push(frame)
                }
                _ => {}
            }
            left -= 1;
            ControlFlow::Continue(())
        });
        chosen
    }

    /// The first clean page among the next `window` of the virtual order, of those that go later only where no other
    /// is left, or where the window is [`u32::MAX`]: any clean page then. Grants nothing.
    #[inline]
    pub(crate) fn clean<P: Policy + ?Sized>(
        &mut self,
        policy: &P,
        window: u32,
        state: impl Fn(Frame) -> State,
    ) -> Option<Frame> {
        let mut seen = 0;
        let mut found = None;
        policy.walk(&mut |frame, verdict| {
            let state = state(frame);
            if verdict == Verdict::SecondChance || state == State::Busy {
                return ControlFlow::Continue(());
            }
            let later = verdict == Verdict::Later && seen > 0 && window < u32::MAX;
            if seen == window || later {
                return ControlFlow::Break(());
            }
            if state == State::Clean {
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
