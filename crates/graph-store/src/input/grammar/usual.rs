//! Lines of the usual shape, read by a short way. Any other line, right or wrong, is left to `line`.

use leadline_text::{Comment, Delimiter};
use memchr::{memchr, memchr2};

use super::ids::ToNumber;
use super::{Edge, Grammar};
use crate::input::number::{SAFE_DIGITS, decimal, digits};

impl Grammar {
    /// 2 or 3 where the lines may be read by the short way: source, target, and perhaps one more column.
    pub(super) fn usual_columns(&self) -> usize {
        let in_order = (self.source, self.target) == (0, 1) && self.weight.is_none_or(|weight| weight == 2);
        if in_order && !self.attributes && (2..=3).contains(&self.columns) { self.columns } else { 0 }
    }

    /// The short way: digits, one delimiter, digits, perhaps a delimiter and a plain decimal, the line's end.
    /// The edge and the line's length; nothing where the line is another, right or wrong.
    #[inline(always)]
    pub(super) fn usual(&self, text: &[u8], columns: usize) -> Option<(Edge, usize)> {
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
    pub(super) fn usual_names(
        &self,
        text: &[u8],
        columns: usize,
        ids: &mut impl ToNumber,
    ) -> Option<(Edge, usize)> {
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
    pub(super) fn holds(&self, (source, target): (u64, u64)) -> bool {
        let (least, most) = self.ids;
        source >= least && source <= most && target >= least && target <= most
    }
}
