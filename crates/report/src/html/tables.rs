//! The page's tables, as rows of ready text.

use leadline_profile::{DeviceProfile, Parameters, Point};
use serde::Serialize;

use super::facts::capped;
use crate::compare::{Cell, Comparison, Quantity, Verdict};
use crate::format::{self, block, count, micros, significant};

/// One line of the table of parameters: a pattern and block size.
#[derive(Debug, Serialize)]
pub(super) struct ParameterRow {
    pattern: &'static str,
    block: String,
    cells: Vec<Shown>,
    capped: &'static str,
}

/// A value, its interval, and a mark.
#[derive(Debug, Serialize, Default)]
pub(super) struct Shown {
    value: String,
    interval: String,
}

/// One point of the table of points.
#[derive(Debug, Serialize)]
pub(super) struct PointRow {
    op: &'static str,
    pattern: &'static str,
    block: String,
    k: u32,
    iops: Shown,
    bandwidth: String,
    latency: Vec<String>,
    cpu_bound: bool,
}

/// One line of the table of the experiment `latency`.
#[derive(Debug, Serialize)]
pub(super) struct LatencyRow {
    name: String,
    cells: Vec<String>,
}

/// One line of the table of differences.
#[derive(Debug, Serialize)]
pub(super) struct DifferenceRow {
    /// Set on the first line of a group.
    group: Option<String>,
    quantity: &'static str,
    unit: &'static str,
    cells: Vec<Shown>,
    verdicts: Vec<VerdictShown>,
}

/// A verdict as words and a tone.
#[derive(Debug, Serialize)]
pub(super) struct VerdictShown {
    words: String,
    tone: &'static str,
}

/// All parameters, in the order of the template's columns.
pub(super) fn parameters(profile: &DeviceProfile) -> Vec<ParameterRow> {
    profile.parameters.iter().map(parameter_row).collect()
}

fn parameter_row(of: &Parameters) -> ParameterRow {
    use Quantity::*;
    let real = |value: Option<f64>| Shown { value: value.map_or_else(dash, significant), ..Shown::default() };
    let whole =
        |value: Option<u32>| Shown { value: value.map_or_else(dash, |k| k.to_string()), ..Shown::default() };
    let cell = |quantity: Quantity| shown(quantity, quantity.cell(of));
    ParameterRow {
        pattern: format::pattern(of.pattern),
        block: block(of.block_bytes),
        cells: vec![
            cell(Alpha),
            cell(Alpha1),
            cell(AlphaDurable),
            cell(Alpha1Durable),
            cell(ReadConcurrency90),
            cell(ReadConcurrency),
            real(of.k_r_little),
            whole(of.k_r_knee),
            cell(WriteConcurrency90),
            cell(WriteConcurrency),
            real(of.k_w_little),
            whole(of.k_w_knee),
            cell(MaxReadIops),
            cell(MaxWriteIops),
            cell(MaxDurableWriteIops),
        ],
        capped: capped(of),
    }
}

/// All points, as measured.
pub(super) fn points(profile: &DeviceProfile) -> Vec<PointRow> {
    profile.points.iter().map(point_row).collect()
}

fn point_row(point: &Point) -> PointRow {
    let l = &point.latency_us;
    PointRow {
        op: match format::curve(point) {
            "durable" => "durable write",
            other => other,
        },
        pattern: format::pattern(point.pattern),
        block: block(point.block_bytes),
        k: point.concurrency,
        iops: Shown {
            value: count(point.iops),
            interval: point.iops_ci.map(|ci| format::range(ci, count)).unwrap_or_default(),
        },
        bandwidth: format::bandwidth(point.bandwidth_bytes),
        // Zero: not known, as in published numbers.
        latency: [l.mean, l.p50, l.p99, l.p99_9, l.max]
            .map(|us| if us > 0.0 { micros(us) } else { dash() })
            .to_vec(),
        cpu_bound: point.cpu_bound,
    }
}

/// The comparison, row by row.
/// What is told of software in the latencies of one request at a time.
pub(super) fn latencies(profile: &DeviceProfile) -> Vec<LatencyRow> {
    let workloads = profile.experiments.latency.iter().flat_map(|found| &found.workloads);
    let known = |text: Option<String>| text.unwrap_or_else(|| "–".to_owned());
    workloads
        .map(|w| LatencyRow {
            name: format::requests(w.op, w.pattern, w.durable),
            cells: vec![
                count(w.ops as f64),
                micros(w.latency_us.mean),
                known(w.system_call_us.map(micros)),
                known(w.block_layer.map(|time| micros(time.mean_us))),
                known(w.program_share().map(format::percent)),
                known(w.software_share().map(format::percent)),
            ],
        })
        .collect()
}

pub(super) fn differences(comparison: &Comparison) -> Vec<DifferenceRow> {
    let mut last = None;
    let mut rows = Vec::new();
    for row in &comparison.rows {
        let group = (row.pattern, row.block_bytes);
        let fresh = last.replace(group) != Some(group);
        rows.push(DifferenceRow {
            group: fresh.then(|| format!("{} {}", block(row.block_bytes), format::pattern(row.pattern))),
            quantity: row.quantity.name(),
            unit: row.quantity.unit(),
            cells: row.cells.iter().map(|&cell| shown(row.quantity, cell)).collect(),
            verdicts: row.verdicts.iter().map(|&verdict| verdict_shown(verdict)).collect(),
        });
    }
    rows
}

pub(super) fn verdict_shown(verdict: Verdict) -> VerdictShown {
    let (words, tone) = match verdict {
        Verdict::Differs { ratio } => (format!("differs, {}×", significant(ratio)), "differs"),
        Verdict::CannotTell => ("cannot be told apart".to_owned(), "same"),
        Verdict::NoInterval => ("no interval to judge by".to_owned(), "unknown"),
        Verdict::Missing => ("not measured on both".to_owned(), "unknown"),
    };
    VerdictShown { words, tone }
}

pub(super) fn shown(quantity: Quantity, cell: Cell) -> Shown {
    let show = |value: f64| match quantity.unit() {
        "IOPS" => count(value),
        "in flight" => format!("{value:.0}"),
        _ => significant(value),
    };
    let Some(value) = cell.value else { return Shown { value: dash(), ..Shown::default() } };
    let bound = if cell.lower_bound { "≥ " } else { "" };
    // The interval of a lower bound has no upper end.
    let interval = cell.interval.filter(|_| !cell.lower_bound);
    let interval = interval.map(|ends| format::range(ends, show)).unwrap_or_default();
    Shown { value: format!("{bound}{}", show(value)), interval }
}

fn dash() -> String {
    "–".to_owned()
}
