//! How far the numbers can be trusted.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::device::Held;
use super::point::OpKind;
use crate::terms::{CheckName, DeviceState, Limit, RunPhase};

/// What the numbers are worth: shown in every output.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Validity {
    /// False when the run was cut short.
    pub complete: bool,
    /// Why it was cut short.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stopped_by: Option<String>,
    /// The state in which it was measured.
    pub state: DeviceState,
    /// The steady-state test's rounds, where it was run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub steady_state: Option<Rounds>,
    /// Each sanity check and its outcome; a violated one is shown, not hidden.
    pub checks: Vec<Check>,
    /// Falls of write throughput that stayed.
    pub cliffs: Vec<Cliff>,
    /// Temperature of the device over the run, where readable.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub temperature: Option<Temperature>,
    /// What a completed write means here, in words.
    pub durability: String,
    /// Footprint / device size, 0 to 1.
    pub footprint_fraction: Option<f64>,
    /// Bytes this run wrote in all.
    pub bytes_written: u64,
    /// Bytes this run read in all.
    pub bytes_read: u64,
    /// Points at which the processor, not the device, set the pace.
    pub cpu_bound_points: u32,
    /// Curves whose k is only a lower bound.
    pub censored_curves: u32,
    /// Whether reads after writes were slower than reads after reads.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub order_effect: Option<OrderEffect>,
    /// Slices against long stretches of the same load.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub slice_effects: Vec<SliceEffect>,
    /// A load that was held for longer than any slice, at the end of the run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub held: Option<Held>,
    /// What kept the intervals of advised numbers wide although the run went on past its budget.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limited_by: Option<Limit>,
    /// Longest time reads took to be as fast again after writes; `null` where nothing was written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub washout_seconds: Option<f64>,
    /// Whether they always were, within the time allowed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub washout_recovered: Option<bool>,
    /// Share of time some task waited for a processor (PSI), 0 to 1.
    pub cpu_pressure: Option<f64>,
    /// Share of processor time the hypervisor took, 0 to 1.
    pub cpu_steal: Option<f64>,
    /// Fields of later minor versions.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// The steady-state test of the SNIA Performance Test Specification.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Rounds {
    /// Whether five rounds in a row passed.
    pub passed: bool,
    /// Throughput of each round, in order.
    pub iops: Vec<f64>,
    /// (max - min) / mean of the last five rounds; 0.20 passes.
    pub range: f64,
    /// Rise of the fitted line over the last five rounds / mean; 0.10 passes.
    pub slope: f64,
}

/// One sanity check.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Check {
    /// What is checked.
    pub name: CheckName,
    /// Outcome.
    pub status: CheckStatus,
    /// One sentence with the numbers; of a failed check it begins with what was found, up to the first
    /// semicolon.
    pub detail: String,
}

impl Check {
    /// Whether it is a remark, on where published or imported numbers come from, and checks nothing.
    pub fn is_remark(&self) -> bool {
        matches!(self.name, CheckName::Source | CheckName::Note)
    }
}

/// Outcome of a [`Check`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CheckStatus {
    /// It holds.
    Ok,
    /// It does not hold: the numbers deserve doubt.
    Violated,
    /// It could not be tested.
    Unknown,
}

/// A fall of throughput that stayed: the end of an SLC cache, of burst credits, of a write buffer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Cliff {
    /// During what: layout, preconditioning or measured writes.
    pub phase: RunPhase,
    /// Bytes written since the run began when it fell.
    pub at_bytes: u64,
    /// Bandwidth before, bytes per second.
    pub before_bytes_per_second: f64,
    /// Bandwidth after, bytes per second.
    pub after_bytes_per_second: f64,
}

/// Temperature over the run, degrees Celsius.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Temperature {
    /// When it began.
    pub start_c: f64,
    /// The highest seen.
    pub max_c: f64,
    /// The drive's own warning threshold, where it has one.
    #[serde(default)]
    pub warning_c: Option<f64>,
    /// Whether the warning threshold was reached.
    #[serde(default)]
    pub throttled: bool,
}

/// Reads that follow writes against reads that follow reads.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OrderEffect {
    /// Read throughput after writes / after reads, 1 = no effect.
    pub ratio: f64,
    /// 95 % interval of the ratio.
    pub ratio_ci: [f64; 2],
    /// Whether the interval leaves out 1 and the ratio is off by more than 5 %.
    pub seen: bool,
}

/// Slices against long stretches of the same load: how much a program that has just done something else gets
/// of what one that goes on gets.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SliceEffect {
    /// Reads, or plain writes.
    pub op: OpKind,
    /// Requests in flight at which they were compared, ascending.
    pub concurrencies: Vec<u32>,
    /// Throughput of slices / of long stretches, 1 = no effect.
    pub ratio: f64,
    /// 95 % interval of the ratio.
    pub ratio_ci: [f64; 2],
    /// Whether the interval leaves out 1 and the ratio is off by more than 5 %.
    pub seen: bool,
}
