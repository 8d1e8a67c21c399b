//! What a line with an edge looks like, and the parser of a piece of text full of them.

use std::borrow::Cow;

use memchr::memchr;

use super::Batch;
use super::chunks::{Failure, Wrong};
use super::number::{SAFE_DIGITS, decimal, digits, is_integer, shown, weight, whole};
use super::strings::Strings;
use crate::InputOption;

/// What stands between two columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Separator {
    /// Blanks and tabs, any number of them.
    Blanks,
    /// This one byte; fields may stand in quotes.
    Byte(u8),
}

/// The lines of a format.
#[derive(Debug, Clone, Copy)]
pub(super) struct Grammar {
    pub(super) separator: Separator,
    /// Lines that begin with `#` or `%` say nothing about edges.
    pub(super) comments: bool,
    /// The third column is the edge's weight and must be there.
    pub(super) weighted: bool,
    /// Columns that a line may have at most. Without a limit, what lies behind those that are read is not
    /// looked at.
    pub(super) most_columns: Option<usize>,
    /// The smallest and the largest id.
    pub(super) ids: (u64, u64),
}

/// Source and target, and the weight; 0 where none is wanted.
type Edge = ((u64, u64), f64);

/// A parsed piece of text.
#[derive(Debug, Default)]
pub(super) struct Parsed {
    pub(super) batch: Batch,
    /// Lines, up to the failure if there is one.
    pub(super) lines: u64,
    pub(super) failure: Option<Failure>,
}

impl Parsed {
    pub(super) fn failed(failure: Failure) -> Parsed {
        Parsed { failure: Some(failure), ..Parsed::default() }
    }
}

/// Turns the text of an id into its number.
trait ToNumber {
    /// Whether ids are numbers in decimal, so that lines of the usual shape may be read by the short way.
    const DECIMAL: bool;
    fn number(&mut self, field: &[u8], what: &str) -> Result<u64, Wrong>;
}

struct Decimal;

impl ToNumber for Decimal {
    const DECIMAL: bool = true;

    fn number(&mut self, field: &[u8], what: &str) -> Result<u64, Wrong> {
        whole(field, what).map_err(|wrong| {
            if is_integer(field) {
                return wrong.into();
            }
            let text = format!("{wrong}; where ids are names, read them as strings");
            Wrong { text, option: Some(InputOption::Ids) }
        })
    }
}

impl ToNumber for &mut Strings {
    const DECIMAL: bool = false;

    fn number(&mut self, field: &[u8], _: &str) -> Result<u64, Wrong> {
        Strings::number(self, field)
    }
}

impl Grammar {
    /// Parses a piece of text, whose last byte is a line's end.
    pub(super) fn parse(&self, text: &[u8], strings: Option<&mut Strings>, parsed: &mut Parsed) {
        match strings {
            Some(strings) => self.parse_lines(text, strings, parsed),
            None => self.parse_lines(text, Decimal, parsed),
        }
    }

    fn parse_lines(&self, mut text: &[u8], mut ids: impl ToNumber, parsed: &mut Parsed) {
        while !text.is_empty() {
            let usual = if is_decimal(&ids) { self.usual(text) } else { None };
            let (edge, length) = match usual {
                Some((edge, length)) => (Some(edge), length),
                None => {
                    let length = memchr(b'\n', text).unwrap_or(text.len() - 1) + 1;
                    let line = &text[..length - 1];
                    match self.line(line.strip_suffix(b"\r").unwrap_or(line), &mut ids) {
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
                if self.weighted {
                    parsed.batch.weights.push(weight);
                }
            }
            text = &text[length..];
            parsed.lines += 1;
        }
    }

    /// The short way: digits, one separator, digits, perhaps a separator and a plain decimal, the line's end.
    /// The edge and the line's length; nothing where the line is another, right or wrong.
    #[inline(always)]
    fn usual(&self, text: &[u8]) -> Option<(Edge, usize)> {
        let (source, first) = digits(text);
        if !self.separates(*text.get(first)?) {
            return None;
        }
        let (target, second) = digits(&text[first + 1..]);
        if !(1..=SAFE_DIGITS).contains(&first) || !(1..=SAFE_DIGITS).contains(&second) {
            return None;
        }
        let mut end = first + 1 + second;
        let mut weight = 0.0;
        if self.most_columns != Some(2) && self.separates(*text.get(end)?) {
            let length;
            (weight, length) = decimal(&text[end + 1..])?;
            end += 1 + length;
        } else if self.weighted {
            return None;
        }
        if !self.holds((source, target)) {
            return None;
        }
        match text.get(end)? {
            b'\n' => Some((((source, target), weight), end + 1)),
            b'\r' if text.get(end + 1) == Some(&b'\n') => Some((((source, target), weight), end + 2)),
            _ => None,
        }
    }

    #[inline(always)]
    fn separates(&self, byte: u8) -> bool {
        match self.separator {
            Separator::Blanks => byte == b' ' || byte == b'\t',
            Separator::Byte(separator) => byte == separator,
        }
    }

    #[inline(always)]
    fn holds(&self, (source, target): (u64, u64)) -> bool {
        let (least, most) = self.ids;
        source >= least && source <= most && target >= least && target <= most
    }

    /// Any line: an edge, nothing, or what is wrong with it.
    fn line(&self, line: &[u8], ids: &mut impl ToNumber) -> Result<Option<Edge>, Wrong> {
        if self.is_empty(line) {
            return Ok(None);
        }
        let mut fields = Fields::new(line, self.separator);
        let source =
            fields.next("a source id")?.ok_or_else(|| "expected a source id, found nothing".to_owned())?;
        let from = ids.number(&source, "a source id")?;
        let behind = |what, before: &[u8]| {
            format!("expected {what} after {}, found the end of the line", shown(before))
        };
        let target = fields.next("a target id")?.ok_or_else(|| behind("a target id", &source))?;
        let to = ids.number(&target, "a target id")?;
        if !self.holds((from, to)) {
            let (least, most) = self.ids;
            return Err(format!("expected ids from {least} to {most}, found {from} and {to}").into());
        }
        let mut weighs = 0.0;
        if self.weighted {
            let field = fields.next("a weight")?.ok_or_else(|| behind("a weight", &target))?;
            weighs = weight(&field)?;
        }
        if let Some(most) = self.most_columns {
            let mut column = if self.weighted { 3 } else { 2 };
            while let Some(field) = fields.next("the end of the line")? {
                column += 1;
                if column > most {
                    let found = shown(&field);
                    let text = format!("expected the end of the line after {most} columns, found {found}");
                    return Err(text.into());
                }
            }
        }
        Ok(Some(((from, to), weighs)))
    }

    /// Whether a line has no edge on it.
    pub(super) fn is_empty(&self, line: &[u8]) -> bool {
        let blank = line.iter().all(|byte| matches!(byte, b' ' | b'\t' | b'\r'));
        blank || self.comments && matches!(line[0], b'#' | b'%')
    }

    /// The fields of a line, up to the first that is malformed.
    pub(super) fn fields<'l>(&self, line: &'l [u8]) -> Vec<Cow<'l, [u8]>> {
        let mut fields = Fields::new(line, self.separator);
        std::iter::from_fn(|| fields.next("a column").ok().flatten()).collect()
    }
}

fn is_decimal<T: ToNumber>(_: &T) -> bool {
    T::DECIMAL
}

/// The fields of a line, one after the other.
struct Fields<'l> {
    /// What is left of the line; nothing behind the last field.
    rest: Option<&'l [u8]>,
    separator: Separator,
}

impl<'l> Fields<'l> {
    fn new(line: &'l [u8], separator: Separator) -> Fields<'l> {
        Fields { rest: Some(line), separator }
    }

    /// The next field, without blanks and quotes around it; `what` it should be, for the message.
    fn next(&mut self, what: &str) -> Result<Option<Cow<'l, [u8]>>, String> {
        let Some(rest) = self.rest else { return Ok(None) };
        let Separator::Byte(separator) = self.separator else {
            let rest = rest.trim_ascii_start();
            if rest.is_empty() {
                self.rest = None;
                return Ok(None);
            }
            let end = rest.iter().position(u8::is_ascii_whitespace).unwrap_or(rest.len());
            self.rest = Some(&rest[end..]);
            return Ok(Some(Cow::Borrowed(&rest[..end])));
        };
        if rest.first() == Some(&b'"') {
            return self.quoted(&rest[1..], separator).map(Some);
        }
        let end = memchr(separator, rest).unwrap_or(rest.len());
        self.rest = rest.get(end + 1..);
        let field = rest[..end].trim_ascii();
        if field.is_empty() {
            // An empty column is one that is missing, whichever it is.
            return if self.rest.is_none() {
                Ok(None)
            } else {
                Err(format!("expected {what}, found nothing"))
            };
        }
        Ok(Some(Cow::Borrowed(field)))
    }

    /// A field in quotes, `""` being one of its own.
    fn quoted(&mut self, mut rest: &'l [u8], separator: u8) -> Result<Cow<'l, [u8]>, String> {
        let mut field = Cow::Borrowed(&rest[..0]);
        loop {
            let end =
                memchr(b'"', rest).ok_or("expected a quote's end on its line, found the end of the line")?;
            let (part, behind) = (&rest[..end], &rest[end + 1..]);
            if field.is_empty() {
                field = Cow::Borrowed(part);
            } else {
                field.to_mut().extend_from_slice(part);
            }
            match behind.first() {
                Some(b'"') => {
                    field.to_mut().push(b'"');
                    rest = &behind[1..];
                }
                Some(&byte) if byte == separator => {
                    self.rest = Some(&behind[1..]);
                    return Ok(field);
                }
                Some(_) => return Err(format!("expected a separator after {}", shown(&field))),
                None => {
                    self.rest = None;
                    return Ok(field);
                }
            }
        }
    }
}
