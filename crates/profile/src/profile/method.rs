//! How it was measured.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::point::Pattern;
use crate::terms::{BudgetKind, EngineKind, WriteStatus};

/// How it was measured.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Method {
    /// What submitted the requests.
    pub engine: EngineKind,
    /// Whether the page cache was bypassed (O_DIRECT).
    pub direct: bool,
    /// In words, what concurrency k means here, such as `one queue pair of depth k`.
    pub concurrency_is: String,
    /// Threads that submitted.
    pub threads: u32,
    /// Processors they were pinned to; empty where they were not.
    pub cpus: Vec<u32>,
    /// How its length was chosen.
    pub budget: BudgetKind,
    /// Time allowed for measuring, device time; `null` for "until converged".
    pub budget_seconds: Option<f64>,
    /// Time spent measuring, device time.
    pub measured_seconds: f64,
    /// Time spent laying out and preconditioning, device time.
    pub layout_seconds: f64,
    /// Seed of all random choices.
    pub seed: u64,
    /// Block sizes measured.
    pub block_sizes: Vec<u32>,
    /// Patterns measured.
    pub patterns: Vec<Pattern>,
    /// Bytes of the device that were touched.
    pub footprint_bytes: u64,
    /// Rounds in which every point was measured once.
    pub epochs: u32,
    /// Target length of a slice.
    pub slice_seconds: f64,
    /// Highest concurrency that was allowed.
    pub max_concurrency: u32,
    /// Whether writes were measured, and why not.
    pub writes: WriteStatus,
    /// Preconditioning passes asked for.
    pub precondition_passes: u32,
    /// Bytes over which the writes of the whole run were shared; `None` where they were not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub write_budget_bytes: Option<u64>,
    /// Whether that shortened write slices; `None` without such a budget.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub writes_shortened: Option<bool>,
    /// The files that numbers were imported from, of other programs.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub imported: Vec<ImportedFile>,
    /// Fields of later minor versions.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// A file that another program wrote, and what of it is in the profile.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ImportedFile {
    /// Its name, without the directory it lay in.
    pub file: String,
    /// The program that measured: `fio`, `iotune`, `etcd`, `pg_test_fsync`, `ceph`, `ioping`.
    pub program: String,
    /// Its version, where the file tells.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// When it measured, RFC 3339 in UTC, where the file tells.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub created: Option<String>,
    /// What was taken from it, one sentence each.
    pub read: Vec<String>,
    /// What was not, and why.
    pub skipped: Vec<String>,
    /// What it does not say, and was taken as given.
    pub assumed: Vec<String>,
}
