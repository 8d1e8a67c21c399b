//! How an import divides its memory, and the account of what it takes.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use crate::GraphError;

/// The least memory that an import is given.
pub const LEAST_MEMORY: u64 = 16 << 20;

/// Most threads that sort; with the one that reads, more than any disk keeps busy.
const MOST_WORKERS: usize = 8;

/// Shares of the memory. While edges are read, sixteenths: 5 for the chunks being filled and sorted, 3 for runs that stay
/// in memory, 4 for the ids seen, 4 for what the reader holds. While one sort feeds the next, the
/// runs of the first keep their 3 and take 1 for reading, the chunks of the second take the 5, the store's writer the last.
#[derive(Debug, Clone)]
pub(crate) struct Plan {
    total: u64,
    pub(crate) workers: usize,
    pub(crate) stop: Arc<AtomicBool>,
    pub(crate) account: Arc<Account>,
}

impl Plan {
    pub(crate) fn new(total: u64, stop: Arc<AtomicBool>) -> Plan {
        let workers = std::thread::available_parallelism().map_or(1, usize::from).clamp(2, MOST_WORKERS);
        Plan { total, workers, stop, account: Arc::default() }
    }

    pub(crate) fn total(&self) -> u64 {
        self.total
    }

    /// Bytes of all chunks of a sort: the one being filled, and for each worker one in work and one beside it.
    pub(crate) fn chunks(&self) -> u64 {
        self.total / 16 * 5
    }

    /// Bytes of sorted runs that stay in memory.
    pub(crate) fn kept(&self) -> u64 {
        self.total / 16 * 3
    }

    /// What the reader may take: a quarter.
    pub(crate) fn reader(&self) -> u64 {
        self.total / 4
    }

    /// What the ids seen may take; ids 0 to 65,535 whatever the cap.
    pub(crate) fn seen(&self) -> u64 {
        (self.total / 4).max(16 << 10)
    }

    /// What a table of all vertices may take; a larger one is a file.
    pub(crate) fn table(&self) -> u64 {
        self.total / 16
    }

    /// Buffers of a merge while another sort goes on.
    pub(crate) fn merge_beside(&self) -> u64 {
        self.total / 16
    }

    /// Buffers of a merge when nothing else goes on.
    pub(crate) fn merge_alone(&self) -> u64 {
        self.total / 16 * 4
    }

    /// The least that is read of a run at a time.
    pub(crate) fn least_read(&self) -> usize {
        (self.total / 256).clamp(256, 64 << 10) as usize
    }

    /// Records that are decoded, or handed on, at a time.
    pub(crate) fn batch(&self) -> usize {
        (self.total >> 15).clamp(8, 512) as usize
    }

    /// Bytes that are written, or read of a single file, at a time.
    pub(crate) fn buffer(&self) -> usize {
        (self.total / 128).clamp(4096, 1 << 20) as usize
    }

    /// Bytes of sorted runs that another sort may keep in memory, now that others are there already.
    pub(crate) fn kept_beside(&self) -> u64 {
        let taken =
            self.account.now.load(Ordering::Relaxed) + self.chunks() + self.merge_beside() + self.total / 16;
        self.total.saturating_sub(taken).min(self.kept())
    }

    pub(crate) fn check_stop(&self) -> Result<(), GraphError> {
        if self.stop.load(Ordering::Relaxed) { Err(GraphError::Interrupted) } else { Ok(()) }
    }

    /// Enters bytes into the account until the guard is dropped.
    pub(crate) fn take(&self, bytes: u64) -> Taken {
        let mut taken = Taken { account: Arc::clone(&self.account), bytes: 0 };
        taken.set(bytes);
        taken
    }
}

/// What is in memory now, and was at most.
#[derive(Debug, Default)]
pub(crate) struct Account {
    now: AtomicU64,
    peak: AtomicU64,
}

impl Account {
    pub(crate) fn peak(&self) -> u64 {
        self.peak.load(Ordering::Relaxed)
    }
}

/// Bytes in the account.
#[derive(Debug)]
pub(crate) struct Taken {
    account: Arc<Account>,
    bytes: u64,
}

impl Taken {
    /// Changes how many they are.
    pub(crate) fn set(&mut self, bytes: u64) {
        let change = bytes.wrapping_sub(self.bytes);
        let now = self.account.now.fetch_add(change, Ordering::Relaxed).wrapping_add(change);
        self.account.peak.fetch_max(now, Ordering::Relaxed);
        self.bytes = bytes;
    }
}

impl Drop for Taken {
    fn drop(&mut self) {
        self.account.now.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

/// What an import takes where nobody says: a quarter of the machine's memory, at most 1 GiB.
pub fn default_memory() -> u64 {
    let text = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let kib = text
        .lines()
        .find_map(|line| line.strip_prefix("MemTotal:")?.trim().strip_suffix(" kB")?.parse().ok());
    let machine = kib.map_or(4 << 30, |kib: u64| kib * 1024);
    (machine / 4).clamp(LEAST_MEMORY, 1 << 30)
}
