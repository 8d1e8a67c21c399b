//! What the kernel and FUSE take to bring a request, or its answer: more after a pause, when threads and
//! processors sleep.

use std::sync::atomic::{AtomicU64, Ordering};

use leadline_device::Nanos;

/// After a pause of so long, those who wait are taken to sleep.
const PAUSE: Nanos = 100_000;

/// Of requests, or of answers.
#[derive(Debug, Default)]
pub(crate) struct Overhead {
    busy: AtomicU64,
    after_pause: AtomicU64,
    /// When one was last brought.
    last: AtomicU64,
}

impl Overhead {
    /// What was measured: one request after the other, and with pauses between them.
    pub(crate) fn set(&self, busy: Nanos, after_pause: Nanos) {
        self.busy.store(busy, Ordering::Relaxed);
        self.after_pause.store(after_pause, Ordering::Relaxed);
    }

    /// Both measurements.
    pub(crate) fn measured(&self) -> (Nanos, Nanos) {
        (self.busy.load(Ordering::Relaxed), self.after_pause.load(Ordering::Relaxed))
    }

    /// What it takes at this moment.
    pub(crate) fn takes(&self, at: Nanos) -> Nanos {
        let paused = at.saturating_sub(self.last.load(Ordering::Relaxed)) > PAUSE;
        if paused { &self.after_pause } else { &self.busy }.load(Ordering::Relaxed)
    }

    /// One is brought.
    pub(crate) fn used(&self, at: Nanos) {
        self.last.store(at, Ordering::Relaxed);
    }
}
