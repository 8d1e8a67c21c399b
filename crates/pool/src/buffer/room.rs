//! Making room for a page: what must happen before there is a frame for it.

use super::core::Core;
use super::directory::{Directory, Room};
use super::error::PoolError;
use super::lane::HeldLane;
use crate::policy::Page;

/// Looks at the directory before every frame counts as pinned: guards that move from frame to frame while it is walked
/// may make it seem so.
const LOOKS: u32 = 100;

/// Makes room for a page, step by step, with what it learnt on the way.
pub(crate) struct RoomMaker {
    page: Page,
    told: bool,
    /// Dirty victims were written for it.
    pub(crate) wrote: bool,
    /// Writing failed: only a clean page can help now.
    error: Option<PoolError>,
    looks: u32,
}

impl RoomMaker {
    pub(crate) fn new(page: Page) -> Self {
        RoomMaker { page, told: false, wrote: false, error: None, looks: 0 }
    }

    /// Tells the policy of the miss, once.
    pub(crate) fn missed(&mut self, directory: &mut Directory) {
        if !std::mem::replace(&mut self.told, true) {
            directory.policy.missed(self.page);
            if let Some(prefetching) = &mut directory.prefetching {
                prefetching.accessed(self.page, true);
            }
        }
    }

    pub(crate) fn clean_only(&self) -> bool {
        self.error.is_some()
    }

    /// Does what must happen before there is a frame.
    pub(crate) fn make(&mut self, core: &Core, mut lane: HeldLane<'_>, room: Room) -> Result<(), PoolError> {
        match room {
            Room::Frame(free) => core.directory().free.push(free),
            Room::Write(batch) => {
                self.wrote = true;
                core.counters.batches.add(1);
                self.error = core.write_out(&mut lane, batch).err();
            }
            Room::InFlight(frame) => {
                drop(lane);
                core.counters.waits.add(1);
                core.wait_in_flight(frame);
            }
            Room::Cleaner => {
                drop(lane);
                core.counters.cleaner_waits.add(1);
                core.cleaning.wait();
            }
            Room::Nothing => {
                drop(lane);
                if let Some(error) = self.error.take() {
                    return Err(error);
                }
                self.looks += 1;
                if self.looks > LOOKS && core.directory().limbo == 0 {
                    return Err(PoolError::NoFrame { page: self.page, frames: core.frames.count() });
                }
                std::thread::yield_now();
            }
        }
        Ok(())
    }
}
