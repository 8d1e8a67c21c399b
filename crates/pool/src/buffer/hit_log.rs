//! Accesses, noted by each thread for itself and told to the policy in batches.
//!
//! A hit must not take the lock that guards the policy. It leaves a note in a ring of its own thread; whoever
//! has the lock empties the rings (as BP-Wrapper does: Ding, Jiang and Zhang, ICDE 2009). Threads beyond the
//! number of rings share the last one and may overwrite each other's notes: the policy then misses an access,
//! or is told of an older one once more, nothing else.
//!
//! A ring is sound for one writer ([`super::ring`], under loom), and a thread's number is no other living
//! thread's: it changes hands under a lock. The counts are sums of relaxed counters, each exact since only
//! its own thread writes it, or by one indivisible step where threads share it.

use std::cell::Cell;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicU32, AtomicU64};
use std::sync::{Mutex, PoisonError};

use super::ring::Ring;
use crate::policy::{Frame, Page};

/// Threads with a ring of their own.
const RINGS: usize = 64;

/// Hits in a ring.
const ENTRIES: usize = 128;

/// After that many the thread tries to empty the rings.
const BATCH: u64 = ENTRIES as u64 / 2;

const FRAME_BITS: u32 = 26;

/// Most frames: a note has no more numbers for them.
pub(crate) const FRAMES: u32 = 1 << FRAME_BITS;

/// An access that was a hit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Hit {
    pub(crate) page: Page,
    pub(crate) frame: Frame,
    pub(crate) write: bool,
    /// The first use of a page that was read ahead.
    pub(crate) ahead: bool,
}

impl Hit {
    #[inline]
    fn pack(self) -> u64 {
        let flags = u64::from(self.ahead) << 1 | u64::from(self.write);
        self.page << (FRAME_BITS + 2) | u64::from(self.frame) << 2 | flags
    }

    #[inline]
    fn unpack(word: u64) -> Self {
        let frame = (word >> 2 & ((1 << FRAME_BITS) - 1)) as Frame;
        Hit { page: word >> (FRAME_BITS + 2), frame, write: word & 1 != 0, ahead: word & 2 != 0 }
    }
}

/// What one thread logs, on cache lines that no other thread writes to.
#[derive(Debug)]
#[repr(align(128))]
struct ThreadLog {
    /// Hits, more than were ever in the ring where it was full.
    hits: AtomicU64,
    ahead_used: AtomicU64,
    notes: Ring<AtomicU64, ENTRIES>,
}

/// All rings of a pool.
#[derive(Debug)]
pub(crate) struct HitLog {
    rings: Box<[ThreadLog]>,
    /// Rings that were used.
    used: AtomicU32,
}

impl HitLog {
    pub(crate) fn new() -> Self {
        let ring = |_| ThreadLog {
            hits: AtomicU64::new(0),
            ahead_used: AtomicU64::new(0),
            notes: Ring::new(AtomicU64::new),
        };
        HitLog { rings: (0..RINGS).map(ring).collect(), used: AtomicU32::new(0) }
    }

    /// Logs a hit. True when it is time to empty the rings, or the note found no room.
    #[inline]
    pub(crate) fn hit(&self, note: Hit) -> bool {
        let thread = thread_index() as usize;
        let ring = &self.rings[thread.min(RINGS - 1)];
        if thread < RINGS - 1 {
            // Nobody else writes: no need for one indivisible step.
            ring.hits.store(ring.hits.load(Relaxed) + 1, Relaxed);
        } else {
            ring.hits.fetch_add(1, Relaxed);
        }
        if note.ahead {
            ring.ahead_used.fetch_add(1, Relaxed);
        }
        let (waiting, first) = ring.notes.push(note.pack());
        if first {
            self.used.fetch_max(thread.min(RINGS - 1) as u32 + 1, Relaxed);
        }
        waiting >= BATCH
    }

    /// Empties the rings. Under the replacer's lock.
    pub(crate) fn drain(&self, mut tell: impl FnMut(Hit)) {
        // A ring that has just been used for the first time may be left out: its turn comes.
        let used = self.used.load(Relaxed) as usize;
        for (i, ring) in self.rings[..used].iter().enumerate() {
            ring.notes.drain(i == RINGS - 1, |word| tell(Hit::unpack(word)));
        }
    }

    /// Hits so far, and first uses of pages read ahead.
    pub(crate) fn hits(&self) -> (u64, u64) {
        let sum =
            |of: fn(&ThreadLog) -> &AtomicU64| self.rings.iter().map(|ring| of(ring).load(Relaxed)).sum();
        (sum(|ring| &ring.hits), sum(|ring| &ring.ahead_used))
    }
}

/// Numbers that no living thread has.
static UNUSED: Mutex<(BinaryHeap<Reverse<u32>>, u32)> = Mutex::new((BinaryHeap::new(), 0));

thread_local! {
    static INDEX: Cell<u32> = const { Cell::new(u32::MAX) };
    static RETURN: Return = const { Return(Cell::new(u32::MAX)) };
}

/// Gives a thread's number back when the thread ends.
struct Return(Cell<u32>);

impl Drop for Return {
    fn drop(&mut self) {
        if self.0.get() != u32::MAX {
            // What other destructors of this thread still log goes where threads share a ring: the number may
            // be another thread's at once.
            INDEX.set(RINGS as u32);
            UNUSED.lock().unwrap_or_else(PoisonError::into_inner).0.push(Reverse(self.0.get()));
        }
    }
}

/// A small number of this thread, which no other living thread has if it is less than the number of rings,
/// less one.
#[inline]
pub(crate) fn thread_index() -> u32 {
    match INDEX.get() {
        u32::MAX => first_index(),
        index => index,
    }
}

#[cold]
fn first_index() -> u32 {
    let mut unused = UNUSED.lock().unwrap_or_else(PoisonError::into_inner);
    let index = match unused.0.pop() {
        Some(Reverse(index)) => index,
        None => {
            unused.1 += 1;
            unused.1 - 1
        }
    };
    drop(unused);
    // A thread that is ending already, and had none, keeps the number for good.
    let _ = RETURN.try_with(|guard| guard.0.set(index));
    INDEX.set(index);
    index
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_come_back_in_order_and_a_full_ring_only_counts() {
        let notes = HitLog::new();
        let note = |i: u64| Hit {
            page: (1 << 36) - 2 - i,
            frame: (1 << 26) - 1 - i as u32,
            write: i.is_multiple_of(2),
            ahead: i % 3 == 1,
        };
        let mut told = Vec::new();
        for round in 0..3 {
            for i in 0..100 {
                let due = notes.hit(note(i));
                assert_eq!(due, i >= 64, "round {round}, note {i}");
            }
            told.clear();
            notes.drain(|note| told.push(note));
            assert_eq!(told, (0..100).map(note).collect::<Vec<_>>());
        }
        for i in 0..200 {
            notes.hit(note(i));
        }
        told.clear();
        notes.drain(|note| told.push(note));
        assert_eq!(told, (0..128).map(note).collect::<Vec<_>>());
        assert_eq!(notes.hits(), (500, 3 * 33 + 67));
    }

    #[test]
    fn numbers_of_threads_that_ended_are_used_again() {
        let mine = thread_index();
        let others: Vec<u32> =
            (0..50).map(|_| std::thread::spawn(thread_index).join().expect("no panic")).collect();
        assert!(others.iter().all(|other| *other != mine));
        // Other tests of this process have threads too, far fewer than 50.
        assert!(others.iter().max().is_some_and(|most| *most < 50), "{others:?}");
    }

    #[test]
    fn a_thread_that_ends_no_longer_uses_the_number_that_it_gave_back() {
        /// What a destructor finds that runs after the number was given back.
        struct Late;
        static FOUND: Mutex<Vec<u32>> = Mutex::new(Vec::new());
        impl Drop for Late {
            fn drop(&mut self) {
                FOUND.lock().unwrap().push(thread_index());
            }
        }
        thread_local! {
            static LATE: Late = const { Late };
        }
        let own = std::thread::spawn(|| {
            // Destructors run in the reverse order of first uses.
            LATE.with(|_| ());
            thread_index()
        });
        let own = own.join().expect("no panic");
        let found = FOUND.lock().unwrap();
        assert_eq!(found.len(), 1);
        assert!(found[0] >= RINGS as u32 - 1, "{} of {own}: another thread may have it", found[0]);
    }
}
