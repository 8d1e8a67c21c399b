//! What readers of formats of their own have in common: each only says what is in the next piece.

use super::chunks::{CHUNK, Chunks, Failure, Wrong};
use super::number::{is_integer, shown, whole};
use super::source::Meter;
use super::strings::Strings;
use super::summary::InputSummary;
use super::{Batch, Declared, EdgeReader, IdMode, InputOptions};
use crate::{GraphError, InputOption};

/// Edges and vertices, some at a time.
pub(super) trait Records: Send {
    /// Adds some more to `batch`, perhaps none; false at the end.
    fn more(&mut self, out: &mut Out) -> Result<bool, GraphError>;

    /// Adds what is known by now to the summary.
    fn tell(&self, summary: &mut InputSummary);

    fn memory_bytes(&self) -> u64;
}

/// Where records go.
pub(super) struct Out {
    pub(super) batch: Batch,
    pub(super) ids: Ids,
    /// Weights are given.
    pub(super) weights: bool,
}

impl Out {
    pub(super) fn new(options: &InputOptions, weights: bool) -> Out {
        Out { batch: Batch::default(), ids: Ids::new(options), weights }
    }

    pub(super) fn edge(&mut self, source: u64, target: u64, weight: f64) {
        self.batch.pairs.push((source, target));
        if self.weights {
            self.batch.weights.push(weight);
        }
    }
}

/// Ids as they come: numbers, or strings that are numbered.
pub(super) enum Ids {
    /// The first id decides.
    Open(u64),
    Numbers {
        /// Names may be read, if somebody says so.
        advise: bool,
    },
    Strings(Strings),
}

impl Ids {
    pub(super) fn new(options: &InputOptions) -> Ids {
        match options.ids {
            IdMode::Auto => Ids::Open(options.memory),
            IdMode::Numbers => Ids::Numbers { advise: true },
            IdMode::Strings => Ids::Strings(Strings::new(options.memory)),
        }
    }

    /// Numbers, as the format has them.
    pub(super) fn numbers() -> Ids {
        Ids::Numbers { advise: false }
    }

    /// The number of an id; `what` it is, for the message.
    pub(super) fn number(&mut self, id: &[u8], what: &str) -> Result<u64, Wrong> {
        match self {
            Ids::Strings(strings) => strings.number(id),
            Ids::Numbers { advise } => whole(id, what).map_err(|text| {
                if !*advise || is_integer(id) {
                    return text.into();
                }
                let text = format!("{text}; where ids are names, read them as strings");
                Wrong { text, option: Some(InputOption::Ids) }
            }),
            Ids::Open(memory) => {
                let is_number = !id.is_empty() && id.iter().all(u8::is_ascii_digit);
                *self = if is_number {
                    Ids::Numbers { advise: true }
                } else {
                    Ids::Strings(Strings::new(*memory))
                };
                self.number(id, what)
            }
        }
    }

    pub(super) fn strings(&self) -> Option<&Strings> {
        match self {
            Ids::Strings(strings) => Some(strings),
            _ => None,
        }
    }
}

/// The reader of an input whose records are given by `R`.
pub(super) struct RecordReader<R> {
    records: R,
    out: Out,
    /// Read before the first call, to know what the input declares.
    ahead: Option<Batch>,
    declared: Declared,
    meter: Meter,
    summary: InputSummary,
    ended: bool,
}

impl<R: Records> RecordReader<R> {
    /// `out` may hold what was read so far.
    pub(super) fn new(
        records: R,
        mut out: Out,
        declared: Declared,
        meter: Meter,
        summary: InputSummary,
    ) -> RecordReader<R> {
        let ahead = Some(std::mem::take(&mut out.batch)).filter(|batch| *batch != Batch::default());
        let declared = Declared { weighted: out.weights, ..declared };
        RecordReader { records, out, ahead, declared, meter, summary, ended: false }
    }
}

impl<R: Records> EdgeReader for RecordReader<R> {
    fn declared(&self) -> Declared {
        self.declared
    }

    fn next_batch(&mut self, batch: &mut Batch) -> Result<bool, GraphError> {
        batch.clear();
        if let Some(ahead) = self.ahead.take() {
            *batch = ahead;
            return Ok(true);
        }
        // After an error nothing more is read.
        if std::mem::replace(&mut self.ended, true) {
            return Ok(false);
        }
        std::mem::swap(batch, &mut self.out.batch);
        let more = self.records.more(&mut self.out);
        std::mem::swap(batch, &mut self.out.batch);
        self.ended = !more?;
        // What came with the end is still to be given.
        Ok(!self.ended || *batch != Batch::default())
    }

    fn progress(&self) -> (u64, Option<u64>) {
        self.meter.progress()
    }

    fn strings(&mut self) -> Option<Vec<String>> {
        match std::mem::replace(&mut self.out.ids, Ids::numbers()) {
            Ids::Strings(strings) => Some(strings.into_strings()),
            _ => None,
        }
    }

    fn string(&self, number: u64) -> Option<&str> {
        self.out.ids.strings()?.string(number)
    }

    fn vertex(&mut self, id: &[u8]) -> Result<u64, String> {
        self.out.ids.number(id, "a vertex id").map_err(|wrong| wrong.text)
    }

    fn summary(&self) -> InputSummary {
        let mut summary = self.summary.clone();
        summary.ids = if self.out.ids.strings().is_some() { "strings" } else { "numbers" };
        self.records.tell(&mut summary);
        summary
    }

    fn memory_bytes(&self) -> u64 {
        let strings = self.out.ids.strings().map_or(0, Strings::memory_bytes);
        let ahead = self.ahead.as_ref().map_or(0, Batch::memory_bytes);
        strings + ahead + self.records.memory_bytes()
    }
}

/// What is in a text line by line.
pub(super) trait Lines: Send {
    /// Takes a line, without its end and blanks around it, that is not blank.
    fn line(&mut self, line: &[u8], out: &mut Out) -> Result<(), Wrong>;

    /// The text ended.
    fn end(&mut self, out: &mut Out) -> Result<(), Wrong>;

    /// Adds what is known by now to the summary.
    fn tell(&self, summary: &mut InputSummary);

    fn memory_bytes(&self) -> u64 {
        0
    }
}

/// Records of a text of lines.
pub(super) struct LineRecords<L> {
    chunks: Chunks,
    chunk: Vec<u8>,
    /// Lines that were read.
    pub(super) lines: u64,
    blank: u64,
    pub(super) parser: L,
}

impl<L: Lines> LineRecords<L> {
    pub(super) fn new(chunks: Chunks, parser: L) -> LineRecords<L> {
        LineRecords { chunks, chunk: Vec::new(), lines: 0, blank: 0, parser }
    }

    pub(super) fn meter(&self) -> Meter {
        self.chunks.meter()
    }

    /// Takes single lines until `enough`; for what is in front of edges. False at the end of the text.
    pub(super) fn ahead(
        &mut self,
        out: &mut Out,
        enough: impl Fn(&L, &Out) -> bool,
    ) -> Result<bool, GraphError> {
        while !enough(&self.parser, out) {
            let line = self.chunks.line().map_err(|failure| failure.at(self.chunks.name(), self.lines))?;
            let Some(line) = line else { return Ok(false) };
            self.take(&line, out)?;
        }
        Ok(true)
    }

    fn take(&mut self, line: &[u8], out: &mut Out) -> Result<(), GraphError> {
        self.lines += 1;
        let line = line.trim_ascii();
        if line.is_empty() {
            self.blank += 1;
            return Ok(());
        }
        self.parser
            .line(line, out)
            .map_err(|what| Failure::Line { before: 0, what }.at(self.chunks.name(), self.lines - 1))
    }
}

impl<L: Lines> Records for LineRecords<L> {
    fn more(&mut self, out: &mut Out) -> Result<bool, GraphError> {
        let mut chunk = std::mem::take(&mut self.chunk);
        let more = self.chunks.next(&mut chunk);
        let more = more.map_err(|failure| failure.at(self.chunks.name(), self.lines))?;
        if !more {
            self.parser.end(out).map_err(|what| what.at(self.chunks.name()))?;
            return Ok(false);
        }
        let text = chunk.strip_suffix(b"\n").unwrap_or(&chunk);
        text.split(|byte| *byte == b'\n').try_for_each(|line| self.take(line, out))?;
        self.chunk = chunk;
        Ok(true)
    }

    fn tell(&self, summary: &mut InputSummary) {
        summary.lines_skipped.blank += self.blank;
        self.parser.tell(summary);
    }

    fn memory_bytes(&self) -> u64 {
        2 * CHUNK as u64 + self.parser.memory_bytes()
    }
}

/// The words of a line.
pub(super) fn words(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty())
}

/// A whole number that must be there.
pub(super) fn number_in<'l>(mut words: impl Iterator<Item = &'l [u8]>, what: &str) -> Result<u64, Wrong> {
    match words.next() {
        Some(word) => Ok(whole(word, what)?),
        None => Err(format!("expected {what}, found the end of the line").into()),
    }
}

/// Nothing more may be in a line.
pub(super) fn nothing_behind<'l>(mut words: impl Iterator<Item = &'l [u8]>, what: &str) -> Result<(), Wrong> {
    match words.next() {
        Some(word) => Err(format!("expected the end of the line after {what}, found {}", shown(word)).into()),
        None => Ok(()),
    }
}
