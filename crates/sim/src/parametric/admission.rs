//! When a request is let in: at once, or as a limit set in software allows.

use leadline_device::Nanos;

use super::spec::ParametricSpec;
use crate::cap::Limits;
use crate::nearest::nearest;

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
            Some(cap) => Admission::Limits(Limits::new(cap)),
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
