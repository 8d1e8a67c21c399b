//! The tables of the terminal.

use leadline_figures::Table;
use leadline_profile::{Capped, DeviceProfile, Parameters};

use super::kind;
use super::text::render_table;
use crate::compare::{Cell, Comparison, Quantity, Verdict};
use crate::format::{self, count, significant};

/// One row per quantity, one column per pattern and block size; several tables where they do not fit side by
/// side.
pub(super) fn parameters(profile: &DeviceProfile, width: usize) -> String {
    if profile.parameters.is_empty() {
        return "Nothing was measured.".to_owned();
    }
    let (name, column) = (16, 19);
    let fit = ((width - name) / column).max(1);
    let tables: Vec<String> =
        profile.parameters.chunks(fit).map(|entries| block_of(entries, width)).collect();
    tables.join("\n\n")
}

fn block_of(entries: &[Parameters], width: usize) -> String {
    let mut table = Table::named("", entries.iter().map(|e| kind(e.pattern, e.block_bytes)));
    for quantity in Quantity::ALL {
        let cells: Vec<Cell> = entries.iter().map(|e| quantity.cell(e)).collect();
        if cells.iter().any(|cell| cell.value.is_some()) {
            let name = match quantity.unit() {
                "IOPS" => format!("{} IOPS", quantity.name().replace("durable write", "durable")),
                _ => quantity.name().to_owned(),
            };
            table.row(std::iter::once(name).chain(cells.iter().map(|&cell| shown(quantity, cell))));
        }
    }
    let capped = entries.iter().map(|e| match e.capped {
        Capped::Yes => "yes",
        Capped::No => "no",
        Capped::Unknown => "unknown",
    });
    table.row(std::iter::once("capped").chain(capped));
    if entries.iter().any(|e| e.censored.read || e.censored.write) {
        let censored = entries.iter().map(|e| match (e.censored.read, e.censored.write) {
            (true, true) => "reads, writes",
            (true, false) => "reads",
            (false, true) => "writes",
            (false, false) => "no",
        });
        table.row(std::iter::once("censored").chain(censored));
    }
    render_table(&table, width)
}

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
    let Some(value) = cell.value else { return "–".to_owned() };
    match (cell.lower_bound, cell.interval) {
        (true, _) => format!("≥{}", show(value)),
        (false, Some(ends)) => format!("{} ({})", show(value), format::range(ends, show)),
        (false, None) => show(value),
    }
}
