//! Waiting for a frame: a short spin, then sleep in one of a few buckets.

use std::sync::{Condvar, Mutex, PoisonError};

use super::state::{Snapshot, StateWord};
use crate::policy::Frame;

/// Frames share buckets; a thread woken for another frame goes back to sleep.
const BUCKETS: usize = 64;

/// Looks at the word before sleeping. A latch is held for less than a microsecond as a rule.
const SPINS: u32 = 64;

/// Where threads sleep.
#[derive(Debug)]
pub(crate) struct Parking {
    buckets: Box<[Bucket]>,
}

#[derive(Debug, Default)]
#[repr(align(64))]
struct Bucket {
    lock: Mutex<()>,
    changed: Condvar,
}

impl Parking {
    pub(crate) fn new() -> Self {
        Parking { buckets: (0..BUCKETS).map(|_| Bucket::default()).collect() }
    }

    fn bucket(&self, frame: Frame) -> &Bucket {
        &self.buckets[frame as usize % BUCKETS]
    }

    /// Returns when `wait` is no longer true of the frame's word. Every change that can make it false must be
    /// followed by [`Parking::wake`] if the word says that a thread is parked.
    pub(crate) fn wait_while(&self, frame: Frame, state: &StateWord, wait: impl Fn(Snapshot) -> bool) {
        for _ in 0..SPINS {
            if !wait(state.snapshot()) {
                return;
            }
            std::hint::spin_loop();
        }
        let bucket = self.bucket(frame);
        let mut asleep = bucket.lock.lock().unwrap_or_else(PoisonError::into_inner);
        // The mark is set under the bucket's lock, by the same step that looks: who changes the word later
        // sees the mark, takes the lock, and so finds us asleep. Who changed it earlier is seen.
        while wait(state.park()) {
            asleep = bucket.changed.wait(asleep).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Wakes all who sleep for this frame.
    #[cold]
    pub(crate) fn wake(&self, frame: Frame, state: &StateWord) {
        let bucket = self.bucket(frame);
        let _asleep = bucket.lock.lock().unwrap_or_else(PoisonError::into_inner);
        // Also the mark of one who came after the change: he wakes with the others, and sets it again.
        state.unpark();
        bucket.changed.notify_all();
    }
}
