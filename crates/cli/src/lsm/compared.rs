//! Predictions next to measurements, as tables.

use std::fmt::Write as _;

use leadline_lsm::figures::comparison_sentences;
use leadline_lsm::validate::{ComparedCell, Comparison, Kind, Term};

/// Every cell with its error and the terms that are off, then errors, orders and choices.
pub(super) fn tables(comparison: &Comparison) -> String {
    let mut text = String::new();
    for kind in Kind::ALL {
        cells(&mut text, kind, comparison);
    }
    for sentence in comparison_sentences(comparison) {
        let _ = writeln!(text, "{sentence}");
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
