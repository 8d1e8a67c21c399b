//! The parameters of a device for one pattern and request size.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::point::Pattern;

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
    /// Its 95 % interval, so far only of imported numbers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_durable_write_iops_ci: Option<[f64; 2]>,
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
            max_durable_write_iops_ci: None,
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
