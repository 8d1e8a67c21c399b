//! What `pio-classes` found: what batching is worth to a program.

use serde::{Deserialize, Serialize};

use super::Record;
use super::range::{
    AT_LEAST_ONE, BadField, Impossible, PAIR, POSITIVE, SHARE, ascending, check, first, impossible_procedure,
    named, positive, share,
};
use crate::Procedure;

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

impl Record for PioClasses {
    fn impossible(&self) -> Option<Impossible> {
        impossible_procedure(&self.procedure)
            .or_else(|| named(check(self.block_bytes > 0, "block_bytes", AT_LEAST_ONE)))
            .or_else(|| first("points", &self.points, |p| named(bad_class(p))))
    }
}

fn bad_class(point: &PioPoint) -> Option<BadField> {
    check(share(point.read_share), "read_share", SHARE)
        .or_else(|| check(point.batch > 0, "batch", AT_LEAST_ONE))
        .or_else(|| check(point.ops > 0, "ops", AT_LEAST_ONE))
        .or_else(|| check(positive(point.unbatched_seconds), "unbatched_seconds", POSITIVE))
        .or_else(|| check(positive(point.seconds), "seconds", POSITIVE))
        .or_else(|| check(positive(point.speedup), "speedup", POSITIVE))
        .or_else(|| check(point.speedup_ci.is_none_or(ascending), "speedup_ci", PAIR))
}
