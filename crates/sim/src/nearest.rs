//! Rounding.

use leadline_device::Nanos;

/// The nearest whole number. Not [`f64::round`]: without SSE4.1 that is a call, and this is done for every
/// request.
#[inline]
pub(crate) fn nearest(nanos: f64) -> Nanos {
    (nanos + 0.5) as Nanos
}

/// Nanoseconds of a description's microseconds.
pub(crate) fn nanos(us: f64) -> Nanos {
    nearest(us * 1e3)
}
