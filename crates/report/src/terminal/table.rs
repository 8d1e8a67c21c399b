//! The tables of the terminal.

use leadline_figures::Table;
use leadline_profile::{Capped, DeviceProfile, Parameters};

use super::grid::render_table;
use super::kind;
use crate::compare::{Cell, Comparison, Quantity, Verdict};
use crate::format::{self, count, significant};

/// One row per quantity, one column per pattern and block size.
pub(super) fn parameters(profile: &DeviceProfile, width: usize) -> String {
    let entries = &profile.parameters;
    if entries.is_empty() {
        return "No curve was measured.".to_owned();
    }
    let mut table = Table::named("", entries.iter().map(|e| kind(e.pattern, e.block_bytes)));
    let mut row = |name: &str, cells: Vec<String>| {
        if cells.iter().any(|cell| cell != NONE) {
            table.row(std::iter::once(name.to_owned()).chain(cells));
        }
    };
    for quantity in Quantity::ALL {
        let name = match quantity.unit() {
            "IOPS" => format!("{} IOPS", quantity.name().replace("durable write", "durable")),
            _ => quantity.name().to_owned(),
        };
        row(&name, entries.iter().map(|entry| shown(quantity, quantity.cell(entry))).collect());
    }
    for (name, other) in OTHER_K {
        row(name, entries.iter().map(|entry| other(entry).unwrap_or_else(|| NONE.to_owned())).collect());
    }
    let capped = |entry: &Parameters| match entry.capped {
        Capped::Yes => "yes",
        Capped::No => "no",
        Capped::Unknown => "unknown",
    };
    row("capped", entries.iter().map(|entry| capped(entry).to_owned()).collect());
    let censored = |entry: &Parameters| match (entry.censored.read, entry.censored.write) {
        (true, true) => "reads, writes",
        (true, false) => "reads",
        (false, true) => "writes",
        (false, false) => NONE,
    };
    row("censored", entries.iter().map(|entry| censored(entry).to_owned()).collect());
    render_table(&table, width)
}

/// In a cell of which nothing is known.
const NONE: &str = "–";

/// The same k by other rules.
const OTHER_K: [(&str, OfEntry); 4] = [
    ("k_r, X_max R_1", |entry| entry.k_r_little.map(significant)),
    ("k_r, Kneedle", |entry| entry.k_r_knee.map(|k| k.to_string())),
    ("k_w, X_max R_1", |entry| entry.k_w_little.map(significant)),
    ("k_w, Kneedle", |entry| entry.k_w_knee.map(|k| k.to_string())),
];

type OfEntry = fn(&Parameters) -> Option<String>;

/// The comparison: the first profile, then each other with its verdict; one table per other where the width
/// is small.
pub(super) fn differences(comparison: &Comparison, labels: &[String], width: usize) -> String {
    let tables: Vec<String> =
        (1..labels.len()).map(|other| against_first(comparison, labels, other, width)).collect();
    if tables.is_empty() {
        "A single profile has nothing to be compared with.".to_owned()
    } else {
        tables.join("\n\n")
    }
}

fn against_first(comparison: &Comparison, labels: &[String], other: usize, width: usize) -> String {
    let mut table = Table::new(["", &labels[0], &labels[other], "verdict"]).words(3);
    let mut last = None;
    for row in &comparison.rows {
        let group = (row.pattern, row.block_bytes);
        if last.replace(group) != Some(group) {
            table.row([&*kind(row.pattern, row.block_bytes), "", "", ""]);
        }
        let verdict = match row.verdicts[other - 1] {
            Verdict::Differs { ratio } => format!("differs, {}×", significant(ratio)),
            Verdict::CannotTell => "cannot be told apart".to_owned(),
            Verdict::NoInterval => "no interval".to_owned(),
            Verdict::Missing => "not on both".to_owned(),
        };
        let name = format!("  {}", row.quantity.name());
        table.row([name, shown(row.quantity, row.cells[0]), shown(row.quantity, row.cells[other]), verdict]);
    }
    render_table(&table, width)
}

fn shown(quantity: Quantity, cell: Cell) -> String {
    let show = |value: f64| match quantity.unit() {
        "IOPS" => count(value),
        "in flight" => format!("{value:.0}"),
        _ => significant(value),
    };
    let Some(value) = cell.value else { return NONE.to_owned() };
    match (cell.lower_bound, cell.interval) {
        (true, _) => format!("≥{}", show(value)),
        (false, Some(ends)) => format!("{} ({})", show(value), format::range(ends, show)),
        (false, None) => show(value),
    }
}
