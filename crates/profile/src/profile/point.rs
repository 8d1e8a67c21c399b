//! What was measured of one load.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

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
