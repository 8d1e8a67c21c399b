//! Rows that are in memory, as files and as lines.

use std::ops::Range;
use std::path::Path;

use leadline_files::NewFile;

use super::cells::{Cells, ColumnCells, RowWriter};
use super::columns::{RowColumn, RowValues, Rows};
use super::{BUFFER, Format, ROWS, csv, parquet};
use crate::{Graph, GraphError};

/// A file for rows, in the making. It takes its name only when it is whole.
#[derive(Debug)]
pub struct RowFile {
    file: NewFile,
    format: Format,
}

impl RowFile {
    /// A file: `.csv` or `.parquet`. To be made before the work whose rows it is to hold, so that a place
    /// that cannot be written is found out first.
    ///
    /// # Errors
    /// [`GraphError::Path`]: another ending, or a place that takes no file.
    pub fn create(path: &Path) -> Result<RowFile, GraphError> {
        match Format::of_ending(path) {
            Some(format @ (Format::Csv | Format::Parquet)) => {
                Ok(RowFile { file: NewFile::with_capacity(BUFFER, path)?, format })
            }
            _ => Err(GraphError::path(
                path,
                "its ending is no known format for these rows; name a .csv or .parquet",
            )),
        }
    }

    /// Writes all rows, brings them to the disk and gives the file its name, in place of one that has it. The
    /// blocks that the last run cached are let go. Returns the bytes of the file.
    ///
    /// # Errors
    /// [`GraphError::Write`]; no file is left then, or still the old one.
    pub fn write(self, graph: &Graph, rows: &Rows) -> Result<u64, GraphError> {
        graph.forget_cache()?;
        let none = rows.cells(0..0);
        let mut writer: Box<dyn RowWriter> = match self.format {
            Format::Parquet => Box::new(parquet::Writer::new(self.file, &none)?),
            _ => Box::new(csv::Writer::new(self.file, &none)?),
        };
        for range in rows.pieces() {
            writer.put(&rows.cells(range))?;
        }
        writer.finish()
    }
}

impl Rows {
    /// Calls `each` with the rows as lines of CSV, after a line with the names of the columns, some thousand
    /// lines at a time.
    ///
    /// # Errors
    /// What `each` fails with.
    pub fn each_csv<E>(&self, mut each: impl FnMut(&str) -> Result<(), E>) -> Result<(), E> {
        // A vector takes any number of bytes, and these are UTF-8.
        let mut lines = Vec::new();
        let _ = csv::names(&mut lines, &self.cells(0..0));
        for range in self.pieces() {
            let cells = self.cells(range.clone());
            for row in 0..range.len() {
                let _ = csv::line(&mut lines, &cells, row);
            }
            each(&String::from_utf8_lossy(&lines))?;
            lines.clear();
        }
        if lines.is_empty() { Ok(()) } else { each(&String::from_utf8_lossy(&lines)) }
    }

    fn pieces(&self) -> impl Iterator<Item = Range<usize>> + use<> {
        let count = self.count();
        (0..count).step_by(ROWS).map(move |start| start..count.min(start + ROWS))
    }

    /// Some rows, as they are written.
    fn cells(&self, rows: Range<usize>) -> Vec<ColumnCells> {
        self.columns.iter().map(|column| column.cells(rows.clone())).collect()
    }
}

impl RowColumn {
    fn cells(&self, rows: Range<usize>) -> ColumnCells {
        let cells = match &self.values {
            RowValues::Integers(values) => Cells::Integers(values[rows].to_vec()),
            RowValues::Doubles(values) => Cells::Doubles(values[rows].to_vec()),
            RowValues::Ids(values) => Cells::Ids(values[rows].to_vec()),
            RowValues::Texts(texts) => {
                let text = |row| self.is_present(row).then(|| texts.text(row).into_owned());
                Cells::Texts(rows.map(text).collect())
            }
        };
        ColumnCells { name: self.name, optional: self.optional, cells }
    }

    /// Whether a cell is there.
    pub fn is_present(&self, row: usize) -> bool {
        self.present.as_ref().is_none_or(|bits| bits[row / 8] >> (row % 8) & 1 == 1)
    }
}
