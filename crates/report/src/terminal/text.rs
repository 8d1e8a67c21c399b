//! The one renderer of text and tables for a terminal.

use comfy_table::{CellAlignment, ContentArrangement, Table as Drawn, presets};
use leadline_figures::{Column, Part, Table, Text};

/// Tables and plot need so many columns.
pub(super) const NARROWEST: usize = 60;

/// What there is to show, for a terminal `width` columns wide (60 at least). Ends with a newline.
pub fn render_text(text: &Text, width: usize) -> String {
    let width = width.max(NARROWEST);
    let part = |part: &Part| match part {
        Part::Words { words, margins } => broken(words, width, margins.map(|blanks| " ".repeat(blanks))),
        Part::Line(line) => line.clone(),
        Part::Table(table) => render_table(table, width),
        _ => String::new(),
    };
    text.parts.iter().map(|one| part(one) + "\n").collect()
}

/// A table; no newline at the end. Numbers to the right, words to the left, no blanks at the ends of lines.
pub(crate) fn render_table(table: &Table, width: usize) -> String {
    let kept: Vec<usize> =
        (0..table.columns.len()).filter(|&i| table.columns[i].from_width <= width).collect();
    let mut drawn = Drawn::new();
    drawn.load_style(presets::NOTHING).set_content_arrangement(ContentArrangement::Dynamic);
    let columns = if table.whole { usize::MAX } else { width };
    drawn.set_width(u16::try_from(columns).unwrap_or(u16::MAX));
    if kept.iter().any(|&i| !table.columns[i].name.is_empty()) {
        drawn.set_header(kept.iter().map(|&i| printable(&table.columns[i].name)));
    }
    for row in &table.rows {
        drawn.add_row(kept.iter().map(|&i| printable(&row.cells[i])));
    }
    for (column, &i) in drawn.column_iter_mut().zip(&kept) {
        let Column { words, .. } = table.columns[i];
        column.set_cell_alignment(if words { CellAlignment::Left } else { CellAlignment::Right });
    }
    let title = (!table.title.is_empty()).then(|| wrap(&table.title, width, "  "));
    let lines = drawn.lines().map(|line| line.trim_end().to_owned());
    title.into_iter().chain(lines).collect::<Vec<_>>().join("\n")
}

/// A device may call itself anything; the terminal must not obey it.
pub(super) fn printable(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect()
}

/// Breaks at spaces; lines after the first begin with `indent`.
pub(crate) fn wrap(text: &str, width: usize, indent: &str) -> String {
    broken(text, width, [String::new(), indent.to_owned()])
}

/// Breaks at spaces; `margins` stand before the first line and before the others.
fn broken(text: &str, width: usize, [first, rest]: [String; 2]) -> String {
    let text = printable(text);
    let mut lines = Vec::new();
    let mut line = String::new();
    let margin = first;
    for word in text.split(' ') {
        if line.is_empty() {
            line = format!("{margin}{word}");
        } else if line.chars().count() + 1 + word.chars().count() > width {
            lines.push(std::mem::replace(&mut line, format!("{rest}{word}")));
        } else {
            line = format!("{line} {word}");
        }
    }
    lines.push(line);
    lines.join("\n")
}
