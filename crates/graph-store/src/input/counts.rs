//! A first line that says how many vertices and edges there are, and is no edge.

use std::borrow::Cow;

use leadline_text::Dialect;

use super::chunks::Wrong;
use super::columns::Chosen;
use super::number::whole;
use crate::InputOption;

/// The number of a line, and its fields.
pub(super) type Row<'b> = (u64, Vec<Cow<'b, [u8]>>);

/// What a first line says that holds the numbers of vertices and edges: the first is no less than any id, and
/// the second is how many lines follow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Counts {
    vertices: u64,
    edges: u64,
}

impl Counts {
    /// Fewer edges may follow by chance as many as the first one's target says.
    const LEAST: usize = 8;

    /// What the first of the rows says, if it may say that.
    pub(super) fn of(rows: &[Row<'_>], dialect: &Dialect, chosen: &Chosen) -> Option<Counts> {
        let (first, rest) = rows.split_first()?;
        let number = |row: &Row<'_>, column: usize| whole(row.1.get(column)?, "").ok();
        let (vertices, edges) = (number(first, chosen.source)?, number(first, chosen.target)?);
        let holds = |row: &Row<'_>| {
            let ends = [chosen.source, chosen.target].map(|column| number(row, column));
            ends.iter().all(|id| id.is_some_and(|id| id <= vertices))
        };
        let fits = dialect.columns == 2 && dialect.header.is_none() && rest.len() >= Counts::LEAST;
        (fits && edges >= rest.len() as u64 / 2 && rest.iter().all(holds))
            .then_some(Counts { vertices, edges })
    }

    /// Whether the first line is an edge, where the file has `lines` lines.
    pub(super) fn check(self, lines: u64) -> Result<(), Wrong> {
        let Counts { vertices, edges } = self;
        if ![edges, edges.saturating_mul(2)].contains(&lines.saturating_sub(1)) {
            return Ok(());
        }
        let text = format!(
            "{vertices} and {edges} may be an edge, or say how many vertices and edges there are, as {} lines \
             follow; pass over this line, or say that there is no header",
            lines - 1
        );
        Err(Wrong { text, option: Some(InputOption::Counts) })
    }
}
