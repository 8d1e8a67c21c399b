//! A line that has been split.

use std::borrow::Cow;

use crate::{Delimiter, Fields};

/// The fields of a line.
pub(crate) type Row<'b> = Vec<Cow<'b, [u8]>>;

/// All fields of a line.
pub(crate) fn split(line: &[u8], delimiter: Delimiter) -> Result<Row<'_>, String> {
    let mut fields = Fields::new(line, delimiter);
    let mut row = Row::new();
    while let Some(field) = fields.next_field()? {
        row.push(field);
    }
    Ok(row)
}
