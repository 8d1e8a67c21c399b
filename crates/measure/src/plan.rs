//! What is going to be measured, and within what bounds.

use std::path::PathBuf;
use std::time::Duration;

use leadline_device::{Clock, Geometry};
use leadline_profile::{OpKind, Pattern};

use crate::PlanError;
use crate::curve::CurveId;
use crate::load::Region;

/// How long to measure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Budget {
    /// 30 s.
    Quick,
    /// 2 min.
    Default,
    /// Until alpha and both plateaus are known to 5 % at every pattern and block size, or
    /// [`Budget::FULL_LIMIT`].
    Full,
    /// So long, whatever is measured: for tests and scripts.
    Custom(Duration),
}

impl Budget {
    /// Seconds after which `--full` gives up converging.
    pub const FULL_LIMIT: f64 = 3600.0;

    /// A run of a named budget takes at most this many times as long.
    pub(crate) const MOST: f64 = 1.5;

    /// Seconds of device time for measuring `block_sizes` sizes; `None` for "until converged". The named
    /// budgets are for up to two sizes and grow with more.
    pub fn seconds(self, block_sizes: usize) -> Option<f64> {
        let scale = (block_sizes as f64 / 2.0).max(1.0);
        match self {
            Budget::Quick => Some(30.0 * scale),
            Budget::Default => Some(120.0 * scale),
            Budget::Full => None,
            Budget::Custom(length) => Some(length.as_secs_f64()),
        }
    }

    /// Seconds that measuring takes at most: the named budgets are exceeded by up to half where that narrows
    /// what is advised.
    pub fn most_seconds(self, block_sizes: usize) -> Option<f64> {
        let factor = if matches!(self, Budget::Quick | Budget::Default) { Self::MOST } else { 1.0 };
        self.seconds(block_sizes).map(|seconds| factor * seconds)
    }

    /// Epochs aimed at: as many as leave slices of some ten milliseconds, because a device's speed changes
    /// over such times, and many short slices see more of them than a few long ones. `--full` has time for
    /// longer slices.
    pub fn epochs(self) -> u32 {
        match self {
            Budget::Quick | Budget::Custom(_) => 10,
            Budget::Default => 24,
            Budget::Full => 12,
        }
    }

    /// As on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Budget::Quick => "quick",
            Budget::Default => "default",
            Budget::Full => "full",
            Budget::Custom(_) => "custom",
        }
    }
}

/// How concurrency k is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lanes {
    /// This many threads, each with a queue pair of depth k / threads.
    Threads(u32),
    /// k threads, each with a queue pair of depth one: the papers' own method.
    OneRequestEach,
}

/// A measurement to be made.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// How long.
    pub budget: Budget,
    /// Bytes a request, ascending, each a multiple of the device's block.
    pub block_sizes: Vec<u32>,
    /// Random, sequential or both.
    pub patterns: Vec<Pattern>,
    /// Whether writes are measured. Then the region is overwritten.
    pub writes: bool,
    /// What may be touched.
    pub region: Region,
    /// Whether the region is written whole first.
    pub layout: bool,
    /// Passes of random writes over the region after that.
    pub precondition: u32,
    /// Highest concurrency tried.
    pub max_concurrency: u32,
    /// Concurrencies that are measured whatever the search finds worth measuring, as far as it came.
    pub also: Vec<u32>,
    /// How concurrency is made.
    pub lanes: Lanes,
    /// Processors to pin the threads to, in turn; empty for none.
    pub cpus: Vec<u32>,
    /// Seed of every random choice.
    pub seed: u64,
    /// Bytes that may be written in all. Where they are spent, writing ends and the run is incomplete.
    pub max_writes: Option<u64>,
    /// Bytes that may be written in all, preparation included, shared over the whole run: write slices are
    /// shortened so that every curve is measured and the run is complete.
    pub write_budget: Option<u64>,
    /// Completions after which a slice ends early. For virtual clocks: simulated requests beyond it teach
    /// nothing, and cost real time.
    pub max_ops_per_slice: u64,
    /// Where sysfs has the disk, for what the block layer counts.
    pub disk: Option<PathBuf>,
}

impl Plan {
    /// A plan with the defaults for a device: both patterns, 4K and 8K, one thread.
    pub fn new(budget: Budget, geometry: Geometry, clock: Clock) -> Self {
        Plan {
            budget,
            block_sizes: vec![4096, 8192],
            patterns: vec![Pattern::Random, Pattern::Sequential],
            writes: geometry.writable,
            region: Region { start: 0, len: geometry.capacity_bytes },
            layout: geometry.writable,
            precondition: 0,
            max_concurrency: 1024,
            also: Vec::new(),
            lanes: Lanes::Threads(1),
            cpus: Vec::new(),
            seed: 1,
            max_writes: None,
            write_budget: None,
            max_ops_per_slice: if clock == Clock::Virtual { 4_000 } else { u64::MAX },
            disk: None,
        }
    }

    /// Budget in seconds of device time, as [`Budget::seconds`].
    pub fn budget_seconds(&self) -> Option<f64> {
        self.budget.seconds(self.block_sizes.len())
    }

    /// Every curve to be measured.
    pub fn curves(&self) -> Vec<CurveId> {
        let mut curves = Vec::new();
        for &block_bytes in &self.block_sizes {
            for &pattern in &self.patterns {
                let id = |op, durable| CurveId { block_bytes, pattern, op, durable };
                curves.push(id(OpKind::Read, false));
                if self.writes {
                    curves.extend([id(OpKind::Write, false), id(OpKind::Write, true)]);
                }
            }
        }
        curves
    }

    /// The highest concurrency whose buffers take no more than 512 MiB, at most `max_concurrency`.
    pub fn affordable_concurrency(&self) -> u32 {
        let largest = self.block_sizes.iter().max().copied().unwrap_or(1).max(1);
        self.max_concurrency.min((512 << 20) / largest).max(1)
    }

    /// In words, what concurrency k means under this plan.
    pub fn concurrency_is(&self) -> String {
        match self.lanes {
            Lanes::Threads(1) => "one queue pair of depth k".into(),
            Lanes::Threads(n) => format!("{n} threads, each with a queue pair of depth k/{n}"),
            Lanes::OneRequestEach => "k threads, each with one request in flight".into(),
        }
    }

    /// Checks the plan against the device.
    ///
    /// # Errors
    /// [`PlanError`] with the value that does not fit.
    pub fn check(&self, geometry: &Geometry) -> Result<(), PlanError> {
        if self.block_sizes.is_empty() || self.patterns.is_empty() {
            return Err(PlanError::Empty);
        }
        for &bytes in &self.block_sizes {
            if bytes == 0 || !bytes.is_multiple_of(geometry.block_bytes) {
                return Err(PlanError::BlockSize { bytes, smallest: geometry.block_bytes });
            }
            if self.region.len / u64::from(bytes) < 16 {
                return Err(PlanError::FewBlocks { bytes, region_bytes: self.region.len });
            }
        }
        let end = self.region.start.checked_add(self.region.len);
        if end.is_none_or(|end| end > geometry.capacity_bytes) {
            return Err(PlanError::BeyondTarget);
        }
        let concurrency = self.max_concurrency;
        if !(1..=4096).contains(&concurrency) {
            return Err(PlanError::Concurrency { concurrency });
        }
        let block_bytes = u64::from(*self.block_sizes.iter().max().expect("checked: not empty"));
        let bytes = block_bytes * u64::from(concurrency);
        if bytes > 4 << 30 {
            return Err(PlanError::Buffers { concurrency, block_bytes, bytes });
        }
        if self.writes && !geometry.writable {
            return Err(PlanError::ReadOnly);
        }
        if self.precondition > 0 && !self.writes {
            return Err(PlanError::Precondition);
        }
        let first_bytes = self.preparation_bytes();
        match self.most_written() {
            Some(max_bytes) if max_bytes < first_bytes => {
                Err(PlanError::MaxWrites { first_bytes, max_bytes })
            }
            _ => Ok(()),
        }
    }

    /// Bytes that are written in all at most, by whichever bound is lower; `None` for no bound.
    pub(crate) fn most_written(&self) -> Option<u64> {
        [self.max_writes, self.write_budget].into_iter().flatten().min()
    }

    /// Bytes that layout and preconditioning write.
    pub fn preparation_bytes(&self) -> u64 {
        self.region.len.saturating_mul(u64::from(self.layout) + u64::from(self.precondition))
    }
}
