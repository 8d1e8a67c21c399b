//! What a line with an edge looks like, and the parser of a piece of text full of them.

mod ids;
mod line;
mod usual;

use leadline_text::{Comment, Delimiter};
use memchr::memchr;

use super::Batch;
use super::chunks::Failure;
use super::strings::{Names, Strings};
use ids::{Decimal, ToNumber, is_decimal};
pub(super) use line::{Nothing, attribute};

/// The lines of a format.
#[derive(Debug, Clone, Copy)]
pub(super) struct Grammar {
    pub(super) delimiter: Delimiter,
    /// What comments begin with: `#` and `%` where nothing is said.
    pub(super) comment: Option<Comment>,
    /// The columns that are read, from 0.
    pub(super) source: usize,
    pub(super) target: usize,
    /// None where no weight is wanted; where it is wanted, it must be there.
    pub(super) weight: Option<usize>,
    /// Columns of every line.
    pub(super) columns: usize,
    /// Behind source and target stands a dictionary of attributes, as networkx writes it.
    pub(super) attributes: bool,
    /// The smallest and the largest id.
    pub(super) ids: (u64, u64),
    /// Ids are numbers in this format, so nobody is told to read them as strings.
    pub(super) numbers_only: bool,
}

/// Bytes of text whose names are looked up together.
const TOGETHER: usize = 16 << 10;

/// Source and target, and the weight; 0 where none is wanted.
type Edge = ((u64, u64), f64);

/// A parsed piece of text.
#[derive(Debug, Default)]
pub(super) struct Parsed {
    pub(super) batch: Batch,
    /// Lines, up to the failure if there is one.
    pub(super) lines: u64,
    /// Of them, those that are blank, and those that are comments.
    pub(super) blank: u64,
    pub(super) comments: u64,
    pub(super) failure: Option<Failure>,
    /// Where the pairs are places of names: the text, and the names in it.
    pub(super) named: Option<(Vec<u8>, Names)>,
}

impl Parsed {
    pub(super) fn failed(failure: Failure) -> Parsed {
        Parsed { failure: Some(failure), ..Parsed::default() }
    }

    /// Adds what was found in the text behind.
    fn append(&mut self, other: Parsed) {
        let before = self.lines;
        self.batch.pairs.extend(other.batch.pairs);
        self.batch.weights.extend(other.batch.weights);
        self.batch.vertices.extend(other.batch.vertices);
        self.lines += other.lines;
        self.blank += other.blank;
        self.comments += other.comments;
        self.failure = other.failure.map(|failure| failure.behind(before));
    }
}

impl Grammar {
    /// Source and target, and the weight where it is wanted, in the first of `columns` columns between
    /// blanks.
    pub(super) fn blanks(columns: usize, weighted: bool) -> Grammar {
        Grammar {
            delimiter: Delimiter::Blanks,
            comment: None,
            source: 0,
            target: 1,
            weight: weighted.then_some(2),
            columns,
            attributes: false,
            ids: (0, u64::MAX),
            numbers_only: false,
        }
    }

    /// The same, of a format whose ids are numbers.
    pub(super) fn numbers(columns: usize, weighted: bool) -> Grammar {
        Grammar { numbers_only: true, ..Grammar::blanks(columns, weighted) }
    }

    /// Parses a piece of text, whose last byte is a line's end.
    pub(super) fn parse(&self, text: &[u8], strings: Option<&mut Strings>, parsed: &mut Parsed) {
        match strings {
            Some(strings) => self.parse_strings(text, TOGETHER, strings, parsed),
            None => self.parse_lines(text, Decimal { numbers_only: self.numbers_only }, parsed),
        }
    }

    /// The same where ids are strings, of which those in `together` bytes of text are looked up side by side.
    fn parse_strings(&self, text: &[u8], together: usize, strings: &mut Strings, parsed: &mut Parsed) {
        let mut rest = text;
        while !rest.is_empty() && parsed.failure.is_none() {
            let least = rest.len().min(together);
            let end = memchr(b'\n', &rest[least..]).map_or(rest.len(), |at| least + at + 1);
            let (piece, others) = rest.split_at(end);
            let (found, names) = self.find_names(piece);
            parsed.append(self.number_names(piece, found, &names, strings));
            rest = others;
        }
    }

    /// The same where ids are strings that are numbered later, by [`Grammar::numbered`].
    pub(super) fn parse_names(&self, text: Vec<u8>) -> Parsed {
        let (parsed, names) = self.find_names(&text);
        Parsed { named: Some((text, names)), ..parsed }
    }

    /// Numbers the ids of a piece of text; pieces come in order.
    pub(super) fn numbered(&self, mut parsed: Parsed, strings: &mut Strings) -> Parsed {
        match parsed.named.take() {
            Some((text, names)) => self.number_names(&text, parsed, &names, strings),
            None => parsed,
        }
    }

    /// Parses a piece of text whose pairs are then places among the names in it.
    fn find_names(&self, text: &[u8]) -> (Parsed, Names) {
        let (mut parsed, mut names) = (Parsed::default(), Names::default());
        self.parse_lines(text, &mut names, &mut parsed);
        (parsed, names)
    }

    /// Puts the numbers of names in the place of their places.
    fn number_names(&self, text: &[u8], mut parsed: Parsed, names: &Names, strings: &mut Strings) -> Parsed {
        if parsed.failure.is_none()
            && let Ok(numbers) = strings.number_all(names)
        {
            for (source, target) in &mut parsed.batch.pairs {
                (*source, *target) = (numbers[*source as usize], numbers[*target as usize]);
            }
            return parsed;
        }
        // Line by line, to find the first that something is wrong with.
        let mut parsed = Parsed::default();
        self.parse_lines(text, strings, &mut parsed);
        parsed
    }

    fn parse_lines(&self, mut text: &[u8], mut ids: impl ToNumber, parsed: &mut Parsed) {
        let usual_columns = self.usual_columns();
        while !text.is_empty() {
            let usual = if is_decimal(&ids) {
                self.usual(text, usual_columns)
            } else {
                self.usual_names(text, usual_columns, &mut ids)
            };
            let (edge, length) = match usual {
                Some((edge, length)) => (Some(edge), length),
                None => {
                    let length = memchr(b'\n', text).unwrap_or(text.len() - 1) + 1;
                    let line = &text[..length - 1];
                    match self.line(line.strip_suffix(b"\r").unwrap_or(line), &mut ids, parsed) {
                        Ok(edge) => (edge, length),
                        Err(what) => {
                            parsed.failure = Some(Failure::Line { before: parsed.lines, what });
                            return;
                        }
                    }
                }
            };
            if let Some((pair, weight)) = edge {
                parsed.batch.pairs.push(pair);
                if self.weight.is_some() {
                    parsed.batch.weights.push(weight);
                }
            }
            text = &text[length..];
            parsed.lines += 1;
        }
    }
}

#[cfg(test)]
mod tests;
