//! How long requests take.

use leadline_profile::{Latency, OpKind, Pattern};

use crate::{Drive, Unmeasured};

impl<'a> Drive<'a> {
    /// Latency of requests of which `k` are in flight: at the nearest concurrency that was measured and is
    /// not below it, or the highest.
    pub(crate) fn latency(
        &self,
        op: OpKind,
        pattern: Pattern,
        block_bytes: u32,
        k: f64,
    ) -> Result<&'a Latency, Unmeasured> {
        let curve = self.curve(op, pattern, block_bytes, false);
        let point = curve.iter().find(|point| f64::from(point.concurrency) >= k).or(curve.last());
        let point = point.ok_or_else(|| Unmeasured::points("the latency of requests", block_bytes))?;
        Ok(&point.latency_us)
    }

    /// Latency of an fdatasync after an append, by one writer; by `fsync`.
    pub(crate) fn flush(&self) -> Result<&'a Latency, Unmeasured> {
        let missing = || Unmeasured::experiment("fsync", "how long a flush takes");
        let found = self.profile().experiments.fsync.as_ref().ok_or_else(missing)?;
        let alone = found.points.iter().find(|point| point.writers == 1).ok_or_else(missing)?;
        Ok(&alone.latency_us)
    }
}
