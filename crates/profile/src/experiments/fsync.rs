//! What `fsync` found: how fast small appends become durable.

use serde::{Deserialize, Serialize};

use crate::{Latency, Procedure};

/// Appends, each made durable by an fdatasync, by several writers at once.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Fsync {
    /// How it was measured.
    #[serde(default)]
    pub procedure: Procedure,
    /// What was appended to.
    pub log: LogKind,
    /// Bytes of an append.
    pub append_bytes: u32,
    /// Bytes that were sent for each: those, or whole blocks where only whole blocks can be written.
    pub sent_bytes: u32,
    /// One entry per number of writers, ascending.
    pub points: Vec<FsyncPoint>,
}

/// What the appends went to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LogKind {
    /// A file, written through the page cache and made durable with fdatasync.
    File,
    /// The device itself: a write, and when it is done a flush.
    Device,
}

/// So many writers, each with one append under way.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct FsyncPoint {
    /// Writers.
    pub writers: u32,
    /// Appends that became durable.
    pub commits: u64,
    /// Time they took.
    pub seconds: f64,
    /// `commits / seconds`.
    pub commits_per_second: f64,
    /// Its 95 % interval, bootstrap over epochs.
    #[serde(default)]
    pub commits_ci: Option<[f64; 2]>,
    /// Duration of the fdatasync; with a device, of the write and the flush.
    pub latency_us: Latency,
}
