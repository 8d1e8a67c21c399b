//! Lines of values, commas between them, after a line of names (RFC 4180, with a line feed at the ends of
//! lines).

use std::io::{self, Write};

use leadline_files::NewFile;

use super::cells::{Cells, ColumnCells, RowWriter};
use super::names::NONE;
use crate::GraphError;

/// Writes lines.
pub(super) struct Writer {
    file: NewFile,
}

impl Writer {
    pub(super) fn new(mut file: NewFile, columns: &[ColumnCells]) -> Result<Writer, GraphError> {
        let written = names(&mut file, columns);
        written.map_err(|error| file.write_error(error))?;
        Ok(Writer { file })
    }
}

impl RowWriter for Writer {
    fn put(&mut self, columns: &[ColumnCells]) -> Result<(), GraphError> {
        for row in 0..columns[0].cells.len() {
            line(&mut self.file, columns, row).map_err(|error| self.file.write_error(error))?;
        }
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<u64, GraphError> {
        Ok(self.file.finish()?)
    }
}

/// The line with the names of columns.
pub(super) fn names(out: &mut impl Write, columns: &[ColumnCells]) -> io::Result<()> {
    let names: Vec<&str> = columns.iter().map(|column| column.name).collect();
    writeln!(out, "{}", names.join(","))
}

/// The line of a row.
pub(super) fn line(out: &mut impl Write, columns: &[ColumnCells], row: usize) -> io::Result<()> {
    for (i, column) in columns.iter().enumerate() {
        if i > 0 {
            out.write_all(b",")?;
        }
        match &column.cells {
            Cells::Integers(cells) => write!(out, "{}", cells[row])?,
            Cells::Doubles(cells) => double(out, cells[row])?,
            Cells::Ids(cells) if column.optional && cells[row] == NONE => {}
            Cells::Ids(cells) => write!(out, "{}", cells[row])?,
            Cells::Texts(cells) => {
                if let Some(text) = &cells[row] {
                    quoted(out, text)?;
                }
            }
        }
    }
    out.write_all(b"\n")
}

/// The fewest digits that read back as the same number; `inf` where it is infinite.
pub(super) fn double(out: &mut impl Write, value: f64) -> io::Result<()> {
    let size = value.abs();
    // Plain where that is short.
    if size == 0.0 || (1e-5..1e16).contains(&size) || !value.is_finite() {
        write!(out, "{value}")
    } else {
        write!(out, "{value:e}")
    }
}

/// In quotation marks where a reader would cut it short without; an empty text too, which is not the same as
/// none.
fn quoted(out: &mut impl Write, text: &str) -> io::Result<()> {
    if !text.is_empty() && !text.contains(['"', ',', '\n', '\r']) && text.trim() == text {
        return out.write_all(text.as_bytes());
    }
    write!(out, "\"{}\"", text.replace('"', "\"\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(write: impl Fn(&mut Vec<u8>) -> io::Result<()>) -> String {
        let mut out = Vec::new();
        write(&mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn numbers_read_back_as_they_were() {
        for value in [0.0, 0.1, 1.0 / 3.0, 1e-5, 9.99e-6, 5e-324, 1e15, 1e16, f64::MAX, f64::INFINITY, -2.5] {
            let written = text(|out| double(out, value));
            assert_eq!(written.parse::<f64>().unwrap(), value, "{written}");
            assert!(written.len() <= 24, "{written}");
        }
        assert_eq!(text(|out| double(out, f64::INFINITY)), "inf");
    }

    #[test]
    fn only_what_needs_quotation_marks_has_them() {
        for (plain, written) in [
            ("a b", "a b"),
            ("a,b", "\"a,b\""),
            ("say \"hi\"", "\"say \"\"hi\"\"\""),
            ("", "\"\""),
            (" a", "\" a\""),
        ] {
            assert_eq!(text(|out| quoted(out, plain)), written);
        }
    }
}
