//! Predictions next to measurements, as tables.

use leadline_figures::{Table, Text};
use leadline_lsm::figures::comparison_sentences;
use leadline_lsm::validate::{ComparedCell, Comparison, Kind, Term};

/// Every cell with its error and the terms that are off, then errors, orders and choices.
pub(super) fn add(text: &mut Text, comparison: &Comparison) {
    for kind in Kind::ALL {
        text.table(cells(kind, comparison));
        text.gap();
    }
    text.say_all(comparison_sentences(comparison));
}

fn cells(kind: Kind, comparison: &Comparison) -> Table {
    let (unit, by) = if kind == Kind::Fill { ("s", "threads") } else { ("us", "clients") };
    let [predicted, measured] = ["predicted", "measured"].map(|name| format!("{name} {unit}"));
    let off = "off by more than 15 %: predicted : measured";
    let row = |cell: &ComparedCell| {
        let ComparedCell { layout, jobs, clients, predicted, measured, error, terms, off, .. } = cell;
        let off = terms.iter().filter(|term| off.contains(&term.name)).map(term).collect::<Vec<_>>();
        [
            layout.to_string(),
            clients.unwrap_or(*jobs).to_string(),
            format!("{:.1}", predicted.value),
            format!("{:.1}", measured.median),
            format!("{:.1} %", error * 100.0),
            off.join(", "),
        ]
    };
    let cells = comparison.cells.iter().filter(|cell| cell.kind == kind);
    Table::new([kind.words(), by, &predicted, &measured, "error", off]).keys(2).words(5).rows(cells.map(row))
}

fn term(Term { name, predicted, measured }: &Term) -> String {
    format!("{name} {predicted:.3} : {measured:.3}")
}
