//! The description of a flash drive: its fields and their defaults. [`super::check`] has their ranges.

use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};

use crate::cap::CapSpec;
use crate::size::{optional_size, size};

/// The simulator's part of a description with `kind = "flash"`, as docs/flash.md has it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FlashSpec {
    pub(super) kind: String,
    /// Addressable bytes.
    #[serde(deserialize_with = "size")]
    pub capacity: u64,
    /// (physical - logical) / logical, without open blocks and the blocks in reserve. `None` where it follows
    /// from `geometry.blocks_per_plane`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub over_provisioning: Option<f64>,
    /// Seed of everything random.
    #[serde(default = "one")]
    pub seed: u64,
    /// What the drive holds at the start.
    #[serde(default)]
    pub state: InitialState,
    /// Which die a page is written to.
    #[serde(default)]
    pub allocation: Allocation,
    /// How many there are of what.
    pub geometry: GeometrySpec,
    /// What each operation takes.
    pub timing: TimingSpec,
    /// Garbage collection.
    #[serde(default)]
    pub gc: GcSpec,
    /// Memory for pages in the controller.
    #[serde(default)]
    pub buffer: BufferSpec,
    /// Blocks written with one bit per cell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slc: Option<SlcSpec>,
    /// From logical to physical pages.
    #[serde(default)]
    pub mapping: MappingSpec,
    /// Pages read before they are asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read_ahead: Option<ReadAheadSpec>,
    /// What reads do to their neighbours.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub disturb: Option<DisturbSpec>,
    /// Wear levelling.
    #[serde(default)]
    pub wear: WearSpec,
    /// Between host and controller.
    #[serde(default)]
    pub link: LinkSpec,
    /// Limits on operations and bytes, with credit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cap: Option<CapSpec>,
    // The catalogue's part of the file: `Description::parse` reads it.
    #[serde(default, skip_serializing, rename = "description")]
    _description: IgnoredAny,
    #[serde(default, skip_serializing, rename = "source")]
    _source: IgnoredAny,
    #[serde(default, skip_serializing, rename = "class")]
    _class: IgnoredAny,
    #[serde(default, skip_serializing, rename = "published")]
    _published: IgnoredAny,
}

/// What the drive holds at the start.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum InitialState {
    /// All of it, rewritten at random until write amplification had settled.
    #[default]
    Steady,
    /// All of it, written once in sequence.
    Filled,
    /// Nothing.
    Fresh,
}

/// Which die a page is written to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Allocation {
    /// The next one that has time and space.
    #[default]
    Dynamic,
    /// The one its logical address belongs to.
    Static,
}

/// How many there are of what.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GeometrySpec {
    /// Buses between controller and dies.
    pub channels: u32,
    /// Dies on each.
    pub dies_per_channel: u32,
    /// Planes of a die, which are read, programmed and erased together.
    #[serde(default = "one_u32")]
    pub planes: u32,
    /// Blocks of each plane, reserve included; 0: as many as `over_provisioning` asks for.
    #[serde(default)]
    pub blocks_per_plane: u32,
    /// Pages of a block.
    pub pages_per_block: u32,
    /// Bytes of a page, the unit of programming.
    #[serde(deserialize_with = "size")]
    pub page_bytes: u64,
    /// Whether blocks are allocated and collected in stripes over all dies, instead of die by die.
    #[serde(default)]
    pub superblock: bool,
}

/// What each operation takes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TimingSpec {
    /// Microseconds from the array to the die's register: of each page type in turn (lower, upper, extra).
    pub read_us: PerType,
    /// Microseconds from the register to the array, likewise.
    pub program_us: PerType,
    /// Microseconds to erase a block.
    pub erase_us: f64,
    /// Megabytes (10^6) per second of each channel.
    pub bus_mb_per_s: f64,
    /// Microseconds in the controller, of every request.
    #[serde(default)]
    pub controller_us: f64,
    /// Microseconds after which a program or erase gives way to a read; left out: it does not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suspend_us: Option<f64>,
    /// Spread of `read_us`: standard deviation of the logarithm of a factor with mean 1.
    #[serde(default)]
    pub sigma: f64,
}

/// One time for all page types, or one for each.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged, expecting = "must be a number of microseconds, or a list of them, one per page type")]
pub enum PerType {
    /// For all.
    All(f64),
    /// For each in turn.
    Each(Vec<f64>),
}

impl PerType {
    /// The times, one or one for each type.
    pub fn times(&self) -> &[f64] {
        match self {
            PerType::All(time) => std::slice::from_ref(time),
            PerType::Each(times) => times,
        }
    }
}

/// Garbage collection.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct GcSpec {
    /// How a victim is chosen.
    pub policy: GcPolicy,
    /// Of `windowed`: how many of the oldest blocks are looked at.
    pub window: u32,
    /// It runs while there are fewer free blocks than this on a die (in a superblock drive: stripes).
    pub soft: u32,
    /// The host's writes wait while there are no more free blocks than this.
    pub hard: u32,
    /// Programs of its own that each program for the host pays for, between `soft` and `hard` and while the
    /// host writes; 0: as many as the die has time for.
    pub tokens_per_write: f64,
}

impl Default for GcSpec {
    fn default() -> Self {
        GcSpec { policy: GcPolicy::Greedy, window: 64, soft: 3, hard: 1, tokens_per_write: 0.0 }
    }
}

/// How a victim is chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum GcPolicy {
    /// The block with the fewest valid pages.
    Greedy,
    /// The largest (1 - u) / (1 + u) times the time since something in it was last written or became invalid;
    /// u is the share of valid pages (Rosenblum and Ousterhout 1992).
    CostBenefit,
    /// The fewest valid pages among the oldest blocks.
    Windowed,
}

/// Memory for pages in the controller.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct BufferSpec {
    /// Bytes for writes; 0: a write is complete when it is programmed.
    #[serde(deserialize_with = "size")]
    pub write: u64,
    /// Bytes of what was read last; 0: none.
    #[serde(deserialize_with = "size")]
    pub read: u64,
    /// Microseconds to write to the buffer or to answer from it.
    pub hit_us: f64,
    /// Microseconds of a flush, beyond what it waits for.
    pub flush_us: f64,
    /// Whether what is in the buffer survives a power cut: a flush then waits for nothing.
    pub power_loss_protection: bool,
}

impl Default for BufferSpec {
    fn default() -> Self {
        BufferSpec { write: 0, read: 0, hit_us: 0.0, flush_us: 0.0, power_loss_protection: true }
    }
}

/// Blocks written with one bit per cell.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SlcSpec {
    /// What they hold together.
    #[serde(deserialize_with = "size")]
    pub bytes: u64,
    /// Microseconds to read a page of them.
    pub read_us: f64,
    /// Microseconds to program one.
    pub program_us: f64,
    /// Milliseconds without a request after which they are folded into the other blocks.
    #[serde(default = "hundred")]
    pub idle_ms: f64,
}

/// From logical to physical pages.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct MappingSpec {
    /// Bytes with one entry; smaller writes are completed by a read of the rest.
    #[serde(deserialize_with = "size")]
    pub unit: u64,
    /// Bytes of entries (4 bytes each) in the controller's memory; left out: all.
    #[serde(deserialize_with = "optional_size", skip_serializing_if = "Option::is_none")]
    pub cache: Option<u64>,
    /// Units of which a part may be mapped apart from the rest, so that smaller writes need no read.
    pub fine_entries: u32,
}

impl Default for MappingSpec {
    fn default() -> Self {
        MappingSpec { unit: 4096, cache: None, fine_entries: 0 }
    }
}

/// Pages read before they are asked for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReadAheadSpec {
    /// Sequences of reads that are told apart.
    #[serde(default = "four")]
    pub streams: u32,
    /// How far ahead of a sequence is read, bytes.
    #[serde(deserialize_with = "size")]
    pub bytes: u64,
}

/// What reads do to their neighbours.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DisturbSpec {
    /// Reads of a block after which it is refreshed.
    pub reads: u32,
    /// Pages of it that are then written elsewhere; 0: the whole block.
    #[serde(default)]
    pub pages: u32,
}

/// Wear levelling.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct WearSpec {
    /// How often a block can be programmed and erased in its life.
    pub cycles: u32,
    /// How much more often than the least worn block of its die a block may be erased before that one is put
    /// to use; 0: any.
    pub spread: u32,
}

impl Default for WearSpec {
    fn default() -> Self {
        WearSpec { cycles: 3000, spread: 0 }
    }
}

/// Between host and controller.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct LinkSpec {
    /// Megabytes (10^6) per second each way; 0: no limit.
    pub mb_per_s: f64,
    /// Whether both ways are used at once (PCIe), or one at a time (SATA).
    pub duplex: bool,
    /// Microseconds of software per request, one after the other in each queue.
    pub request_us: f64,
    /// Microseconds of software more for a write, as the locks of a file system take.
    pub write_us: f64,
    /// Microseconds of software more for each KiB that a request moves, as where data is copied.
    pub per_kib_us: f64,
    /// Queues that do so at the same time.
    pub queues: u32,
}

impl Default for LinkSpec {
    fn default() -> Self {
        LinkSpec { mb_per_s: 0.0, duplex: true, request_us: 0.0, write_us: 0.0, per_kib_us: 0.0, queues: 1 }
    }
}

fn one() -> u64 {
    1
}

fn one_u32() -> u32 {
    1
}

fn four() -> u32 {
    4
}

fn hundred() -> f64 {
    100.0
}
