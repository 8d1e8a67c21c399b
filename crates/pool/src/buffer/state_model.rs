//! The state word under every interleaving and every order of memory that two or three threads can meet
//! (loom).
//!
//! A page's bytes are two relaxed atomics that a writer makes equal: whoever is let in too early, or lacks
//! the order that its hold promises, sees them differ or sees an old value.

use std::sync::atomic::Ordering::{self, Relaxed};

use loom::sync::Arc;
use loom::sync::atomic::AtomicU64;
use loom::thread;

use super::state::{LatchOutcome, StateWord};

/// A frame whose bytes are `[value, value]`.
struct Frame {
    state: StateWord<AtomicU64>,
    bytes: [AtomicU64; 2],
}

impl Frame {
    /// Free.
    fn new() -> Arc<Frame> {
        Arc::new(Frame {
            state: StateWord::over(AtomicU64::new),
            bytes: [AtomicU64::new(0), AtomicU64::new(0)],
        })
    }

    /// Holds `page`, clean and unused, with bytes of the same number.
    fn with(page: u64) -> Arc<Frame> {
        let frame = Frame::new();
        frame.state.begin_load(page, true);
        frame.set(page);
        frame.state.loaded();
        frame
    }

    fn set(&self, value: u64) {
        self.bytes.iter().for_each(|byte| byte.store(value, Relaxed));
    }

    fn get(&self) -> u64 {
        let [a, b] = [0, 1].map(|i| self.bytes[i].load(Relaxed));
        assert_eq!(a, b, "half of a change was seen");
        a
    }

    /// Reads as a guard does; `None` where the page cannot be had just now.
    fn read(&self, page: u64) -> Option<u64> {
        matches!(self.state.try_share(page), LatchOutcome::Held { .. }).then(|| {
            let value = self.get();
            self.state.unshare();
            value
        })
    }

    /// Adds 10, as a guard does; false where the page cannot be had just now.
    fn add_ten(&self, page: u64) -> bool {
        let taken = matches!(self.state.try_exclusive(page), LatchOutcome::Held { .. });
        if taken {
            self.set(self.get() + 10);
            self.state.release();
        }
        taken
    }

    /// Writes the page back as far as the word is concerned: what went out.
    fn write_back(&self, ok: bool) -> Option<u64> {
        self.state.try_begin_write_back()?;
        let copy = self.get();
        self.state.unshare();
        self.state.end_write_back(ok);
        Some(copy)
    }
}

#[test]
fn a_reader_never_sees_another_page_in_the_frame() {
    loom::model(|| {
        let frame = Frame::with(1);
        let reader = Arc::clone(&frame);
        let reader = thread::spawn(move || {
            assert!(matches!(reader.read(1), None | Some(1)));
            assert!(matches!(reader.read(2), None | Some(2)));
        });
        if let Some((page, _)) = frame.state.try_claim() {
            assert_eq!(page, 1);
            frame.state.begin_load(2, true);
            frame.set(2);
            frame.state.loaded();
        }
        reader.join().unwrap();
    });
}

#[test]
fn who_waits_for_a_load_reads_what_was_loaded() {
    loom::model(|| {
        let frame = Frame::new();
        frame.state.begin_load(3, false);
        let waiter = Arc::clone(&frame);
        let waiter = thread::spawn(move || {
            let taken = waiter.state.try_share(3);
            if !matches!(taken, LatchOutcome::Held { .. } | LatchOutcome::Pending { .. }) {
                panic!("a page that loads can be waited for: {taken:?}");
            }
            while waiter.state.snapshot().is_loading() {
                thread::yield_now();
            }
            assert_eq!(waiter.get(), 3);
            waiter.state.unshare();
        });
        frame.set(3);
        frame.state.loaded();
        assert_eq!(frame.get(), 3);
        frame.state.unshare();
        waiter.join().unwrap();
        assert!(frame.state.try_claim().is_some(), "all holds were given back");
    });
}

#[test]
fn a_failed_load_frees_its_frame_exactly_once() {
    loom::model(|| {
        let frame = Frame::new();
        frame.state.begin_load(3, false);
        let waiter = Arc::clone(&frame);
        let waiter = thread::spawn(move || match waiter.state.try_share(3) {
            LatchOutcome::Pending { .. } => {
                while waiter.state.snapshot().is_loading() {
                    thread::yield_now();
                }
                assert!(waiter.state.snapshot().is_failed());
                waiter.state.unshare();
                u32::from(waiter.state.try_bury())
            }
            taken => {
                assert_eq!(taken, LatchOutcome::Gone);
                0
            }
        });
        frame.state.failed();
        let mut buried = u32::from(frame.state.try_bury());
        frame.state.unshare();
        buried += u32::from(frame.state.try_bury());
        buried += waiter.join().unwrap();
        assert_eq!(buried, 1);
        assert!(frame.state.snapshot().page().is_none());
    });
}

#[test]
fn what_is_clean_went_out_as_it_is() {
    for ok in [true, false] {
        loom::model(move || {
            let frame = Frame::with(1);
            assert!(frame.add_ten(1));
            let (writer, cleaner) = (Arc::clone(&frame), Arc::clone(&frame));
            let writer = thread::spawn(move || writer.add_ten(1));
            let cleaner = thread::spawn(move || cleaner.write_back(ok));
            let changed = writer.join().unwrap();
            let out = cleaner.join().unwrap();
            let value = if changed { 21 } else { 11 };
            assert_eq!(frame.get(), value);
            if !frame.state.snapshot().is_dirty() {
                assert!(ok && out == Some(value), "clean, but {out:?} went out instead of {value}");
            }
        });
    }
}

#[test]
fn a_page_is_not_given_away_with_a_change_that_did_not_go_out() {
    loom::model(|| {
        let frame = Frame::with(1);
        assert!(frame.add_ten(1));
        let (writer, cleaner) = (Arc::clone(&frame), Arc::clone(&frame));
        let writer = thread::spawn(move || writer.add_ten(1));
        let cleaner = thread::spawn(move || cleaner.write_back(true));
        // In the place of a thread that seeks a victim.
        let claimed = frame.state.try_claim();
        let changed = writer.join().unwrap();
        let out = cleaner.join().unwrap();
        if claimed.is_some() {
            assert!(out.is_some(), "a dirty page was given away");
            assert_eq!(out, Some(if changed { 21 } else { 11 }));
        }
    });
}

#[test]
fn two_writers_take_turns_and_the_last_reader_may_become_one() {
    loom::model(|| {
        let frame = Frame::with(1);
        let other = Arc::clone(&frame);
        let other = thread::spawn(move || other.add_ten(1));
        let mut added = 0;
        if matches!(frame.state.try_share(1), LatchOutcome::Held { .. }) {
            let seen = frame.get();
            if frame.state.try_upgrade() {
                assert_eq!(frame.get(), seen, "somebody changed it in between");
                frame.set(seen + 10);
                frame.state.release();
                added += 10;
            } else {
                frame.state.unshare();
            }
        }
        added += if other.join().unwrap() { 10 } else { 0 };
        assert_eq!(frame.read(1), Some(1 + added));
    });
}

#[test]
fn two_cleaners_do_not_write_one_page_at_once() {
    loom::model(|| {
        let frame = Frame::with(1);
        assert!(frame.add_ten(1));
        let in_flight = Arc::new(AtomicU64::new(0));
        let cleaners = [0, 1].map(|_| {
            let (frame, in_flight) = (Arc::clone(&frame), Arc::clone(&in_flight));
            thread::spawn(move || {
                if frame.state.try_begin_write_back().is_some() {
                    assert_eq!(in_flight.fetch_add(1, Ordering::SeqCst), 0);
                    frame.state.unshare();
                    in_flight.fetch_sub(1, Ordering::SeqCst);
                    frame.state.end_write_back(true);
                }
            })
        });
        cleaners.into_iter().for_each(|cleaner| cleaner.join().unwrap());
        assert!(!frame.state.snapshot().is_dirty());
    });
}

#[test]
fn whoever_sleeps_is_told() {
    loom::model(|| {
        let frame = Frame::with(1);
        assert!(matches!(frame.state.try_exclusive(1), LatchOutcome::Held { .. }));
        let sleeper = Arc::clone(&frame);
        // What `Parking` does: the mark, then the look that decides. It sleeps if the look says so.
        let sleeper = thread::spawn(move || sleeper.state.park().is_exclusive());
        let told = frame.state.release();
        let asleep = sleeper.join().unwrap();
        assert!(told || !asleep, "asleep, and nobody knows");
    });
}
