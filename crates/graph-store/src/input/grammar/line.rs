//! Any line: the edge on it, why there is none, or what is wrong with it.

use std::borrow::Cow;

use leadline_text::{Comment, Fields, could_be_a_name};
use memchr::memmem;

use super::ids::{ToNumber, is_decimal};
use super::{Edge, Grammar, Parsed};
use crate::InputOption;
use crate::input::chunks::Wrong;
use crate::input::number::{self, shown};

impl Grammar {
    /// Any line: an edge, nothing, or what is wrong with it.
    pub(super) fn line(
        &self,
        line: &[u8],
        ids: &mut impl ToNumber,
        parsed: &mut Parsed,
    ) -> Result<Option<Edge>, Wrong> {
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
    pub(in crate::input) fn without_edge(&self, line: &[u8]) -> Option<Nothing> {
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
pub(in crate::input) enum Nothing {
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
pub(in crate::input) fn attribute(text: &[u8]) -> Option<&[u8]> {
    const NAMES: [&[u8]; 2] = [b"'weight':", b"\"weight\":"];
    let at = NAMES.into_iter().find_map(|name| Some(memmem::find(text, name)? + name.len()))?;
    let value = text[at..].trim_ascii_start();
    let end = value.iter().position(|byte| matches!(byte, b',' | b'}') || byte.is_ascii_whitespace());
    Some(&value[..end?])
}
