//! What an experiment is to do, and within what bounds.

use std::path::{Path, PathBuf};
use std::time::Duration;

use leadline_device::{Clock, Geometry};
use leadline_profile::{OpKind, PAGE_BYTES, Pattern, Point, WritePattern};

use super::extremes::{
    BACKGROUND_BYTES, CHANNELS_IN_FLIGHT, DATABASE_PAGE, EVICTED_BLOCK, GC_BYTES, GC_IN_FLIGHT,
    INTERLEAVING_CONCURRENCY, MOST_WRITERS, SMALLEST_BUFFER, SUSTAINED_BYTES, UNALIGNED_LARGEST,
    UNALIGNED_STEP, interleaving_sizes,
};
use super::log_file::{ETCD_SEGMENT_BYTES, POSTGRES_SEGMENT_BYTES};
use super::write_amplification;
use super::{io_cost, mix_line, r_by_k};
use crate::PlanError;
use crate::load::Region;
use crate::plan::{Budget, Lanes, Plan};
use crate::target::OpenTarget;

/// Requests in flight at most: where a psync thread for each is still affordable.
pub(super) const MOST_IN_FLIGHT: u32 = 128;

/// What can be tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Experiment {
    /// Random accesses of many lengths at many concurrencies: the benchmark of Ransom, Lim and Mitzenmacher
    /// (MQSSD).
    RByK,
    /// Reads and writes together.
    Mixed,
    /// Latency over load.
    Ladder,
    /// The application classes of Papon and Athanassoulis, DaMoN 2021, section 3.1.
    PioClasses,
    /// How long one request at a time takes, and how much of that is software.
    Latency,
    /// Bandwidth over requests in flight and their size.
    Interleaving,
    /// Latency of one request at a time beside background load.
    Pressure,
    /// Tail latency of random reads, at rest and beside background load.
    Tail,
    /// Sequential writes of sizes that are not multiples of a page.
    Unaligned,
    /// The drive's read buffer.
    Buffer,
    /// Slow reads among many reads of one page.
    ReadDisturb,
    /// Burst credit of a volume.
    Burst,
    /// Small durable appends by several writers.
    Fsync,
    /// The ways to make a write to a file durable.
    SyncMethods,
    /// Bytes that the drive writes to its medium per byte that it is given.
    WriteAmplification,
    /// Bandwidth while a full drive is overwritten.
    Gc,
    /// Burst against sustained writes, and reads beside them.
    Sustained,
    /// Channels that are busy with so many reads, at once and in a stream: appendix A of Papon and
    /// Athanassoulis, DaMoN 2021.
    Channels,
    /// Random reads and writes together, of two sizes: what Seastar's I/O scheduler assumes.
    MixLine,
    /// Reads beside durable writes.
    DurableWrites,
    /// The six rates of Linux's io.cost.model.
    IoCost,
}

impl Experiment {
    /// All there are.
    pub const ALL: [Experiment; 21] = [
        Experiment::RByK,
        Experiment::Mixed,
        Experiment::Ladder,
        Experiment::PioClasses,
        Experiment::Latency,
        Experiment::Interleaving,
        Experiment::Pressure,
        Experiment::Tail,
        Experiment::Unaligned,
        Experiment::Buffer,
        Experiment::ReadDisturb,
        Experiment::Burst,
        Experiment::Fsync,
        Experiment::SyncMethods,
        Experiment::WriteAmplification,
        Experiment::Gc,
        Experiment::Sustained,
        Experiment::Channels,
        Experiment::MixLine,
        Experiment::DurableWrites,
        Experiment::IoCost,
    ];

    /// As on the command line and in the profile.
    pub fn name(self) -> &'static str {
        match self {
            Experiment::RByK => "r-by-k",
            Experiment::Mixed => "mixed",
            Experiment::Ladder => "ladder",
            Experiment::PioClasses => "pio-classes",
            Experiment::Latency => "latency",
            Experiment::Interleaving => "interleaving",
            Experiment::Pressure => "pressure",
            Experiment::Tail => "tail",
            Experiment::Unaligned => "unaligned",
            Experiment::Buffer => "buffer",
            Experiment::ReadDisturb => "read-disturb",
            Experiment::Burst => "burst",
            Experiment::Fsync => "fsync",
            Experiment::SyncMethods => "sync-methods",
            Experiment::WriteAmplification => "write-amplification",
            Experiment::Gc => "gc",
            Experiment::Sustained => "sustained",
            Experiment::Channels => "channels",
            Experiment::MixLine => "mix-line",
            Experiment::DurableWrites => "durable-writes",
            Experiment::IoCost => "io-cost",
        }
    }

    /// The one of this name.
    pub fn named(name: &str) -> Option<Experiment> {
        Experiment::ALL.into_iter().find(|experiment| experiment.name() == name)
    }

    /// Whether it means nothing on a device that is only read.
    pub fn needs_writes(self) -> bool {
        use Experiment::{
            DurableWrites, Fsync, Gc, IoCost, MixLine, Mixed, PioClasses, Sustained, SyncMethods, Unaligned,
            WriteAmplification,
        };
        let about_the_drive = matches!(self, WriteAmplification | Gc | Sustained);
        let for_settings = matches!(self, MixLine | DurableWrites | IoCost);
        about_the_drive
            || for_settings
            || matches!(self, Mixed | PioClasses | Unaligned | Fsync | SyncMethods)
    }

    /// Whether it never writes, whatever it may; `burst` does with one of its loads.
    pub fn only_reads(self) -> bool {
        matches!(self, Experiment::Buffer | Experiment::ReadDisturb | Experiment::Channels)
    }

    /// Device time of it where none is given, seconds; `quick`: when there is little time.
    pub fn default_seconds(self, quick: bool) -> f64 {
        match (self, quick) {
            // Four workloads that write and two that read are to make a million requests each: two minutes
            // for each of them.
            (Experiment::Latency, false) => 720.0,
            // Credit of a volume lasts for minutes, and comes back as slowly.
            (Experiment::Burst | Experiment::Gc | Experiment::Sustained, false) => 300.0,
            (Experiment::Burst | Experiment::Gc | Experiment::Sustained, true) => 60.0,
            // Six loads, of which only half counts: half of what the kernel's script takes.
            (Experiment::IoCost, false) => 360.0,
            (Experiment::IoCost, true) => 60.0,
            // It ends when it has settled.
            (Experiment::WriteAmplification, false) => 86_400.0,
            (Experiment::WriteAmplification, true) => 3600.0,
            (_, false) => ExperimentPlan::SECONDS,
            (_, true) => ExperimentPlan::QUICK_SECONDS,
        }
    }

    /// The most that a block of the target may have, bytes.
    pub fn largest_block(self) -> u32 {
        if self == Experiment::Unaligned { UNALIGNED_STEP } else { PAGE_BYTES }
    }

    /// Bytes of the file of its own that it makes in a directory; `None` where it measures in the scratch
    /// file, which is laid out first.
    pub fn own_file_bytes(self) -> Option<u64> {
        match self {
            Experiment::Fsync => Some(ETCD_SEGMENT_BYTES),
            Experiment::SyncMethods => Some(POSTGRES_SEGMENT_BYTES),
            _ => None,
        }
    }

    /// Whether it is about a drive as a whole: of a simulated one all is used where no size is given.
    pub fn uses_whole_drive(self) -> bool {
        matches!(self, Experiment::WriteAmplification | Experiment::Gc | Experiment::Sustained)
    }

    /// Whether it needs a drive that tells what it does to its medium.
    pub fn needs_wear(self) -> bool {
        self == Experiment::WriteAmplification
    }

    /// Whether the region is written whole before it begins. Those that do not either make a file of their
    /// own or bring the drive into the state that they need; a file needs its blocks all the same.
    fn is_laid_out(self, clock: Clock) -> bool {
        let brings_its_own = match self {
            Experiment::WriteAmplification => true,
            Experiment::Gc | Experiment::Sustained => clock == Clock::Virtual,
            _ => self.own_file_bytes().is_some(),
        };
        !brings_its_own
    }

    /// Whether it compares system calls on files, and so means nothing on any other target.
    pub fn needs_directory(self) -> bool {
        matches!(self, Experiment::SyncMethods)
    }
}

/// An experiment to be run.
#[derive(Debug, Clone, PartialEq)]
pub struct ExperimentPlan {
    /// Which.
    pub experiment: Experiment,
    /// Device time to spend on it, seconds; preparing comes before. Rounds that an interval needs are made
    /// even where they take longer.
    pub seconds: f64,
    /// What may be touched.
    pub region: Region,
    /// Whether it may write. Then the region is overwritten.
    pub writes: bool,
    /// Whether the region is written whole first.
    pub layout: bool,
    /// How concurrency is made, for `r-by-k`, `mixed`, `mix-line`, `interleaving` and `unaligned`; the others
    /// use one queue pair.
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
    /// Bytes that `burst` moves at most, and those that `sustained` writes in sequence; at random it writes a
    /// quarter of that.
    pub max_bytes: u64,
    /// Which pages `write-amplification` writes.
    pub pattern: WritePattern,
    /// Share of the region that `write-amplification` writes to, above 0 and at most 1.
    pub fill: f64,
    /// The directory in which `fsync` and `sync-methods` make their file; without one `fsync` writes to the
    /// device.
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
    pub fn for_target(experiment: Experiment, target: &OpenTarget) -> Self {
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
    pub fn new(experiment: Experiment, geometry: Geometry, clock: Clock) -> Self {
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
            max_bytes: match (clock, experiment) {
                // A cache of a simulated drive may be as large; requests are large, too.
                (Clock::Wall, _) | (Clock::Virtual, Experiment::Sustained) => Self::BURST_BYTES,
                // A million requests: more would cost real time.
                (Clock::Virtual, _) => 4 << 30,
            },
            pattern: WritePattern::Uniform,
            fill: 1.0,
            directory: None,
            most_writers: MOST_WRITERS,
            max_ops_per_slice: match (clock, experiment) {
                (Clock::Wall, _) => u64::MAX,
                // A ladder's slices end when the last request is answered: that is to be a small part of
                // them.
                (Clock::Virtual, Experiment::Ladder) => 12_000,
                // Foreground and background together.
                (Clock::Virtual, Experiment::Latency | Experiment::Pressure) => 12_000,
                // A 99.99th percentile needs many.
                (Clock::Virtual, Experiment::Tail) => 200_000,
                // A pass: 64 GiB.
                (Clock::Virtual, Experiment::Gc) => 4 << 20,
                // The largest region, three times.
                (Clock::Virtual, Experiment::Buffer) => 200_000,
                // Half of a slice, in which what a volume saved up while others ran is to be used up.
                (Clock::Virtual, Experiment::IoCost) => 20_000,
                // Periods of thousands of reads.
                (Clock::Virtual, Experiment::ReadDisturb) => 100_000,
                (Clock::Virtual, _) => 4_000,
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
        if self.experiment == Experiment::Interleaving && interleaving_sizes(self.region).is_empty() {
            let least_bytes = u64::from(INTERLEAVING_CONCURRENCY) * u64::from(PAGE_BYTES);
            return Err(self.small_region(least_bytes));
        }
        if self.experiment.only_reads() && self.region.len < 4 * SMALLEST_BUFFER {
            return Err(self.small_region(4 * SMALLEST_BUFFER));
        }
        let writes = self.experiment == Experiment::Burst && self.operation == OpKind::Write;
        if (writes || self.experiment.needs_writes()) && !self.writes {
            return Err(PlanError::NeedsWrites { experiment: self.experiment.name() });
        }
        if self.experiment.needs_directory() && self.directory.is_none() {
            return Err(PlanError::NeedsDirectory { experiment: self.experiment.name() });
        }
        self.for_preparing().check(geometry)
    }

    fn small_region(&self, least_bytes: u64) -> PlanError {
        let (experiment, region_bytes) = (self.experiment.name(), self.region.len);
        PlanError::SmallRegion { experiment, region_bytes, least_bytes }
    }

    /// The directory in which the experiment makes a file of its own; `None` where it has none.
    pub(super) fn own_file_in(&self) -> Option<&Path> {
        self.directory.as_deref().filter(|_| self.experiment.own_file_bytes().is_some())
    }

    /// Bytes of the largest request.
    pub(super) fn largest_request(&self) -> u32 {
        match self.experiment {
            Experiment::RByK => r_by_k::sizes(self.region).0.last().copied().unwrap_or(PAGE_BYTES),
            Experiment::MixLine => mix_line::sizes(self.region).0.last().copied().unwrap_or(PAGE_BYTES),
            Experiment::DurableWrites => DATABASE_PAGE,
            Experiment::Interleaving => interleaving_sizes(self.region).last().copied().unwrap_or(PAGE_BYTES),
            Experiment::Pressure | Experiment::Tail => BACKGROUND_BYTES,
            Experiment::Unaligned => UNALIGNED_LARGEST,
            Experiment::Gc => GC_BYTES,
            Experiment::ReadDisturb => EVICTED_BLOCK,
            Experiment::Sustained => SUSTAINED_BYTES,
            // But for those of `io-cost` that are sent one at a time.
            _ => PAGE_BYTES,
        }
    }

    /// Most requests in flight.
    fn most_in_flight(&self) -> u32 {
        match self.experiment {
            Experiment::Interleaving => INTERLEAVING_CONCURRENCY,
            Experiment::Latency | Experiment::Unaligned => 1,
            Experiment::WriteAmplification => write_amplification::IN_FLIGHT,
            Experiment::Gc => GC_IN_FLIGHT,
            Experiment::Channels => CHANNELS_IN_FLIGHT,
            Experiment::IoCost => io_cost::SMALL_IN_FLIGHT,
            _ => MOST_IN_FLIGHT,
        }
    }

    /// The same as a profile's plan: for preparing, opening lanes, and telling how it was measured.
    pub(super) fn for_preparing(&self) -> Plan {
        let largest = self.largest_request();
        Plan {
            budget: Budget::Custom(Duration::try_from_secs_f64(self.seconds).unwrap_or(Duration::MAX)),
            block_sizes: if largest > PAGE_BYTES { vec![PAGE_BYTES, largest] } else { vec![PAGE_BYTES] },
            patterns: vec![Pattern::Random],
            writes: self.writes,
            region: self.region,
            layout: self.layout,
            precondition: 0,
            max_concurrency: self.most_in_flight(),
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
