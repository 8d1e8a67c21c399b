//! What the sizes of objects add to an outcome.

use serde::Serialize;

/// What a trace whose objects have sizes adds to an outcome.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ObjectOutcome {
    /// Bytes that the cache holds; `None` where it holds a number of objects, whatever their sizes.
    pub cache_bytes: Option<u64>,
    /// Bytes of all requests.
    pub requested_bytes: u64,
    /// Bytes of the requests that missed.
    pub missed_bytes: u64,
    /// Requests that missed / requests.
    pub miss_ratio: f64,
    /// Missed bytes / requested bytes.
    pub byte_miss_ratio: f64,
    /// Requests for objects larger than the cache.
    pub too_large: u64,
}

impl ObjectOutcome {
    pub(super) fn new(cache_bytes: Option<u64>) -> ObjectOutcome {
        ObjectOutcome {
            cache_bytes,
            requested_bytes: 0,
            missed_bytes: 0,
            miss_ratio: 0.0,
            byte_miss_ratio: 0.0,
            too_large: 0,
        }
    }

    /// Works out the ratios.
    pub(super) fn finish(&mut self, misses: u64, operations: u64) {
        self.miss_ratio = misses as f64 / operations.max(1) as f64;
        self.byte_miss_ratio = self.missed_bytes as f64 / self.requested_bytes.max(1) as f64;
    }
}
