//! What the disk reads on behind a read, while it has nothing else to do.

use leadline_device::Nanos;

/// A head that reads on, into a buffer of limited size.
#[derive(Debug, Clone, Copy)]
pub(super) struct ReadAhead {
    /// The end of what was asked for so far.
    pub(super) asked: u64,
    /// Where on the tape the head was, and when.
    pub(super) tape: u128,
    pub(super) at: Nanos,
}

impl ReadAhead {
    /// When the head has passed this place, if it reads on; 0 where it had before [`ReadAhead::at`].
    pub(super) fn passes(&self, tape: u128) -> Nanos {
        if tape <= self.tape {
            return 0;
        }
        self.at.saturating_add(Nanos::try_from(tape - self.tape).unwrap_or(Nanos::MAX))
    }

    /// Where the head is at `now`, given where it stops.
    pub(super) fn position(&self, now: Nanos, stop: u128) -> u128 {
        (self.tape + u128::from(now.saturating_sub(self.at))).min(stop.max(self.tape))
    }
}
