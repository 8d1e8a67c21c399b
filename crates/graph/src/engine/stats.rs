//! What a run did, for its report.

use serde::Serialize;

/// What a run read, waited for and used.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct RunStats {
    /// Seconds of the algorithm, opening and output apart.
    pub seconds: f64,
    /// Sweeps over blocks.
    pub sweeps: u64,
    /// Entries of lists that were looked at.
    pub edges: u64,
    /// Those per second.
    pub edges_per_second: f64,
    /// Bytes read from the device.
    pub bytes_read: u64,
    /// Requests that read them.
    pub requests: u64,
    /// Bytes of vertex state that were written to and read from a temporary file, since the cap had no room
    /// for all of it.
    pub spilled_bytes: u64,
    /// Mean number of requests in flight while the run lasted (Little's law: the sum of their latencies by
    /// the seconds).
    pub mean_depth: f64,
    /// Blocks that were found in the cache.
    pub cache_hits: u64,
    /// Blocks that were not.
    pub cache_misses: u64,
    /// Share of the threads' time, 0 to 1, in which they waited for the device.
    pub waiting: f64,
    /// Bytes of everything that the cap covers: vertex state, index, buffers, cache.
    pub memory_bytes: u64,
    /// The cap.
    pub memory_cap_bytes: u64,
    /// Reads that may be in flight at once.
    pub depth: u32,
    /// Threads that read and compute.
    pub threads: u32,
}

/// What one reader counted.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Counts {
    pub(crate) bytes: u64,
    pub(crate) requests: u64,
    pub(crate) latency_nanos: u64,
    pub(crate) hits: u64,
    pub(crate) misses: u64,
    pub(crate) waiting_nanos: u64,
}

impl Counts {
    pub(crate) fn add(&mut self, other: &Counts) {
        self.bytes += other.bytes;
        self.requests += other.requests;
        self.latency_nanos += other.latency_nanos;
        self.hits += other.hits;
        self.misses += other.misses;
        self.waiting_nanos += other.waiting_nanos;
    }
}
