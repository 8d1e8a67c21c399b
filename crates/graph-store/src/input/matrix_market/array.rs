//! A dense matrix: all entries, column by column. Entries that are not 0 are edges.

use super::banner::{Banner, Symmetry, Values};
use crate::input::chunks::Wrong;
use crate::input::number::{shown, weight};
use crate::input::records::{Lines, Out, words};
use crate::input::summary::InputSummary;

/// Reads the entries.
pub(super) struct Array {
    rows: u64,
    columns: u64,
    banner: Banner,
    comments: u64,
    /// The next entry, from 1.
    row: u64,
    column: u64,
    /// The real part of an entry whose imaginary part is still to come.
    real: Option<f64>,
    zeros: u64,
}

impl Array {
    pub(super) fn new(banner: Banner, rows: u64, columns: u64) -> Array {
        // One column more is the end.
        let columns = columns.min(u64::MAX - 1);
        let mut array = Array { rows, columns, banner, comments: 0, row: 0, column: 1, real: None, zeros: 0 };
        array.row = array.first_row() - 1;
        array.step();
        array
    }

    /// Goes on to the next entry that is listed.
    fn step(&mut self) {
        self.row += 1;
        if self.row <= self.rows {
            return;
        }
        self.column += 1;
        self.row = self.first_row();
        if self.row > self.rows {
            self.column = self.columns + 1;
        }
    }

    /// The first row of this column that is listed.
    fn first_row(&self) -> u64 {
        match self.banner.symmetry {
            Symmetry::General => 1,
            Symmetry::Symmetric | Symmetry::Hermitian => self.column,
            Symmetry::Skew => self.column.saturating_add(1),
        }
    }

    fn entry(&mut self, word: &[u8], out: &mut Out) -> Result<(), Wrong> {
        if self.column > self.columns {
            let text = format!(
                "expected the end after the entries of {} rows and {} columns, found {}",
                self.rows,
                self.columns,
                shown(word)
            );
            return Err(text.into());
        }
        let value = weight(word)?;
        let (real, imaginary) = match (self.banner.values, self.real.take()) {
            (Values::Complex, None) => {
                self.real = Some(value);
                return Ok(());
            }
            (Values::Complex, Some(real)) => (real, value),
            _ => (value, 0.0),
        };
        if real == 0.0 && imaginary == 0.0 {
            self.zeros += 1;
        } else {
            out.edge(self.row, self.column, real);
        }
        self.step();
        Ok(())
    }
}

impl Lines for Array {
    fn line(&mut self, line: &[u8], out: &mut Out) -> Result<(), Wrong> {
        if line[0] == b'%' {
            self.comments += 1;
            return Ok(());
        }
        words(line).try_for_each(|word| self.entry(word, out))
    }

    fn end(&mut self, _: &mut Out) -> Result<(), Wrong> {
        if self.column > self.columns {
            return Ok(());
        }
        let Array { rows, columns, row, column, .. } = self;
        let text = format!(
            "expected all entries of {rows} rows and {columns} columns, found the end before the entry of row \
             {row} in column {column}; it was cut off or its header is wrong"
        );
        Err(text.into())
    }

    fn tell(&self, summary: &mut InputSummary) {
        summary.lines_skipped.comments += self.comments;
        summary.notes.push(format!("{} entries that are 0 are no edges", self.zeros));
    }
}
