//! Records of 8 bytes per column, little-endian, one behind the other and nothing else.

use std::io::Write;

use leadline_files::NewFile;

use super::cells::{Cells, ColumnCells, RowWriter};
use crate::GraphError;

/// Writes records.
pub(super) struct Writer {
    file: NewFile,
}

impl Writer {
    pub(super) fn new(file: NewFile) -> Writer {
        Writer { file }
    }
}

impl RowWriter for Writer {
    fn put(&mut self, columns: &[ColumnCells]) -> Result<(), GraphError> {
        for row in 0..columns[0].cells.len() {
            for column in columns {
                let raw = match &column.cells {
                    Cells::Integers(cells) => cells[row].to_le_bytes(),
                    Cells::Doubles(cells) => cells[row].to_le_bytes(),
                    Cells::Ids(cells) => cells[row].to_le_bytes(),
                    Cells::Texts(_) => unreachable!("a file of numbers is refused where ids are strings"),
                };
                self.file.write_all(&raw).map_err(|error| self.file.write_error(error))?;
            }
        }
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<u64, GraphError> {
        Ok(self.file.finish()?)
    }
}
