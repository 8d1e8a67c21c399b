//! Columns of results in memory.

use std::borrow::Cow;

/// Rows in memory, a vector per column.
#[derive(Debug, Clone, PartialEq)]
pub struct Rows {
    /// The columns, all of one length.
    pub columns: Vec<RowColumn>,
}

/// A column of [`Rows`].
#[derive(Debug, Clone, PartialEq)]
pub struct RowColumn {
    /// Its name.
    pub name: &'static str,
    /// Whether ids may be missing, in this table or another of its kind.
    pub optional: bool,
    /// Where ids are missing: a bit per row, from the lowest bit of the first byte on, set where there is an
    /// id. None are missing else.
    pub present: Option<Vec<u8>>,
    /// The cells.
    pub values: RowValues,
}

/// The cells of a [`RowColumn`].
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum RowValues {
    /// Numbers; -1 where a vertex was not reached.
    Integers(Vec<i64>),
    /// Numbers with a point; infinite where they must be.
    Doubles(Vec<f64>),
    /// Ids, and counts; 2^64 - 1 where an id is missing.
    Ids(Vec<u64>),
    /// Ids that are strings; empty where one is missing.
    Texts(Texts),
}

/// Strings, one behind the other.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Texts {
    /// Where each begins in the bytes, and where the last ends: one more than there are strings.
    pub offsets: Vec<i64>,
    /// UTF-8.
    pub bytes: Vec<u8>,
}

impl Texts {
    /// The string of a row.
    ///
    /// # Panics
    /// Where there are not as many.
    pub fn text(&self, row: usize) -> Cow<'_, str> {
        let range = self.offsets[row] as usize..self.offsets[row + 1] as usize;
        String::from_utf8_lossy(&self.bytes[range])
    }
}

impl RowColumn {
    /// A column without missing cells.
    pub(crate) fn full(name: &'static str, values: RowValues) -> RowColumn {
        RowColumn { name, optional: false, present: None, values }
    }
}

impl RowValues {
    /// How many there are.
    pub fn count(&self) -> usize {
        match self {
            RowValues::Integers(values) => values.len(),
            RowValues::Doubles(values) => values.len(),
            RowValues::Ids(values) => values.len(),
            RowValues::Texts(texts) => texts.offsets.len().saturating_sub(1),
        }
    }
}
