//! The schema `leadline.profile/1`, field by field; docs/profile-format.md is its page.
//!
//! Units are in the names: `_bytes`, `_seconds`, `_us` (microseconds), `iops` (operations per second). A pair
//! named `_ci` is a 95 % interval `[low, high]`. An absent number is `null`: not measured, never zero. Later
//! minor versions add fields to the profile itself, `device`, `method`, `validity`, a point or a parameters
//! entry, and nowhere else; fields that this version does not know are kept in `extra` and written back.

mod device;
mod method;
mod parameters;
mod point;
mod validity;
mod virtual_disk;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::Experiments;
use crate::terms::RunPhase;

pub use device::{DeviceFacts, Held, Link, Zones};
pub use method::{ImportedFile, Method};
pub use parameters::{Capped, Censored, Parameters};
pub use point::{Bin, Latency, OpKind, Pattern, Point, Slice};
pub use validity::{Check, CheckStatus, Cliff, OrderEffect, Rounds, SliceEffect, Temperature, Validity};

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
