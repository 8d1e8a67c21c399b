//! How long requests take.

use leadline_model::Estimate;
use leadline_profile::{Latency, OpKind, Pattern};

use crate::{Drive, Unmeasured};

/// What the kernel reads around a page of a mapped file that is not in memory, unless `read_ahead_kb` or
/// `madvise` say otherwise. On Linux 6.18 each of 4000 random touches of a mapped disk read as much.
const AROUND: u32 = 128 << 10;

/// A page of memory.
const PAGE: u32 = 4096;

impl<'a> Drive<'a> {
    /// Seconds of a random read while nothing else is in flight; by `interleaving`.
    pub(crate) fn one_read(&self, block_bytes: u32) -> Result<Estimate, Unmeasured> {
        let bandwidth = self.bandwidth(OpKind::Read, Pattern::Random, block_bytes, 1)?;
        let seconds = |bandwidth: f64| f64::from(block_bytes) / bandwidth;
        Ok(Estimate::of(seconds(bandwidth.value), [seconds(bandwidth.ci[1]), seconds(bandwidth.ci[0])]))
    }

    /// Time of a page of a mapped file that the kernel reads with what is around it / time of the page alone:
    /// 1 or more.
    pub(crate) fn read_around(&self) -> Result<f64, Unmeasured> {
        Ok((self.one_read(AROUND)?.value / self.one_read(PAGE)?.value).max(1.0))
    }

    /// Latency of requests of which `k` are in flight: at the nearest concurrency that was measured and is
    /// not below it, or the highest. Its percentiles are known, as they are not of all imported numbers.
    pub(crate) fn latency(
        &self,
        op: OpKind,
        pattern: Pattern,
        block_bytes: u32,
        k: f64,
    ) -> Result<&'a Latency, Unmeasured> {
        let curve = self.curve(op, pattern, block_bytes, false);
        let point = curve.iter().find(|point| f64::from(point.concurrency) >= k).or(curve.last());
        let known = point.map(|point| &point.latency_us).filter(|latency| latency.p99 > 0.0);
        known.ok_or_else(|| Unmeasured::points("the latency of requests", block_bytes))
    }

    /// Latency of an fdatasync after an append, by one writer; by `fsync`.
    pub(crate) fn flush(&self) -> Result<&'a Latency, Unmeasured> {
        let missing = || Unmeasured::experiment("fsync", "the latency of a flush");
        let found = self.profile().experiments.fsync.as_ref().ok_or_else(missing)?;
        let alone = found.points.iter().find(|point| point.writers == 1).ok_or_else(missing)?;
        Ok(&alone.latency_us)
    }
}
