//! What happens when.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use leadline_device::Nanos;

/// Something that happens at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Event {
    /// A request has reached the controller.
    Reached(u32),
    /// A page is in the register of its die, for a part of a request.
    Sensed(u32),
    /// All of a request's data is in the controller.
    Gathered(u32),
    /// A request is complete.
    Complete(u32),
    /// A program or erase on a die may have ended.
    Worked(u32),
    /// The host may have been idle for long enough to fold the SLC cache.
    Idle,
}

/// The events to come, those at the same time in the order in which they were added.
#[derive(Debug, Clone, Default)]
pub(super) struct Events {
    /// Time, sequence, and the event packed into a number: small entries are moved more quickly.
    heap: BinaryHeap<Reverse<(Nanos, u64)>>,
    sequence: u64,
    /// When the last event that was taken was due: none comes before it any more.
    now: Nanos,
}

/// Bits of the index in a packed event: most requests in flight, parts of them, dies. A request of 2 GiB may
/// have four million parts.
const INDEX_BITS: u32 = 26;

/// Bits of the kind.
const KIND_BITS: u32 = 3;

impl Event {
    fn pack(self) -> u64 {
        let (kind, index) = match self {
            Event::Reached(index) => (0, index),
            Event::Sensed(index) => (1, index),
            Event::Gathered(index) => (2, index),
            Event::Complete(index) => (3, index),
            Event::Worked(index) => (4, index),
            Event::Idle => (5, 0),
        };
        debug_assert!(index < 1 << INDEX_BITS);
        kind << INDEX_BITS | u64::from(index)
    }

    fn unpack(packed: u64) -> Event {
        let index = (packed & ((1 << INDEX_BITS) - 1)) as u32;
        match packed >> INDEX_BITS & ((1 << KIND_BITS) - 1) {
            0 => Event::Reached(index),
            1 => Event::Sensed(index),
            2 => Event::Gathered(index),
            3 => Event::Complete(index),
            4 => Event::Worked(index),
            _ => Event::Idle,
        }
    }
}

impl Events {
    #[inline]
    pub(super) fn add(&mut self, at: Nanos, event: Event) {
        debug_assert!(at >= self.now, "{event:?} at {at}, before {}", self.now);
        debug_assert!(self.sequence < 1 << (u64::BITS - INDEX_BITS - KIND_BITS), "order would be lost");
        self.heap.push(Reverse((at, self.sequence << (INDEX_BITS + KIND_BITS) | event.pack())));
        self.sequence += 1;
    }

    #[inline]
    pub(super) fn next_at(&self) -> Option<Nanos> {
        self.heap.peek().map(|&Reverse((at, _))| at)
    }

    /// The next event, where it is not after `until`.
    #[inline]
    pub(super) fn take(&mut self, until: Nanos) -> Option<(Nanos, Event)> {
        let &Reverse((at, packed)) = self.heap.peek()?;
        if at > until {
            return None;
        }
        self.heap.pop();
        debug_assert!(at >= self.now, "time goes forward");
        self.now = at;
        Some((at, Event::unpack(packed)))
    }
}
