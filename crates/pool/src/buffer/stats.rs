//! What the pool counts.

use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

/// What a pool has done since it was opened.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct PoolStats {
    /// Pages written at once: as configured, or what the search of an adaptive pool has settled on so far.
    pub n: u32,
    /// Pages found in memory.
    pub hits: u64,
    /// Pages read from the device because they were asked for.
    pub misses: u64,
    /// Times a thread waited for a page that others were reading, writing or holding.
    pub waits: u64,
    /// Pages written back, by whomever.
    pub writes: u64,
    /// Of them, by the cleaner.
    pub writes_by_cleaner: u64,
    /// Write-backs by threads that found a dirty victim, of several pages or one.
    pub batches: u64,
    /// Times a thread waited for the cleaner.
    pub cleaner_waits: u64,
    /// Pages given up for others.
    pub evictions: u64,
    /// Pages read ahead.
    pub prefetches: u64,
    /// Of them, used before they were given up.
    pub prefetches_used: u64,
    /// Reads that failed, corrupt pages included.
    pub read_errors: u64,
    /// Of them, pages whose checksum did not fit.
    pub corrupt: u64,
    /// Writes that failed; their pages stayed dirty.
    pub write_errors: u64,
    /// Pages that cleaning moved, where pages are written out of place.
    pub moves: u64,
    /// Pages of page maps, superblocks and lists of discarded pages that were written.
    pub map_writes: u64,
    /// Flushes of the device, and of them, the failed ones.
    pub flushes: u64,
    /// Flushes of the device that failed.
    pub flush_errors: u64,
    /// Times the log could not be made durable.
    pub log_errors: u64,
}

/// Counters of what is not on the hit path.
#[derive(Debug, Default)]
pub(crate) struct Counters {
    pub(crate) misses: Counter,
    pub(crate) waits: Counter,
    pub(crate) writes: Counter,
    pub(crate) writes_by_cleaner: Counter,
    pub(crate) batches: Counter,
    pub(crate) cleaner_waits: Counter,
    pub(crate) evictions: Counter,
    pub(crate) prefetches: Counter,
    pub(crate) read_errors: Counter,
    pub(crate) corrupt: Counter,
    pub(crate) write_errors: Counter,
    pub(crate) moves: Counter,
    pub(crate) map_writes: Counter,
    pub(crate) flushes: Counter,
    pub(crate) flush_errors: Counter,
    pub(crate) log_errors: Counter,
}

/// Counts up. Relaxed: a sum of indivisible steps is exact in any order, and nothing is read because of it.
#[derive(Debug, Default)]
pub(crate) struct Counter(AtomicU64);

impl Counter {
    pub(crate) fn add(&self, count: u64) {
        self.0.fetch_add(count, Relaxed);
    }

    fn get(&self) -> u64 {
        self.0.load(Relaxed)
    }
}

impl Counters {
    /// With n, and what the hit path counted.
    pub(crate) fn stats(&self, n: u32, (hits, prefetches_used): (u64, u64)) -> PoolStats {
        PoolStats {
            n,
            hits,
            misses: self.misses.get(),
            waits: self.waits.get(),
            writes: self.writes.get(),
            writes_by_cleaner: self.writes_by_cleaner.get(),
            batches: self.batches.get(),
            cleaner_waits: self.cleaner_waits.get(),
            evictions: self.evictions.get(),
            prefetches: self.prefetches.get(),
            prefetches_used,
            read_errors: self.read_errors.get(),
            corrupt: self.corrupt.get(),
            write_errors: self.write_errors.get(),
            moves: self.moves.get(),
            map_writes: self.map_writes.get(),
            flushes: self.flushes.get(),
            flush_errors: self.flush_errors.get(),
            log_errors: self.log_errors.get(),
        }
    }
}
