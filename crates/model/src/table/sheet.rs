//! A CSV file row by row: where each row is in the file, and its fields as numbers.

use std::ops::RangeInclusive;
use std::path::Path;

use leadline_files::TextError;

use super::shown::{LAYOUTS, quoted};

/// The most requests in flight that a table may name; far more than any device takes.
const MOST_CONCURRENCY: f64 = 1e6;

/// A header and the rows that follow.
pub(super) struct Sheet<'a> {
    pub(super) path: &'a Path,
    text: &'a str,
    reader: csv::Reader<&'a [u8]>,
    /// Names of the columns, lower case.
    pub(super) header: Vec<String>,
    pub(super) header_line: usize,
    fields: csv::StringRecord,
    /// The byte up to which lines have been counted, and the line there.
    counted: (usize, usize),
}

/// Where a column stands.
#[derive(Clone, Copy)]
pub(super) struct Column {
    pub(super) name: &'static str,
    at: usize,
}

/// One row below the header.
pub(super) struct Row<'s> {
    path: &'s Path,
    pub(super) line: usize,
    fields: &'s csv::StringRecord,
}

impl<'a> Sheet<'a> {
    /// Reads up to the header.
    pub(super) fn new(text: &'a str, path: &'a Path) -> Result<Self, TextError> {
        let reader = csv::ReaderBuilder::new()
            .has_headers(false)
            .flexible(true)
            .comment(Some(b'#'))
            .trim(csv::Trim::All)
            .from_reader(text.as_bytes());
        let fields = csv::StringRecord::new();
        let mut sheet =
            Sheet { path, text, reader, header: Vec::new(), header_line: 0, fields, counted: (0, 1) };
        let Some(line) = sheet.advance()? else {
            return Err(TextError::file(path, format!("has no header; {}", LAYOUTS)));
        };
        sheet.header_line = line;
        sheet.header = sheet.fields.iter().map(str::to_lowercase).collect();
        Ok(sheet)
    }

    /// The next row; `None` after the last.
    pub(super) fn next(&mut self) -> Result<Option<Row<'_>>, TextError> {
        let Some(line) = self.advance()? else { return Ok(None) };
        let (found, expected) = (self.fields.len(), self.header.len());
        if found != expected {
            let reason = format!(
                "has {found} fields where the header has {expected}; write one for each column, with a decimal point \
                 and not a comma in numbers"
            );
            return Err(TextError::line(self.path, line, reason));
        }
        Ok(Some(Row { path: self.path, line, fields: &self.fields }))
    }

    pub(super) fn column(&self, name: &'static str) -> Option<Column> {
        self.header.iter().position(|found| found == name).map(|at| Column { name, at })
    }

    pub(super) fn header_error(&self, reason: impl Into<String>) -> TextError {
        TextError::line(self.path, self.header_line, reason)
    }

    /// Reads the next record with anything in it and returns its line.
    fn advance(&mut self) -> Result<Option<usize>, TextError> {
        loop {
            let more = self
                .reader
                .read_record(&mut self.fields)
                .map_err(|_| TextError::file(self.path, "is not CSV; save the table as CSV in UTF-8"))?;
            if !more {
                return Ok(None);
            }
            let from = self.fields.position().map_or(0, csv::Position::byte);
            let line = self.line_at(usize::try_from(from).unwrap_or(0));
            // Spreadsheets write blank lines as commas alone, and indent or quote comments.
            let blank = self.fields.iter().all(str::is_empty);
            let comment = self.fields.get(0).is_some_and(|field| field.starts_with('#'));
            if !blank && !comment {
                return Ok(Some(line));
            }
        }
    }

    /// The line of the record that the reader looked for from byte `from` on. It begins only after the blank
    /// lines and comments there, which the reader's own position does not count.
    fn line_at(&mut self, from: usize) -> usize {
        let bytes = self.text.as_bytes();
        let mut start = from.min(bytes.len());
        loop {
            match bytes.get(start) {
                Some(b'\r' | b'\n') => start += 1,
                Some(b'#') => {
                    let rest = &bytes[start..];
                    start += rest.iter().position(|&byte| byte == b'\n').unwrap_or(rest.len());
                }
                _ => break,
            }
        }
        let (counted, line) = self.counted;
        let line = line + bytes[counted.min(start)..start].iter().filter(|&&byte| byte == b'\n').count();
        self.counted = (start, line);
        line
    }
}

impl Row<'_> {
    pub(super) fn text(&self, column: Column) -> &str {
        self.fields.get(column.at).unwrap_or("")
    }

    pub(super) fn error(&self, column: Column, reason: impl Into<String>) -> TextError {
        TextError::cell(self.path, self.line, column.name, reason)
    }

    /// A number within `range`, whose start is above 0.
    pub(super) fn positive(
        &self,
        column: Column,
        range: RangeInclusive<f64>,
        unit: &str,
    ) -> Result<f64, TextError> {
        let value = self.number(column)?;
        let text = self.text(column);
        if value <= 0.0 {
            let reason =
                format!("is {text}, and must be more than 0 {unit}; correct it or leave out the row");
            return Err(self.error(column, reason));
        }
        if !range.contains(&value) {
            let (low, high) = (range.start(), range.end());
            let reason =
                format!("is {}, and must be from {low:e} to {high:e} {unit}; check the unit", quoted(text));
            return Err(self.error(column, reason));
        }
        Ok(value)
    }

    /// A whole number of requests in flight.
    pub(super) fn concurrency(&self, column: Column) -> Result<u32, TextError> {
        let value = self.number(column)?;
        if value.fract() != 0.0 || !(1.0..=MOST_CONCURRENCY).contains(&value) {
            let text = quoted(self.text(column));
            let reason = format!("is {text}, and must be a whole number of requests from 1 to 1000000");
            return Err(self.error(column, reason));
        }
        Ok(value as u32)
    }

    /// Any finite number.
    pub(super) fn number(&self, column: Column) -> Result<f64, TextError> {
        let text = self.text(column);
        if text.is_empty() {
            return Err(self.error(column, "is empty; fill it in or leave out the row"));
        }
        match text.parse::<f64>() {
            Ok(value) if value.is_finite() => Ok(value),
            Ok(_) => {
                let reason = format!("is {}, which is not a finite number; leave out the row", quoted(text));
                Err(self.error(column, reason))
            }
            Err(_) => {
                let reason =
                    format!("is {}, which is not a number; write it like 0.25 or 2.5e-1", quoted(text));
                Err(self.error(column, reason))
            }
        }
    }
}
