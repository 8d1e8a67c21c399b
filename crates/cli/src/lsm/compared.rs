//! Predictions beside measurements, as tables.

use std::fmt::Write as _;

use leadline_lsm::validate::{Choice, ComparedCell, Comparison, Errors, Kind, Order, Term};

/// Every cell with its error and the terms that are off, then errors, orders and choices.
pub(super) fn tables(comparison: &Comparison) -> String {
    let mut text = String::new();
    for kind in Kind::ALL {
        cells(&mut text, kind, comparison);
    }
    for Errors { kind, median, mean, largest } in &comparison.errors {
        let percent = |share: &f64| format!("{:.1} %", share * 100.0);
        let _ = writeln!(
            text,
            "{}: error {} in the median, {} on average, {} at most",
            kind.words(),
            percent(median),
            percent(mean),
            percent(largest)
        );
    }
    for Order { kind, pairs, right } in &comparison.orders {
        let _ = writeln!(
            text,
            "{}: {right} of {pairs} pairs whose intervals are apart are predicted in their order",
            kind.words()
        );
    }
    for Choice { mix, clients, predicted, measured, regret } in &comparison.choices {
        let named = |(layout, jobs): &(leadline_lsm::validate::LayoutName, u32)| format!("{layout} ({jobs})");
        let _ = writeln!(
            text,
            "{mix}, {clients} clients: {} chosen, {} best, {:.1} % apart",
            named(predicted),
            named(measured),
            regret * 100.0
        );
    }
    text
}

fn cells(text: &mut String, kind: Kind, comparison: &Comparison) {
    let unit = if kind == Kind::Fill { "s" } else { "us" };
    let by = if kind == Kind::Fill { "threads" } else { "clients" };
    let _ = writeln!(
        text,
        "{:<14}{by:>8}{:>13}{:>13}{:>9}   off by more than 15 %: predicted against measured",
        kind.words(),
        format!("predicted {unit}"),
        format!("measured {unit}"),
        "error"
    );
    for cell in comparison.cells.iter().filter(|cell| cell.kind == kind) {
        let ComparedCell { layout, jobs, clients, predicted, measured, error, terms, off, .. } = cell;
        let off: Vec<String> = terms
            .iter()
            .filter(|term| off.contains(&term.name))
            .map(|Term { name, predicted, measured }| format!("{name} {predicted:.3} : {measured:.3}"))
            .collect();
        let _ = writeln!(
            text,
            "{:<14}{:>8}{:>13.1}{:>13.1}{:>8.1}%   {}",
            layout.to_string(),
            clients.unwrap_or(*jobs),
            predicted.value,
            measured.median,
            error * 100.0,
            off.join(", ")
        );
    }
    text.push('\n');
}
