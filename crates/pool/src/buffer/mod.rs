//! The real buffer pool.
//!
//! | file | concept |
//! | --- | --- |
//! | `word`, `state` | a frame's atomic word and its changes |
//! | `frames` | the memory of pages, and the tokens that guard it |
//! | `table`, `hash_table` | which frame holds a page |
//! | `hit_log`, `ring`, `park` | hits on their way to the policy; waiting |
//! | `core` | what a pool and its cleaner share |
//! | `access`, `load`, `read_many` | the way to a page: found in memory, or read; many at once |
//! | `create` | pages that begin as zeros, and pages that are no longer needed |
//! | `replacer`, `eviction`, `miss` | which page goes, as `evict` decides |
//! | `reader_frames`, `readers` | frames for readers where nothing can be written |
//! | `io_queue`, `reap`, `write_back` | I/O |
//! | `cleaner_control`, `cleaner` | the background cleaner |
//! | `batch_size` | how many pages are written at once |
//! | `durability`, `flush` | what is durable, and making it so |
//! | `double_write`, `turn`, `area_io` | the double-write area, and the batches that take turns in it |
//! | `repair`, `checksum` | what survives a crash |
//! | `places`, `out_of_place` | pages that get a new place whenever they are written |

mod access;
mod area_io;
mod batch_size;
pub(crate) mod checksum;
mod cleaner;
mod cleaner_control;
mod config;
mod core;
mod create;
mod double_write;
mod durability;
mod error;
mod eviction;
mod flush;
mod frames;
mod guard;
mod hash_table;
mod hit_log;
mod io_queue;
mod load;
mod miss;
mod out_of_place;
mod park;
mod places;
mod read_many;
mod reader_frames;
mod readers;
mod reap;
mod repair;
mod replacer;
mod ring;
#[cfg(test)]
mod ring_model;
mod state;
#[cfg(test)]
mod state_model;
mod stats;
mod table;
mod turn;
mod word;
mod write_back;

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread::JoinHandle;

use leadline_device::{Device, DeviceError};
use leadline_profile::DeviceProfile;

use self::core::Core;
use crate::policy::Page;

pub use checksum::Damage;
pub use config::{PoolConfig, WalHook};
pub use error::{PageOp, PoolError};
pub use guard::{ReadGuard, WriteGuard};
pub use places::OutOfPlace;
pub use stats::PoolStats;

/// A buffer pool over a device. Threads share it by reference.
///
/// Dropping it ends its cleaner and **writes nothing**: dirty pages are lost, as in a crash. [`Pool::close`]
/// writes them.
pub struct Pool {
    core: Arc<Core>,
    cleaner: Option<JoinHandle<()>>,
}

impl Pool {
    /// A pool over `device`. Page `p` is at byte `p * page_bytes`, unless pages are written out of place
    /// ([`PoolConfig::out_of_place`]).
    ///
    /// # Errors
    /// [`PoolError::Config`] names what cannot be; [`PoolError::Memory`] and [`PoolError::Device`] what is
    /// not to be had.
    pub fn open(device: Arc<dyn Device>, config: PoolConfig) -> Result<Pool, PoolError> {
        Pool::over(Core::new(device, config)?)
    }

    /// With this policy instead of the configured one.
    #[cfg(all(test, feature = "simulate"))]
    pub(crate) fn with_policy(
        device: Arc<dyn Device>,
        config: PoolConfig,
        policy: Box<dyn crate::policy::Policy>,
    ) -> Result<Pool, PoolError> {
        Pool::over(Core::with_policy(device, config, |_| policy)?)
    }

    fn over(core: Core) -> Result<Pool, PoolError> {
        let core = Arc::new(core);
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
    /// [`PoolError::BeyondDevice`], [`PoolError::NoFrame`]; what the read of the page came to; what writing a
    /// dirty page came to, where no clean one could make room instead.
    #[inline]
    pub fn read(&self, page: Page) -> Result<ReadGuard<'_>, PoolError> {
        let hold = self.core.read(page)?;
        #[cfg(feature = "accesses")]
        crate::accesses::note(page, false);
        Ok(ReadGuard::new(hold, self.core.config.page_len()))
    }

    /// Calls `visit` once for each entry of `pages`, with its place in the slice and the page's bytes, in the
    /// order in which pages come: first those in memory. Much faster than one [`Pool::read`] after the other:
    /// the processor's cache misses overlap, and up to [`PoolConfig::reads_ahead`] reads are in flight, a new
    /// one as soon as one is over. It pins a quarter of the frames at most. A page may be in `pages` several
    /// times.
    ///
    /// Pages of the request may be pinned while `visit` runs: it must not ask the pool for one, nor may the
    /// caller hold a [`WriteGuard`] of one.
    ///
    /// # Errors
    /// As [`Pool::read`]: the first error. No page is visited after it; where a page does not exist, none is.
    pub fn read_many(&self, pages: &[Page], visit: impl FnMut(usize, &[u8])) -> Result<(), PoolError> {
        self.core.read_many(pages, visit)?;
        #[cfg(feature = "accesses")]
        pages.iter().for_each(|page| crate::accesses::note(*page, false));
        Ok(())
    }

    /// The page, to be changed; it is dirty from then on.
    ///
    /// # Errors
    /// As [`Pool::read`], and [`PoolError::ReadOnly`].
    #[inline]
    pub fn write(&self, page: Page) -> Result<WriteGuard<'_>, PoolError> {
        let hold = self.core.write(page)?;
        #[cfg(feature = "accesses")]
        crate::accesses::note(page, true);
        Ok(WriteGuard::new(hold, self.core.config.page_len()))
    }

    /// Makes sure that pages can be changed: where writing has failed ([`PoolConfig::kept_for_readers`]),
    /// some that are dirty are written now. For whoever changes several pages, and needs all of them.
    ///
    /// # Errors
    /// [`PoolError::ReadOnly`]; what writing came to.
    #[inline]
    pub fn check_changes(&self) -> Result<(), PoolError> {
        self.core.check_changeable(0)
    }

    /// A page after the last one that this gave out (see [`PoolConfig::next_page`]), zeroed, to be changed.
    /// The device is not read.
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
        #[cfg(feature = "accesses")]
        crate::accesses::note(page, true);
        Ok((page, WriteGuard::new(hold, core.config.page_len())))
    }

    /// The page, zeroed, to be changed, whatever it held before: for a page whose number is used again. The
    /// device is not read.
    ///
    /// # Errors
    /// As [`Pool::write`].
    pub fn create(&self, page: Page) -> Result<WriteGuard<'_>, PoolError> {
        let hold = self.core.create(page)?;
        #[cfg(feature = "accesses")]
        crate::accesses::note(page, true);
        Ok(WriteGuard::new(hold, self.core.config.page_len()))
    }

    /// What the page holds is no longer needed: it leaves memory, and is not written. False where a guard
    /// holds it: nothing is done then. [`Pool::create`] makes the page again; until then it reads as zeros or
    /// as what was last written.
    ///
    /// # Errors
    /// [`PoolError::BeyondDevice`], [`PoolError::ReadOnly`].
    pub fn discard(&self, page: Page) -> Result<bool, PoolError> {
        self.core.discard(page)
    }

    /// Reads pages ahead, without waiting for them: as many as there are frames for without a write, and as
    /// the I/O queue of this thread has room for ([`PoolConfig::reads_ahead`]). The rest are left out.
    ///
    /// # Errors
    /// [`PoolError::BeyondDevice`], [`PoolError::Device`].
    pub fn prefetch(&self, pages: std::ops::Range<Page>) -> Result<(), PoolError> {
        match pages.is_empty() {
            true => Ok(()),
            false => self.core.prefetch(pages.end - 1, pages),
        }
    }

    /// As [`Pool::prefetch`], for any pages, in this order; those in memory already are passed over. One
    /// system call sends them all: ask for several at once rather than for one after the other.
    ///
    /// # Errors
    /// As [`Pool::prefetch`]; nothing is read then.
    pub fn prefetch_pages(&self, pages: &[Page]) -> Result<(), PoolError> {
        match pages.iter().max() {
            None => Ok(()),
            Some(&last) => self.core.prefetch(last, pages.iter().copied()),
        }
    }

    /// Writes one page if it is dirty, and waits until it is durable. Waits for a guard that changes the
    /// page: do not call it with one.
    ///
    /// # Errors
    /// What the write came to, [`PoolError::Flush`], [`PoolError::NotDurable`].
    pub fn flush(&self, page: Page) -> Result<(), PoolError> {
        self.core.flush_page(page)
    }

    /// Writes the pages that are dirty when it begins and that nobody is changing, without making them
    /// durable: a checkpoint that follows has less to write. Waits for no guard.
    ///
    /// # Errors
    /// The first thing that went wrong: the other pages were written all the same.
    pub fn write_dirty(&self) -> Result<(), PoolError> {
        self.core.write_dirty(false)
    }

    /// Writes all pages that are dirty when it begins, and waits until they are durable. Waits for guards
    /// that change pages: do not call it with one.
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
        if !self.core.writable {
            return Ok(());
        }
        self.checkpoint()?;
        self.write_page_map()
    }

    /// After a checkpoint: where pages are written out of place, writes the page map if it is not as new as
    /// the checkpoint. The next pool on the device then reads nothing else when it is opened.
    ///
    /// # Errors
    /// The map cannot be written; the checkpoint holds all the same.
    pub fn write_page_map(&self) -> Result<(), PoolError> {
        match &self.core.places {
            Some(places) => self.core.commit_map(&mut self.core.io()?, places),
            None => Ok(()),
        }
    }

    /// Pages that may be written out of place before nothing more can be cleaned, if no checkpoint comes
    /// first, and places that the next checkpoint releases; `None` where pages are written in place.
    pub fn room(&self) -> Option<(u64, u64)> {
        Some(self.core.places.as_ref()?.segments().room())
    }

    /// What it has done so far.
    pub fn stats(&self) -> PoolStats {
        self.core.counters.stats(self.core.batch_size.settled(), self.core.hits.hits())
    }

    /// Bytes of a page that are its user's: 8 less than the page where it carries a checksum, 24 less where
    /// it is written out of place.
    pub fn page_len(&self) -> usize {
        self.core.config.page_len()
    }

    /// Pages that may be asked for: those the device holds, less the double-write area, or less what writing
    /// out of place keeps free.
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

impl fmt::Debug for Pool {
    /// Its configuration and what it has done, not its pages.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pool")
            .field("config", self.config())
            .field("stats", &self.stats())
            .finish_non_exhaustive()
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
