//! What `leadline experiment` adds to a profile: measurements that the I/O models need beyond the profile's
//! points.
//!
//! docs/experiments.md says how each is made. Units as in [`crate::DeviceProfile`]: in the names.

mod buffer;
mod burst;
mod channels;
mod check;
mod durable_writes;
mod fsync;
mod gc;
mod interleaving;
mod io_cost;
mod latency;
mod pressure;
mod range;
mod read_disturb;
mod sustained;
mod sync_methods;
mod unaligned;
mod write_amplification;

use serde::{Deserialize, Serialize};

pub use buffer::{Buffer, BufferPoint};
pub use burst::{Burst, BurstLoad};
pub use channels::{ChannelPlacement, Channels, ChannelsFit, ChannelsPoint};
pub use durable_writes::{DurableWrites, DurableWritesPoint};
pub use fsync::{Fsync, FsyncPoint, LogKind};
pub use gc::{Gc, GcPass, GcPassKind, GcRecovery};
pub use interleaving::{Interleaving, InterleavingPoint};
pub use io_cost::{IoCost, IoCostRate};
pub use latency::{BlockLayerTime, LatencyDistribution, LatencyDistributions};
pub use pressure::{Background, BackgroundCapacity, InternalWork, Pressure, PressurePoint};
pub use read_disturb::{Detectable, DisturbSeries, ReadDisturb};
pub use sustained::{Sustained, SustainedCliff, SustainedLoad, UnderLoad};
pub use sync_methods::{FileState, SyncMethod, SyncMethods, SyncPoint};
pub use unaligned::{Unaligned, UnalignedPoint};
pub use write_amplification::{WearWindow, WriteAmplification, WriteAmplificationRun};

use crate::{EngineKind, Latency};

/// The experiments that were run; running one again replaces it.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Experiments {
    /// Random accesses of many lengths at many concurrencies (the MQSSD paper's benchmark).
    #[serde(rename = "r-by-k", skip_serializing_if = "Option::is_none")]
    pub r_by_k: Option<Work>,
    /// Reads and writes together, at several shares and concurrencies.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mixed: Option<Work>,
    /// Latency over load, open loop.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ladder: Option<Ladder>,
    /// The four application classes of PIO, measured.
    #[serde(rename = "pio-classes", skip_serializing_if = "Option::is_none")]
    pub pio_classes: Option<PioClasses>,
    /// Latency distributions of one request at a time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub latency: Option<LatencyDistributions>,
    /// Bandwidth over requests in flight and their size.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interleaving: Option<Interleaving>,
    /// Latency of one request at a time beside background load.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pressure: Option<Pressure>,
    /// Tail latency of random reads, at rest and beside background load.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tail: Option<Pressure>,
    /// Sequential writes of many sizes, most of them not multiples of a page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unaligned: Option<Unaligned>,
    /// The drive's read buffer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub buffer: Option<Buffer>,
    /// Slow reads among many reads of one page.
    #[serde(rename = "read-disturb", skip_serializing_if = "Option::is_none")]
    pub read_disturb: Option<ReadDisturb>,
    /// Burst credit of a volume.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub burst: Option<Burst>,
    /// Small durable appends by several writers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fsync: Option<Fsync>,
    /// The ways to make a write durable.
    #[serde(rename = "sync-methods", skip_serializing_if = "Option::is_none")]
    pub sync_methods: Option<SyncMethods>,
    /// Bytes that the drive writes to its medium per byte that it is given.
    #[serde(rename = "write-amplification", skip_serializing_if = "Option::is_none")]
    pub write_amplification: Option<WriteAmplification>,
    /// Bandwidth while a full drive is overwritten.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gc: Option<Gc>,
    /// Burst against sustained writes, and reads beside them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sustained: Option<Sustained>,
    /// Channels that are busy with so many reads, at once and in a stream.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub channels: Option<Channels>,
    /// Random reads and writes together, of two sizes: what Seastar's I/O scheduler assumes.
    #[serde(rename = "mix-line", skip_serializing_if = "Option::is_none")]
    pub mix_line: Option<Work>,
    /// Reads beside durable writes.
    #[serde(rename = "durable-writes", skip_serializing_if = "Option::is_none")]
    pub durable_writes: Option<DurableWrites>,
    /// The six rates of Linux's io.cost.model.
    #[serde(rename = "io-cost", skip_serializing_if = "Option::is_none")]
    pub io_cost: Option<IoCost>,
}

impl Experiments {
    /// Whether none was run.
    pub fn is_empty(&self) -> bool {
        *self == Experiments::default()
    }

    /// How each one that was run was made, by its name.
    pub fn procedures(&self) -> impl Iterator<Item = (&'static str, &Procedure)> {
        // All fields by name: one that is missing here does not compile.
        let Experiments {
            r_by_k,
            mixed,
            ladder,
            pio_classes,
            latency,
            interleaving,
            pressure,
            tail,
            unaligned,
            buffer,
            read_disturb,
            burst,
            fsync,
            sync_methods,
            write_amplification,
            gc,
            sustained,
            channels,
            mix_line,
            durable_writes,
            io_cost,
        } = self;
        [
            ("r-by-k", r_by_k.as_ref().map(|found| &found.procedure)),
            ("mixed", mixed.as_ref().map(|found| &found.procedure)),
            ("ladder", ladder.as_ref().map(|found| &found.procedure)),
            ("pio-classes", pio_classes.as_ref().map(|found| &found.procedure)),
            ("latency", latency.as_ref().map(|found| &found.procedure)),
            ("interleaving", interleaving.as_ref().map(|found| &found.procedure)),
            ("pressure", pressure.as_ref().map(|found| &found.procedure)),
            ("tail", tail.as_ref().map(|found| &found.procedure)),
            ("unaligned", unaligned.as_ref().map(|found| &found.procedure)),
            ("buffer", buffer.as_ref().map(|found| &found.procedure)),
            ("read-disturb", read_disturb.as_ref().map(|found| &found.procedure)),
            ("burst", burst.as_ref().map(|found| &found.procedure)),
            ("fsync", fsync.as_ref().map(|found| &found.procedure)),
            ("sync-methods", sync_methods.as_ref().map(|found| &found.procedure)),
            ("write-amplification", write_amplification.as_ref().map(|found| &found.procedure)),
            ("gc", gc.as_ref().map(|found| &found.procedure)),
            ("sustained", sustained.as_ref().map(|found| &found.procedure)),
            ("channels", channels.as_ref().map(|found| &found.procedure)),
            ("mix-line", mix_line.as_ref().map(|found| &found.procedure)),
            ("durable-writes", durable_writes.as_ref().map(|found| &found.procedure)),
            ("io-cost", io_cost.as_ref().map(|found| &found.procedure)),
        ]
        .into_iter()
        .filter_map(|(name, procedure)| Some((name, procedure?)))
    }
}

/// How an experiment was made, and what it cost.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Procedure {
    /// When it began, RFC 3339 in UTC; absent for simulated devices and tables.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub created: Option<String>,
    /// What submitted the requests.
    pub engine: EngineKind,
    /// Whether the page cache was bypassed.
    pub direct: bool,
    /// Time spent, device time.
    pub measured_seconds: f64,
    /// Bytes of the device that were touched.
    pub footprint_bytes: u64,
    /// Bytes written, layout included.
    pub bytes_written: u64,
    /// Bytes read.
    pub bytes_read: u64,
    /// Rounds in which every point was measured once.
    pub epochs: u32,
    /// Seed of all random choices.
    pub seed: u64,
    /// Why it was cut short; absent where it was not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stopped_by: Option<String>,
    /// What was left out, and why; in words.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// Points of work and time: `r-by-k`, `mixed` and `mix-line`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Work {
    /// How they were measured.
    pub procedure: Procedure,
    /// The points.
    pub points: Vec<WorkPoint>,
}

/// So many requests took so long, with `concurrency` of them in flight all the time.
///
/// Random accesses of `block_bytes` each, every one a request of its own. Per page of 4 KiB the random
/// fraction is r = 4096 / `block_bytes`: an access of 4 MiB is r = 0.1 %.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct WorkPoint {
    /// Reads, requests.
    pub reads: u64,
    /// Writes, requests.
    pub writes: u64,
    /// Bytes per request.
    pub block_bytes: u32,
    /// Share of the requests that jump, 0 to 1; the others follow the one before.
    pub random_fraction: f64,
    /// Requests in flight, of either kind.
    pub concurrency: u32,
    /// Time they took.
    pub seconds: f64,
    /// 95 % interval of `seconds`, bootstrap over epochs; `null` where fewer than two epochs were measured.
    #[serde(default)]
    pub seconds_ci: Option<[f64; 2]>,
    /// Latency of all requests; zeros where it was not measured (tables).
    #[serde(default)]
    pub latency_us: Latency,
    /// The processor, not the device, set the pace.
    #[serde(default)]
    pub cpu_bound: bool,
}

/// Latency over load.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Ladder {
    /// How it was measured.
    pub procedure: Procedure,
    /// Bytes per request, all of them random.
    pub block_bytes: u32,
    /// One entry per mix, ascending in `read_share`.
    pub mixes: Vec<LadderMix>,
}

/// The rungs of one mix.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct LadderMix {
    /// Share of reads, 0 to 1.
    pub read_share: f64,
    /// Closed-loop throughput of this mix at `capacity_concurrency`, measured in the same run, operations a
    /// second.
    pub capacity_iops: f64,
    /// Its 95 % interval, bootstrap over epochs: how steady the device was.
    #[serde(default)]
    pub capacity_ci: Option<[f64; 2]>,
    /// Requests in flight when it was measured.
    pub capacity_concurrency: u32,
    /// Ascending in `offered_iops`.
    pub rungs: Vec<Rung>,
}

/// One offered rate.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Rung {
    /// Requests per second that should have started, Poisson.
    pub offered_iops: f64,
    /// Requests per second that were completed.
    pub iops: f64,
    /// Requests timed.
    pub ops: u64,
    /// Latency from the intended start.
    pub latency_us: Latency,
}

/// Measured applications of the PIO classes.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct PioClasses {
    /// How they were measured.
    pub procedure: Procedure,
    /// Bytes per request, all of them random.
    pub block_bytes: u32,
    /// One entry per class, share of reads and batch.
    pub points: Vec<PioPoint>,
}

/// The application classes of Papon and Athanassoulis (DaMoN 2021, section 3.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PioClass {
    /// Reads and writes one at a time.
    Unbatched,
    /// Reads one at a time, writes in batches: a buffer pool that evicts several dirty pages at once.
    BatchedWrites,
    /// Reads in batches, writes one at a time: a traversal of several paths.
    BatchedReads,
    /// Both in batches: the compaction of an LSM tree.
    BatchedBoth,
}

impl PioClass {
    /// All four, in the paper's order.
    pub const ALL: [PioClass; 4] =
        [PioClass::Unbatched, PioClass::BatchedWrites, PioClass::BatchedReads, PioClass::BatchedBoth];

    /// Whether it reads in batches.
    pub fn batches_reads(self) -> bool {
        matches!(self, PioClass::BatchedReads | PioClass::BatchedBoth)
    }

    /// Whether it writes in batches.
    pub fn batches_writes(self) -> bool {
        matches!(self, PioClass::BatchedWrites | PioClass::BatchedBoth)
    }

    /// In words: `batched writes`.
    pub fn words(self) -> &'static str {
        match self {
            PioClass::Unbatched => "unbatched",
            PioClass::BatchedWrites => "batched writes",
            PioClass::BatchedReads => "batched reads",
            PioClass::BatchedBoth => "batched reads and writes",
        }
    }
}

/// One application at one batch size against the unbatched one in the same epochs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PioPoint {
    /// The class.
    pub class: PioClass,
    /// Share of reads, 0 to 1.
    pub read_share: f64,
    /// Requests submitted together, of the kinds that the class batches.
    pub batch: u32,
    /// Requests done.
    pub ops: u64,
    /// Seconds per request, unbatched.
    pub unbatched_seconds: f64,
    /// Seconds per request, batched.
    pub seconds: f64,
    /// `unbatched_seconds / seconds`.
    pub speedup: f64,
    /// Its 95 % interval, bootstrap over epochs.
    #[serde(default)]
    pub speedup_ci: Option<[f64; 2]>,
}
