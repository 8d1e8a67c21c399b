//! What an experiment is to do, and within what bounds.

use std::path::{Path, PathBuf};
use std::time::Duration;

use leadline_device::{Clock, Geometry};
use leadline_profile::{OpKind, PAGE_BYTES, Pattern, Point, WritePattern};

use super::Experiment;
use crate::PlanError;
use crate::load::Region;
use crate::plan::{Budget, Lanes, Plan};
use crate::target::OpenTarget;

/// Most writers of `fsync`.
pub(in crate::experiment) const MOST_WRITERS: u32 = 16;

/// An experiment to be run.
#[derive(Debug, Clone, PartialEq)]
pub struct ExperimentPlan {
    /// Which.
    pub experiment: &'static dyn Experiment,
    /// Device time to spend on it, seconds; preparing comes before. Rounds that an interval needs are made
    /// even where they take longer.
    pub seconds: f64,
    /// What may be touched.
    pub region: Region,
    /// Whether it may write. Then the region is overwritten.
    pub writes: bool,
    /// Whether the region is written whole first.
    pub layout: bool,
    /// How concurrency is made, for `r-by-k`, `mixed`, `mix-line`, `interleaving` and `unaligned`; all other
    /// experiments use one queue pair.
    pub lanes: Lanes,
    /// Seed of every random choice.
    pub seed: u64,
    /// Bytes that may be written in all.
    pub max_writes: Option<u64>,
    /// Bytes that it may write beyond the layout ([`Experiment::write_budget`]): it is shortened to keep
    /// within them. `None` for no bound.
    pub write_budget: Option<u64>,
    /// Share of reads of the applications of `pio-classes`, 0 to 1.
    pub read_share: f64,
    /// What `burst` loads the device with.
    pub operation: OpKind,
    /// Bytes that `burst` moves at most, and bytes that `sustained` writes in sequence; at random it writes a
    /// quarter of that.
    pub max_bytes: u64,
    /// Which pages `write-amplification` writes.
    pub pattern: WritePattern,
    /// Share of the region that `write-amplification` writes to, above 0 and at most 1.
    pub fill: f64,
    /// The directory in which experiments make a file of their own ([`Experiment::own_file_bytes`]); without
    /// one `fsync` writes to the device.
    pub directory: Option<PathBuf>,
    /// The most writers at once (`fsync`, at least 1): 16 unless changed, the most there are.
    pub most_writers: u32,
    /// Requests after which a slice ends early. For virtual clocks, as [`Plan::max_ops_per_slice`].
    pub max_ops_per_slice: u64,
    /// Whether requests bypass the page cache.
    pub direct: bool,
    /// Where sysfs has the disk, for what the block layer counts (`latency`).
    pub disk: Option<PathBuf>,
    /// Points that are known already and not to be measured again (`interleaving`).
    pub known: Vec<Point>,
    /// Bytes of the drive's read buffer, by `buffer`; 0 where it has none, `None` where that is not known
    /// (`read-disturb`).
    pub buffer_bytes: Option<u64>,
}

impl ExperimentPlan {
    /// Device time of an experiment, seconds.
    pub const SECONDS: f64 = 60.0;

    /// Bytes that `burst` and `sustained` move at most where none are given: as many as the largest credit of
    /// a cloud volume that is sold, 5.4 million requests, and twice again.
    pub const BURST_BYTES: u64 = 64 << 30;

    /// Device time of a quick experiment, seconds.
    pub const QUICK_SECONDS: f64 = 30.0;

    /// A plan with the defaults for an open target.
    pub fn for_target(experiment: &'static dyn Experiment, target: &OpenTarget) -> Self {
        ExperimentPlan {
            region: target.region,
            writes: target.writes,
            layout: target.layout && experiment.is_laid_out(target.device.clock()),
            lanes: target.lanes(),
            seed: target.default_seed(),
            direct: target.direct,
            disk: target.sysfs.clone(),
            directory: target.directory.clone(),
            // A simulated device does not wear.
            write_budget: (target.writes && target.device.clock() == Clock::Wall)
                .then(|| experiment.write_budget(target.region.len)),
            ..ExperimentPlan::new(experiment, target.device.geometry(), target.device.clock())
        }
    }

    /// A plan with the defaults for a device: one minute, one thread, half of the application's requests
    /// reads.
    pub fn new(experiment: &'static dyn Experiment, geometry: Geometry, clock: Clock) -> Self {
        ExperimentPlan {
            experiment,
            seconds: experiment.default_seconds(false),
            region: Region { start: 0, len: geometry.capacity_bytes },
            writes: geometry.writable,
            layout: geometry.writable && experiment.is_laid_out(clock),
            lanes: Lanes::Threads(1),
            seed: 1,
            max_writes: None,
            write_budget: None,
            read_share: 0.5,
            operation: OpKind::Read,
            max_bytes: experiment.default_max_bytes(clock),
            pattern: WritePattern::Uniform,
            fill: 1.0,
            directory: None,
            most_writers: MOST_WRITERS,
            max_ops_per_slice: match clock {
                Clock::Wall => u64::MAX,
                Clock::Virtual => experiment.virtual_ops_per_slice(),
            },
            direct: true,
            disk: None,
            known: Vec::new(),
            buffer_bytes: None,
        }
    }

    /// Checks the plan against the device.
    ///
    /// # Errors
    /// [`PlanError`] with the value that does not fit.
    pub fn check(&self, geometry: &Geometry) -> Result<(), PlanError> {
        if !(self.seconds.is_finite() && self.seconds > 0.0) {
            return Err(PlanError::Seconds { seconds: self.seconds });
        }
        if !(0.0..=1.0).contains(&self.read_share) {
            return Err(PlanError::ReadShare { share: self.read_share });
        }
        if !(self.fill > 0.0 && self.fill <= 1.0) {
            return Err(PlanError::Fill { fill: self.fill });
        }
        let largest_block = self.experiment.largest_block();
        if !largest_block.is_multiple_of(geometry.block_bytes) {
            return Err(match largest_block {
                PAGE_BYTES => PlanError::LargeBlocks { smallest: geometry.block_bytes },
                _ => PlanError::LargeBlocksForSteps { step: largest_block, smallest: geometry.block_bytes },
            });
        }
        self.experiment.check(self)?;
        self.for_preparing().check(geometry)
    }

    /// The directory in which the experiment makes a file of its own; `None` where it has none.
    pub(in crate::experiment) fn own_file_in(&self) -> Option<&Path> {
        self.directory.as_deref().filter(|_| self.experiment.own_file_bytes().is_some())
    }

    /// The same as a profile's plan: for preparing, opening lanes, and telling how it was measured.
    pub(in crate::experiment) fn for_preparing(&self) -> Plan {
        let largest = self.experiment.largest_request(self.region);
        Plan {
            budget: Budget::Custom(Duration::try_from_secs_f64(self.seconds).unwrap_or(Duration::MAX)),
            block_sizes: if largest > PAGE_BYTES { vec![PAGE_BYTES, largest] } else { vec![PAGE_BYTES] },
            patterns: vec![Pattern::Random],
            writes: self.writes,
            region: self.region,
            layout: self.layout,
            precondition: 0,
            max_concurrency: self.experiment.most_in_flight(),
            also: Vec::new(),
            lanes: self.lanes,
            cpus: Vec::new(),
            seed: self.seed,
            max_writes: self.max_writes,
            write_budget: None,
            max_ops_per_slice: self.max_ops_per_slice,
            disk: None,
        }
    }
}
