//! When a request is let in: at once, or as a limit set in software allows.

use leadline_device::Nanos;

use super::bucket::TokenBucket;
use super::cap::CapSpec;
use super::nearest::nearest;
use super::spec::ParametricSpec;

/// What stands before the servers, for reads and writes together. Requests are let in in the order in which
/// they arrive.
pub(super) enum Admission {
    /// Nothing.
    Open,
    /// `cap_iops`: one by one, evenly spaced, no credit. In floating point, where `[cap]` counts in whole
    /// numbers, because profiles made with it are to stay the same byte for byte.
    Even { gap_ns: f64, next: f64 },
    /// `[cap]`.
    Limits(Limits),
}

impl Admission {
    pub(super) fn new(spec: &ParametricSpec) -> Self {
        match &spec.cap {
            Some(cap) => {
                Admission::Limits(Limits { operation_bytes: cap.operation_bytes, buckets: buckets(cap) })
            }
            None if spec.cap_iops > 0.0 => Admission::Even { gap_ns: 1e9 / spec.cap_iops, next: 0.0 },
            None => Admission::Open,
        }
    }

    /// When a read or write of `len` bytes that arrives at `at` is let in.
    #[inline]
    pub(super) fn admit(&mut self, len: u32, at: Nanos) -> Nanos {
        match self {
            Admission::Open => at,
            Admission::Even { gap_ns, next } => {
                let admitted = next.max(at as f64);
                *next = admitted + *gap_ns;
                nearest(admitted)
            }
            Admission::Limits(limits) => limits.admit(len, at),
        }
    }
}

/// A request is let in when every bucket has what it takes.
pub(super) struct Limits {
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
    fn admit(&mut self, len: u32, at: Nanos) -> Nanos {
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
