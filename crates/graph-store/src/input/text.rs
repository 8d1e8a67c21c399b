//! Edges in lines of text: SNAP, CSV, TSV, GAP, the edges of Graphalytics and the entries of Matrix Market.

use memchr::{memchr, memrchr};

use super::chunks::{CHUNK, Chunks, Failure};
use super::counts::Counts;
use super::grammar::{Grammar, Parsed};
use super::number::whole;
use super::source::{Anywhere, Meter};
use super::strings::Strings;
use super::summary::InputSummary;
use super::workers::Workers;
use super::{Batch, Declared, EdgeReader, InputOptions, Sample};
use crate::GraphError;

/// Bytes of a sample that are read from one place, and for how many edges that is enough, about.
const TOGETHER: (usize, usize) = (1 << 10, 64);

/// Reads lines, each of which holds an edge or nothing.
pub(super) struct TextReader {
    name: String,
    declared: Declared,
    grammar: Grammar,
    /// Lines before those to come.
    lines: u64,
    /// Edges that must come, as the header says.
    entries: Option<u64>,
    /// What the first line may say instead of being an edge.
    counts: Option<Counts>,
    first_line: u64,
    found: u64,
    pieces: Pieces,
    strings: Option<Strings>,
    anywhere: Option<Anywhere>,
    meter: Meter,
    summary: InputSummary,
    ended: bool,
}

/// Where parsed pieces come from.
enum Pieces {
    /// This thread.
    Own(Chunks, Vec<u8>),
    /// Others.
    Workers(Workers),
}

/// A text whose header was read.
pub(super) struct Opened {
    pub(super) chunks: Chunks,
    pub(super) grammar: Grammar,
    pub(super) declared: Declared,
    /// Lines that were read.
    pub(super) lines: u64,
    /// Edges that the header declares.
    pub(super) entries: Option<u64>,
    /// What the first edge may be instead.
    pub(super) counts: Option<Counts>,
    /// Ids are strings and numbered here.
    pub(super) strings: Option<Strings>,
    /// How it was understood.
    pub(super) summary: InputSummary,
}

impl TextReader {
    /// Text is parsed by as many threads as wanted and as fit in memory: next to strings, in an eighth of it.
    pub(super) fn new(opened: Opened, options: &InputOptions) -> Result<TextReader, GraphError> {
        let Opened { mut chunks, grammar, declared, lines, entries, counts, mut strings, mut summary } =
            opened;
        summary.ids = if strings.is_some() { "strings" } else { "numbers" };
        let (name, meter) = (chunks.name().to_owned(), chunks.meter());
        let anywhere = chunks.take_anywhere();
        // Threads do not pay for a file of a few pieces.
        let small = meter.total().is_some_and(|total| total < 4 * CHUNK as u64);
        let memory = if strings.is_some() { options.memory / 8 } else { options.memory };
        let each = Workers::bytes(strings.is_some());
        let threads = options.threads.min((memory / each) as usize);
        let pieces = if threads > 1 && !small {
            strings = strings.map(|strings| strings.beside(threads as u64 * each));
            Pieces::Workers(Workers::start(chunks, grammar, strings.is_some(), threads)?)
        } else {
            Pieces::Own(chunks, Vec::new())
        };
        Ok(TextReader {
            name,
            declared,
            grammar,
            lines,
            entries,
            counts,
            first_line: lines + 1,
            found: 0,
            pieces,
            strings,
            anywhere,
            meter,
            summary,
            ended: false,
        })
    }

    /// The next piece, nothing at the end.
    fn piece(&mut self, batch: &mut Batch) -> Result<Option<Parsed>, GraphError> {
        match &mut self.pieces {
            Pieces::Workers(workers) => {
                let parsed = workers.next()?;
                Ok(match &mut self.strings {
                    Some(strings) => parsed.map(|parsed| self.grammar.numbered(parsed, strings)),
                    None => parsed,
                })
            }
            Pieces::Own(chunks, chunk) => Ok(match chunks.next(chunk) {
                Ok(true) => {
                    let mut parsed = Parsed { batch: std::mem::take(batch), ..Parsed::default() };
                    self.grammar.parse(chunk, self.strings.as_mut(), &mut parsed);
                    Some(parsed)
                }
                Ok(false) => None,
                Err(failure) => Some(Parsed::failed(failure)),
            }),
        }
    }

    fn check_entries(&self, at_end: bool) -> Result<(), GraphError> {
        match self.entries {
            Some(entries) if self.found > entries || at_end && self.found < entries => {
                let more = if at_end { "" } else { "at least " };
                let what = format!(
                    "expected the {entries} entries that its header declares, found {more}{}; it was cut off or \
                     its header is wrong",
                    self.found
                );
                Err(GraphError::malformed(&self.name, what))
            }
            _ => Ok(()),
        }
    }
}

impl EdgeReader for TextReader {
    fn declared(&self) -> Declared {
        self.declared
    }

    fn next_batch(&mut self, batch: &mut Batch) -> Result<bool, GraphError> {
        batch.clear();
        if self.ended {
            return Ok(false);
        }
        let Some(parsed) = self.piece(batch)? else {
            self.ended = true;
            self.check_entries(true)?;
            if let Some(counts) = self.counts {
                let place = format!("{}: line {}", self.name, self.first_line);
                counts.check(self.found).map_err(|wrong| wrong.at(&place))?;
            }
            return Ok(false);
        };
        if let Some(failure) = parsed.failure {
            self.ended = true;
            return Err(failure.at(&self.name, self.lines));
        }
        self.lines += parsed.lines;
        self.summary.lines_skipped.blank += parsed.blank;
        self.summary.lines_skipped.comments += parsed.comments;
        self.found += parsed.batch.pairs.len() as u64;
        *batch = parsed.batch;
        self.check_entries(false)?;
        Ok(true)
    }

    /// Of numbers; strings have none before they are read. The number of edges is estimated from the length
    /// of the sample's lines.
    fn sample(&mut self, most: usize) -> Result<Option<Sample>, GraphError> {
        let (bytes, places) = (TOGETHER.0 as u64, (most / TOGETHER.1) as u64);
        let (Some(anywhere), Some(total), None) = (&self.anywhere, self.meter.total(), &self.strings) else {
            return Ok(None);
        };
        let behind = total.saturating_sub(bytes);
        if behind < places * bytes {
            return Ok(None);
        }
        let (mut parsed, mut parsed_bytes) = (Parsed::default(), 0);
        anywhere.at_places((0..places).map(|place| behind / places * place), TOGETHER.0, |text| {
            // Whole lines only. What is wrong with one is told when it is read in order.
            if let (Some(first), Some(last)) = (memchr(b'\n', text), memrchr(b'\n', text)) {
                self.grammar.parse(&text[first + 1..=last], None, &mut parsed);
                parsed_bytes += last - first;
            }
        })?;
        let pairs = parsed.batch.pairs;
        if pairs.is_empty() {
            return Ok(None);
        }
        let edges = total as f64 / parsed_bytes as f64 * pairs.len() as f64;
        Ok(Some(Sample { edges: edges as u64, pairs }))
    }

    fn progress(&self) -> (u64, Option<u64>) {
        self.meter.progress()
    }

    fn strings(&mut self) -> Option<Vec<String>> {
        self.strings.take().map(Strings::into_strings)
    }

    fn string(&self, number: u64) -> Option<&str> {
        self.strings.as_ref()?.string(number)
    }

    fn forget_strings(&mut self) {
        if let Some(strings) = &mut self.strings {
            strings.forget();
        }
    }

    fn vertex(&mut self, id: &[u8]) -> Result<u64, String> {
        match &mut self.strings {
            Some(strings) => strings.number(id).map_err(|wrong| wrong.text),
            None => whole(id, "a vertex id"),
        }
    }

    fn summary(&self) -> InputSummary {
        self.summary.clone()
    }

    fn memory_bytes(&self) -> u64 {
        let strings = self.strings.as_ref().map_or(0, Strings::memory_bytes);
        let pieces = match &self.pieces {
            Pieces::Own(..) => 2 * CHUNK as u64,
            Pieces::Workers(workers) => {
                2 * CHUNK as u64 + workers.count() * Workers::bytes(self.strings.is_some())
            }
        };
        strings + pieces
    }
}

/// Takes lines off the beginning until one that may hold an edge; each of the others goes to `other`.
pub(super) fn first_edge(
    chunks: &mut Chunks,
    grammar: &Grammar,
    lines: &mut u64,
    mut other: impl FnMut(&[u8]),
) -> Result<Option<Vec<u8>>, GraphError> {
    loop {
        match next_line(chunks, lines)? {
            Some(line) if grammar.without_edge(&line).is_some() => other(&line),
            line => return Ok(line),
        }
    }
}

/// The next line off the beginning, counted.
pub(super) fn next_line(chunks: &mut Chunks, lines: &mut u64) -> Result<Option<Vec<u8>>, GraphError> {
    let name = chunks.name().to_owned();
    let line = chunks.line().map_err(|failure: Failure| failure.at(&name, *lines))?;
    *lines += u64::from(line.is_some());
    Ok(line)
}
