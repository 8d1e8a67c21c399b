//! The fields of a line.

use std::borrow::Cow;

use memchr::memchr;

use crate::{Delimiter, shown};

/// The fields of a line, one after the other, without blanks and quotes around them. A field in double quotes
/// may hold delimiters, and `""` is one quote in it.
#[derive(Debug, Clone)]
pub struct Fields<'l> {
    /// What is left of the line; nothing behind the last field.
    rest: Option<&'l [u8]>,
    delimiter: Delimiter,
}

impl<'l> Fields<'l> {
    /// Of a line without its end.
    pub fn new(line: &'l [u8], delimiter: Delimiter) -> Fields<'l> {
        Fields { rest: Some(line), delimiter }
    }

    /// What was not split yet.
    pub fn rest(&self) -> &'l [u8] {
        self.rest.unwrap_or_default()
    }

    /// The next field, which is empty where nothing stands between two delimiters; none behind the last.
    ///
    /// # Errors
    /// A quote without an end, or with something else than a delimiter behind it.
    #[inline]
    pub fn next_field(&mut self) -> Result<Option<Cow<'l, [u8]>>, String> {
        let Some(mut rest) = self.rest else { return Ok(None) };
        if self.delimiter == Delimiter::Blanks {
            rest = rest.trim_ascii();
            if rest.is_empty() {
                self.rest = None;
                return Ok(None);
            }
        }
        // Most fields begin with neither a blank nor a quote.
        if rest.first().is_some_and(|byte| byte.is_ascii_whitespace() || *byte == b'"')
            && let Some(quoted) = self.behind_first_quote(rest)
        {
            return self.quoted(quoted).map(Some);
        }
        let end = match self.delimiter {
            Delimiter::Blanks => rest.iter().position(u8::is_ascii_whitespace),
            Delimiter::Byte(byte) => memchr(byte, rest),
        };
        let field = &rest[..end.unwrap_or(rest.len())];
        self.rest = end.map(|end| &rest[end + 1..]);
        Ok(Some(Cow::Borrowed(field.trim_ascii())))
    }

    /// What follows the quote that a field begins with, if it does. Blanks before it are not of the field;
    /// but a tab that separates ends an empty one.
    fn behind_first_quote(&self, rest: &'l [u8]) -> Option<&'l [u8]> {
        let is_blank = |byte: &u8| byte.is_ascii_whitespace() && self.delimiter != Delimiter::Byte(*byte);
        let blanks = rest.iter().position(|byte| !is_blank(byte)).unwrap_or(rest.len());
        rest[blanks..].strip_prefix(b"\"").filter(|_| self.delimiter != Delimiter::Byte(b' '))
    }

    /// A field in quotes, `""` being one of its own.
    fn quoted(&mut self, mut rest: &'l [u8]) -> Result<Cow<'l, [u8]>, String> {
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
                _ => {
                    self.rest = self.behind_quote(behind).ok_or_else(|| {
                        format!("expected the delimiter ({}) after {}", self.delimiter, shown(&field))
                    })?;
                    return Ok(field);
                }
            }
        }
    }

    /// What follows the delimiter behind a quote: of the line, or nothing at its end.
    fn behind_quote(&self, behind: &'l [u8]) -> Option<Option<&'l [u8]>> {
        if behind.trim_ascii().is_empty() && self.delimiter != Delimiter::Byte(b'\t') || behind.is_empty() {
            return Some(None);
        }
        match self.delimiter {
            Delimiter::Blanks => behind[0].is_ascii_whitespace().then_some(Some(behind)),
            Delimiter::Byte(byte) => {
                let at = memchr(byte, behind)?;
                behind[..at].trim_ascii().is_empty().then(|| Some(&behind[at + 1..]))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(line: &str, delimiter: Delimiter) -> Vec<String> {
        let mut fields = Fields::new(line.as_bytes(), delimiter);
        std::iter::from_fn(|| fields.next_field().unwrap())
            .map(|field| String::from_utf8_lossy(&field).into_owned())
            .collect()
    }

    #[test]
    fn fields_are_what_stands_between_delimiters() {
        let comma = Delimiter::Byte(b',');
        assert_eq!(split("1,2", comma), ["1", "2"]);
        assert_eq!(split(" 1 , 2 ", comma), ["1", "2"]);
        assert_eq!(split("1,,2,", comma), ["1", "", "2", ""]);
        assert_eq!(split("", comma), [""]);
        assert_eq!(split("\"a,b\" ,\"say \"\"x\"\"\"", comma), ["a,b", "say \"x\""]);
        assert_eq!(split("1, \"b\"", comma), ["1", "b"]);
        assert_eq!(split("\"a\"\t\"b c\"", Delimiter::Byte(b'\t')), ["a", "b c"]);
        assert_eq!(split("\"a\"\t", Delimiter::Byte(b'\t')), ["a", ""]);
        assert_eq!(split("\t \"b\"\t\t\"c\"", Delimiter::Byte(b'\t')), ["", "b", "", "c"]);
        assert_eq!(split("  1 \t 2  ", Delimiter::Blanks), ["1", "2"]);
        assert_eq!(split("\"New York\" Paris", Delimiter::Blanks), ["New York", "Paris"]);
        assert!(split("  ", Delimiter::Blanks).is_empty());
    }

    #[test]
    fn a_quote_without_an_end_is_an_error() {
        for line in ["\"a,b", "\"a\"b,c"] {
            let mut fields = Fields::new(line.as_bytes(), Delimiter::Byte(b','));
            assert!(fields.next_field().is_err(), "{line}");
        }
    }
}
