//! What commands say, as lines within the width of a terminal.

use leadline_figures::{Part, Text};

use super::grid::render_table;
use super::lines::{NARROWEST, broken};

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
