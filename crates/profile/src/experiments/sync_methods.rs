//! What `sync-methods` found: the ways to make a write durable, compared.

use serde::{Deserialize, Serialize};

use crate::{Latency, Procedure};

/// Durable writes of one size by one writer, by every method, on a file in every state.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct SyncMethods {
    /// How they were measured.
    pub procedure: Procedure,
    /// Bytes per write.
    pub block_bytes: u32,
    /// One entry per method and state of the file.
    pub points: Vec<SyncPoint>,
}

/// How a write is made durable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SyncMethod {
    /// A write, then fsync.
    Fsync,
    /// A write, then fdatasync.
    Fdatasync,
    /// A write to a file that was opened with O_DSYNC.
    ODsync,
    /// A write by pwritev2 with RWF_DSYNC.
    RwfDsync,
}

impl SyncMethod {
    /// All four.
    pub const ALL: [SyncMethod; 4] =
        [SyncMethod::Fsync, SyncMethod::Fdatasync, SyncMethod::ODsync, SyncMethod::RwfDsync];

    /// As manual pages write it.
    pub fn words(self) -> &'static str {
        match self {
            SyncMethod::Fsync => "fsync",
            SyncMethod::Fdatasync => "fdatasync",
            SyncMethod::ODsync => "O_DSYNC",
            SyncMethod::RwfDsync => "RWF_DSYNC",
        }
    }
}

/// What the written part of the file was before the write.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FileState {
    /// Beyond the end of the file: every write makes it longer.
    Growing,
    /// Space that was set aside with fallocate and never written.
    Preallocated,
    /// Written before: an overwrite.
    Written,
}

impl FileState {
    /// All three, in the order in which they cost the file system less.
    pub const ALL: [FileState; 3] = [FileState::Growing, FileState::Preallocated, FileState::Written];

    /// In one word.
    pub fn words(self) -> &'static str {
        match self {
            FileState::Growing => "growing",
            FileState::Preallocated => "preallocated",
            FileState::Written => "written",
        }
    }
}

/// One method on a file in one state.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SyncPoint {
    /// The method.
    pub method: SyncMethod,
    /// The file's state.
    pub file: FileState,
    /// Writes that became durable.
    pub ops: u64,
    /// Time they took.
    pub seconds: f64,
    /// `ops / seconds`.
    pub iops: f64,
    /// Its 95 % interval, bootstrap over epochs.
    #[serde(default)]
    pub iops_ci: Option<[f64; 2]>,
    /// Latency of a write until it was durable.
    pub latency_us: Latency,
}
