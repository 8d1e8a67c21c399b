//! The schema `leadline.profile/1`, field by field; docs/profile-format.md is its page.
//!
//! Units are in the names: `_bytes`, `_seconds`, `_us` (microseconds), `iops` (operations per second). A pair
//! named `_ci` is a 95 % interval `[low, high]`. An absent number is `null`: not measured, never zero. Later
//! minor versions add fields to the profile itself, `device`, `method`, `validity`, a point or a parameters
//! entry, and nowhere else; those that this version does not know are kept in `extra` and written back.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::Experiments;
use crate::terms::{
    BudgetKind, CheckName, DeviceKind, DeviceState, EngineKind, Limit, RunPhase, WriteCache, WriteStatus,
};

/// The schema this version writes. Minor additions keep the number; a reader of `/1` refuses `/2`.
pub const SCHEMA: &str = "leadline.profile/1";

/// All that is known of a device at one time: what it is, how it was measured, how far to trust that, and the
/// numbers.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct DeviceProfile {
    /// Always [`SCHEMA`].
    pub schema: String,
    /// The Leadline version that measured.
    #[serde(default)]
    pub leadline: String,
    /// When the measurement began, RFC 3339 in UTC. Absent for simulated devices, whose profiles are
    /// reproducible.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created: Option<String>,
    /// What was measured.
    pub device: DeviceFacts,
    /// How it was measured.
    pub method: Method,
    /// What the numbers are worth.
    pub validity: Validity,
    /// One entry per operation, pattern, block size, durability and concurrency.
    pub points: Vec<Point>,
    /// One entry per pattern and block size: what the points say.
    pub parameters: Vec<Parameters>,
    /// Throughput over the whole run, for cliffs and throttling.
    #[serde(default)]
    pub timeline: Vec<TimelineSample>,
    /// What `leadline experiment` added.
    #[serde(default, skip_serializing_if = "Experiments::is_empty")]
    pub experiments: Experiments,
    /// Fields of later minor versions, kept as they came.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// What was measured: the device and the path to it.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct DeviceFacts {
    /// As the user named it: a directory, a file, a block device, `sim:NAME` or `device:NAME`.
    pub target: String,
    /// What kind of target that is.
    pub kind: DeviceKind,
    /// Short name for people and file names: `vda`, `nvme0n1`, `sim-ssd`.
    pub name: String,
    /// Model string of the drive.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Firmware revision.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub firmware: Option<String>,
    /// Serial number; only where the user asked for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub serial: Option<String>,
    /// How the drive is attached, where sysfs tells.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub link: Option<Link>,
    /// Size of the whole device.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub capacity_bytes: Option<u64>,
    /// Smallest unit the device addresses.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub logical_block_bytes: Option<u32>,
    /// Smallest unit it writes without read-modify-write, as it says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub physical_block_bytes: Option<u32>,
    /// Whether the kernel takes it for a spinning disk.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rotational: Option<bool>,
    /// I/O scheduler in force.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scheduler: Option<String>,
    /// Requests the block layer queues before it blocks (`queue/nr_requests`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub queue_requests: Option<u32>,
    /// Whether the drive caches writes, as the kernel has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub write_cache: Option<WriteCache>,
    /// Its zones, where it is a zoned device.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub zones: Option<Zones>,
    /// File system type and mount options, unless the raw device was measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub filesystem: Option<String>,
    /// Kernel release.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kernel: Option<String>,
    /// Processors that this process may use.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cpus: Option<u32>,
    /// Fields of later minor versions.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// A load that ran for a second before it counted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Held {
    /// Of random requests.
    pub op: OpKind,
    /// Bytes per request.
    pub block_bytes: u32,
    /// Requests in flight.
    pub concurrency: u32,
    /// Requests per second.
    pub iops: f64,
    /// The most that slices of the same requests came to, with as many in flight or fewer.
    pub in_slices_iops: f64,
}

/// Zones of a zoned device, as sysfs has them.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Zones {
    /// `host-managed`: zones are written in sequence only; `host-aware`: in any order, at a cost.
    pub model: String,
    /// Bytes of a zone (`queue/chunk_sectors`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub zone_bytes: Option<u64>,
    /// Zones that may be written to at once (`queue/max_open_zones`); absent where there is no limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_open_zones: Option<u32>,
}

/// The way to the drive.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Link {
    /// In words: `PCIe 8.0 GT/s x4`, `SATA 6.0 Gbit/s`, `virtio`.
    pub name: String,
    /// The most the link can carry after line coding, bytes per second.
    pub bandwidth_bytes: Option<f64>,
}

/// How it was measured.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Method {
    /// What submitted the requests.
    pub engine: EngineKind,
    /// Whether the page cache was bypassed (O_DIRECT).
    pub direct: bool,
    /// In words, what concurrency k means here, such as `one queue pair of depth k`.
    pub concurrency_is: String,
    /// Threads that submitted.
    pub threads: u32,
    /// Processors they were pinned to; empty where they were not.
    pub cpus: Vec<u32>,
    /// How its length was chosen.
    pub budget: BudgetKind,
    /// Time allowed for measuring, device time; `null` for "until converged".
    pub budget_seconds: Option<f64>,
    /// Time spent measuring, device time.
    pub measured_seconds: f64,
    /// Time spent laying out and preconditioning, device time.
    pub layout_seconds: f64,
    /// Seed of all random choices.
    pub seed: u64,
    /// Block sizes measured.
    pub block_sizes: Vec<u32>,
    /// Patterns measured.
    pub patterns: Vec<Pattern>,
    /// Bytes of the device that were touched.
    pub footprint_bytes: u64,
    /// Rounds in which every point was measured once.
    pub epochs: u32,
    /// Target length of a slice.
    pub slice_seconds: f64,
    /// Highest concurrency that was allowed.
    pub max_concurrency: u32,
    /// Whether writes were measured, and why not.
    pub writes: WriteStatus,
    /// Preconditioning passes asked for.
    pub precondition_passes: u32,
    /// Bytes over which the writes of the whole run were shared; `None` where they were not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub write_budget_bytes: Option<u64>,
    /// Whether that shortened write slices; `None` without such a budget.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub writes_shortened: Option<bool>,
    /// Fields of later minor versions.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// What the numbers are worth: shown in every output.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Validity {
    /// False when the run was cut short.
    pub complete: bool,
    /// Why it was cut short.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stopped_by: Option<String>,
    /// The state in which it was measured.
    pub state: DeviceState,
    /// The steady-state test's rounds, where it was run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub steady_state: Option<Rounds>,
    /// Each sanity check and its outcome; a violated one is shown, not hidden.
    pub checks: Vec<Check>,
    /// Falls of write throughput that stayed.
    pub cliffs: Vec<Cliff>,
    /// Temperature of the device over the run, where readable.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub temperature: Option<Temperature>,
    /// What a completed write means here, in words.
    pub durability: String,
    /// Footprint / device size, 0 to 1.
    pub footprint_fraction: Option<f64>,
    /// Bytes this run wrote in all.
    pub bytes_written: u64,
    /// Bytes this run read in all.
    pub bytes_read: u64,
    /// Points at which the processor, not the device, set the pace.
    pub cpu_bound_points: u32,
    /// Curves whose k is only a lower bound.
    pub censored_curves: u32,
    /// Whether reads after writes were slower than reads after reads.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub order_effect: Option<OrderEffect>,
    /// Slices against long stretches of the same load.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub slice_effects: Vec<SliceEffect>,
    /// A load that was held for longer than any slice, at the end of the run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub held: Option<Held>,
    /// What kept the intervals of advised numbers wide although the run went on past its budget.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limited_by: Option<Limit>,
    /// Longest time reads took to be as fast again after writes; `null` where nothing was written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub washout_seconds: Option<f64>,
    /// Whether they always were, within the time allowed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub washout_recovered: Option<bool>,
    /// Share of time some task waited for a processor (PSI), 0 to 1.
    pub cpu_pressure: Option<f64>,
    /// Share of processor time the hypervisor took, 0 to 1.
    pub cpu_steal: Option<f64>,
    /// Fields of later minor versions.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// The steady-state test of the SNIA Performance Test Specification.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Rounds {
    /// Whether five rounds in a row passed.
    pub passed: bool,
    /// Throughput of each round, in order.
    pub iops: Vec<f64>,
    /// (max - min) / mean of the last five rounds; 0.20 passes.
    pub range: f64,
    /// Rise of the fitted line over the last five rounds / mean; 0.10 passes.
    pub slope: f64,
}

/// One sanity check.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Check {
    /// What is checked.
    pub name: CheckName,
    /// Outcome.
    pub status: CheckStatus,
    /// One sentence with the numbers.
    pub detail: String,
}

/// Outcome of a [`Check`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CheckStatus {
    /// It holds.
    Ok,
    /// It does not hold: the numbers deserve doubt.
    Violated,
    /// It could not be tested.
    Unknown,
}

/// A fall of throughput that stayed: the end of an SLC cache, of burst credits, of a write buffer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Cliff {
    /// During what: layout, preconditioning or measured writes.
    pub phase: RunPhase,
    /// Bytes written since the run began when it fell.
    pub at_bytes: u64,
    /// Bandwidth before, bytes per second.
    pub before_bytes_per_second: f64,
    /// Bandwidth after, bytes per second.
    pub after_bytes_per_second: f64,
}

/// Temperature over the run, degrees Celsius.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Temperature {
    /// When it began.
    pub start_c: f64,
    /// The highest seen.
    pub max_c: f64,
    /// The drive's own warning threshold, where it has one.
    #[serde(default)]
    pub warning_c: Option<f64>,
    /// Whether the warning threshold was reached.
    #[serde(default)]
    pub throttled: bool,
}

/// Reads that follow writes against reads that follow reads.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OrderEffect {
    /// Read throughput after writes / after reads, 1 = no effect.
    pub ratio: f64,
    /// 95 % interval of the ratio.
    pub ratio_ci: [f64; 2],
    /// Whether the interval leaves out 1 and the ratio is off by more than 5 %.
    pub seen: bool,
}

/// Slices against long stretches of the same load: how much a program that has just done something else gets
/// of what one that goes on gets.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SliceEffect {
    /// Reads, or plain writes.
    pub op: OpKind,
    /// Requests in flight at which they were compared, ascending.
    pub concurrencies: Vec<u32>,
    /// Throughput of slices / of long stretches, 1 = no effect.
    pub ratio: f64,
    /// 95 % interval of the ratio.
    pub ratio_ci: [f64; 2],
    /// Whether the interval leaves out 1 and the ratio is off by more than 5 %.
    pub seen: bool,
}

/// Read or write.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OpKind {
    /// Read.
    Read,
    /// Write.
    Write,
}

/// Where the next request goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Pattern {
    /// Uniform over the footprint.
    Random,
    /// One after the other.
    Sequential,
}

/// One operating point, all its slices together.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Point {
    /// Read or write.
    pub op: OpKind,
    /// Random or sequential.
    pub pattern: Pattern,
    /// Bytes per request.
    pub block_bytes: u32,
    /// Requests in flight.
    pub concurrency: u32,
    /// Whether each write was durable on completion (RWF_DSYNC).
    #[serde(default)]
    pub durable: bool,
    /// All operations / all time.
    pub iops: f64,
    /// 95 % interval, bootstrap over epochs; `null` where fewer than two epochs were measured.
    pub iops_ci: Option<[f64; 2]>,
    /// All bytes / all time, bytes per second.
    pub bandwidth_bytes: f64,
    /// Latency of all requests of all slices.
    pub latency_us: Latency,
    /// The processor, not the device, set the pace.
    #[serde(default)]
    pub cpu_bound: bool,
    /// Processor time this process used per operation, microseconds; absent for simulated devices.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_us_per_op: Option<f64>,
    /// Measured slices, in the order they ran.
    #[serde(default)]
    pub slices: Vec<Slice>,
    /// Long stretches of the same load, which the slices are held against; they do not count otherwise.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stretches: Vec<Slice>,
    /// Latency histogram of all slices: ascending, not cumulative.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub histogram: Vec<Bin>,
    /// Fields of later minor versions.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// Latency in microseconds.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
#[allow(missing_docs)] // the names are the percentiles
pub struct Latency {
    pub mean: f64,
    pub p50: f64,
    pub p90: f64,
    pub p99: f64,
    #[serde(rename = "p99.5")]
    pub p99_5: f64,
    #[serde(rename = "p99.9")]
    pub p99_9: f64,
    #[serde(rename = "p99.95")]
    pub p99_95: f64,
    #[serde(rename = "p99.99")]
    pub p99_99: f64,
    pub max: f64,
}

/// One bin of a latency histogram, written as `[upper_us, count]`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(from = "(f64, u64)", into = "(f64, u64)")]
pub struct Bin {
    /// Upper end of the bin, microseconds; bins are about 1 % wide.
    pub upper_us: f64,
    /// Requests in it.
    pub count: u64,
}

impl From<(f64, u64)> for Bin {
    fn from((upper_us, count): (f64, u64)) -> Self {
        Bin { upper_us, count }
    }
}

impl From<Bin> for (f64, u64) {
    fn from(bin: Bin) -> Self {
        (bin.upper_us, bin.count)
    }
}

/// One uninterrupted stretch of load at one point.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Slice {
    /// Which round it belongs to, from 0.
    pub epoch: u32,
    /// Position in the whole run, from 0.
    pub order: u32,
    /// Seconds since measuring began at which its window opened.
    pub at_seconds: f64,
    /// Length of its window.
    pub seconds: f64,
    /// Operations completed in the window.
    pub ops: u64,
    /// Bytes they moved.
    pub bytes: u64,
    /// Mean latency in the window, microseconds.
    pub mean_latency_us: f64,
    /// Share of one processor that each submitting thread used, 0 to 1; absent for simulated devices.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cpu_share: Option<f64>,
    /// Share of the slice in which a submitting thread was ready to run and waited for a processor, 0 to 1;
    /// absent for simulated devices and where the kernel does not tell.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cpu_wait: Option<f64>,
    /// Share of the slice's requests that the block layer merged with a neighbour before the device saw them,
    /// 0 to 1; absent for simulated devices and where the kernel does not count.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub merged: Option<f64>,
}

/// What the points of one pattern and block size say.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Parameters {
    /// Random or sequential.
    pub pattern: Pattern,
    /// Bytes per request.
    pub block_bytes: u32,
    /// Saturated read bandwidth / saturated write bandwidth (Papon and Athanassoulis, DaMoN 2021, section 2).
    pub alpha: Option<f64>,
    /// Its 95 % interval.
    pub alpha_ci: Option<[f64; 2]>,
    /// Read throughput / write throughput at depth 1: one unbatched write in reads.
    pub alpha_1: Option<f64>,
    /// Its 95 % interval.
    pub alpha_1_ci: Option<[f64; 2]>,
    /// `alpha` with durable writes.
    pub alpha_durable: Option<f64>,
    /// Its 95 % interval.
    pub alpha_durable_ci: Option<[f64; 2]>,
    /// `alpha_1` with durable writes.
    pub alpha_1_durable: Option<f64>,
    /// Its 95 % interval.
    pub alpha_1_durable_ci: Option<[f64; 2]>,
    /// Smallest read concurrency that reaches 95 % of the plateau.
    pub k_r: Option<u32>,
    /// From the smallest it may be to the smallest that cannot be told from the plateau.
    pub k_r_ci: Option<[u32; 2]>,
    /// Smallest read concurrency that reaches 90 % of the plateau; `None` in profiles older than the field.
    #[serde(default)]
    pub k_r_90: Option<u32>,
    /// Its 95 % interval.
    #[serde(default)]
    pub k_r_90_ci: Option<[u32; 2]>,
    /// X_max R_1: saturated throughput times latency at depth 1.
    pub k_r_little: Option<f64>,
    /// The curve's knee by Kneedle.
    pub k_r_knee: Option<u32>,
    /// As `k_r`, for writes.
    pub k_w: Option<u32>,
    /// As `k_r_ci`, for writes.
    pub k_w_ci: Option<[u32; 2]>,
    /// As `k_r_90`, for writes.
    #[serde(default)]
    pub k_w_90: Option<u32>,
    /// As `k_r_90_ci`, for writes.
    #[serde(default)]
    pub k_w_90_ci: Option<[u32; 2]>,
    /// As `k_r_little`, for writes.
    pub k_w_little: Option<f64>,
    /// As `k_r_knee`, for writes.
    pub k_w_knee: Option<u32>,
    /// The read plateau, operations per second.
    pub max_read_iops: Option<f64>,
    /// Its 95 % interval.
    #[serde(default)]
    pub max_read_iops_ci: Option<[f64; 2]>,
    /// The write plateau, operations per second.
    pub max_write_iops: Option<f64>,
    /// Its 95 % interval.
    #[serde(default)]
    pub max_write_iops_ci: Option<[f64; 2]>,
    /// The durable write plateau, operations per second.
    #[serde(default)]
    pub max_durable_write_iops: Option<f64>,
    /// Whether a limit set in software, not the device, makes the plateau.
    pub capped: Capped,
    /// Which curves still grew at the highest concurrency tried.
    pub censored: Censored,
    /// Fields of later minor versions.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

impl Parameters {
    /// An entry in which nothing is known yet.
    pub fn new(pattern: Pattern, block_bytes: u32) -> Self {
        Parameters {
            pattern,
            block_bytes,
            alpha: None,
            alpha_ci: None,
            alpha_1: None,
            alpha_1_ci: None,
            alpha_durable: None,
            alpha_durable_ci: None,
            alpha_1_durable: None,
            alpha_1_durable_ci: None,
            k_r: None,
            k_r_ci: None,
            k_r_90: None,
            k_r_90_ci: None,
            k_r_little: None,
            k_r_knee: None,
            k_w: None,
            k_w_ci: None,
            k_w_90: None,
            k_w_90_ci: None,
            k_w_little: None,
            k_w_knee: None,
            max_read_iops: None,
            max_read_iops_ci: None,
            max_write_iops: None,
            max_write_iops_ci: None,
            max_durable_write_iops: None,
            capped: Capped::Unknown,
            censored: Censored::default(),
            extra: Map::new(),
        }
    }

    /// How many reads a program should keep in flight: `k_r_90`, or `k_r` where only that is known, as in
    /// published numbers and in profiles older than `k_r_90`.
    pub fn advised_reads(&self) -> Option<u32> {
        self.k_r_90.or(self.k_r)
    }

    /// How many writes a program should keep in flight: `k_w_90`, or `k_w` where only that is known.
    pub fn advised_writes(&self) -> Option<u32> {
        self.k_w_90.or(self.k_w)
    }
}

/// Whether the plateau is a configured limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Capped {
    /// The same flat limit shows at two or more block sizes, and the number of servers cannot explain it.
    Yes,
    /// The limits differ, or there is none.
    No,
    /// Cannot be told from what was measured.
    #[default]
    Unknown,
}

/// Curves that still gained more than 5 % at the highest concurrency tried: their k is a lower bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Censored {
    /// The read curve.
    pub read: bool,
    /// The write curve.
    pub write: bool,
}

/// Throughput at one moment of the run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TimelineSample {
    /// Seconds since the run began, device time.
    pub at_seconds: f64,
    /// What the run was doing.
    pub phase: RunPhase,
    /// Bytes per second over the sample.
    pub bytes_per_second: f64,
    /// Bytes written since the run began.
    pub written_bytes: u64,
}
