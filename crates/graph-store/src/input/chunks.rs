//! A text in pieces of whole lines (or words), so that each can be parsed by itself.

use std::io::{Cursor, Read};

use memchr::{memchr, memrchr, memrchr3};

use leadline_text::{BYTE_ORDER_MARK, LineEnd};

use super::source::{Anywhere, Meter, Source};
use crate::{GraphError, InputOption};

/// Bytes of a chunk, and the longest line (or word): some 20,000 edges, at most 65,536.
pub(super) const CHUNK: usize = 256 << 10;

/// What was expected and what was found, and the option that helps if one does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Wrong {
    pub(super) text: String,
    pub(super) option: Option<InputOption>,
}

impl From<String> for Wrong {
    fn from(text: String) -> Wrong {
        Wrong { text, option: None }
    }
}

impl Wrong {
    /// The error of the input at a place.
    pub(super) fn at(self, place: &str) -> GraphError {
        match self.option {
            Some(option) => GraphError::Option { text: format!("{place}: {}", self.text), option },
            None => GraphError::malformed(place, self.text),
        }
    }
}

/// What went wrong in a piece of text.
#[derive(Debug)]
pub(super) enum Failure {
    /// In a line, which is that many behind the first one of the piece.
    Line {
        /// Lines before it in the piece.
        before: u64,
        what: Wrong,
    },
    /// Nothing that a line is to blame for.
    Whole(GraphError),
}

impl Failure {
    /// The same of a piece that has that many lines in front.
    pub(super) fn behind(self, lines: u64) -> Failure {
        match self {
            Failure::Line { before, what } => Failure::Line { before: before + lines, what },
            whole @ Failure::Whole(_) => whole,
        }
    }

    /// The error of a piece before which `lines` lines were read.
    pub(super) fn at(self, name: &str, lines: u64) -> GraphError {
        match self {
            Failure::Line { before, what } => what.at(&format!("{name}: line {}", lines + before + 1)),
            Failure::Whole(error) => error,
        }
    }
}

/// Where a chunk may end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Cut {
    /// Behind a line's end only.
    Lines,
    /// Behind any blank: lines may be longer than memory.
    Words,
}

/// A text, cut up.
pub(super) struct Chunks {
    source: Source,
    cut: Cut,
    /// Read and not yet given out.
    rest: Vec<u8>,
    begun: bool,
    ended: bool,
    byte_order_mark: bool,
    line_end: LineEnd,
}

impl Chunks {
    pub(super) fn new(source: Source, cut: Cut) -> Chunks {
        let (rest, line_end) = (Vec::new(), LineEnd::default());
        Chunks { source, cut, rest, begun: false, ended: false, byte_order_mark: false, line_end }
    }

    /// Cuts in another way from now on.
    pub(super) fn cut(self, cut: Cut) -> Chunks {
        Chunks { cut, ..self }
    }

    /// What comes next, without taking it, and whether it is all that is left. Lines end with `\n`.
    pub(super) fn peek(&mut self) -> Result<(&[u8], bool), GraphError> {
        self.fill()?;
        Ok((&self.rest, self.ended))
    }

    /// Whether the text began with a byte order mark, once it was looked at.
    pub(super) fn had_byte_order_mark(&self) -> bool {
        self.byte_order_mark
    }

    /// What ended its lines.
    pub(super) fn line_end(&self) -> LineEnd {
        self.line_end
    }

    /// The name of the file within, where the text is in an archive.
    pub(super) fn inner_name(&self) -> Option<&str> {
        self.source.inner.as_deref()
    }

    pub(super) fn name(&self) -> &str {
        &self.source.name
    }

    /// For reads at any place, if there are such.
    pub(super) fn take_anywhere(&mut self) -> Option<Anywhere> {
        self.source.anywhere.take()
    }

    pub(super) fn meter(&self) -> Meter {
        self.source.meter.clone()
    }

    /// All that is left, as bytes.
    pub(super) fn into_reader(self) -> Box<dyn Read + Send> {
        Box::new(Cursor::new(self.rest).chain(self.source))
    }

    /// The next piece into `chunk`, which ends with a line's end (or a blank, or the text); false at the end.
    pub(super) fn next(&mut self, chunk: &mut Vec<u8>) -> Result<bool, Failure> {
        self.fill().map_err(Failure::Whole)?;
        chunk.clear();
        if self.rest.is_empty() {
            return Ok(false);
        }
        let end = match self.cut {
            _ if self.ended => Some(self.rest.len() - 1),
            Cut::Lines => memrchr(b'\n', &self.rest),
            Cut::Words => memrchr3(b'\n', b' ', b'\t', &self.rest),
        };
        let Some(end) = end else {
            let what = format!("found more than {CHUNK} bytes without an end, expected an edge a line");
            return Err(Failure::Line { before: 0, what: what.into() });
        };
        std::mem::swap(chunk, &mut self.rest);
        self.rest.clear();
        self.rest.extend_from_slice(&chunk[end + 1..]);
        chunk.truncate(end + 1);
        Ok(true)
    }

    /// Takes the next line off the beginning, without its end; nothing at the end of the text.
    pub(super) fn line(&mut self) -> Result<Option<Vec<u8>>, Failure> {
        if memchr(b'\n', &self.rest).is_none() {
            self.fill().map_err(Failure::Whole)?;
        }
        if self.rest.is_empty() {
            return Ok(None);
        }
        let Some(end) = memchr(b'\n', &self.rest) else {
            let what = format!("found a line of more than {CHUNK} bytes, expected a header or an edge");
            return Err(Failure::Line { before: 0, what: what.into() });
        };
        let behind = self.rest.split_off(end + 1);
        let mut line = std::mem::replace(&mut self.rest, behind);
        line.pop();
        if line.last() == Some(&b'\r') {
            line.pop();
        }
        Ok(Some(line))
    }

    /// Puts a line back, to be read next.
    pub(super) fn put_back(&mut self, line: &[u8]) {
        self.rest.splice(0..0, line.iter().copied().chain([b'\n']));
    }

    /// Reads until a whole chunk or all that is left is in `rest`; a text always ends with a line's end.
    fn fill(&mut self) -> Result<(), GraphError> {
        if self.ended || self.rest.len() >= CHUNK {
            return Ok(());
        }
        let there = self.rest.len();
        self.rest.resize(CHUNK, 0);
        let got = self.source.fill(&mut self.rest[there..])?;
        self.rest.truncate(there + got);
        if !self.begun {
            self.begin();
        }
        if self.line_end == LineEnd::Cr {
            let new = there.min(self.rest.len());
            self.rest[new..].iter_mut().filter(|byte| **byte == b'\r').for_each(|byte| *byte = b'\n');
        }
        if there + got < CHUNK {
            self.ended = true;
            if !self.rest.is_empty() && !self.rest.ends_with(b"\n") {
                self.rest.push(b'\n');
            }
        }
        Ok(())
    }

    /// What the first bytes say of all.
    fn begin(&mut self) {
        self.begun = true;
        self.byte_order_mark = self.rest.starts_with(BYTE_ORDER_MARK);
        // Programs that put one in front of a text that has one mean the same.
        while self.rest.starts_with(BYTE_ORDER_MARK) {
            self.rest.drain(..BYTE_ORDER_MARK.len());
        }
        self.line_end = LineEnd::of(&self.rest);
        if self.line_end == LineEnd::Cr {
            // Read elsewhere, lines would have other ends.
            self.source.anywhere = None;
        }
    }
}
