//! The background cleaner: keeps the pages that go next clean, so that a miss need not wait for a write.

use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicBool, AtomicU32};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

use super::batch_size::Span;
use super::config::PoolConfig;
use super::core::Core;
use super::io_queue::IoQueueGuard;
use super::reap::IoResults;
use crate::ace::Cleaner;
use crate::evict::reserve;

/// How long the cleaner leaves pages alone that could not be written, unless it is asked again.
const AFTER_ERROR: Duration = Duration::from_millis(100);

/// What the cleaner and those who need clean pages tell each other.
#[derive(Debug)]
pub(crate) struct CleanerControl {
    /// Most writes in flight; 0 for no cleaner, `None` for as many as are written at once.
    depth: Option<u32>,
    /// Evictions until it is asked to look again.
    rest: AtomicU32,
    /// Asleep, because nothing is dirty.
    idle: AtomicBool,
    /// Its last writes went well.
    healthy: AtomicBool,
    state: Mutex<Signals>,
    wanted: Condvar,
    cleaned: Condvar,
}

#[derive(Debug, Default)]
struct Signals {
    asked: bool,
    stop: bool,
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
        while state.rounds == seen && !state.stop {
            state = self.cleaned.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.waiting -= 1;
    }

    /// Something is clean, or nothing can be.
    fn end_round(&self) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.rounds += 1;
        if state.waiting > 0 {
            self.cleaned.notify_all();
        }
    }

    /// Sleeps until asked; false when it is to stop.
    fn sleep(&self, at_most: Option<Duration>) -> bool {
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

    fn is_stopped(&self) -> bool {
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

/// Tells those who wait that there is no cleaner any more, however it ended.
struct ExitNotice<'a>(&'a CleanerControl);

impl Drop for ExitNotice<'_> {
    fn drop(&mut self) {
        self.0.healthy.store(false, Release);
        self.0.end_round();
    }
}

impl Core {
    /// Pages at the head of the virtual order that the cleaner keeps clean.
    pub(crate) fn reserve(&self) -> u32 {
        reserve(self.config.frames, self.batch_size.n())
    }
}

/// The cleaner's life.
pub(crate) fn run(core: &Arc<Core>) {
    let cleaning = &core.cleaning;
    let _farewell = ExitNotice(cleaning);
    loop {
        let cleaned = clean(core);
        cleaning.healthy.store(cleaned, Release);
        // Whoever waits looks for itself: at what is clean now, or because we cannot help.
        cleaning.end_round();
        if !cleaning.sleep((!cleaned).then_some(AFTER_ERROR)) {
            return;
        }
    }
}

/// Writes what is dirty in the reserve until nothing is; false where something could not be written.
fn clean(core: &Core) -> bool {
    let Ok(mut io) = core.io() else { return false };
    let mut outcome = IoResults::default();
    let mut well = true;
    let (mut span, mut done) = (Span::default(), 0);
    loop {
        let stopped = core.cleaning.is_stopped();
        let found = if stopped || !well { 0 } else { more(core, &mut io, &mut outcome, &mut well) };
        let writing = outcome.writing;
        if core.batch_size.is_search() && core.cleaning.depth.is_none() {
            let full = span.refilled((writing, core.batch_size.n()), done, io.now());
            full.into_iter().for_each(|(depth, pages, nanos)| core.batch_size.wrote(depth, pages, nanos));
        }
        if writing == 0 && found == 0 {
            return well;
        }
        if writing > 0 {
            well &= core.reap(&mut io, 1, &mut outcome).is_ok();
        }
        done = writing - outcome.writing;
        if stopped && outcome.writing == writing {
            return false; // a device that hangs must not hold up the end
        }
        well &= outcome.error.take().is_none();
        if !outcome.written.is_empty() {
            core.counters.writes_by_cleaner.add(outcome.written.len() as u64);
            core.replacer().written(core, &outcome.written);
            core.durability.forget_absent(&core.frames);
            outcome.written.clear();
            core.cleaning.end_round();
        }
    }
}

/// Sends as many more writes as may be in flight; how many were found.
fn more(core: &Core, io: &mut IoQueueGuard<'_>, outcome: &mut IoResults, well: &mut bool) -> usize {
    let cleaning = &core.cleaning;
    let batch = {
        let mut replacer = core.replacer();
        replacer.drain(core);
        let depth = cleaning.depth.unwrap_or(core.batch_size.n());
        // An n that has just become smaller leaves more in flight than may be.
        replacer.clean(core, depth.saturating_sub(outcome.writing))
    };
    let found = batch.len();
    if found == 0 {
        return 0;
    }
    if core.double_write.is_some() {
        // The area takes one batch at a time: nothing stays in flight.
        *well &= core.write_out(io, batch).is_ok();
        core.counters.writes_by_cleaner.add(found as u64);
        cleaning.end_round();
        return found;
    }
    match core.stage(io, batch) {
        Ok(staged) => core.send(io, staged, outcome),
        Err(_) => *well = false,
    }
    found
}
