//! Placement against caching in the terminal.

use leadline_device::format_size;
use leadline_placement::Study;

use super::table::{Line, titled};
use super::{NARROWEST, printable, wrap};
use crate::place::{SIZE_COLUMNS, migration, query_columns, query_lines, size_lines};

/// What to take at each size in words, and the tables of sizes and of queries, broken at `width` columns (60
/// at least). Ends with a newline.
pub fn render_place(study: &Study, width: usize) -> String {
    let width = width.max(NARROWEST);
    let title = format!(
        "{} for what is on {}: placement or caching? Cached blocks of {}; {}",
        study.fast,
        study.slow,
        format_size(study.block_bytes.into()),
        migration(study)
    );
    let mut out = wrap(&printable(&title), width, "  ");
    out.push_str("\n\n");
    for size in &study.all.sizes {
        out += &wrap(&printable(&size.words), width, "  ");
        out.push('\n');
    }
    let cells = |lines: Vec<(String, Vec<String>)>| -> Vec<Line> {
        let shown = |cells: Vec<String>| cells.iter().map(|cell| Some(printable(cell))).collect();
        lines.into_iter().map(|(name, line)| (printable(&name), shown(line))).collect()
    };
    let columns = SIZE_COLUMNS.map(str::to_owned).to_vec();
    out.push('\n');
    out += &titled("All queries together", columns, cells(size_lines(study)), usize::MAX);
    if study.queries.len() > 1 {
        out.push_str("\n\n");
        let columns = query_columns(study);
        out += &titled(
            "Each query by itself: the best at each size",
            columns,
            cells(query_lines(study)),
            usize::MAX,
        );
    }
    out.push('\n');
    for note in &study.notes {
        out += &wrap(&printable(note), width, "  ");
        out.push('\n');
    }
    out
}
