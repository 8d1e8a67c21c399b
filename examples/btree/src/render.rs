//! A validation for people and for scripts.

use leadline_device::format_size;
use leadline_lsm::Estimate;
use serde_json::{Value, json};

use crate::{Cell, KEY_BYTES, Plan, VALUE_BYTES, Validation, interval, verdicts};

/// Tables of lines; ends with a newline.
pub fn text(plan: &Plan, model: &str, found: &Validation) -> String {
    let mut out = format!(
        "{} pairs of {} bytes per tree, {} of memory for each tree's nodes, model {model}\n\n",
        found.pairs,
        KEY_BYTES + VALUE_BYTES,
        format_size(plan.memory_bytes)
    );
    out += "node  levels  fill    processor us per node of a lookup, of a range, more per miss\n";
    for (at, times) in found.processor.iter().enumerate() {
        out += &format!(
            "{:<5} {:>6} {:>4.0} % {:>38.2} {:>10.2} {:>14.2}\n",
            format_size(times.node_bytes.into()),
            found.height[at],
            100.0 * found.fill[at],
            times.point_visit_us,
            times.range_visit_us,
            times.miss_us
        );
    }
    out += "\noperation  clients  node    forecast operations/s            measured operations/s";
    out += "            nodes read: forecast, measured\n";
    for cell in &found.cells {
        out += &format!(
            "{:<9} {:>8}  {:<5} {:>31} {:>32} {:>12.2} {:>8.2}\n",
            cell.operation.name(),
            cell.clients,
            format_size(cell.node_bytes.into()),
            shown(cell.forecast.per_second),
            shown(interval(&cell.measured)),
            cell.forecast.reads,
            interval(&cell.reads).value
        );
    }
    out += "\nIn parentheses 95 % intervals. Pairs of node sizes whose measured intervals do not overlap, \
            the faster first:\n";
    let verdicts = verdicts(&found.cells);
    for verdict in &verdicts {
        out += &format!(
            "{:<9} {:>8}  {} before {}: {}\n",
            verdict.operation.name(),
            verdict.clients,
            format_size(verdict.faster.into()),
            format_size(verdict.slower.into()),
            if verdict.foretold { "foretold" } else { "NOT foretold" }
        );
    }
    let foretold = verdicts.iter().filter(|v| v.foretold).count();
    let pairs = pairs_compared(&found.cells);
    out += &format!(
        "{foretold} of {} orders foretold; the intervals of {} of {pairs} pairs overlap\n",
        verdicts.len(),
        pairs - verdicts.len()
    );
    out
}

/// The validation as JSON.
pub fn json(plan: &Plan, model: &str, found: &Validation) -> Value {
    let verdicts = verdicts(&found.cells);
    json!({
        "model": model,
        "pairs": found.pairs,
        "key_bytes": KEY_BYTES,
        "value_bytes": VALUE_BYTES,
        "memory_bytes": plan.memory_bytes,
        "range_bytes": plan.range_bytes,
        "repeats": plan.repeats,
        "slice_seconds": plan.slice.as_secs_f64(),
        "trees": found.processor.iter().enumerate().map(|(at, times)| json!({
            "node_bytes": times.node_bytes,
            "height": found.height[at],
            "fill": found.fill[at],
            "point_visit_us": times.point_visit_us,
            "range_visit_us": times.range_visit_us,
            "miss_us": times.miss_us,
        })).collect::<Vec<_>>(),
        "cells": found.cells.iter().map(cell_json).collect::<Vec<_>>(),
        "orders": verdicts.iter().map(|verdict| json!({
            "operation": verdict.operation.name(),
            "clients": verdict.clients,
            "faster_node_bytes": verdict.faster,
            "slower_node_bytes": verdict.slower,
            "foretold": verdict.foretold,
        })).collect::<Vec<_>>(),
        "pairs_compared": pairs_compared(&found.cells),
        "notes": found.notes,
    })
}

fn cell_json(cell: &Cell) -> Value {
    let measured = interval(&cell.measured);
    json!({
        "operation": cell.operation.name(),
        "clients": cell.clients,
        "node_bytes": cell.node_bytes,
        "forecast_per_s": cell.forecast.per_second.value,
        "forecast_per_s_ci": cell.forecast.per_second.ci,
        "forecast_node_reads": cell.forecast.reads,
        "measured_per_s": measured.value,
        "measured_per_s_ci": measured.ci,
        "measured_per_s_repeats": cell.measured,
        "measured_node_reads": interval(&cell.reads).value,
    })
}

/// Pairs of node sizes of the same operation and clients.
fn pairs_compared(cells: &[Cell]) -> usize {
    let alike = |a: &Cell, b: &Cell| (a.operation, a.clients) == (b.operation, b.clients);
    (0..cells.len()).map(|at| cells[at + 1..].iter().filter(|other| alike(&cells[at], other)).count()).sum()
}

fn shown(estimate: Estimate) -> String {
    let Estimate { value, ci: [low, high] } = estimate;
    format!("{value:.0} ({low:.0} to {high:.0})")
}
