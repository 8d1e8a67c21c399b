//! The way to a page: found in memory, waited for, or read.

use std::sync::atomic::Ordering;

use super::core::Core;
use super::error::PoolError;
use super::frames::{ExclusiveLatch, Latch, PendingLatch, SharedLatch};
use super::hit_log::Hit;
use super::load::Lookup;
use super::state::Snapshot;
use crate::policy::Page;

impl Core {
    /// The page, to be read.
    #[inline]
    pub(crate) fn read(&self, page: Page) -> Result<SharedLatch<'_>, PoolError> {
        if let Some(frame) = self.table.find(page) {
            match self.frames.share(frame, page) {
                Latch::Held { hold, ahead } => {
                    self.note(Hit { page, frame, write: false, ahead });
                    return Ok(hold);
                }
                Latch::Pending(pending) => return self.read_pending(pending, page),
                Latch::Busy | Latch::Gone => {}
            }
        }
        self.read_slowly(page)
    }

    /// The page, to be changed.
    #[inline]
    pub(crate) fn write(&self, page: Page) -> Result<ExclusiveLatch<'_>, PoolError> {
        // Relaxed: who sees it too late changes one more page.
        if self.may_change.load(Ordering::Relaxed)
            && let Some(frame) = self.table.find(page)
            && let Latch::Held { hold, ahead } = self.frames.exclusive(frame, page)
        {
            self.note(Hit { page, frame, write: true, ahead });
            return Ok(hold);
        }
        self.write_slowly(page)
    }

    /// Logs a hit, and tells the policy of all once many have gathered and the lock is free.
    #[inline]
    pub(crate) fn note(&self, note: Hit) {
        if self.hits.hit(note)
            && let Ok(mut replacer) = self.replacer.try_lock()
        {
            replacer.drain(self);
        }
    }

    /// Refuses pages that do not exist.
    pub(crate) fn check(&self, page: Page) -> Result<(), PoolError> {
        if page < self.pages {
            return Ok(());
        }
        let (pages, page_bytes) = (self.pages, self.config.page_bytes);
        Err(PoolError::BeyondDevice { page, pages, page_bytes, capacity_bytes: self.capacity_bytes })
    }

    #[cold]
    fn read_slowly(&self, page: Page) -> Result<SharedLatch<'_>, PoolError> {
        self.check(page)?;
        let mut known = self.table.find(page);
        loop {
            let frame = match known.take() {
                Some(frame) => frame,
                None => match self.fault(page, false)? {
                    Lookup::At(frame) => frame,
                    Lookup::Read(hold) => return Ok(hold),
                },
            };
            match self.frames.share(frame, page) {
                Latch::Held { hold, ahead } => {
                    self.note(Hit { page, frame, write: false, ahead });
                    return Ok(hold);
                }
                Latch::Pending(pending) => return self.read_pending(pending, page),
                Latch::Busy => {
                    self.counters.waits.add(1);
                    self.frames.wait_while(frame, |now| now.holds(page) && now.is_exclusive());
                    known = Some(frame);
                }
                Latch::Gone => {}
            }
        }
    }

    /// The page is being read for another thread, or ahead.
    #[cold]
    fn read_pending(&self, pending: PendingLatch, page: Page) -> Result<SharedLatch<'_>, PoolError> {
        self.counters.waits.add(1);
        let (frame, ahead) = (pending.frame, pending.ahead);
        let hold = self.wait_loaded(pending, page)?;
        self.note(Hit { page, frame, write: false, ahead });
        Ok(hold)
    }

    #[cold]
    fn write_slowly(&self, page: Page) -> Result<ExclusiveLatch<'_>, PoolError> {
        self.check(page)?;
        self.check_changeable(page)?;
        let mut known = self.table.find(page);
        // The first use of a page read ahead may be the wait for it.
        let mut first = false;
        loop {
            let frame = match known.take() {
                Some(frame) => frame,
                None => match self.fault(page, true)? {
                    Lookup::At(frame) => frame,
                    Lookup::Read(hold) => {
                        let frame = hold.frame();
                        match hold.upgrade() {
                            Ok(hold) => return Ok(hold),
                            // Others came to read it at once: as if it had been here.
                            Err(hold) => drop(hold),
                        }
                        frame
                    }
                },
            };
            match self.frames.exclusive(frame, page) {
                Latch::Held { hold, ahead } => {
                    self.note(Hit { page, frame, write: true, ahead: ahead || first });
                    return Ok(hold);
                }
                Latch::Gone => {}
                _ if self.frames.snapshot(frame).is_loading() => {
                    match self.frames.share(frame, page) {
                        Latch::Pending(pending) => {
                            self.counters.waits.add(1);
                            first |= pending.ahead;
                            drop(self.wait_loaded(pending, page)?);
                        }
                        Latch::Held { ahead, .. } => first |= ahead,
                        Latch::Busy | Latch::Gone => {}
                    }
                    known = Some(frame);
                }
                _ => {
                    self.counters.waits.add(1);
                    let busy = |now: Snapshot| now.holds(page) && now.is_used() && !now.is_loading();
                    self.frames.wait_while(frame, busy);
                    known = Some(frame);
                }
            }
        }
    }
}
