//! Completions that are held back: until their time has come, or for the sake of disorder.

use crate::{Completion, NEVER, Nanos};

/// A completion on its way to the caller.
#[derive(Debug, Clone, Copy)]
pub(super) struct DelayedCompletion {
    pub(super) completion: Completion,
    /// When it may be handed out, not before it completed below: to the caller, this is when it completed.
    pub(super) due: Nanos,
    /// What to order it by, where it is one to be shuffled.
    pub(super) shuffle: Option<u64>,
}

/// All completions that the caller has not been given yet.
#[derive(Debug, Default)]
pub(super) struct DelayQueue {
    delayed: Vec<DelayedCompletion>,
    /// Before this moment nothing is handed out.
    stalled_until: Nanos,
}

impl DelayQueue {
    pub(super) fn push(&mut self, delayed: DelayedCompletion) {
        self.delayed.push(delayed);
    }

    pub(super) fn stall_until(&mut self, moment: Nanos) {
        self.stalled_until = self.stalled_until.max(moment);
    }

    /// How many may be handed out at this moment.
    pub(super) fn ready(&self, now: Nanos) -> u32 {
        self.delayed.iter().filter(|held| self.due(held) <= now).count() as u32
    }

    /// The first moment after this one at which more may be; [`NEVER`] where nothing is held.
    pub(super) fn next_due(&self, now: Nanos) -> Nanos {
        self.delayed.iter().map(|held| self.due(held)).filter(|due| *due > now).min().unwrap_or(NEVER)
    }

    fn due(&self, held: &DelayedCompletion) -> Nanos {
        held.due.max(self.stalled_until)
    }

    /// Takes out what may be handed out, in order of time, the shuffled ones among them in an order of their
    /// own. Some of those stay for another time, as long as `min` are left.
    pub(super) fn take(&mut self, now: Nanos, min: u32) -> Vec<Completion> {
        let stalled_until = self.stalled_until;
        let is_ready = |held: &mut DelayedCompletion| held.due.max(stalled_until) <= now;
        let mut ready: Vec<DelayedCompletion> = self.delayed.extract_if(.., is_ready).collect();
        ready.sort_by_key(|held| held.due);
        shuffle(&mut ready);
        let mut spare = (ready.len() as u32).saturating_sub(min);
        let stays = |held: &mut DelayedCompletion| {
            let stays = spare > 0 && held.shuffle.is_some_and(|shuffle| shuffle & 1 == 1);
            spare -= u32::from(stays);
            stays
        };
        let later: Vec<DelayedCompletion> = ready.extract_if(.., stays).collect();
        // An even number does not stay again.
        self.delayed.extend(
            later.into_iter().map(|held| DelayedCompletion { shuffle: held.shuffle.map(|s| s & !1), ..held }),
        );
        let at = |held: &DelayedCompletion| held.due.max(stalled_until);
        ready.iter().map(|held| Completion { at: at(held), ..held.completion }).collect()
    }
}

/// Puts those that are to be shuffled into the order of their numbers, in the places that they have.
fn shuffle(ready: &mut [DelayedCompletion]) {
    let places: Vec<usize> = (0..ready.len()).filter(|place| ready[*place].shuffle.is_some()).collect();
    let mut shuffled: Vec<DelayedCompletion> = places.iter().map(|place| ready[*place]).collect();
    // The low half: the requests were sent in the order of the whole number.
    shuffled.sort_by_key(|held| held.shuffle.map(|number| number as u32));
    for (place, held) in places.into_iter().zip(shuffled) {
        ready[place] = held;
    }
}
