//! A workload: what every model predicts the time of.

use leadline_profile::{OpKind, PAGE_BYTES};

/// A number of requests, how large and how scattered they are, and how many are in flight.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Workload {
    /// Reads, requests; 0 or more.
    pub reads: f64,
    /// Writes, requests; 0 or more.
    pub writes: f64,
    /// Bytes per request.
    pub block_bytes: u32,
    /// Share of the requests that jump, 0 to 1; the rest follow the previous request.
    pub random_fraction: f64,
    /// How many are in flight.
    pub in_flight: InFlight,
}

/// How many requests are in flight, and which of them wait for which.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InFlight {
    /// This many requests all the time, reads and writes mixed.
    Together(u32),
    /// Batches of reads and batches of writes, in turn, each waited for as a whole: a buffer pool that reads
    /// one page at a time and writes eight is `Batches { reads: 1, writes: 8 }`.
    Batches {
        /// Reads in flight while it reads.
        reads: u32,
        /// Writes in flight while it writes.
        writes: u32,
    },
}

impl InFlight {
    /// Requests in flight while `op` is done.
    pub fn of(self, op: OpKind) -> u32 {
        match (self, op) {
            (InFlight::Together(k), _) => k,
            (InFlight::Batches { reads, .. }, OpKind::Read) => reads,
            (InFlight::Batches { writes, .. }, OpKind::Write) => writes,
        }
    }
}

impl Workload {
    /// `count` requests of one kind with `k` in flight.
    pub fn pure(op: OpKind, count: f64, block_bytes: u32, random_fraction: f64, k: u32) -> Self {
        let (reads, writes) = if op == OpKind::Read { (count, 0.0) } else { (0.0, count) };
        Workload { reads, writes, block_bytes, random_fraction, in_flight: InFlight::Together(k) }
    }

    /// Requests of both kinds.
    pub fn requests(&self) -> f64 {
        self.reads + self.writes
    }

    /// Requests of one kind.
    pub fn requests_of(&self, op: OpKind) -> f64 {
        if op == OpKind::Read { self.reads } else { self.writes }
    }

    /// Share of reads, 0 to 1; 1 where there is nothing to do.
    pub fn read_share(&self) -> f64 {
        if self.requests() > 0.0 { self.reads / self.requests() } else { 1.0 }
    }

    /// Bytes read and written.
    pub fn bytes(&self) -> f64 {
        self.requests() * f64::from(self.block_bytes)
    }

    /// Pages of [`PAGE_BYTES`] per request.
    pub fn pages_per_request(&self) -> f64 {
        f64::from(self.block_bytes) / f64::from(PAGE_BYTES)
    }

    /// The kind, where all requests are of one.
    pub fn only(&self) -> Option<OpKind> {
        match (self.reads > 0.0, self.writes > 0.0) {
            (true, false) => Some(OpKind::Read),
            (false, true) => Some(OpKind::Write),
            _ => None,
        }
    }

    /// The paper's r: random accesses per page, as a share.
    pub fn random_accesses_per_page(&self) -> f64 {
        self.random_fraction / self.pages_per_request()
    }

    /// Whether a device can be asked to do it.
    ///
    /// # Errors
    /// The first field that is out of its range.
    pub fn check(&self) -> Result<(), WorkloadError> {
        let countable = |count: &f64| count.is_finite() && (0.0..=1e18).contains(count);
        if !countable(&self.reads) {
            return Err(WorkloadError::Reads);
        }
        if !countable(&self.writes) {
            return Err(WorkloadError::Writes);
        }
        if self.requests() <= 0.0 {
            return Err(WorkloadError::NoRequests);
        }
        if self.block_bytes == 0 {
            return Err(WorkloadError::BlockBytes);
        }
        if !(0.0..=1.0).contains(&self.random_fraction) {
            return Err(WorkloadError::RandomFraction);
        }
        if [OpKind::Read, OpKind::Write].iter().any(|&op| self.in_flight.of(op) == 0) {
            return Err(WorkloadError::Concurrency);
        }
        Ok(())
    }
}

/// What is wrong with a [`Workload`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum WorkloadError {
    /// `reads` is negative, too large, or not a number.
    #[error("reads: must be from 0 to 1e18 requests")]
    Reads,
    /// `writes` is negative, too large, or not a number.
    #[error("writes: must be from 0 to 1e18 requests")]
    Writes,
    /// Both are 0.
    #[error("no reads and no writes: nothing to predict")]
    NoRequests,
    /// `block_bytes` is 0.
    #[error("block size: must be at least 1 byte")]
    BlockBytes,
    /// `random_fraction` is not a share.
    #[error("random fraction: must be from 0 to 1")]
    RandomFraction,
    /// `in_flight` has a 0.
    #[error("concurrency: must be at least 1")]
    Concurrency,
}
