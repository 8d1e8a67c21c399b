//! The numbers that stand for a whole profile.

use crate::{DeviceProfile, OpKind, Parameters, Pattern};

/// Most reads in flight that are advised.
const MOST_READS: u32 = 4096;

/// The parameters that stand for the whole profile: 4 KiB random where measured, else the smallest random
/// block, else the first there is. `None` where nothing was measured.
pub fn headline(profile: &DeviceProfile) -> Option<&Parameters> {
    let random = || profile.parameters.iter().filter(|p| p.pattern == Pattern::Random);
    random()
        .find(|p| p.block_bytes == 4096)
        .or_else(|| random().min_by_key(|p| p.block_bytes))
        .or_else(|| profile.parameters.first())
}

/// A profile that does not say how many reads in flight use its device fully.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("has no k_r; measure random reads")]
pub struct NoReadDepth;

/// How a device reads.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ReadLimits {
    /// Reads in flight that use it fully: k_r_90 of random reads of 4 KiB (k_r in older profiles).
    pub depth: u32,
    /// Bytes per second at the best point of reading.
    pub bandwidth_bytes: Option<f64>,
    /// Random reads of 4 KiB per second at the best point of these.
    pub iops: Option<f64>,
    /// The largest random reads that are as many per second as those of 4 KiB, to a tenth.
    as_many_bytes: u32,
}

/// Rates of random reads that are a limit on operations where larger reads are as many: a disk that seeks
/// makes fewer, a flash drive more.
const LIMITS: std::ops::RangeInclusive<f64> = 500.0..=20_000.0;

impl ReadLimits {
    /// Operations and bytes per second, where the device limits operations: it serves as many larger reads
    /// per second as reads of 4 KiB.
    pub fn operation_limit(&self) -> Option<(f64, f64)> {
        let iops = self.iops.filter(|iops| self.as_many_bytes > 4096 && LIMITS.contains(iops))?;
        Some((iops, self.bandwidth_bytes?))
    }

    /// Of the device of a profile.
    ///
    /// # Errors
    /// [`NoReadDepth`] where the profile has no k_r.
    pub fn of(profile: &DeviceProfile) -> Result<ReadLimits, NoReadDepth> {
        let depth = headline(profile).and_then(Parameters::advised_reads).ok_or(NoReadDepth)?;
        let reads = || profile.points.iter().filter(|point| point.op == OpKind::Read);
        let bandwidth_bytes = reads().map(|point| point.bandwidth_bytes).max_by(f64::total_cmp);
        let random = || reads().filter(|point| point.pattern == Pattern::Random);
        let of_4k = random().filter(|point| point.block_bytes == 4096);
        let iops = of_4k.map(|point| point.iops).max_by(f64::total_cmp);
        let as_many = random().filter(|point| iops.is_some_and(|iops| point.iops >= 0.9 * iops));
        let as_many_bytes = as_many.map(|point| point.block_bytes).max().unwrap_or(0);
        Ok(ReadLimits { depth: depth.min(MOST_READS), bandwidth_bytes, iops, as_many_bytes })
    }
}
