//! Words that threads share: the atomic operations that the state of a frame and the log of hits need. A
//! model checker brings its own (loom, in `state_model` and `ring_model`).

use std::sync::atomic::{AtomicU64, Ordering};

/// A word of 64 bits.
pub(crate) trait Word {
    fn load(&self, order: Ordering) -> u64;
    fn store(&self, value: u64, order: Ordering);
    fn compare_exchange(
        &self,
        current: u64,
        new: u64,
        success: Ordering,
        failure: Ordering,
    ) -> Result<u64, u64>;
    fn fetch_sub(&self, value: u64, order: Ordering) -> u64;
    fn fetch_and(&self, value: u64, order: Ordering) -> u64;
    fn fetch_or(&self, value: u64, order: Ordering) -> u64;
}

/// Implements [`Word`] by the methods of the same names.
macro_rules! word {
    ($atomic:ty) => {
        impl Word for $atomic {
            #[inline]
            fn load(&self, order: Ordering) -> u64 {
                self.load(order)
            }
            #[inline]
            fn store(&self, value: u64, order: Ordering) {
                self.store(value, order);
            }
            #[inline]
            fn compare_exchange(&self, old: u64, new: u64, yes: Ordering, no: Ordering) -> Result<u64, u64> {
                self.compare_exchange(old, new, yes, no)
            }
            #[inline]
            fn fetch_sub(&self, value: u64, order: Ordering) -> u64 {
                self.fetch_sub(value, order)
            }
            #[inline]
            fn fetch_and(&self, value: u64, order: Ordering) -> u64 {
                self.fetch_and(value, order)
            }
            #[inline]
            fn fetch_or(&self, value: u64, order: Ordering) -> u64 {
                self.fetch_or(value, order)
            }
        }
    };
}

word!(AtomicU64);
#[cfg(test)]
word!(loom::sync::atomic::AtomicU64);
