//! Edges as lines.

use std::fs::File;
use std::io::Write;
use std::path::Path;

use super::{BufferedFile, EdgeFile, EdgeWriter, Id, weighted};
use crate::GraphError;
use crate::input::Format;
use crate::inspect::StoreFile;

/// Columns between commas, tabs or blanks.
pub(super) struct Lines<'a> {
    output: BufferedFile<'a>,
    separator: u8,
    /// Ids with separators in them may be in quotes.
    quotes: bool,
    weighted: bool,
    line: Vec<u8>,
}

impl<'a> Lines<'a> {
    pub(super) fn new(
        file: &'a File,
        path: &'a Path,
        format: Format,
        store: &StoreFile,
    ) -> Result<Lines<'a>, GraphError> {
        let (separator, quotes) = match format {
            Format::Csv => (b',', true),
            Format::Tsv => (b'\t', true),
            _ => (b' ', false),
        };
        let weighted = weighted(store);
        let mut lines =
            Lines { output: BufferedFile::new(file, path)?, separator, quotes, weighted, line: Vec::new() };
        if quotes {
            // A header, so that no first edge between strings is taken for one.
            let columns =
                if weighted { vec!["source", "target", "weight"] } else { vec!["source", "target"] };
            let between = char::from(separator).to_string();
            lines.output.put(format!("{}\n", columns.join(&between)).as_bytes())?;
        }
        Ok(lines)
    }

    fn id(&mut self, id: Id<'_>) -> Result<(), GraphError> {
        match id {
            Id::Number(number) => decimal(number, &mut self.line),
            Id::Text(text) if self.quotes => self.quoted(text),
            Id::Text(text) => {
                let plain =
                    !text.is_empty() && !text.starts_with(['#', '%']) && !text.contains(char::is_whitespace);
                if !plain {
                    let what =
                        format!("the id {text:?} cannot stand between blanks; export to .csv or .parquet");
                    return Err(GraphError::path(self.output.path, what));
                }
                self.line.extend_from_slice(text.as_bytes());
            }
        }
        Ok(())
    }

    /// In quotes where it would be misread without them.
    fn quoted(&mut self, text: &str) {
        let separator = char::from(self.separator);
        let plain = !text.is_empty()
            && !text.contains(|c: char| c == '"' || c == separator || c.is_whitespace())
            && !text.starts_with(['#', '%']);
        if plain {
            return self.line.extend_from_slice(text.as_bytes());
        }
        self.line.push(b'"');
        self.line.extend_from_slice(text.replace('"', "\"\"").as_bytes());
        self.line.push(b'"');
    }
}

impl EdgeWriter for Lines<'_> {
    fn put(&mut self, source: Id<'_>, target: Id<'_>, weight: f64) -> Result<(), GraphError> {
        self.line.clear();
        self.id(source)?;
        self.line.push(self.separator);
        self.id(target)?;
        if self.weighted {
            self.line.push(self.separator);
            // The shortest text that reads back as this very number. A vector takes any number of bytes.
            let _ = write!(self.line, "{weight:?}");
        }
        self.line.push(b'\n');
        self.output.put(&self.line)
    }
}

impl EdgeFile for Lines<'_> {
    fn finish(self: Box<Self>) -> Result<(), GraphError> {
        self.output.finish()
    }
}

fn decimal(mut number: u64, out: &mut Vec<u8>) {
    let mut digits = [0; 20];
    let mut first = digits.len();
    loop {
        first -= 1;
        digits[first] = b'0' + (number % 10) as u8;
        number /= 10;
        if number == 0 {
            break;
        }
    }
    out.extend_from_slice(&digits[first..]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_in_full() {
        for number in [0, 9, 10, 12_345_678_909, u64::MAX] {
            let mut text = Vec::new();
            decimal(number, &mut text);
            assert_eq!(String::from_utf8(text).unwrap(), number.to_string());
        }
    }
}
