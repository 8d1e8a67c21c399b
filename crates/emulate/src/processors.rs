//! Which processors the drive's threads run on, where that was asked for.
//!
//! To wake a thread on another processor takes several times as long as on the same one (20 us and not 3 in a
//! virtual machine), and where the scheduler puts threads differs from mount to mount. With a processor for
//! the answers' timing alone, requests and programs share the rest, and both ways take the same every time.
//! Idle processors then wait awake, which spares the interrupt that wakes them.

use std::fs::File;
use std::io::Write as _;

use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

use crate::EmulateError;

/// Who keeps this open has told the kernel how long waking up may take; four bytes, microseconds.
const WAKE_UP_LATENCY: &str = "/dev/cpu_dma_latency";

/// Keeps idle processors from sleeping while it lives, where this user may (root).
#[derive(Debug)]
pub(crate) struct Awake {
    _file: File,
}

impl Awake {
    /// `None` where the kernel does not have it or this user may not: latencies are longer then, not wrong.
    pub(crate) fn keep() -> Option<Awake> {
        let mut file = File::options().write(true).open(WAKE_UP_LATENCY).ok()?;
        file.write_all(&0i32.to_ne_bytes()).ok()?;
        Some(Awake { _file: file })
    }
}

/// One processor that times answers, and those that take requests.
#[derive(Debug, Clone)]
pub(crate) struct Processors {
    timing: CpuSet,
    serving: CpuSet,
}

impl Processors {
    /// Sets `timing` apart from the others that this thread may run on.
    pub(crate) fn apart(timing: usize) -> Result<Processors, EmulateError> {
        let all = sched_getaffinity(None).unwrap_or_else(|_| CpuSet::new());
        if timing >= CpuSet::MAX_CPU || !all.is_set(timing) || all.count() < 2 {
            let usable = (0..CpuSet::MAX_CPU).filter(|processor| all.is_set(*processor)).collect();
            return Err(EmulateError::Processor { processor: timing, usable });
        }
        let (mut own, mut serving) = (CpuSet::new(), all);
        own.set(timing);
        serving.unset(timing);
        Ok(Processors { timing: own, serving })
    }

    /// Keeps this thread to the processor for timing.
    pub(crate) fn time_here(&self) {
        // They were allowed a moment ago; if they no longer are, latencies only vary more.
        let _ = sched_setaffinity(None, &self.timing);
    }

    /// Keeps this thread, and those that it starts, off that processor.
    pub(crate) fn serve_here(&self) {
        let _ = sched_setaffinity(None, &self.serving);
    }
}
