//! What a profile is to be measured with: as somebody chose, or as the interrupted run that is resumed had
//! it.

use std::time::Duration;

use leadline_device::scratch::DATA_START;
use leadline_device::{Clock, IoEngine};
use leadline_profile::{BudgetKind, DeviceKind, DeviceProfile, EngineKind, Method, Pattern, WriteStatus};

use crate::plan::{Budget, Lanes, Plan};
use crate::target::{Access, OpenTarget};
use crate::{MeasureError, PlanError};

/// Highest concurrency tried with psync, which takes a thread for each request in flight.
const PSYNC_CONCURRENCY: u32 = 128;

/// Bytes that a run may write after the layout however small its region is.
const LEAST_WRITE_BUDGET: u64 = 4 << 30;

/// The choices of one run. What is `None` is decided when the target is open.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    /// How the target is opened.
    pub access: Access,
    /// How long to measure.
    pub budget: Budget,
    /// Bytes per request.
    pub block_sizes: BlockSizes,
    /// Random, sequential or both; `None` for both.
    pub patterns: Option<Vec<Pattern>>,
    /// Processors to pin one thread each to; empty for one thread that is not pinned.
    pub cpus: Vec<u32>,
    /// Highest concurrency tried; `None` for 1024 (psync 128), or what fits into 512 MiB of buffers.
    pub max_concurrency: Option<u32>,
    /// Passes of random writes before measuring.
    pub precondition: u32,
    /// Bytes that may be written in all; `None` for [`Settings::write_budget`].
    pub max_writes: Option<u64>,
    /// Seed of all random choices; `None` for the time, or 1 on a simulated device.
    pub seed: Option<u64>,
}

/// Block sizes to be measured.
#[derive(Debug, Clone, PartialEq)]
pub enum BlockSizes {
    /// These, in bytes.
    Listed(Vec<u32>),
    /// All powers of two from the smallest that the target takes to 256 KiB.
    Granularity,
}

impl BlockSizes {
    /// Ascending, each once, for a target that takes requests of `smallest` bytes and more.
    pub fn resolve(&self, smallest: u32) -> Vec<u32> {
        match self {
            BlockSizes::Listed(sizes) => {
                let mut sizes = sizes.clone();
                sizes.sort_unstable();
                sizes.dedup();
                sizes
            }
            BlockSizes::Granularity => {
                (9..=18).map(|shift| 1 << shift).filter(|&size| size >= smallest).collect()
            }
        }
    }
}

impl Settings {
    /// The settings of an interrupted run: numbers from two ways to measure are not to be mixed. Kept are the
    /// choices that do not change what is measured: `max_writes`, `seed`, and how the device is polled.
    ///
    /// # Errors
    /// [`MeasureError::ResumeWouldOverwrite`]: it wrote to a block device, which is to be allowed again.
    pub fn resume(self, earlier: &DeviceProfile) -> Result<Settings, MeasureError> {
        let DeviceProfile { method, device, .. } = earlier;
        let header = if device.kind == DeviceKind::Directory { DATA_START } else { 0 };
        let engine = match &method.engine {
            EngineKind::IoUring => IoEngine::IoUring,
            EngineKind::Psync => IoEngine::Psync,
            other => return Err(PlanError::Engine { engine: other.to_string() }.into()),
        };
        let access = Access {
            size_bytes: Some(method.footprint_bytes + header),
            engine: Some(engine),
            direct: method.direct,
            reads_only: method.writes != WriteStatus::Measured,
            ..self.access
        };
        if device.kind == DeviceKind::Block && !access.reads_only && !access.destructive {
            return Err(MeasureError::ResumeWouldOverwrite { target: device.target.clone() });
        }
        Ok(Settings {
            access,
            budget: budget_of(method),
            block_sizes: BlockSizes::Listed(method.block_sizes.clone()),
            patterns: Some(method.patterns.clone()),
            cpus: method.cpus.clone(),
            max_concurrency: Some(method.max_concurrency),
            precondition: method.precondition_passes,
            ..self
        })
    }

    /// Bytes that a run may write where nobody set a limit: `layout_bytes` and the larger of 4 GiB and twice
    /// the region. `None` where `max_writes` is the limit, where nothing but the layout is written, and for
    /// the runs that are there to write much: until converged, and with preconditioning.
    pub fn write_budget(&self, layout_bytes: u64, region_bytes: u64) -> Option<u64> {
        let without = self.max_writes.is_some()
            || self.access.reads_only
            || self.budget == Budget::Full
            || self.precondition > 0;
        (!without)
            .then(|| layout_bytes.saturating_add(region_bytes.saturating_mul(2).max(LEAST_WRITE_BUDGET)))
    }

    /// The plan for an open target.
    ///
    /// # Errors
    /// As [`Plan::check`].
    pub fn plan(&self, target: &OpenTarget) -> Result<Plan, PlanError> {
        let geometry = target.device.geometry();
        let mut plan = Plan::new(self.budget, geometry, target.device.clock());
        plan.region = target.region;
        plan.writes = target.writes;
        plan.layout = target.layout;
        plan.block_sizes = self.block_sizes.resolve(geometry.block_bytes);
        plan.precondition = self.precondition;
        plan.max_writes = self.max_writes;
        // A simulated device does not wear.
        if target.writes && target.device.clock() == Clock::Wall {
            plan.write_budget = self.write_budget(plan.region.len * u64::from(plan.layout), plan.region.len);
        }
        plan.cpus.clone_from(&self.cpus);
        plan.disk.clone_from(&target.sysfs);
        plan.seed = self.seed.unwrap_or_else(|| target.default_seed());
        if let Some(patterns) = &self.patterns {
            plan.patterns.clone_from(patterns);
        }
        plan.lanes = target.lanes();
        if target.is_psync() {
            plan.max_concurrency = PSYNC_CONCURRENCY;
        } else if !plan.cpus.is_empty() {
            plan.lanes = Lanes::Threads(plan.cpus.len() as u32);
        }
        plan.max_concurrency = self.max_concurrency.unwrap_or_else(|| plan.affordable_concurrency());
        plan.check(&geometry)?;
        Ok(plan)
    }
}

fn budget_of(method: &Method) -> Budget {
    let length = method.budget_seconds.and_then(|s| Duration::try_from_secs_f64(s).ok());
    match (&method.budget, length) {
        (BudgetKind::Quick, _) => Budget::Quick,
        (BudgetKind::Full, _) => Budget::Full,
        (BudgetKind::Custom, Some(length)) => Budget::Custom(length),
        _ => Budget::Default,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn block_sizes_are_ascending_and_each_once() {
        assert_eq!(BlockSizes::Listed(vec![8192, 4096, 8192]).resolve(512), [4096, 8192]);
        let all = BlockSizes::Granularity.resolve(4096);
        assert_eq!((all[0], all[all.len() - 1], all.len()), (4096, 256 << 10, 7));
    }
}
