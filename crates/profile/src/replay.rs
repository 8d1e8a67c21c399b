//! What replaying a trace on a device left behind.

use serde::{Deserialize, Serialize};

use crate::{Bin, EngineKind, Latency};

/// The schema of [`Replay`] as JSON.
pub const REPLAY_SCHEMA: &str = "leadline.replay/1";

/// A trace replayed on a device. Numbers are of requests of the trace that completed.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Replay {
    /// [`REPLAY_SCHEMA`].
    pub schema: String,
    /// The trace, as it was named.
    pub trace: String,
    /// The target, as it was named.
    pub target: String,
    /// The device's model or name.
    pub device: String,
    /// What submitted the requests.
    pub engine: EngineKind,
    /// Whether requests went past the page cache.
    pub direct: bool,
    /// `recorded`, `xN` for N times as fast, or `closed:K`.
    pub pace: String,
    /// Bytes of a page, where the trace counts pages.
    pub page_bytes: u32,
    /// First byte of the target that requests could touch, and how many from there.
    pub region: (u64, u64),
    /// Whether the trace was replayed to its end, or to the limit asked for.
    pub complete: bool,
    /// Why it was not.
    pub stopped_by: Option<String>,
    /// Device time from the start to the last completion, seconds.
    pub seconds: f64,
    /// Reads.
    pub reads: Side,
    /// Writes.
    pub writes: Side,
    /// Both.
    pub all: Side,
    /// How requests were made to fit the target.
    pub mapping: Mapping,
    /// How well the schedule was kept; `None` for `closed:K`.
    pub schedule: Option<Schedule>,
    /// Latency and load over time, by completion; pieces of equal length.
    pub over_time: Vec<Moment>,
    /// Length of such a piece, seconds.
    pub moment_seconds: f64,
    /// Lines of the trace that were no requests.
    pub bad_lines: u64,
    /// What was wrong with the first of them.
    pub first_bad_lines: Vec<String>,
}

/// Reads, writes or both.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Side {
    /// Requests completed.
    pub requests: u64,
    /// Bytes that they moved, whole blocks of the device.
    pub bytes: u64,
    /// From the intended start to the completion; `None` without requests.
    pub latency: Option<Latency>,
    /// Ascending, not cumulative.
    pub histogram: Vec<Bin>,
}

/// Requests that the target could not take as they were.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Mapping {
    /// Requests that lay or ended beyond the region, and went to their address modulo its size.
    pub wrapped: u64,
    /// Requests that began or ended within a block, and moved all of it.
    pub widened: u64,
    /// Those longer than one request of the device may be, or over the region's end, and went in pieces.
    pub cut: u64,
    /// Writes that were left out, because the target may not be written.
    pub skipped_writes: u64,
    /// Requests to files that belong on the fast part of the target and went there, at least their
    /// beginnings.
    #[serde(skip_serializing_if = "is_zero")]
    pub fast: u64,
    /// Requests to files that belong there, but had no room.
    #[serde(skip_serializing_if = "is_zero")]
    pub spilled: u64,
}

fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// How a schedule was kept.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Schedule {
    /// From the first intended start to the last, seconds.
    pub planned_seconds: f64,
    /// Share of requests that were sent more than a millisecond after their intended start.
    pub late_share: f64,
    /// How late 99 % of them were sent at most, microseconds.
    pub p99_us: f64,
    /// How late the latest was sent, microseconds.
    pub max_us: f64,
    /// From the last intended start to the last completion, seconds.
    pub behind_seconds: f64,
}

/// A piece of time.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Moment {
    /// Where it begins, seconds.
    pub at_seconds: f64,
    /// Requests that completed in it.
    pub requests: u64,
    /// Bytes that they moved.
    pub bytes: u64,
    /// Their mean latency, microseconds; 0 without requests.
    pub mean_us: f64,
    /// Their longest latency, microseconds.
    pub max_us: f64,
}
