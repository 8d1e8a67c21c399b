//! A miss on its way to a frame: what has to happen before there is one.

use super::core::Core;
use super::error::PoolError;
use super::frames::{FreeFrame, WriteBack};
use super::io_queue::IoQueueGuard;
use super::replacer::Replacer;
use crate::evict::Eviction;
use crate::policy::Page;

/// Walks before every frame counts as pinned: guards that move from frame to frame during a walk may make it
/// seem so.
const WALKS: u32 = 100;

/// What came of asking for a frame, with the pages to write where that has to happen first.
pub(crate) type Room = (Eviction<FreeFrame>, Vec<WriteBack>);

/// Makes room for a page, step by step, with what it learnt on the way.
pub(crate) struct Miss {
    page: Page,
    /// The policy knows of the miss.
    reported: bool,
    /// Dirty victims were written for it.
    pub(crate) wrote: bool,
    /// Writing failed: only a clean page can help now.
    pub(super) error: Option<PoolError>,
    walks: u32,
}

impl Miss {
    pub(crate) fn new(page: Page) -> Self {
        Miss { page, reported: false, wrote: false, error: None, walks: 0 }
    }

    /// Tells the policy of the miss, once, and asks for a frame.
    pub(crate) fn make_room(&mut self, core: &Core, replacer: &mut Replacer) -> Room {
        if !std::mem::replace(&mut self.reported, true) {
            replacer.missed(self.page);
        }
        replacer.make_room(core, self.error.is_some())
    }

    /// Does what has to happen before there is a frame.
    ///
    /// # Errors
    /// What writing the batch came to, where no clean page helps instead; [`PoolError::NoFrame`].
    pub(crate) fn resolve(
        &mut self,
        core: &Core,
        mut io: IoQueueGuard<'_>,
        (eviction, batch): Room,
    ) -> Result<(), PoolError> {
        match eviction {
            Eviction::Frame(free) => core.replacer().free.push(free),
            Eviction::WriteBack => {
                assert!(!batch.is_empty(), "a page has to be written first, and none is");
                self.wrote = true;
                core.counters.batches.add(1);
                self.error = core.write_out(&mut io, batch).err();
            }
            Eviction::AwaitCleaner => {
                drop(io);
                core.counters.cleaner_waits.add(1);
                core.cleaning.wait();
            }
            Eviction::NoneEvictable { in_flight: Some(frame) } => {
                drop(io);
                core.counters.waits.add(1);
                core.wait_in_flight(frame);
            }
            Eviction::NoneEvictable { in_flight: None } => {
                drop(io);
                let waits = core.keeps_dirty() && self.walks < WALKS;
                if !waits && let Some(error) = self.error.take() {
                    return Err(error);
                }
                self.walks += 1;
                if self.walks > WALKS && core.changes_stay() && !core.refuses_changes() {
                    core.write_failed();
                    self.walks = 0;
                }
                if self.walks > WALKS && core.replacer().failed_loads == 0 {
                    return Err(PoolError::NoFrame { page: self.page, frames: core.frames.count() });
                }
                std::thread::yield_now();
            }
        }
        Ok(())
    }
}
