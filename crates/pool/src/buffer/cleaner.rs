//! The background cleaner: keeps the pages that go next clean, so that a miss need not wait for a write.

use std::sync::Arc;
use std::sync::atomic::Ordering::Release;
use std::time::Duration;

use super::batch_size::Span;
use super::cleaner_control::CleanerControl;
use super::core::{Core, WritesInFlight};
use super::io_queue::IoQueueGuard;
use super::reap::IoResults;
use crate::evict::reserve;

/// How long the cleaner leaves pages alone that could not be written, unless it is asked again.
const AFTER_ERROR: Duration = Duration::from_millis(100);

/// Tells those who wait that there is no cleaner any more, however it ended.
struct ExitNotice<'a>(&'a CleanerControl);

impl Drop for ExitNotice<'_> {
    fn drop(&mut self) {
        self.0.end();
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
            let wait_for = match (found, core.cleaning.depth) {
                (1.., None) => core.writes_in_flight(core.batch_size.n()).wait_for(writing),
                _ => 1,
            };
            well &= core.reap(&mut io, wait_for, &mut outcome).is_ok();
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
        // An n that has just become smaller leaves more in flight than may be.
        let depth = core.writes_in_flight(core.batch_size.n());
        let depth = cleaning.depth.map_or(depth, |most| WritesInFlight { most, together: 1 });
        replacer.clean(core, depth.room(outcome.writing))
    };
    let found = batch.len();
    if found == 0 {
        return 0;
    }
    if core.writes_in_batches() {
        // Nothing stays in flight.
        *well &= core.write_out(io, batch).is_ok();
        core.counters.writes_by_cleaner.add(found as u64);
        cleaning.end_round();
        return found;
    }
    *well &= core.send_batch(io, batch, outcome).is_ok();
    found
}
