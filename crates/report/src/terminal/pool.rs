//! A sweep of simulated pools as a table.

use std::collections::BTreeSet;

use super::{NARROWEST, finish, new_table, wrap};
use crate::format::{self, significant};
use crate::pool::{Baselines, PoolCell, PoolSweep, added, operations};

/// One property of a pool: its column where it differs between pools, a word above the table where it does
/// not.
struct Dimension {
    name: &'static str,
    of: fn(&PoolCell) -> String,
    /// The word, from the value.
    all: fn(&str) -> String,
}

const DIMENSIONS: [Dimension; 8] = [
    Dimension { name: "reads", of: read_share, all: |v| format!("{v} reads") },
    Dimension { name: "alpha_1", of: alpha_1, all: |v| format!("alpha_1 {v}") },
    Dimension { name: "frames", of: |c| c.frames.to_string(), all: |v| format!("{v} frames") },
    Dimension { name: "clients", of: |c| c.clients.to_string(), all: clients },
    Dimension { name: "policy", of: |c| c.policy.clone(), all: str::to_owned },
    Dimension { name: "cleaner", of: |c| c.cleaner.clone(), all: |v| format!("cleaner {v}") },
    Dimension { name: "ACE", of: |c| c.ace.clone(), all: |v| format!("ACE {v}") },
    Dimension { name: "n", of: n, all: |v| format!("n = {v}") },
];

fn read_share(cell: &PoolCell) -> String {
    cell.read_share.map(|share| format!("{share} %")).unwrap_or_default()
}

fn n(cell: &PoolCell) -> String {
    if cell.adaptive { format!("{} (adaptive)", cell.n) } else { cell.n.to_string() }
}

fn alpha_1(cell: &PoolCell) -> String {
    cell.alpha_1.map(|alpha| alpha.to_string()).unwrap_or_default()
}

fn clients(value: &str) -> String {
    format!("{value} client{}", if value == "1" { "" } else { "s" })
}

/// A table, one row per pool; what all pools share stands above it, broken at `width` columns (60 at least).
/// Ends with a newline.
///
/// Speed-up and the added misses and page writes (in percent) are relative to the same pool with ACE and
/// cleaner off; `–` where the sweep has none.
pub fn render_pool(sweep: &PoolSweep, width: usize) -> String {
    let width = width.max(NARROWEST);
    let (swept, same): (Vec<&Dimension>, Vec<&Dimension>) = DIMENSIONS
        .iter()
        .partition(|dimension| sweep.cells.iter().map(dimension.of).collect::<BTreeSet<_>>().len() > 1);
    let words = same.iter().filter_map(|dimension| {
        let value = (dimension.of)(sweep.cells.first()?);
        (!value.is_empty()).then(|| (dimension.all)(&value))
    });
    let device = sweep.device.as_deref().unwrap_or("no device: pages are counted");
    let title = format!("{} on {device}, pages of {}", sweep.trace, format::block(sweep.page_bytes));
    let mut out = wrap(&super::printable(&title), width, "  ");
    out.push('\n');
    out += &wrap(&words.collect::<Vec<_>>().join(", "), width, "  ");
    out.push_str("\n\n");
    let baselines = sweep.baselines();
    out += &table(sweep, &baselines, &swept);
    out.push('\n');
    let varies = |of: fn(&PoolCell) -> bool| sweep.cells.iter().any(of);
    if varies(|cell| cell.ace != "off") && varies(|cell| cell.cleaner != "off") {
        let words = "Speed-up and what is added are over the same pool with neither ACE nor cleaner: where both are \
                     on, of the two together.";
        out += &format!("\n{}\n", wrap(words, width, ""));
    }
    if sweep.cells.len() > 1 && !sweep.cells.iter().all(|cell| baselines.base(cell).is_some()) {
        out += "\nTo see the gain, include --ace off and --cleaner off in the sweep.\n";
    }
    out
}

fn table(sweep: &PoolSweep, baselines: &Baselines<'_>, swept: &[&Dimension]) -> String {
    let timed = sweep.cells.iter().any(|cell| cell.seconds.is_some());
    let ahead = sweep.cells.iter().any(|cell| cell.prefetches > 0);
    let held = sweep.cells.len() > 1;
    let worn = sweep.cells.iter().any(|cell| cell.write_amplification.is_some());
    // Wider than the terminal rather than with numbers broken in two.
    let mut table = new_table(usize::MAX);
    let mut head: Vec<&str> = swept.iter().map(|dimension| dimension.name).collect();
    head.extend(["hits", "misses", "writes", "batches"]);
    head.extend(ahead.then_some("ahead (used)"));
    head.extend(timed.then_some("seconds"));
    head.extend((timed && held).then_some("speed-up"));
    head.extend(held.then_some(["+misses", "+writes"]).into_iter().flatten());
    head.extend(worn.then_some(["amplification", "drive lasts"]).into_iter().flatten());
    table.set_header(head);
    for cell in &sweep.cells {
        let base = baselines.base(cell);
        let or_none = |value: Option<String>| value.unwrap_or_else(|| "–".to_owned());
        let share = |of: fn(&PoolCell) -> u64| or_none(base.and_then(|b| added(of(cell), of(b))).map(signed));
        let mut row: Vec<String> = swept.iter().map(|dimension| (dimension.of)(cell)).collect();
        row.extend([
            format!("{:.1} %", 100.0 * cell.hit_share()),
            cell.misses.to_string(),
            cell.writes.to_string(),
            cell.batches.to_string(),
        ]);
        row.extend(ahead.then(|| format!("{} ({})", cell.prefetches, cell.prefetches_used)));
        row.extend(timed.then(|| or_none(cell.seconds.map(seconds))));
        let speedup =
            || or_none(base.and_then(|b| cell.speedup_over(b)).map(|s| format!("{}×", significant(s))));
        row.extend((timed && held).then(speedup));
        row.extend(held.then(|| [share(|c| c.misses), share(|c| c.writes)]).into_iter().flatten());
        let amplification = or_none(cell.write_amplification.map(|times| format!("{times:.3}×")));
        row.extend(
            worn.then(|| [amplification, or_none(cell.life_operations.map(operations))])
                .into_iter()
                .flatten(),
        );
        table.add_row(row);
    }
    finish(table, usize::MAX)
}

/// To four digits: runtimes are compared.
fn seconds(value: f64) -> String {
    match value {
        v if v >= 1000.0 => format!("{v:.0}"),
        v if v >= 100.0 => format!("{v:.1}"),
        v if v >= 10.0 => format!("{v:.2}"),
        v if v >= 0.1 => format!("{v:.3}"),
        v if v >= 0.01 => format!("{v:.4}"),
        v => format!("{v:.6}"),
    }
}

fn signed(share: f64) -> String {
    format!("{:+.2} %", 100.0 * share)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pool::sample::{cell, sweep};

    #[test]
    fn what_is_swept_has_columns_and_what_is_not_stands_above() {
        let more = PoolCell { misses: 408, ..cell("cow-x", "off", 2.0) };
        let text = render_pool(&sweep(vec![cell("off", "off", 3.0), more]), 100);
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines[0].contains("gen:paper-ms?ops=1000 on sim:flash, pages of 4K"), "{text}");
        assert!(lines[1].contains("100 frames, 1 client, lru, cleaner off"), "{text}");
        assert!(lines[3].contains("ACE") && !lines[3].contains("policy"), "{text}");
        let row = lines.iter().find(|line| line.contains("cow-x")).unwrap();
        for word in ["59.2 %", "1.50×", "+2.00 %", "+0.00 %", "2.000"] {
            assert!(row.contains(word), "{word} in {row}");
        }
    }

    #[test]
    fn without_a_base_nothing_is_said_to_be_gained() {
        let text = render_pool(&sweep(vec![cell("cow", "off", 3.0), cell("cow-x", "off", 2.0)]), 100);
        assert!(!text.contains('×') && text.contains("–") && text.contains("--ace off"), "{text}");
        let alone = render_pool(&sweep(vec![cell("cow", "off", 3.0)]), 100);
        assert!(!alone.contains("speed-up") && !alone.contains("--ace"), "{alone}");
    }

    #[test]
    fn without_a_device_there_are_no_seconds() {
        let counted = PoolCell { seconds: None, p99_us: None, ..cell("off", "off", 0.0) };
        let text = render_pool(&PoolSweep { device: None, ..sweep(vec![counted]) }, 100);
        assert!(!text.contains("seconds") && text.contains("pages are counted"), "{text}");
    }
}
