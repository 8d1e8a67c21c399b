//! What came of a replay.

use hdrhistogram::Histogram;
use serde::Serialize;

use crate::PoolStats;
use crate::simulate::{Config, LatencyUs, Outcome};

/// The counts of a simulation, measured, and what only a real run has. All but the checkpoint is of the time
/// from the first operation to the end of the last.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ReplayReport {
    /// As a simulation has it. `latency_us` is of the operations that missed.
    #[serde(flatten)]
    pub outcome: Outcome,
    /// Whether all operations were done; false where it was cancelled.
    pub complete: bool,
    /// Pages that the trace touches.
    pub pages: u32,
    /// Bytes of a page.
    pub page_bytes: u32,
    /// Whether pages carry checksums.
    pub checksums: bool,
    /// Operations that found their page in memory, percent.
    pub hit_percent: f64,
    /// Operations per second.
    pub operations_per_second: f64,
    /// Pages read per second, those read ahead among them.
    pub reads_per_second: f64,
    /// Pages written per second.
    pub writes_per_second: f64,
    /// Times that a client waited for a page that others were reading, writing or holding.
    pub waits: u64,
    /// Times that a client waited for the cleaner.
    pub cleaner_waits: u64,
    /// Pages that the checkpoint at the end wrote, and the seconds that it took; `None` where it was
    /// cancelled before.
    pub checkpoint: Option<Checkpoint>,
    /// Pages whose contents were compared afterwards; `None` where none were.
    pub verified_pages: Option<u32>,
}

/// What it took to write what was dirty at the end.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Checkpoint {
    /// Pages written.
    pub writes: u64,
    /// Seconds, the flush of the device included.
    pub seconds: f64,
}

/// What the clients did.
pub(super) struct RunTotals {
    pub(super) operations: u64,
    pub(super) operations_writing: u64,
    pub(super) seconds: f64,
    /// Nanoseconds of the operations that missed.
    pub(super) latencies: Histogram<u64>,
    pub(super) complete: bool,
}

impl ReplayReport {
    pub(super) fn new(
        config: &Config,
        pages: u32,
        checksums: bool,
        ran: &RunTotals,
        stats: &PoolStats,
    ) -> Self {
        let share = |count: u64, of: f64| if of > 0.0 { count as f64 / of } else { 0.0 };
        let outcome = Outcome {
            operations: ran.operations,
            operations_writing: ran.operations_writing,
            misses: stats.misses,
            writes: stats.writes,
            writes_by_cleaner: stats.writes_by_cleaner,
            batches: stats.batches,
            prefetches: stats.prefetches,
            prefetches_used: stats.prefetches_used,
            seconds: Some(ran.seconds),
            latency_us: LatencyUs::of(&ran.latencies),
            ..Outcome::new(config)
        };
        let n = if config.adaptive { stats.n } else { outcome.n };
        let outcome = Outcome { n, ..outcome };
        let hits = ran.operations.saturating_sub(stats.misses);
        ReplayReport {
            complete: ran.complete,
            pages,
            page_bytes: config.page_bytes,
            checksums,
            hit_percent: 100.0 * share(hits, ran.operations as f64),
            operations_per_second: share(ran.operations, ran.seconds),
            reads_per_second: share(stats.misses + stats.prefetches, ran.seconds),
            writes_per_second: share(stats.writes, ran.seconds),
            waits: stats.waits,
            cleaner_waits: stats.cleaner_waits,
            checkpoint: None,
            verified_pages: None,
            outcome,
        }
    }
}
