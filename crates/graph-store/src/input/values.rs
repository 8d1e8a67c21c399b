//! Lines of a vertex and its value, as Graphalytics has results.

use std::path::Path;

use super::chunks::{Chunks, Cut, Failure};
use super::source::Source;
use crate::GraphError;

/// A text of lines `id value`, read some at a time.
pub(crate) struct ValueLines {
    chunks: Chunks,
    piece: Vec<u8>,
    /// Lines before the piece.
    lines: u64,
}

impl ValueLines {
    /// Opens a file, compressed or not.
    ///
    /// # Errors
    /// As every input.
    pub(crate) fn open(path: &Path) -> Result<ValueLines, GraphError> {
        Ok(ValueLines { chunks: Chunks::new(Source::text(path)?, Cut::Lines), piece: Vec::new(), lines: 0 })
    }

    /// Reads the next lines; false at the end.
    ///
    /// # Errors
    /// [`GraphError::Read`], [`GraphError::Malformed`] where a line is longer than any should be.
    pub(crate) fn next_piece(&mut self) -> Result<bool, GraphError> {
        let there = self.chunks.next(&mut self.piece);
        there.map_err(|failure| failure.at(self.chunks.name(), self.lines))
    }

    /// Calls `take` with the number, the id and the value of each line read, from 1 on.
    ///
    /// # Errors
    /// [`GraphError::Malformed`] with the line: it has not two fields, or `take` says what is wrong with
    /// them. What `take` returned.
    pub(crate) fn each(
        &mut self,
        mut take: impl FnMut(u64, &[u8], &[u8]) -> Result<Result<(), GraphError>, String>,
    ) -> Result<(), GraphError> {
        let text = self.piece.strip_suffix(b"\n").unwrap_or(&self.piece);
        for line in text.split(|byte| *byte == b'\n') {
            self.lines += 1;
            let mut fields = line.split(u8::is_ascii_whitespace).filter(|field| !field.is_empty());
            let done = match (fields.next(), fields.next(), fields.next()) {
                (None, ..) => continue,
                (Some(id), Some(value), None) => take(self.lines, id, value),
                _ => Err("expected an id and a value with a space between them".to_owned()),
            };
            let failed = |what: String| Failure::Line { before: 0, what: what.into() };
            done.map_err(|what| failed(what).at(self.chunks.name(), self.lines - 1))??;
        }
        Ok(())
    }

    /// Bytes of the file read so far, and all of them if that is known.
    pub(crate) fn progress(&self) -> (u64, Option<u64>) {
        self.chunks.meter().progress()
    }
}
