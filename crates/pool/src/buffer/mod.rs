//! The real buffer pool.
//!
//! | file | concept |
//! | --- | --- |
//! | `state` | a frame's atomic word and its changes |
//! | `frames` | the memory of pages, and the tokens that guard it |
//! | `table`, `notes`, `park` | lookups without a lock; accesses on their way to the policy; waiting |
//! | `directory`, `room` | which page goes |
//! | `core`, `load` | the way to a page: found in memory, or read |
//! | `lane`, `reap`, `write_back`, `cleaner` | I/O |
//! | `sizing` | how many pages are written at once |
//! | `durability`, `double_write`, `checksum` | what survives |

pub(crate) mod checksum;
mod cleaner;
mod config;
mod core;
mod directory;
mod double_write;
mod durability;
mod error;
mod frames;
mod guard;
mod lane;
mod load;
mod notes;
mod park;
mod reap;
mod room;
mod sizing;
mod state;
#[cfg(test)]
mod state_model;
mod stats;
mod table;
mod write_back;

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread::JoinHandle;

use leadline_device::{Device, DeviceError};
use leadline_model::DeviceProfile;

use self::core::Core;
use self::directory::Room;
use self::frames::Take;
use self::room::RoomMaker;
use crate::policy::Page;

pub use config::{PoolConfig, WalHook};
pub use error::PoolError;
pub use guard::{ReadGuard, WriteGuard};
pub use stats::PoolStats;

/// A buffer pool over a device. Threads share it by reference.
///
/// Dropping it ends its cleaner and **writes nothing**: dirty pages are lost, as in a crash. [`Pool::close`] writes them.
pub struct Pool {
    core: Arc<Core>,
    cleaner: Option<JoinHandle<()>>,
}

impl Pool {
    /// A pool over `device`. Page `p` lies at byte `p * page_bytes`.
    ///
    /// # Errors
    /// [`PoolError::Config`] names what cannot be; [`PoolError::Memory`] and [`PoolError::Device`] what is not to be had.
    pub fn open(device: Arc<dyn Device>, config: PoolConfig) -> Result<Pool, PoolError> {
        let core = Arc::new(Core::new(device, config)?);
        let mut pool = Pool { core, cleaner: None };
        if pool.core.cleaning.is_wanted() && pool.core.writable {
            let core = Arc::clone(&pool.core);
            let thread = std::thread::Builder::new().name("cleaner".into());
            let thread = thread.spawn(move || cleaner::run(&core));
            pool.cleaner = Some(thread.map_err(|error| DeviceError::io("starting the page cleaner", error))?);
        }
        Ok(pool)
    }

    /// A pool of pages of 4 KiB as [`PoolConfig::for_profile`] makes it.
    ///
    /// # Errors
    /// As [`PoolConfig::for_profile`] and [`Pool::open`].
    pub fn for_device(
        device: Arc<dyn Device>,
        profile: &DeviceProfile,
        frames: u32,
    ) -> Result<Pool, PoolError> {
        Pool::open(device, PoolConfig::for_profile(profile, 4096, frames)?)
    }

    /// The page, to be read.
    ///
    /// # Errors
    /// [`PoolError::BeyondDevice`], [`PoolError::NoFrame`]; what the read of the page came to; what writing a dirty page
    /// came to, where no clean one could make room instead.
    #[inline]
    pub fn read(&self, page: Page) -> Result<ReadGuard<'_>, PoolError> {
        Ok(ReadGuard::new(self.core.read(page)?, self.core.config.page_len()))
    }

    /// The page, to be changed; it is dirty from then on.
    ///
    /// # Errors
    /// As [`Pool::read`], and [`PoolError::ReadOnly`].
    #[inline]
    pub fn write(&self, page: Page) -> Result<WriteGuard<'_>, PoolError> {
        Ok(WriteGuard::new(self.core.write(page)?, self.core.config.page_len()))
    }

    /// A page after the last one that this gave out (see [`PoolConfig::next_page`]), zeroed, to be changed. The device is not read.
    ///
    /// # Errors
    /// [`PoolError::BeyondDevice`] when the device is full; otherwise as [`Pool::write`].
    pub fn new_page(&self) -> Result<(Page, WriteGuard<'_>), PoolError> {
        let core = &*self.core;
        let page = core.next_page.fetch_add(1, Ordering::Relaxed);
        let hold = core.create(page).inspect_err(|_| {
            // Given out again, unless others came after us.
            let (next, page) = (page + 1, page);
            let _ = core.next_page.compare_exchange(next, page, Ordering::Relaxed, Ordering::Relaxed);
        })?;
        Ok((page, WriteGuard::new(hold, core.config.page_len())))
    }

    /// Reads pages ahead, without waiting for them: as many as there are frames for without a write, and as the lane of
    /// this thread has room for ([`PoolConfig::reads_ahead`]). The others are left out.
    ///
    /// # Errors
    /// [`PoolError::BeyondDevice`], [`PoolError::Device`].
    pub fn prefetch(&self, pages: std::ops::Range<Page>) -> Result<(), PoolError> {
        match pages.is_empty() {
            true => Ok(()),
            false => self.core.prefetch(pages.end - 1, pages),
        }
    }

    /// As [`Pool::prefetch`], for any pages, in this order; those in memory already are passed over. One system call
    /// sends them all: ask for several at once rather than for one after the other.
    ///
    /// # Errors
    /// As [`Pool::prefetch`]; nothing is read then.
    pub fn prefetch_pages(&self, pages: &[Page]) -> Result<(), PoolError> {
        match pages.iter().max() {
            None => Ok(()),
            Some(&last) => self.core.prefetch(last, pages.iter().copied()),
        }
    }

    /// Writes one page if it is dirty, and waits until it is durable. Waits for a guard that changes the page: do not
    /// call it with one.
    ///
    /// # Errors
    /// What the write came to, [`PoolError::Flush`], [`PoolError::NotDurable`].
    pub fn flush(&self, page: Page) -> Result<(), PoolError> {
        self.core.flush_page(page)
    }

    /// Writes all pages that are dirty when it begins, and waits until they are durable. Waits for guards that change
    /// pages: do not call it with one.
    ///
    /// # Errors
    /// The first thing that went wrong: the other pages were written all the same.
    pub fn checkpoint(&self) -> Result<(), PoolError> {
        self.core.checkpoint()
    }

    /// Checkpoints and ends.
    ///
    /// # Errors
    /// As [`Pool::checkpoint`]; the pool is gone then, with what could not be written.
    pub fn close(self) -> Result<(), PoolError> {
        if self.core.writable { self.checkpoint() } else { Ok(()) }
    }

    /// What it has done so far.
    pub fn stats(&self) -> PoolStats {
        self.core.counters.stats(self.core.sizing.settled(), self.core.notes.hits())
    }

    /// Bytes of a page that are its user's: 8 less than the page where it carries a checksum.
    pub fn page_len(&self) -> usize {
        self.core.config.page_len()
    }

    /// Pages that may be asked for: those the device holds, less the double-write area.
    pub fn pages(&self) -> Page {
        self.core.pages
    }

    /// The page that [`Pool::new_page`] would give out next.
    pub fn next_page(&self) -> Page {
        self.core.next_page.load(Ordering::Relaxed)
    }

    /// How it was made.
    pub fn config(&self) -> &PoolConfig {
        &self.core.config
    }
}

impl Core {
    /// A page that is on no device yet.
    fn create(&self, page: Page) -> Result<frames::Exclusive<'_>, PoolError> {
        self.check(page)?;
        if !self.writable {
            return Err(PoolError::ReadOnly { page });
        }
        let mut room = RoomMaker::new(page);
        loop {
            let lane = self.lane()?;
            let mut directory = self.directory();
            directory.drain(self);
            if let Some(frame) = self.table.find(page) {
                drop((directory, lane));
                return self.recreate(page, frame);
            }
            room.missed(&mut directory);
            match directory.make_room(self, room.clean_only()) {
                Room::Frame(free) => {
                    let hold = self.frames.begin_new(free, page);
                    directory.enter(self, hold.frame(), page, true);
                    self.cleaning.evicted(self.reserve());
                    return Ok(hold);
                }
                other => {
                    drop(directory);
                    room.make(self, lane, other)?;
                }
            }
        }
    }

    /// Somebody had looked at it before it was made.
    fn recreate(&self, page: Page, frame: crate::policy::Frame) -> Result<frames::Exclusive<'_>, PoolError> {
        let mut hold = match self.frames.exclusive(frame, page) {
            Take::Held { hold, .. } => hold,
            _ => self.write(page)?,
        };
        hold.as_mut().fill(0);
        Ok(hold)
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        if let Some(cleaner) = self.cleaner.take() {
            self.core.cleaning.stop();
            // A cleaner that panicked has nothing more to do.
            let _ = cleaner.join();
        }
    }
}
