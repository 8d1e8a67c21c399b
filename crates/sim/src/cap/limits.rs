//! When a request is let in by the limits of a cloud volume.

use leadline_device::Nanos;

use super::bucket::TokenBucket;
use super::spec::CapSpec;

/// A request is let in when every bucket has what it takes.
pub(crate) struct Limits {
    /// As in [`CapSpec::operation_bytes`].
    operation_bytes: u64,
    buckets: Vec<(Counts, TokenBucket)>,
}

/// What a bucket counts.
enum Counts {
    Operations,
    Bytes,
}

impl Limits {
    pub(crate) fn new(cap: &CapSpec) -> Self {
        Limits { operation_bytes: cap.operation_bytes, buckets: buckets(cap) }
    }

    /// When a read or write of `len` bytes that arrives at `at` is let in.
    pub(crate) fn admit(&mut self, len: u32, at: Nanos) -> Nanos {
        let bytes = u64::from(len);
        let operations = if self.operation_bytes == 0 { 1 } else { bytes.div_ceil(self.operation_bytes) };
        let tokens = |counts: &Counts| match counts {
            Counts::Operations => operations,
            Counts::Bytes => bytes,
        };
        let earliest = self.buckets.iter().map(|(counts, bucket)| bucket.earliest(tokens(counts)));
        let admitted = earliest.fold(at, Nanos::max);
        for (counts, bucket) in &mut self.buckets {
            bucket.take(tokens(counts), admitted);
        }
        admitted
    }
}

/// For operations and for bytes: one bucket that spaces requests out at the most there may be, and one with
/// the credit.
fn buckets(cap: &CapSpec) -> Vec<(Counts, TokenBucket)> {
    let milli = |per_second: f64| (per_second * 1e3).round() as u64;
    let mut buckets = Vec::new();
    if cap.iops > 0.0 {
        buckets.push((Counts::Operations, TokenBucket::of_operations(milli(cap.iops), 0)));
    }
    if cap.credit > 0 {
        buckets.push((Counts::Operations, TokenBucket::of_operations(milli(cap.refill), cap.credit)));
    }
    if cap.bytes_per_s > 0 {
        buckets.push((Counts::Bytes, TokenBucket::of_bytes(cap.bytes_per_s, 0)));
    }
    if cap.bytes_credit > 0 {
        buckets.push((Counts::Bytes, TokenBucket::of_bytes(cap.bytes_refill, cap.bytes_credit)));
    }
    buckets
}
