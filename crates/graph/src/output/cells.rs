//! Rows on their way to a file, and what every format does with them.

use super::names::{NONE, Names};
use crate::GraphError;

/// Some rows of a column, as they are written. No number and no text stand for "none" where the column may
/// have that.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Cells {
    Integers(Vec<i64>),
    Doubles(Vec<f64>),
    /// [`NONE`] for none.
    Ids(Vec<u64>),
    Texts(Vec<Option<String>>),
}

/// A column's name and its rows.
#[derive(Debug)]
pub(super) struct ColumnCells {
    pub(super) name: &'static str,
    /// Whether cells may be empty.
    pub(super) optional: bool,
    pub(super) cells: Cells,
}

/// Takes rows and makes a file of them.
pub(super) trait RowWriter: Send {
    /// Appends some rows.
    fn put(&mut self, columns: &[ColumnCells]) -> Result<(), GraphError>;

    /// Ends the file; its bytes.
    fn finish(self: Box<Self>) -> Result<u64, GraphError>;
}

impl Cells {
    /// Appends an id: a string at once, of a number its rank, until [`Cells::name`]. Returns the bytes of
    /// text.
    pub(super) fn push_id(&mut self, rank: Option<u64>, names: &mut Names<'_>) -> Result<usize, GraphError> {
        match self {
            Cells::Ids(cells) => cells.push(rank.unwrap_or(NONE)),
            Cells::Texts(cells) => {
                let text = rank.map(|rank| names.text(rank)).transpose()?;
                let bytes = text.as_ref().map_or(0, String::len);
                cells.push(text);
                return Ok(bytes);
            }
            _ => unreachable!("cells are made for their values"),
        }
        Ok(0)
    }

    /// Turns the ranks of ids that are numbers into these.
    pub(super) fn name(&mut self, names: &mut Names<'_>) -> Result<(), GraphError> {
        match self {
            Cells::Ids(ranks) => names.numbers(ranks),
            _ => Ok(()),
        }
    }

    pub(super) fn push_number(&mut self, number: u64) {
        if let Cells::Ids(cells) = self {
            cells.push(number);
        }
    }

    pub(super) fn clear(&mut self) {
        match self {
            Cells::Integers(cells) => cells.clear(),
            Cells::Doubles(cells) => cells.clear(),
            Cells::Ids(cells) => cells.clear(),
            Cells::Texts(cells) => cells.clear(),
        }
    }

    /// Rows.
    pub(super) fn len(&self) -> usize {
        match self {
            Cells::Integers(cells) => cells.len(),
            Cells::Doubles(cells) => cells.len(),
            Cells::Ids(cells) => cells.len(),
            Cells::Texts(cells) => cells.len(),
        }
    }
}
