//! Tables within the width of a terminal: numbers are never broken, words only at blanks.

use std::ops::Range;

use comfy_table::{
    CellAlignment, ColumnConstraint, ContentArrangement, Table as Drawn, Width as Fixed, presets,
};
use leadline_figures::Table;
use unicode_width::UnicodeWidthStr as _;

use super::lines::{bound, loose, printable, wrap};

/// Columns of words are not squeezed below this where their cells are longer.
const WORDS: usize = 16;

/// The same of the first column.
const NAMES: usize = 24;

/// Blanks around each cell.
const PADDING: usize = 2;

/// A table; no newline at the end. Numbers to the right, words to the left, no blanks at the ends of lines.
/// Columns for which there is no room are shown below, in a table of their own with the names of the rows
/// again.
pub(crate) fn render_table(table: &Table, width: usize) -> String {
    let columns: Vec<Column> = table
        .columns
        .iter()
        .enumerate()
        .filter(|(_, column)| column.from_width <= width)
        .map(|(index, _)| Column::new(table, index))
        .collect();
    let title = (!table.title.is_empty()).then(|| wrap(&table.title, width, "  ") + "\n");
    let keys = columns.iter().take_while(|column| column.index < table.keys.max(1)).count();
    let (keys, columns) = columns.split_at(keys);
    let tables: Vec<String> = parts(keys, columns, width)
        .into_iter()
        .map(|part| drawn(table, keys.len(), &keys.iter().chain(&columns[part]).collect::<Vec<_>>(), width))
        .collect();
    title.unwrap_or_default() + &tables.join("\n\n")
}

/// A column that is shown.
struct Column {
    /// Its place in the table.
    index: usize,
    words: bool,
    /// Head and cells as they are drawn, a line each.
    cells: Vec<String>,
    /// Columns of the terminal that its cells need at least, without padding.
    least: usize,
    /// Columns of the terminal in which no cell is broken.
    whole: usize,
}

impl Column {
    fn new(table: &Table, index: usize) -> Column {
        let words = table.columns[index].words;
        let head = std::iter::once(&table.columns[index].name);
        let cells: Vec<String> = head
            .chain(table.rows.iter().map(|row| &row.cells[index]))
            .map(|cell| bound(&printable(cell)))
            .collect();
        let longest_word = |cell: &String| cell.split(' ').map(|word| word.width()).max().unwrap_or(0);
        let whole = |cells: &[String]| cells.iter().map(|cell| cell.width()).max().unwrap_or(0);
        let word = cells.iter().map(longest_word).max().unwrap_or(0);
        // Names of rows are longer than other words, and looked for.
        let most = if index == 0 { NAMES } else { WORDS };
        let least = if words { word.max(whole(&cells).min(most)) } else { word.max(whole(&cells[1..])) };
        Column { index, words, least, whole: whole(&cells).max(1), cells }
    }
}

/// The columns of each table beside its keys: as many as fit, and at least one.
fn parts(keys: &[Column], columns: &[Column], width: usize) -> Vec<Range<usize>> {
    // The last blank of a line is not shown.
    let room = width + 1;
    let needs = |column: &Column| column.least + PADDING;
    let of_keys: usize = keys.iter().map(needs).sum();
    let mut parts = Vec::new();
    let (mut start, mut used) = (0, of_keys);
    for (i, column) in columns.iter().enumerate() {
        if i > start && used + needs(column) > room {
            parts.push(start..i);
            (start, used) = (i, of_keys);
        }
        used += needs(column);
    }
    parts.push(start..columns.len());
    parts
}

fn drawn(table: &Table, keys: usize, columns: &[&Column], width: usize) -> String {
    let mut drawn = Drawn::new();
    drawn.load_style(presets::NOTHING).set_content_arrangement(ContentArrangement::Dynamic);
    if columns.iter().any(|column| !table.columns[column.index].name.is_empty()) {
        drawn.set_header(columns.iter().map(|column| &column.cells[0]));
    }
    for row in 1..=table.rows.len() {
        drawn.add_row(columns.iter().map(|column| &column.cells[row]));
    }
    for ((drawn, column), columns) in drawn.column_iter_mut().zip(columns).zip(widths(keys, columns, width)) {
        drawn.set_cell_alignment(if column.words { CellAlignment::Left } else { CellAlignment::Right });
        let columns = u16::try_from(columns + PADDING).unwrap_or(u16::MAX);
        drawn.set_constraint(ColumnConstraint::Absolute(Fixed::Fixed(columns)));
    }
    drawn.lines().map(|line| loose(line.trim_end())).collect::<Vec<_>>().join("\n")
}

/// Of each column: what it needs, and of what is left an equal share for those that would need more.
fn widths(keys: usize, columns: &[&Column], width: usize) -> Vec<usize> {
    let room = (width + 1).saturating_sub(columns.len() * PADDING);
    let mut widths: Vec<usize> = columns.iter().map(|column| column.least.min(column.whole)).collect();
    // Names that are too long for a line are broken inside a word: no other way is left.
    while widths.iter().sum::<usize>() > room
        && let Some(widest) = widths[..keys].iter_mut().max().filter(|widest| **widest > 1)
    {
        *widest -= 1;
    }
    let mut left = room.saturating_sub(widths.iter().sum());
    loop {
        let wanting: Vec<usize> = (0..columns.len()).filter(|&i| widths[i] < columns[i].whole).collect();
        if wanting.is_empty() || left == 0 {
            return widths;
        }
        let share = (left / wanting.len()).max(1);
        for i in wanting {
            let more = share.min(columns[i].whole - widths[i]).min(left);
            widths[i] += more;
            left -= more;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wide() -> Table {
        let names = (1..=9).map(|i| format!("{i} blocks of 4K"));
        let mut table = Table::named("What was found", names);
        table.row(
            std::iter::once("max_read_iops".to_owned())
                .chain((1..=9).map(|i| format!("{i}.00k (0.99–9.99)"))),
        );
        table
    }

    fn fits(text: &str, width: usize) -> bool {
        text.lines().all(|line| line.width() <= width)
    }

    #[test]
    fn columns_that_do_not_fit_go_below_with_the_names_of_the_rows_again() {
        let text = render_table(&wide(), 80);
        assert!(fits(&text, 80), "{text}");
        assert_eq!(text.matches("max_read_iops").count(), 3, "{text}");
        assert_eq!(text.matches("What was found").count(), 1, "{text}");
        for i in 1..=9 {
            assert!(text.contains(&format!("{i}.00k (0.99–9.99)")), "no number is broken:\n{text}");
        }
        assert_eq!(render_table(&wide(), 300).matches("max_read_iops").count(), 1);
    }

    #[test]
    fn words_are_broken_at_blanks_before_numbers_get_less_room() {
        let mut table = Table::new(["key", "value", "why"]).words(2);
        let why = "a very long reason that says in many words why 12 % of the reads in flight are enough";
        table.row(["osd_mclock_max_capacity_iops_ssd", "123456.789", why]);
        for width in [60, 70, 80] {
            let text = render_table(&table, width);
            assert!(fits(&text, width), "{text}");
            assert!(
                text.contains("osd_mclock_max_capacity_iops_ssd") && text.contains("123456.789"),
                "{text}"
            );
            assert!(why.split(' ').all(|word| text.contains(word)), "{text}");
            assert!(text.contains("12 %"), "{text}");
        }
    }

    #[test]
    fn a_name_that_is_longer_than_the_line_leaves_the_numbers_whole() {
        let mut table = Table::new(["file", "requests"]);
        table.row(["x".repeat(100), "1,234,567".to_owned()]);
        let text = render_table(&table, 80);
        assert!(fits(&text, 80) && text.contains("1,234,567"), "{text}");
    }
}
