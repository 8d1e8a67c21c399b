//! What a line with an edge looks like, and the parser of a piece of text full of them.

use std::borrow::Cow;

use leadline_text::{Comment, Delimiter, Fields, could_be_a_name};
use memchr::{memchr, memchr2, memmem};

use super::Batch;
use super::chunks::{Failure, Wrong};
use super::number::{self, SAFE_DIGITS, decimal, digits, is_integer, shown, whole};
use super::strings::{Names, Strings};
use crate::InputOption;

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

/// Turns the text of an id into its number.
trait ToNumber {
    /// Whether ids are numbers in decimal, so that lines of the usual shape may be read by the short way.
    const DECIMAL: bool;
    fn number(&mut self, field: &[u8], what: &str) -> Result<u64, Wrong>;
}

struct Decimal {
    numbers_only: bool,
}

impl ToNumber for Decimal {
    const DECIMAL: bool = true;

    fn number(&mut self, field: &[u8], what: &str) -> Result<u64, Wrong> {
        whole(field, what).map_err(|wrong| {
            if is_integer(field) || self.numbers_only {
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

impl ToNumber for &mut Names {
    const DECIMAL: bool = false;

    #[inline]
    fn number(&mut self, field: &[u8], _: &str) -> Result<u64, Wrong> {
        Ok(self.push(field) as u64)
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

    /// 2 or 3 where the lines may be read by the short way: source, target, and perhaps one more column.
    fn usual_columns(&self) -> usize {
        let in_order = (self.source, self.target) == (0, 1) && self.weight.is_none_or(|weight| weight == 2);
        if in_order && !self.attributes && (2..=3).contains(&self.columns) { self.columns } else { 0 }
    }

    /// The short way: digits, one delimiter, digits, perhaps a delimiter and a plain decimal, the line's end.
    /// The edge and the line's length; nothing where the line is another, right or wrong.
    #[inline(always)]
    fn usual(&self, text: &[u8], columns: usize) -> Option<(Edge, usize)> {
        let (source, first) = digits(text);
        if columns == 0 || !self.separates(*text.get(first)?) {
            return None;
        }
        let (target, second) = digits(&text[first + 1..]);
        if !(1..=SAFE_DIGITS).contains(&first) || !(1..=SAFE_DIGITS).contains(&second) {
            return None;
        }
        let mut end = first + 1 + second;
        let mut weight = 0.0;
        if columns == 3 {
            if !self.separates(*text.get(end)?) {
                return None;
            }
            let length;
            (weight, length) = decimal(&text[end + 1..])?;
            end += 1 + length;
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

    /// The same for names: two fields, without quotes and blanks around them, between one byte.
    #[inline]
    fn usual_names(&self, text: &[u8], columns: usize, ids: &mut impl ToNumber) -> Option<(Edge, usize)> {
        let Delimiter::Byte(delimiter) = self.delimiter else { return None };
        let end = memchr(b'\n', text)?;
        let line = text[..end].strip_suffix(b"\r").unwrap_or(&text[..end]);
        let at = memchr(delimiter, line)?;
        let (source, target) = (&line[..at], &line[at + 1..]);
        let is_usual = |field: &[u8]| match (field.first(), field.last()) {
            (Some(first), Some(last)) => !first.is_ascii_whitespace() && !last.is_ascii_whitespace(),
            _ => false,
        };
        // Comments begin with what names mostly do not.
        let first = *line.first()?;
        let usual = columns == 2
            && (first.is_ascii_alphanumeric() || first >= 0x80)
            && is_usual(source)
            && is_usual(target)
            && memchr2(delimiter, b'"', target).is_none()
            && !matches!(self.comment, Some(Comment::Byte(byte)) if byte == first);
        if !usual {
            return None;
        }
        let from = ids.number(source, "a source id").ok()?;
        let to = ids.number(target, "a target id").ok()?;
        self.holds((from, to)).then_some((((from, to), 0.0), end + 1))
    }

    #[inline(always)]
    fn separates(&self, byte: u8) -> bool {
        match self.delimiter {
            Delimiter::Blanks => byte == b' ' || byte == b'\t',
            Delimiter::Byte(separator) => byte == separator,
        }
    }

    #[inline(always)]
    fn holds(&self, (source, target): (u64, u64)) -> bool {
        let (least, most) = self.ids;
        source >= least && source <= most && target >= least && target <= most
    }

    /// Any line: an edge, nothing, or what is wrong with it.
    fn line(&self, line: &[u8], ids: &mut impl ToNumber, parsed: &mut Parsed) -> Result<Option<Edge>, Wrong> {
        match self.without_edge(line) {
            Some(Nothing::Blank) => {
                parsed.blank += 1;
                return Ok(None);
            }
            Some(Nothing::Comment) => {
                if !is_decimal(ids) {
                    self.check_comment(line)?;
                }
                parsed.comments += 1;
                return Ok(None);
            }
            None => {}
        }
        let Columns { source, target, weight, count, beyond } = self.columns_of(line)?;
        let source = there(source.as_deref(), "a source id", None)?;
        let from = ids.number(source, "a source id")?;
        let target = there(target.as_deref(), "a target id", Some(source))?;
        let to = ids.number(target, "a target id")?;
        if !self.holds((from, to)) {
            let (least, most) = self.ids;
            return Err(format!("expected ids from {least} to {most}, found {from} and {to}").into());
        }
        let mut weighs = 0.0;
        if self.weight.is_some() {
            weighs = number::weight(there(weight.as_deref(), "a weight", Some(target))?)?;
        }
        let columns = self.columns;
        match beyond {
            Some(found) => {
                let found = shown(&found);
                Err(format!("expected the end of the line after {columns} columns, found {found}").into())
            }
            None if count < columns => {
                Err(format!("expected {columns} columns, as in the lines before, found {count}").into())
            }
            None => Ok(Some(((from, to), weighs))),
        }
    }

    /// The columns that are wanted.
    #[inline]
    fn columns_of<'l>(&self, line: &'l [u8]) -> Result<Columns<'l>, String> {
        let mut fields = Fields::new(line, self.delimiter);
        let mut columns = Columns::default();
        while let Some(field) = fields.next_field()? {
            if columns.count == self.columns {
                columns.beyond = Some(field);
                break;
            }
            match columns.count {
                at if at == self.source => columns.source = Some(field),
                at if at == self.target => columns.target = Some(field),
                at if Some(at) == self.weight => columns.weight = Some(field),
                _ => {}
            }
            columns.count += 1;
            if self.attributes && columns.count == 2 {
                columns.weight = self.weight.and_then(|_| attribute(fields.rest())).map(Cow::Borrowed);
                columns.count = self.columns;
                break;
            }
        }
        Ok(columns)
    }

    /// Why a line has no edge on it, if it has none.
    pub(super) fn without_edge(&self, line: &[u8]) -> Option<Nothing> {
        let Some(first) = line.first() else { return Some(Nothing::Blank) };
        let comment = match self.comment {
            None => Comment::USUAL.contains(first),
            Some(Comment::Byte(byte)) => *first == byte,
            Some(Comment::None) => false,
        };
        if comment {
            return Some(Nothing::Comment);
        }
        line.iter().all(u8::is_ascii_whitespace).then_some(Nothing::Blank)
    }

    /// Names may begin as comments do: where a comment would be an edge too, nobody said which it is.
    fn check_comment(&self, line: &[u8]) -> Result<(), Wrong> {
        let mut fields = Fields::new(line, self.delimiter);
        let count = std::iter::from_fn(|| fields.next_field().ok().flatten()).count();
        if self.comment.is_some() || count != self.columns || !could_be_a_name(line) {
            return Ok(());
        }
        let first = char::from(line[0]);
        let text = format!("{} may be a comment, or a name that begins with {first}", shown(line));
        Err(Wrong { text, option: Some(InputOption::Comment) })
    }
}

/// Why a line has no edge on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Nothing {
    Blank,
    Comment,
}

/// A field that must be there; `what` it is, and the one before it, for the message.
#[inline]
fn there<'f>(field: Option<&'f [u8]>, what: &str, before: Option<&[u8]>) -> Result<&'f [u8], String> {
    match (field, before) {
        (Some(field), _) if !field.is_empty() => Ok(field),
        (None, Some(before)) => {
            Err(format!("expected {what} after {}, found the end of the line", shown(before)))
        }
        _ => Err(format!("expected {what}, found nothing")),
    }
}

/// What a line has in the columns that are wanted.
#[derive(Default)]
struct Columns<'l> {
    source: Option<Cow<'l, [u8]>>,
    target: Option<Cow<'l, [u8]>>,
    weight: Option<Cow<'l, [u8]>>,
    /// How many there are, at most as many as there should be.
    count: usize,
    /// The first that should not be there.
    beyond: Option<Cow<'l, [u8]>>,
}

/// The weight in a dictionary as Python prints it: `{'weight': 3.5, 'since': 1999}`.
pub(super) fn attribute(text: &[u8]) -> Option<&[u8]> {
    const NAMES: [&[u8]; 2] = [b"'weight':", b"\"weight\":"];
    let at = NAMES.into_iter().find_map(|name| Some(memmem::find(text, name)? + name.len()))?;
    let value = text[at..].trim_ascii_start();
    let end = value.iter().position(|byte| matches!(byte, b',' | b'}') || byte.is_ascii_whitespace());
    Some(&value[..end?])
}

fn is_decimal<T: ToNumber>(_: &T) -> bool {
    T::DECIMAL
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn names_numbered_later_are_read_as_line_by_line(
            lines in prop::collection::vec(prop::sample::select(vec![
                "ann,bob", "bob,\"c,d\"", "bob , ann", "", "# no edge", "x1,x2", "\u{e9},z", "ann", "a,b,c",
                "\u{feff}a,b",
            ]), 0..12),
            pieces in 1usize..4,
            together in 1usize..30,
        ) {
            let grammar =
                Grammar { delimiter: Delimiter::Byte(b','), ..Grammar::blanks(2, false) };
            let [mut at_once, mut later, mut in_parts] = [(); 3].map(|()| Strings::new(1 << 20));
            for lines in lines.chunks(pieces) {
                let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
                let mut expected = Parsed::default();
                grammar.parse_lines(text.as_bytes(), &mut at_once, &mut expected);
                let mut parts = Parsed::default();
                grammar.parse_strings(text.as_bytes(), together, &mut in_parts, &mut parts);
                let later = grammar.numbered(grammar.parse_names(text.into_bytes()), &mut later);
                for found in [parts, later] {
                    prop_assert_eq!(&found.batch, &expected.batch);
                    let at = |parsed: &Parsed| {
                        let failure = parsed.failure.as_ref().map(|failure| format!("{failure:?}"));
                        (failure, parsed.lines, parsed.blank, parsed.comments)
                    };
                    prop_assert_eq!(at(&found), at(&expected));
                }
                if expected.failure.is_some() {
                    return Ok(());
                }
            }
            let expected = at_once.into_strings();
            prop_assert_eq!(later.into_strings(), &expected[..]);
            prop_assert_eq!(in_parts.into_strings(), expected);
        }
    }
}
