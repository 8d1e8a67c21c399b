//! A processor for the drive's timing alone, and the others for the server.

use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

/// Keeps this thread, and the programs that it starts, off the processor that times the drive's answers,
/// until it is dropped.
#[derive(Debug)]
pub(super) struct OffTiming {
    before: CpuSet,
    timing: usize,
}

/// The last processor that this thread may use; none where there is no other.
pub(super) fn for_timing() -> Option<usize> {
    let all = sched_getaffinity(None).ok().filter(|all| all.count() > 1)?;
    (0..CpuSet::MAX_CPU).rev().find(|processor| all.is_set(*processor))
}

impl OffTiming {
    /// Off this processor, which is not the only one.
    pub(super) fn of(timing: usize) -> Option<OffTiming> {
        let before = sched_getaffinity(None).ok()?;
        let mut others = before;
        others.unset(timing);
        sched_setaffinity(None, &others).ok()?;
        Some(OffTiming { before, timing })
    }

    /// Its number.
    pub(super) fn timing(&self) -> usize {
        self.timing
    }
}

impl Drop for OffTiming {
    fn drop(&mut self) {
        // It was so before.
        let _ = sched_setaffinity(None, &self.before);
    }
}
