//! How an import divides its memory, and the account of what it takes.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use crate::GraphError;

/// The least memory that an import is given.
pub const LEAST_MEMORY: u64 = 16 << 20;

/// Most bytes of a temporary file that one request reads.
pub(crate) const READ_PIECE: usize = 256 << 10;

/// Most bytes of a temporary file that one request writes. A block of records is never more than that.
pub(crate) const WRITE_PIECE: usize = 128 << 10;

/// Requests that a thread has in flight, at least and at most; a thread that writes has the least.
const DEPTH: (usize, usize) = (4, 16);

/// Most threads: more than any disk keeps busy.
const MOST_WORKERS: u64 = 8;

/// A thread for that much memory: with less they would sort in crumbs.
const A_WORKER: u64 = 4 << 20;

/// Shares of the memory, in sixteenths. While edges are read: 4 for what the reader holds, 4 for the ids
/// seen, 6 for the sort they go to. While one sort feeds the next: 4 for the buckets of the first that are
/// sorted, 4 for the buffers of the second, 4 for the ids seen, 3 for a table of all vertices; the store's
/// writer has the last.
#[derive(Debug, Clone)]
pub struct ImportPlan {
    total: u64,
    pub(crate) workers: usize,
    pub(crate) stop: Arc<AtomicBool>,
    pub(crate) account: Arc<Account>,
}

impl ImportPlan {
    /// Shares out `total` bytes; the work ends early once `stop` is set.
    pub fn new(total: u64, stop: Arc<AtomicBool>) -> ImportPlan {
        let processors = std::thread::available_parallelism().map_or(1, usize::from) as u64;
        let workers = processors.min((total / A_WORKER).clamp(1, MOST_WORKERS)) as usize;
        ImportPlan { total, workers, stop, account: Arc::default() }
    }

    pub(crate) fn total(&self) -> u64 {
        self.total
    }

    /// Bytes that a sort takes when nothing else is sorted.
    pub fn sort_alone(&self) -> u64 {
        self.total / 16 * 6
    }

    /// Of the bytes of a plan, the bytes of the records that a sort on its own keeps in memory at least.
    pub fn kept_of(total: u64) -> u64 {
        total / 16 * 6 / 4
    }

    /// Bytes that a sort takes while another one's buckets are sorted.
    pub(crate) fn sort_beside(&self) -> u64 {
        self.total / 16 * 4
    }

    /// Bytes that each thread has to sort in, what it reads into included.
    fn sort_each(&self) -> usize {
        (self.total / 16 * 4 / self.workers as u64) as usize
    }

    /// Records of that many bytes that each thread can sort in memory.
    pub(crate) fn sortable(&self, record_bytes: usize) -> usize {
        let each = self.sort_each();
        (each.saturating_sub(self.read_bytes().min(each / 2)) / (2 * record_bytes)).max(16)
    }

    /// Reads that each thread has in flight: an eighth of its memory.
    pub(crate) fn read_depth(&self) -> usize {
        (self.sort_each() / 8 / READ_PIECE).clamp(DEPTH.0, DEPTH.1)
    }

    /// Bytes that they take.
    pub(crate) fn read_bytes(&self) -> usize {
        self.read_depth() * (READ_PIECE + 4096)
    }

    /// Writes that each thread has in flight.
    pub(crate) fn write_depth(&self) -> usize {
        2 * DEPTH.0
    }

    /// What the reader may take: a quarter.
    pub(crate) fn reader(&self) -> u64 {
        self.total / 4
    }

    /// What the ids seen may take; ids 0 to 65,535 whatever the cap.
    pub(crate) fn seen(&self) -> u64 {
        (self.total / 4).max(32 << 10)
    }

    /// What a table of all vertices may take; a larger one is a file.
    pub(crate) fn table(&self) -> u64 {
        self.total / 16 * 3
    }

    /// Bytes that are written, or read of a single file, at a time.
    pub(crate) fn buffer(&self) -> usize {
        (self.total / 128).clamp(4096, 1 << 20) as usize
    }

    pub(crate) fn check_stop(&self) -> Result<(), GraphError> {
        if self.stop.load(Ordering::Relaxed) { Err(GraphError::Interrupted) } else { Ok(()) }
    }

    /// Enters bytes into the account until the guard is dropped.
    pub(crate) fn take(&self, bytes: u64) -> Reservation {
        let mut taken = Reservation { account: Arc::clone(&self.account), bytes: 0 };
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
pub(crate) struct Reservation {
    account: Arc<Account>,
    bytes: u64,
}

impl Reservation {
    /// Changes how many they are.
    pub(crate) fn set(&mut self, bytes: u64) {
        let change = bytes.wrapping_sub(self.bytes);
        let now = self.account.now.fetch_add(change, Ordering::Relaxed).wrapping_add(change);
        self.account.peak.fetch_max(now, Ordering::Relaxed);
        self.bytes = bytes;
    }
}

impl Drop for Reservation {
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
