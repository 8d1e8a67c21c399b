//! What a tree costs the processor, measured without a device.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use leadline_device::MemoryDevice;
use leadline_lsm::btree::Operation;
use rustix::time::{ClockId, clock_gettime};

use crate::{Grown, ValidateError};

/// Data of the trees on which it is measured, pairs.
const PAIRS: u32 = 100_000;

/// Lookups that are timed, and as many before them that are not.
const LOOKUPS: u32 = 4000;

/// The same of ranges, which take longer.
const RANGES: u32 = 400;

/// Alignment of the device in memory, bytes.
const BLOCK_BYTES: u32 = 4096;

/// Processor time of a node size, microseconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ProcessorTimes {
    /// Bytes of a node.
    pub node_bytes: u32,
    /// Of a lookup per node that it visits, all nodes in memory.
    pub point_visit_us: f64,
    /// Of a range per node that it visits, all nodes in memory.
    pub range_visit_us: f64,
    /// More for each node that is not in memory: finding a victim, reading, verifying the checksum.
    pub miss_us: f64,
    /// How full nodes are, 0 to 1: bytes of pairs over bytes of nodes.
    pub fill: f64,
}

impl ProcessorTimes {
    /// Measures them on trees of 100,000 pairs on a device in memory: once with all nodes in the pool, once
    /// with a sixteenth of them.
    ///
    /// # Errors
    /// [`ValidateError`] as [`Grown::load`].
    pub fn measure(node_bytes: u32, range_pairs: u32, cancel: &AtomicBool) -> Result<Self, ValidateError> {
        let bytes = Grown::device_bytes(PAIRS, node_bytes);
        let load = |frames: u32| {
            let device = Arc::new(MemoryDevice::new(bytes, BLOCK_BYTES));
            Grown::load(device, node_bytes, frames, PAIRS, cancel, |_| {})
        };
        // All nodes, and those that writing needs.
        let resident = load((bytes / u64::from(node_bytes)) as u32)?;
        let nodes = resident.index.stats().pages as u32;
        let point = timed(&resident, Operation::Point, range_pairs, cancel)?;
        let range = timed(&resident, Operation::Range, range_pairs, cancel)?;
        let (height, count) = (resident.height() as f64, range_pairs.min(PAIRS));
        let range_visits = height + (f64::from(count) - 1.0) / resident.pairs_per_leaf();
        let fill = resident.fill();
        drop(resident);
        let missing =
            timed(&load((nodes / 16).max(Grown::LEAST_FRAMES))?, Operation::Point, range_pairs, cancel)?;
        Ok(ProcessorTimes {
            node_bytes,
            point_visit_us: point.us / height,
            range_visit_us: range.us / range_visits,
            miss_us: ((missing.us - point.us) / missing.misses.max(f64::MIN_POSITIVE)).max(0.0),
            fill,
        })
    }

    /// Processor time of an operation that visits so many nodes and misses so many of them, seconds.
    pub fn seconds(&self, operation: Operation, visits: f64, misses: f64) -> f64 {
        let visit_us = if operation == Operation::Range { self.range_visit_us } else { self.point_visit_us };
        1e-6 * (visits * visit_us + misses * self.miss_us)
    }
}

/// Per operation.
struct Timed {
    us: f64,
    misses: f64,
}

fn timed(
    grown: &Grown,
    operation: Operation,
    range_pairs: u32,
    cancel: &AtomicBool,
) -> Result<Timed, ValidateError> {
    let mut random = fastrand::Rng::with_seed(1);
    let count = range_pairs.min(grown.pairs);
    let operations = if operation == Operation::Range { RANGES } else { LOOKUPS };
    let mut run = || -> Result<(), ValidateError> {
        for _ in 0..operations {
            match operation {
                Operation::Range => grown.range(random.u32(..=grown.pairs - count), count)?,
                _ => grown.point(random.u32(..grown.pairs))?,
            }
            if cancel.load(Ordering::Relaxed) {
                return Err(ValidateError::Interrupted);
            }
        }
        Ok(())
    };
    run()?;
    let (before, began) = (grown.node_reads(), thread_seconds());
    run()?;
    let (seconds, each) = (thread_seconds() - began, f64::from(operations));
    let misses = (grown.node_reads() - before) as f64 / each;
    Ok(Timed { us: 1e6 * seconds / each, misses })
}

/// Processor time of this thread: what others do on the machine does not count.
fn thread_seconds() -> f64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as f64 + 1e-9 * time.tv_nsec as f64
}
