//! How the cleaner is asked for clean pages, waited for and stopped.

use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicBool, AtomicU32};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

use super::config::PoolConfig;
use crate::ace::Cleaner;

/// What the cleaner and those who need clean pages tell each other.
///
/// Whoever waits and whoever sleeps does so by what the lock guards, so that no message is lost. The atomics
/// next to it only save the lock: `idle` and `rest` decide how soon the cleaner looks again, and one too few
/// or too many costs it an eviction's time; `healthy` says whether to wait for it at all, and one who sees it
/// too late is woken by the end of a round, or of the cleaner.
#[derive(Debug)]
pub(crate) struct CleanerControl {
    /// Most writes in flight; 0 for no cleaner, `None` for as many as are written at once.
    pub(super) depth: Option<u32>,
    /// Evictions until it is asked to look again.
    rest: AtomicU32,
    /// Asleep, because nothing is dirty.
    idle: AtomicBool,
    /// Its last writes went well.
    pub(super) healthy: AtomicBool,
    state: Mutex<Signals>,
    wanted: Condvar,
    cleaned: Condvar,
}

#[derive(Debug, Default)]
struct Signals {
    asked: bool,
    stop: bool,
    /// The cleaner has ended, and will end no further round.
    ended: bool,
    /// Rounds that ended, each with something clean or an error.
    rounds: u64,
    /// Those who wait for the end of a round.
    waiting: u32,
}

impl CleanerControl {
    pub(crate) fn new(config: &PoolConfig) -> Self {
        let depth = match config.cleaner {
            Cleaner::Off => Some(0),
            Cleaner::Depth(depth) => Some(depth.min(config.batch())),
            Cleaner::Auto => None,
        };
        CleanerControl {
            depth,
            rest: AtomicU32::new(0),
            idle: AtomicBool::new(false),
            healthy: AtomicBool::new(true),
            state: Mutex::default(),
            wanted: Condvar::new(),
            cleaned: Condvar::new(),
        }
    }

    /// Whether there is a cleaner to be started.
    pub(crate) fn is_wanted(&self) -> bool {
        self.depth != Some(0)
    }

    /// Whether there is a cleaner that can be waited for.
    pub(crate) fn is_working(&self) -> bool {
        self.is_wanted() && self.healthy.load(Acquire)
    }

    /// A page may have been evicted: every eighth of the reserve, the cleaner looks again.
    #[inline]
    pub(crate) fn evicted(&self, reserve: u32) {
        if !self.is_wanted() {
            return;
        }
        let rest = self.rest.load(Relaxed);
        if rest > 0 {
            self.rest.store(rest - 1, Relaxed);
            return;
        }
        if self.idle.load(Acquire) {
            self.rest.store(reserve / 8, Relaxed);
            self.ask();
        }
    }

    fn ask(&self) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.asked = true;
        self.wanted.notify_one();
    }

    /// Asks for clean pages and waits until there may be some.
    pub(crate) fn wait(&self) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let seen = state.rounds;
        state.asked = true;
        state.waiting += 1;
        self.wanted.notify_one();
        while state.rounds == seen && !state.stop && !state.ended {
            state = self.cleaned.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.waiting -= 1;
    }

    /// Something is clean, or nothing can be.
    pub(super) fn end_round(&self) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.rounds += 1;
        if state.waiting > 0 {
            self.cleaned.notify_all();
        }
    }

    /// There is no cleaner any more, however it ended.
    pub(super) fn end(&self) {
        self.healthy.store(false, Release);
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.ended = true;
        self.cleaned.notify_all();
    }

    /// Sleeps until asked; false when it is to stop.
    pub(super) fn sleep(&self, at_most: Option<Duration>) -> bool {
        self.idle.store(true, Release);
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        while !state.asked && !state.stop {
            match at_most {
                None => state = self.wanted.wait(state).unwrap_or_else(PoisonError::into_inner),
                Some(time) => {
                    let waited = self.wanted.wait_timeout(state, time);
                    state = waited.unwrap_or_else(PoisonError::into_inner).0;
                    break;
                }
            }
        }
        state.asked = false;
        self.idle.store(false, Release);
        !state.stop
    }

    pub(super) fn is_stopped(&self) -> bool {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).stop
    }

    /// Tells the cleaner to end.
    pub(crate) fn stop(&self) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.stop = true;
        self.wanted.notify_one();
        self.cleaned.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_waits_for_a_cleaner_that_has_ended() {
        let control = CleanerControl::new(&PoolConfig::new(4096, 8).cleaner(Cleaner::Auto));
        assert!(control.is_working());
        // It ends, as one that panicked, after a client has seen that it works and before that client waits.
        control.end();
        control.wait();
        assert!(!control.is_working());
    }
}
