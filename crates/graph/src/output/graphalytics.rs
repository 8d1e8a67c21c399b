//! LDBC Graphalytics' form of results (its specification, arXiv 2011.15028): a line per vertex, its id and
//! its value with a space between them, without a line of names.

use std::io::{self, Write};

use leadline_files::NewFile;

use super::cells::{Cells, ColumnCells, RowWriter};
use super::csv::double;
use crate::GraphError;

/// What stands for the level of a vertex that no path leads to: the largest number of 64 bits with a sign.
const UNREACHED: i64 = i64::MAX;

/// Writes lines.
pub(super) struct Writer {
    file: NewFile,
}

impl Writer {
    pub(super) fn new(file: NewFile) -> Writer {
        Writer { file }
    }

    fn row(&mut self, columns: &[ColumnCells], row: usize) -> io::Result<()> {
        for (column, before) in columns.iter().zip(["", " "]) {
            self.file.write_all(before.as_bytes())?;
            match &column.cells {
                Cells::Integers(cells) if cells[row] < 0 => write!(self.file, "{UNREACHED}")?,
                Cells::Integers(cells) => write!(self.file, "{}", cells[row])?,
                Cells::Doubles(cells) if cells[row].is_infinite() => write!(self.file, "infinity")?,
                Cells::Doubles(cells) => double(&mut self.file, cells[row])?,
                Cells::Ids(cells) => write!(self.file, "{}", cells[row])?,
                Cells::Texts(_) => unreachable!("this format is refused where ids are strings"),
            }
        }
        self.file.write_all(b"\n")
    }
}

impl RowWriter for Writer {
    fn put(&mut self, columns: &[ColumnCells]) -> Result<(), GraphError> {
        for row in 0..columns[0].cells.len() {
            self.row(columns, row).map_err(|error| self.file.write_error(error))?;
        }
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<u64, GraphError> {
        Ok(self.file.finish()?)
    }
}
