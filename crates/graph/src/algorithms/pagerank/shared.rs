//! Numbers of vertices that all threads change, in single and in double precision.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use crate::engine::Stored;

/// A number that threads share, without any order among its changes.
pub(super) trait Shared: Send + Sync {
    fn new(value: f64) -> Self;
    fn get(&self) -> f64;
    fn set(&self, value: f64);
}

/// In single precision.
#[derive(Debug)]
pub(super) struct Single(AtomicU32);

impl Shared for Single {
    fn new(value: f64) -> Single {
        Single(AtomicU32::new((value as f32).to_bits()))
    }

    #[inline]
    fn get(&self) -> f64 {
        f32::from_bits(self.0.load(Ordering::Relaxed)).into()
    }

    #[inline]
    fn set(&self, value: f64) {
        self.0.store((value as f32).to_bits(), Ordering::Relaxed);
    }
}

/// In double precision.
#[derive(Debug)]
pub(super) struct Double(AtomicU64);

impl Shared for Double {
    fn new(value: f64) -> Double {
        Double(AtomicU64::new(value.to_bits()))
    }

    #[inline]
    fn get(&self) -> f64 {
        f64::from_bits(self.0.load(Ordering::Relaxed))
    }

    #[inline]
    fn set(&self, value: f64) {
        self.0.store(value.to_bits(), Ordering::Relaxed);
    }
}

impl Stored for Single {
    const BYTES: usize = size_of::<u32>();

    #[inline]
    fn store(&self, bytes: &mut [u8]) {
        self.0.load(Ordering::Relaxed).store(bytes);
    }

    #[inline]
    fn load(bytes: &[u8]) -> Single {
        Single(AtomicU32::new(u32::load(bytes)))
    }
}

impl Stored for Double {
    const BYTES: usize = size_of::<u64>();

    #[inline]
    fn store(&self, bytes: &mut [u8]) {
        self.0.load(Ordering::Relaxed).store(bytes);
    }

    #[inline]
    fn load(bytes: &[u8]) -> Double {
        Double(AtomicU64::new(u64::load(bytes)))
    }
}

impl Double {
    /// Adds while others may add.
    #[inline]
    pub(super) fn add(&self, value: f64) {
        let mut before = self.0.load(Ordering::Relaxed);
        loop {
            let sum = (f64::from_bits(before) + value).to_bits();
            match self.0.compare_exchange_weak(before, sum, Ordering::Relaxed, Ordering::Relaxed) {
                Ok(_) => return,
                Err(now) => before = now,
            }
        }
    }
}
