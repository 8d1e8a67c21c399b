//! Pages that begin as zeros, and pages that are no longer needed.

use super::core::Core;
use super::error::PoolError;
use super::frames::{ExclusiveLatch, Latch};
use super::miss::Miss;
use crate::evict::Eviction;
use crate::policy::{Frame, Page};

impl Core {
    /// A page that is on no device yet, or whose contents there do not matter.
    pub(crate) fn create(&self, page: Page) -> Result<ExclusiveLatch<'_>, PoolError> {
        self.check(page)?;
        self.check_changeable(page)?;
        let mut miss = Miss::new(page);
        loop {
            let io = self.io()?;
            let mut replacer = self.replacer();
            replacer.drain(self);
            if let Some(frame) = self.table.find(page) {
                drop((replacer, io));
                return self.recreate(page, frame);
            }
            if self.refuses_changes() {
                drop((replacer, io));
                self.check_changeable(page)?;
                continue;
            }
            let room = miss.make_room(self, &mut replacer);
            if let (Eviction::Frame(free), _) = room {
                let hold = self.frames.begin_new(free, page);
                replacer.enter(self, hold.frame(), page, true);
                self.cleaning.evicted(self.reserve());
                return Ok(hold);
            }
            drop(replacer);
            miss.resolve(self, io, room)?;
        }
    }

    /// The page was read before it was created, and so is in memory.
    fn recreate(&self, page: Page, frame: Frame) -> Result<ExclusiveLatch<'_>, PoolError> {
        let mut hold = match self.frames.exclusive(frame, page) {
            Latch::Held { hold, .. } => hold,
            _ => self.write(page)?,
        };
        hold.as_mut().fill(0);
        Ok(hold)
    }

    /// Drops a page that nobody needs any more; false where somebody holds it.
    pub(crate) fn discard(&self, page: Page) -> Result<bool, PoolError> {
        self.check(page)?;
        if !self.changeable() {
            return Err(PoolError::ReadOnly { page });
        }
        loop {
            let mut replacer = self.replacer();
            replacer.drain(self);
            let found = self.table.find(page);
            let dropped = found.and_then(|frame| self.frames.discard(frame, page));
            if let (Some(frame), Some(free)) = (found, dropped) {
                replacer.remove(self, frame, page);
                replacer.free.push(free);
            } else if let Some(frame) = found {
                drop(replacer);
                if self.is_held(frame, page) {
                    return Ok(false);
                }
                self.wait_in_flight(frame);
                continue;
            }
            // Under the lock: nobody begins to read it.
            if let Some(places) = &self.places {
                places.segments().discard(page, &places.map);
            }
            return Ok(true);
        }
    }

    /// Whether a guard keeps the page in its frame.
    fn is_held(&self, frame: Frame, page: Page) -> bool {
        let now = self.frames.snapshot(frame);
        now.holds(page) && now.is_used() && !now.is_in_flight()
    }
}
