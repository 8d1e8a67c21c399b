//! What was asked of the drive, and how punctual it was.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use hdrhistogram::Histogram;
use leadline_device::Nanos;
use serde::{Deserialize, Serialize};

/// Counted while mounted.
#[derive(Debug)]
pub(crate) struct Counters {
    reads: AtomicU64,
    writes: AtomicU64,
    flushes: AtomicU64,
    read_bytes: AtomicU64,
    written_bytes: AtomicU64,
    late: AtomicU64,
    /// Nanoseconds.
    overshoot: Mutex<Histogram<u64>>,
}

impl Default for Counters {
    fn default() -> Self {
        let histogram = Histogram::new_with_bounds(1, 1_000_000_000_000, 2).expect("the bounds are valid");
        Counters {
            reads: AtomicU64::new(0),
            writes: AtomicU64::new(0),
            flushes: AtomicU64::new(0),
            read_bytes: AtomicU64::new(0),
            written_bytes: AtomicU64::new(0),
            late: AtomicU64::new(0),
            overshoot: Mutex::new(histogram),
        }
    }
}

/// What was asked of the drive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Traffic {
    /// Reads that reached the drive, past the kernel's page cache.
    pub reads: u64,
    /// Writes, of programs and of the kernel's page cache.
    pub writes: u64,
    /// fsync and fdatasync.
    pub flushes: u64,
    /// Bytes read.
    pub read_bytes: u64,
    /// Bytes written.
    pub written_bytes: u64,
}

/// Percentiles of how late answers were sent, microseconds.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Overshoot {
    /// Half of them were sooner.
    pub p50: f64,
    /// Nine of ten.
    pub p90: f64,
    /// 99 of 100.
    pub p99: f64,
    /// 999 of 1000.
    pub p99_9: f64,
    /// The latest.
    pub max: f64,
}

impl Counters {
    /// A read was taken up.
    pub(crate) fn read(&self, bytes: u64) {
        self.reads.fetch_add(1, Ordering::Relaxed);
        self.read_bytes.fetch_add(bytes, Ordering::Relaxed);
    }

    /// A write was taken up.
    pub(crate) fn wrote(&self, bytes: u64) {
        self.writes.fetch_add(1, Ordering::Relaxed);
        self.written_bytes.fetch_add(bytes, Ordering::Relaxed);
    }

    /// A sync was taken up.
    pub(crate) fn flushed(&self) {
        self.flushes.fetch_add(1, Ordering::Relaxed);
    }

    /// What was asked of the drive.
    pub(crate) fn traffic(&self) -> Traffic {
        let get = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        Traffic {
            reads: get(&self.reads),
            writes: get(&self.writes),
            flushes: get(&self.flushes),
            read_bytes: get(&self.read_bytes),
            written_bytes: get(&self.written_bytes),
        }
    }

    /// An answer was sent `overshoot` nanoseconds after it was due.
    pub(crate) fn answered(&self, overshoot: Nanos, late: bool) {
        self.late.fetch_add(u64::from(late), Ordering::Relaxed);
        let mut histogram = self.overshoot.lock().unwrap_or_else(PoisonError::into_inner);
        histogram.saturating_record(overshoot);
    }

    /// Requests answered, and those of them that were late.
    pub(crate) fn answers(&self) -> (u64, u64) {
        let histogram = self.overshoot.lock().unwrap_or_else(PoisonError::into_inner);
        (histogram.len(), self.late.load(Ordering::Relaxed))
    }

    pub(crate) fn overshoot(&self) -> Overshoot {
        let histogram = self.overshoot.lock().unwrap_or_else(PoisonError::into_inner);
        let at = |quantile| histogram.value_at_quantile(quantile) as f64 / 1e3;
        Overshoot {
            p50: at(0.5),
            p90: at(0.9),
            p99: at(0.99),
            p99_9: at(0.999),
            max: histogram.max() as f64 / 1e3,
        }
    }

    /// Upper bounds in microseconds, and the answers in each bucket: powers of two.
    pub(crate) fn histogram(&self) -> Vec<(f64, u64)> {
        let histogram = self.overshoot.lock().unwrap_or_else(PoisonError::into_inner);
        histogram
            .iter_log(1_000, 2.0)
            .map(|step| (step.value_iterated_to() as f64 / 1e3, step.count_since_last_iteration()))
            .collect()
    }
}
