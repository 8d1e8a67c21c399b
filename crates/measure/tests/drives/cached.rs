//! A drive with a cache for writes that is emptied at rest, or while it fills.

use leadline_device::{Nanos, Op, Request};

use super::Inside;

/// When the cache is emptied.
#[derive(Clone, Copy, PartialEq)]
pub enum Emptied {
    /// After a millisecond without a write: an SLC cache.
    AtRest,
    /// All the time: a buffer in memory.
    Always,
}

/// One server for writes and one for reads, which wait for the write that is being made.
pub struct Cached {
    pub cache_bytes: f64,
    pub emptied: Emptied,
    /// Bytes per second into the cache, and out of it to the medium.
    pub fast: f64,
    pub slow: f64,
    used: f64,
    used_at: Nanos,
    writes_free_at: Nanos,
    reads_free_at: Nanos,
}

const READ_NS: Nanos = 80_000;

impl Cached {
    pub fn new(cache_bytes: f64, emptied: Emptied, fast: f64, slow: f64) -> Self {
        Cached {
            cache_bytes,
            emptied,
            fast,
            slow,
            used: 0.0,
            used_at: 0,
            writes_free_at: 0,
            reads_free_at: 0,
        }
    }

    fn empty(&mut self, now: Nanos) {
        let passed = now.saturating_sub(self.used_at);
        if self.emptied == Emptied::Always || passed > 1_000_000 {
            self.used = (self.used - passed as f64 / 1e9 * self.slow).max(0.0);
        }
        self.used_at = now;
    }

    fn write(&mut self, bytes: f64, at: Nanos) -> Nanos {
        let begin = self.writes_free_at.max(at);
        self.empty(begin);
        let seconds = if self.used + bytes <= self.cache_bytes {
            self.used += bytes;
            bytes / self.fast
        } else {
            bytes / self.slow
        };
        let done = begin + (seconds * 1e9) as Nanos;
        if self.used + bytes > self.cache_bytes {
            self.used_at = done;
        }
        self.writes_free_at = done;
        done
    }
}

impl Inside for Cached {
    fn done(&mut self, request: &Request, at: Nanos) -> Nanos {
        if request.op == Op::Write {
            return self.write(f64::from(request.len), at);
        }
        // Behind the writes that have arrived, as far as they take no longer than a read.
        let busy = self.writes_free_at.saturating_sub(at).min(READ_NS);
        self.reads_free_at = self.reads_free_at.max(at + busy) + READ_NS;
        self.reads_free_at
    }
}
