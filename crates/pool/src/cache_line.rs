//! A hint to the processor: what will be used soon.
#![allow(unsafe_code)]

/// Starts to load the cache line at an address, so that it need not be waited for when it is used. Does
/// nothing on processors other than x86-64.
#[inline(always)]
pub(crate) fn prefetch<T>(at: *const T) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: SSE belongs to x86-64, and a prefetch neither faults nor changes anything, whatever the
    // address.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(at.cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = at;
}
