//! Why a plan cannot be carried out on a target.

use leadline_device::format_size;

/// A value of a plan that the target, the trace or this machine does not allow.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum PlanError {
    /// No block size or no pattern.
    #[error("nothing to measure: name at least one block size and one pattern")]
    Empty,
    /// A block size that the target does not transfer.
    #[error("block size {}: must be a multiple of {}, the smallest that this target transfers directly",
        format_size((*.bytes).into()), format_size((*.smallest).into()))]
    BlockSize {
        /// The block size, bytes.
        bytes: u32,
        /// The smallest that the target transfers, bytes.
        smallest: u32,
    },
    /// Too few blocks in the region.
    #[error("block size {}: the {} to be measured hold fewer than 16 of them; use a larger target",
        format_size((*.bytes).into()), size(*.region_bytes))]
    FewBlocks {
        /// The block size, bytes.
        bytes: u32,
        /// The region, bytes.
        region_bytes: u64,
    },
    /// A region that the target does not have.
    #[error("the region to be measured ends beyond the target")]
    BeyondTarget,
    /// More requests in flight than can be tried.
    #[error("concurrency {concurrency}: must be from 1 to 4096")]
    Concurrency {
        /// The highest concurrency.
        concurrency: u32,
    },
    /// Buffers that take too much memory.
    #[error("concurrency {concurrency}: its buffers of {} would take {} of memory; the most is 4G",
        format_size(*.block_bytes), format_size(*.bytes))]
    Buffers {
        /// The highest concurrency.
        concurrency: u32,
        /// The largest block, bytes.
        block_bytes: u64,
        /// All buffers, bytes.
        bytes: u64,
    },
    /// Several queue pairs on a device that has one.
    #[error("a simulated device has one queue pair; use one thread")]
    OneQueuePair,
    /// Writes to a target that is only read.
    #[error("writes were asked for and the target is open for reading only")]
    ReadOnly,
    /// Preconditioning of a target that is only read.
    #[error("this target is not written to, so it cannot be preconditioned")]
    Precondition,
    /// What is written first is more than what may be written.
    #[error("laying out and preconditioning alone write {}, more than the {} that may be written in all",
        format_size(*.first_bytes), format_size(*.max_bytes))]
    MaxWrites {
        /// Written by layout and preconditioning, bytes.
        first_bytes: u64,
        /// The limit, bytes.
        max_bytes: u64,
    },
    /// The limit of writes was reached too early.
    #[error("the {} that may be written were spent before every point was measured once, and nothing is kept",
        format_size(*.max_bytes))]
    WritesSpent {
        /// The limit, bytes.
        max_bytes: u64,
    },
    /// A time that is not one.
    #[error("a budget of {seconds} s: must be a positive number")]
    Seconds {
        /// The budget.
        seconds: f64,
    },
    /// A share of reads that is not one.
    #[error("a read share of {share}: must be from 0 to 1")]
    ReadShare {
        /// The share.
        share: f64,
    },
    /// A fill level that is not one.
    #[error("a fill level of {fill}: must be above 0 and at most 1")]
    Fill {
        /// The share.
        fill: f64,
    },
    /// Write amplification of a device that does not count what it writes to its medium.
    #[error(
        "write-amplification needs a drive that counts the bytes written to its medium, and this one does not \
         tell; nothing was written; name a simulated flash drive, sim:NAME"
    )]
    NoWear,
    /// An experiment's requests are smaller than the target's.
    #[error("experiments make requests of 4K, and this target transfers {} at least; name another target",
        format_size((*.smallest).into()))]
    LargeBlocks {
        /// The smallest that the target transfers, bytes.
        smallest: u32,
    },
    /// An experiment of sizes in small steps, on a target with larger blocks.
    #[error("unaligned writes sizes in steps of {}, and this target transfers {} at least; name a directory, \
        where a file is written through the page cache instead",
        format_size((*.step).into()), format_size((*.smallest).into()))]
    LargeBlocksForSteps {
        /// The step, bytes.
        step: u32,
        /// The smallest that the target transfers, bytes.
        smallest: u32,
    },
    /// A region too small for the requests in flight, or for what is looked for.
    #[error("the {} to be measured are too small; {experiment} needs {} at least, use a larger target",
        size(*.region_bytes), format_size(*.least_bytes))]
    SmallRegion {
        /// The experiment's name.
        experiment: &'static str,
        /// The region, bytes.
        region_bytes: u64,
        /// The smallest that will do, bytes.
        least_bytes: u64,
    },
    /// An experiment that writes, on a target that is only read.
    #[error(
        "{experiment} needs writes, and this target is only read; name a directory, or choose r-by-k, \
         ladder, latency, interleaving, pressure, tail, buffer or read-disturb"
    )]
    NeedsWrites {
        /// The experiment's name.
        experiment: &'static str,
    },
    /// An experiment on files, on a target that is not a directory.
    #[error("{experiment} compares system calls on a file; name a directory")]
    NeedsDirectory {
        /// The experiment's name.
        experiment: &'static str,
    },
    /// A recorded pace for a trace without times.
    #[error("the trace has no times to be replayed at; choose the pace closed:K")]
    NoTimes,
    /// A pace that cannot be kept.
    #[error("a pace of {pace}: {reason}")]
    Pace {
        /// The pace, in words.
        pace: String,
        /// What is allowed.
        reason: &'static str,
    },
    /// A target smaller than a block.
    #[error(
        "the target has room for {region_bytes} bytes, less than one block of {block_bytes}; name a \
         larger one"
    )]
    NoRoom {
        /// The region, bytes.
        region_bytes: u64,
        /// The block, bytes.
        block_bytes: u32,
    },
    /// An engine that a resumed profile names and this version does not know.
    #[error("engine {engine}: must be io_uring or psync")]
    Engine {
        /// As the profile has it.
        engine: String,
    },
}

/// Small sizes with their unit, which [`format_size`] leaves out.
fn size(bytes: u64) -> String {
    if bytes < 1024 { format!("{bytes} bytes") } else { format_size(bytes) }
}
