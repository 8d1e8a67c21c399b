//! What `leadline experiment` adds to a profile: measurements that the I/O models need beyond the profile's
//! points.
//!
//! The list of them is here, and the record of each in a file of its own. docs/experiments.md says how each
//! is made. Units as in [`crate::DeviceProfile`]: in the names.

mod buffer;
mod burst;
mod channels;
mod durable_writes;
mod fsync;
mod gc;
mod interleaving;
mod io_cost;
mod ladder;
mod latency;
mod other;
mod pio_classes;
mod pressure;
mod range;
mod read_disturb;
mod sustained;
mod sync_methods;
#[cfg(test)]
mod tests;
mod unaligned;
mod work;
mod write_amplification;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

pub use buffer::{Buffer, BufferPoint};
pub use burst::{Burst, BurstLoad};
pub use channels::{ChannelPlacement, Channels, ChannelsFit, ChannelsPoint};
pub use durable_writes::{DurableWrites, DurableWritesPoint};
pub use fsync::{Fsync, FsyncPoint, LogKind};
pub use gc::{Gc, GcPass, GcPassKind, GcRecovery};
pub use interleaving::{Interleaving, InterleavingPoint};
pub use io_cost::{IoCost, IoCostRate};
pub use ladder::{Ladder, LadderMix, Rung};
pub use latency::{BlockLayerTime, LatencyDistribution, LatencyDistributions};
pub use other::OtherRecord;
pub use pio_classes::{PioClass, PioClasses, PioPoint};
pub use pressure::{Background, BackgroundCapacity, InternalWork, Pressure, PressurePoint};
pub use read_disturb::{Detectable, DisturbSeries, ReadDisturb};
pub use sustained::{Sustained, SustainedCliff, SustainedLoad, UnderLoad};
pub use sync_methods::{FileState, SyncMethod, SyncMethods, SyncPoint};
pub use unaligned::{Unaligned, UnalignedPoint};
pub use work::{Work, WorkPoint};
pub use write_amplification::{WearWindow, WriteAmplification, WriteAmplificationRun};

use self::range::{Impossible, under};
use crate::EngineKind;

/// What one experiment leaves in a profile.
pub(crate) trait Record: Sized {
    /// The first impossible value. Models divide by these numbers, so that a profile with such values is not
    /// loaded.
    fn impossible(&self) -> Option<Impossible>;

    /// Keeps of an earlier result of the same experiment what this one does not replace.
    fn keep(&mut self, _earlier: Self) {}
}

/// The experiments, in the order in which they are in a profile: field, record, name.
macro_rules! experiments {
    ($($(#[$doc:meta])* $field:ident: $record:ty = $name:literal,)+) => {
        /// The experiments that were run; running one again replaces it.
        #[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
        #[serde(default)]
        pub struct Experiments {
            $(
                $(#[$doc])*
                #[serde(rename = $name, skip_serializing_if = "Option::is_none")]
                pub $field: Option<$record>,
            )+
            /// Those that are not listed here, by their names.
            #[serde(flatten)]
            pub other: BTreeMap<String, OtherRecord>,
        }

        impl Experiments {
            /// How each one that was run was made, by its name.
            pub fn procedures(&self) -> impl Iterator<Item = (&str, &Procedure)> {
                [$(($name, self.$field.as_ref().map(|found| &found.procedure))),+]
                    .into_iter()
                    .filter_map(|(name, procedure)| Some((name, procedure?)))
                    .chain(self.other.iter().map(|(name, found)| (name.as_str(), &found.procedure)))
            }

            /// The same, to be completed.
            pub fn procedures_mut(&mut self) -> impl Iterator<Item = &mut Procedure> {
                [$(self.$field.as_mut().map(|found| &mut found.procedure)),+]
                    .into_iter()
                    .flatten()
                    .chain(self.other.values_mut().map(|found| &mut found.procedure))
            }

            /// Puts these in the place of earlier results of the same experiments; of `write-amplification`,
            /// of the same pattern and fill level.
            pub fn add(&mut self, found: Experiments) {
                $(
                    if let Some(mut found) = found.$field {
                        if let Some(earlier) = self.$field.take() {
                            found.keep(earlier);
                        }
                        self.$field = Some(found);
                    }
                )+
                self.other.extend(found.other);
            }

            /// The first impossible value, such as `experiments.r-by-k.points[3].seconds`.
            pub(crate) fn impossible(&self) -> Option<Impossible> {
                let bad = None$(.or_else(|| under($name, self.$field.as_ref()?.impossible())))+;
                let others = || self.other.iter().find_map(|(name, found)| under(name, found.impossible()));
                under("experiments", bad.or_else(others))
            }
        }
    };
}

experiments! {
    /// Random accesses of many lengths at many concurrencies (the MQSSD paper's benchmark).
    r_by_k: Work = "r-by-k",
    /// Reads and writes together, at several shares and concurrencies.
    mixed: Work = "mixed",
    /// Latency over load, open loop.
    ladder: Ladder = "ladder",
    /// The four application classes of PIO, measured.
    pio_classes: PioClasses = "pio-classes",
    /// Latency distributions of one request at a time.
    latency: LatencyDistributions = "latency",
    /// Bandwidth over requests in flight and their size.
    interleaving: Interleaving = "interleaving",
    /// Latency of one request at a time under background load.
    pressure: Pressure = "pressure",
    /// Tail latency of random reads, at rest and under background load.
    tail: Pressure = "tail",
    /// Sequential writes of many sizes, most of them not multiples of a page.
    unaligned: Unaligned = "unaligned",
    /// The drive's read buffer.
    buffer: Buffer = "buffer",
    /// Slow reads among many reads of one page.
    read_disturb: ReadDisturb = "read-disturb",
    /// Burst credit of a volume.
    burst: Burst = "burst",
    /// Small durable appends by several writers.
    fsync: Fsync = "fsync",
    /// The ways to make a write durable.
    sync_methods: SyncMethods = "sync-methods",
    /// Bytes that the drive writes to its medium per byte that it is given.
    write_amplification: WriteAmplification = "write-amplification",
    /// Bandwidth while a full drive is overwritten.
    gc: Gc = "gc",
    /// Burst against sustained writes, and reads during writes.
    sustained: Sustained = "sustained",
    /// Channels that are busy with that many reads, at once and in a stream.
    channels: Channels = "channels",
    /// Random reads and writes together, of two sizes: what Seastar's I/O scheduler assumes.
    mix_line: Work = "mix-line",
    /// Reads during durable writes.
    durable_writes: DurableWrites = "durable-writes",
    /// The six rates of Linux's io.cost.model.
    io_cost: IoCost = "io-cost",
}

impl Experiments {
    /// Whether none was run.
    pub fn is_empty(&self) -> bool {
        *self == Experiments::default()
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
