//! Pages of a device, through Leadline's buffer pool.

use std::fmt;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use leadline_device::Device;
use leadline_pool::ace::{Ace, Cleaner};
use leadline_pool::policy::PolicyKind;
use leadline_pool::{Pool, PoolConfig, PoolStats, ReadGuard, WriteGuard};

use super::{FIRST_PAGE, Pages};
use crate::StoreError;
use crate::database::Catalogue;

/// How the pool is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PoolOptions {
    /// Pages held in memory, at least [`PoolOptions::LEAST_FRAMES`].
    pub frames: u32,
    /// Replacement.
    pub policy: PolicyKind,
    /// Write-back when a victim is dirty.
    pub ace: Ace,
    /// Pages written at once, at least 1.
    pub n: u32,
    /// Write-back in the background.
    pub cleaner: Cleaner,
}

impl PoolOptions {
    /// Frames that one terminal holds at once, and some to spare. Each terminal more takes
    /// [`PoolOptions::A_TERMINAL`].
    pub const LEAST_FRAMES: u32 = 16;
    /// Frames that a terminal holds at once at most: three nodes in a split, or two pages of a heap.
    pub const A_TERMINAL: u32 = 4;

    fn config(&self, page_bytes: u32, next_page: u64) -> PoolConfig {
        PoolConfig::new(page_bytes, self.frames)
            .policy(self.policy)
            .ace(self.ace)
            .n(self.n)
            .cleaner(self.cleaner)
            .next_page(next_page)
    }
}

/// Pages of a device behind a pool.
pub struct PoolPages {
    pool: Pool,
    page_len: usize,
    /// Pages that the device holds.
    capacity: u64,
    /// The page after the last one.
    next: AtomicU64,
}

impl PoolPages {
    /// A pool over a device on which no page was made yet.
    ///
    /// # Errors
    /// The pool's reason.
    pub fn create(
        device: Arc<dyn Device>,
        page_bytes: u32,
        options: PoolOptions,
    ) -> Result<PoolPages, StoreError> {
        PoolPages::with_next(device, page_bytes, options, FIRST_PAGE)
    }

    /// A pool over a device that holds a database.
    ///
    /// # Errors
    /// [`StoreError::Damaged`] where it holds none, or the pool's reason.
    pub fn open(
        device: Arc<dyn Device>,
        page_bytes: u32,
        options: PoolOptions,
    ) -> Result<PoolPages, StoreError> {
        // How many pages there are is in the catalogue, which a pool must be there to read.
        let few = PoolOptions {
            frames: PoolOptions::LEAST_FRAMES,
            policy: PolicyKind::Lru,
            ace: Ace::Off,
            n: 1,
            cleaner: Cleaner::Off,
        };
        let looking = PoolPages::with_next(Arc::clone(&device), page_bytes, few, FIRST_PAGE + 1)?;
        let pages = Catalogue::read(&looking)?.pages;
        drop(looking);
        PoolPages::with_next(device, page_bytes, options, pages)
    }

    fn with_next(
        device: Arc<dyn Device>,
        page_bytes: u32,
        options: PoolOptions,
        next: u64,
    ) -> Result<PoolPages, StoreError> {
        let capacity = device.geometry().capacity_bytes / u64::from(page_bytes);
        let pool = Pool::open(device, options.config(page_bytes, next))?;
        Ok(PoolPages { page_len: pool.page_len(), pool, capacity, next: AtomicU64::new(next) })
    }

    /// Makes everything durable.
    ///
    /// # Errors
    /// The pool's reason.
    pub fn checkpoint(&self) -> Result<(), StoreError> {
        Ok(self.pool.checkpoint()?)
    }

    /// Makes the catalogue durable.
    ///
    /// # Errors
    /// The pool's reason.
    pub fn flush_catalogue(&self) -> Result<(), StoreError> {
        Ok(self.pool.flush(FIRST_PAGE)?)
    }

    /// What the pool has done so far.
    pub fn stats(&self) -> PoolCounts {
        PoolCounts::of(&self.pool.stats())
    }
}

impl Pages for PoolPages {
    type Read<'a> = PoolReadGuard<'a>;
    type Write<'a> = PoolWriteGuard<'a>;

    fn page_len(&self) -> usize {
        self.page_len
    }

    fn page_count(&self) -> u64 {
        self.next.load(Ordering::Acquire)
    }

    fn pages_left(&self) -> u64 {
        self.capacity.saturating_sub(self.page_count())
    }

    fn read(&self, page: u64) -> Result<PoolReadGuard<'_>, StoreError> {
        self.check(page)?;
        Ok(PoolReadGuard(self.pool.read(page)?))
    }

    fn write(&self, page: u64) -> Result<PoolWriteGuard<'_>, StoreError> {
        self.check(page)?;
        Ok(PoolWriteGuard(self.pool.write(page)?))
    }

    fn new_page(&self) -> Result<(u64, PoolWriteGuard<'_>), StoreError> {
        if self.pages_left() == 0 {
            return Err(StoreError::Full { pages: self.capacity });
        }
        let (page, guard) = self.pool.new_page()?;
        self.next.fetch_max(page + 1, Ordering::AcqRel);
        Ok((page, PoolWriteGuard(guard)))
    }
}

impl PoolPages {
    fn check(&self, page: u64) -> Result<(), StoreError> {
        if (FIRST_PAGE..self.page_count()).contains(&page) {
            Ok(())
        } else {
            Err(StoreError::NoPage { page })
        }
    }
}

/// A page of a [`PoolPages`], to be read.
pub struct PoolReadGuard<'a>(ReadGuard<'a>);

impl Deref for PoolReadGuard<'_> {
    type Target = [u8];
    fn deref(&self) -> &[u8] {
        &self.0
    }
}

/// A page of a [`PoolPages`], to be changed.
pub struct PoolWriteGuard<'a>(WriteGuard<'a>);

impl Deref for PoolWriteGuard<'_> {
    type Target = [u8];
    fn deref(&self) -> &[u8] {
        &self.0
    }
}

impl DerefMut for PoolWriteGuard<'_> {
    fn deref_mut(&mut self) -> &mut [u8] {
        &mut self.0
    }
}

/// What a pool has done: [`PoolStats`], as far as a run is concerned.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize)]
pub struct PoolCounts {
    /// Pages found in memory.
    pub hits: u64,
    /// Pages read from the device because they were asked for.
    pub misses: u64,
    /// Pages read ahead.
    pub prefetches: u64,
    /// Pages written back.
    pub writes: u64,
    /// Of them, by the cleaner.
    pub writes_by_cleaner: u64,
    /// Write-backs by those who found a dirty victim, of several pages or one.
    pub batches: u64,
    /// Pages given up for others.
    pub evictions: u64,
    /// Times somebody waited for a page that others were reading, writing or holding.
    pub waits: u64,
}

impl PoolCounts {
    fn of(stats: &PoolStats) -> PoolCounts {
        PoolCounts {
            hits: stats.hits,
            misses: stats.misses,
            prefetches: stats.prefetches,
            writes: stats.writes,
            writes_by_cleaner: stats.writes_by_cleaner,
            batches: stats.batches,
            evictions: stats.evictions,
            waits: stats.waits,
        }
    }

    /// What was done since `earlier`.
    pub fn since(&self, earlier: &PoolCounts) -> PoolCounts {
        PoolCounts {
            hits: self.hits - earlier.hits,
            misses: self.misses - earlier.misses,
            prefetches: self.prefetches - earlier.prefetches,
            writes: self.writes - earlier.writes,
            writes_by_cleaner: self.writes_by_cleaner - earlier.writes_by_cleaner,
            batches: self.batches - earlier.batches,
            evictions: self.evictions - earlier.evictions,
            waits: self.waits - earlier.waits,
        }
    }
}

impl fmt::Display for PoolCounts {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let asked = (self.hits + self.misses).max(1);
        write!(
            out,
            "pool: {} hits, {} misses ({:.2} %), {} pages read ahead, {} pages written \
             ({} by the cleaner, {} batches by terminals), {} waits",
            self.hits,
            self.misses,
            100.0 * self.misses as f64 / asked as f64,
            self.prefetches,
            self.writes,
            self.writes_by_cleaner,
            self.batches,
            self.waits
        )
    }
}
