//! Atomic words of the processor, and of the model checker loom: what threads share without locks is generic
//! over them, so that loom runs the code itself.

use std::sync::atomic::Ordering;

/// An atomic number, with the operations that are needed.
pub(crate) trait Word<T>: Send + Sync {
    fn new(value: T) -> Self;
    fn load(&self, order: Ordering) -> T;
    fn store(&self, value: T, order: Ordering);
    fn compare_exchange(&self, old: T, new: T, success: Ordering, failure: Ordering) -> Result<T, T>;
    fn fetch_add(&self, value: T, order: Ordering) -> T;
    fn fetch_or(&self, value: T, order: Ordering) -> T;
    fn fetch_and(&self, value: T, order: Ordering) -> T;
    /// A fence for all words of this kind.
    fn fence(order: Ordering);
}

macro_rules! words {
    ($atomics:path) => {
        const _: () = {
            use $atomics as atomics;
            words!(atomics, AtomicU32, u32);
            words!(atomics, AtomicU64, u64);
        };
    };
    ($atomics:ident, $atomic:ident, $number:ty) => {
        impl Word<$number> for $atomics::$atomic {
            #[inline]
            fn new(value: $number) -> Self {
                $atomics::$atomic::new(value)
            }
            #[inline]
            fn load(&self, order: Ordering) -> $number {
                self.load(order)
            }
            #[inline]
            fn store(&self, value: $number, order: Ordering) {
                self.store(value, order);
            }
            #[inline]
            fn compare_exchange(
                &self,
                old: $number,
                new: $number,
                success: Ordering,
                failure: Ordering,
            ) -> Result<$number, $number> {
                self.compare_exchange(old, new, success, failure)
            }
            #[inline]
            fn fetch_add(&self, value: $number, order: Ordering) -> $number {
                self.fetch_add(value, order)
            }
            #[inline]
            fn fetch_or(&self, value: $number, order: Ordering) -> $number {
                self.fetch_or(value, order)
            }
            #[inline]
            fn fetch_and(&self, value: $number, order: Ordering) -> $number {
                self.fetch_and(value, order)
            }
            #[inline]
            fn fence(order: Ordering) {
                $atomics::fence(order);
            }
        }
    };
}

words!(std::sync::atomic);
#[cfg(test)]
words!(loom::sync::atomic);
