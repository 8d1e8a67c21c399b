//! A log to which several writers append, each waiting until its append is durable.

use std::sync::atomic::AtomicBool;

use leadline_device::Nanos;

use crate::MeasureError;
use crate::load::Recorder;

/// Bytes of an append: those of the check that etcd's documentation recommends, about a record of its log.
pub(super) const APPEND_BYTES: u32 = 2300;

/// When a slice ends: at the first of these, and not before every writer has committed once.
#[derive(Debug, Clone, Copy)]
pub(super) struct SliceEnd {
    /// Device time.
    pub(super) duration: Nanos,
    /// Commits of all writers.
    pub(super) most_commits: u64,
}

/// What a slice came to.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Committed {
    /// Appends that became durable.
    pub(super) commits: u64,
    /// Time until the last of them, seconds.
    pub(super) seconds: f64,
}

/// A file or a device that takes appends.
pub(super) trait CommitLog {
    /// Lets `writers` append until the slice ends. `latencies` gets the duration of what makes each append
    /// durable. After a cancel it ends early.
    ///
    /// # Errors
    /// [`MeasureError`] where a write or its fdatasync fails.
    fn commit(
        &mut self,
        writers: u32,
        end: SliceEnd,
        latencies: &mut Recorder,
        cancel: &AtomicBool,
    ) -> Result<Committed, MeasureError>;

    /// Bytes sent for each append.
    fn sent_bytes(&self) -> u32;

    /// Bytes sent since it was made.
    fn written(&self) -> u64;

    /// The clock of the times above.
    fn now(&self) -> Nanos;
}
