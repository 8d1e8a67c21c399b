//! The first lines of a file.

use crate::encoding::check;
use crate::{BYTE_ORDER_MARK, LineEnd, Undecided};

/// Most lines that are looked at.
pub const SAMPLE_LINES: usize = 1000;

/// A line without its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Line<'b> {
    /// In the file, from 1.
    pub number: u64,
    /// What is in it.
    pub text: &'b [u8],
}

/// The first lines of a file.
#[derive(Debug, Clone)]
pub struct Sample<'b> {
    /// At most [`SAMPLE_LINES`].
    pub lines: Vec<Line<'b>>,
    /// What ends them.
    pub line_end: LineEnd,
    /// Whether the file begins with a byte order mark.
    pub byte_order_mark: bool,
    /// Whether these are all lines of the file.
    pub whole: bool,
}

impl<'b> Sample<'b> {
    /// Of the first bytes of a file, which are `whole` where there are no more: else the last line may be cut
    /// off and is left out.
    ///
    /// # Errors
    /// Bytes that are no text in UTF-8.
    pub fn new(bytes: &'b [u8], whole: bool) -> Result<Sample<'b>, Undecided> {
        let text = bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(bytes);
        let sample = Sample::of_rest(text, whole)?;
        Ok(Sample { byte_order_mark: text.len() < bytes.len(), ..sample })
    }

    /// As [`Sample::new`], of bytes further down in a file, where a byte order mark is none.
    ///
    /// # Errors
    /// As there.
    pub fn of_rest(text: &'b [u8], whole: bool) -> Result<Sample<'b>, Undecided> {
        check(text)?;
        let line_end = LineEnd::of(text);
        let end = if line_end == LineEnd::Cr { b'\r' } else { b'\n' };
        let complete = match text.iter().rposition(|byte| *byte == end) {
            Some(last) if !whole || last + 1 == text.len() => Some(&text[..last]),
            None if !whole || text.is_empty() => None,
            _ => Some(text),
        };
        let Some(complete) = complete else {
            return Ok(Sample { lines: Vec::new(), line_end, byte_order_mark: false, whole });
        };
        let mut numbered = (1..).zip(complete.split(|byte| *byte == end));
        let lines = numbered
            .by_ref()
            .take(SAMPLE_LINES)
            .map(|(number, line)| Line { number, text: line.strip_suffix(b"\r").unwrap_or(line) })
            .collect();
        let whole = whole && numbered.next().is_none();
        Ok(Sample { lines, line_end, byte_order_mark: false, whole })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_counted_and_what_is_cut_off_is_left_out() {
        let texts = |bytes: &'static [u8], whole| -> Vec<(u64, &'static [u8])> {
            let sample = Sample::new(bytes, whole).unwrap();
            sample.lines.iter().map(|line| (line.number, line.text)).collect()
        };
        assert_eq!(texts(b"a\nb\r\nc", false), [(1, &b"a"[..]), (2, b"b")]);
        assert_eq!(texts(b"a\n\nc", true), [(1, &b"a"[..]), (2, b""), (3, b"c")]);
        assert_eq!(texts(b"\xef\xbb\xbfa\rb\r", true), [(1, &b"a"[..]), (2, b"b")]);
        assert!(texts(b"abc", false).is_empty() && texts(b"", true).is_empty());
        assert_eq!(texts(b"\n", true), [(1, &b""[..])]);
        assert_eq!(Sample::of_rest(b"\xef\xbb\xbfa\n", true).unwrap().lines[0].text, b"\xef\xbb\xbfa");
    }

    #[test]
    fn what_is_not_utf_8_is_refused_with_the_remedy() {
        let utf_16 = Sample::new(b"\xff\xfea\0,\0", true).unwrap_err();
        assert!(utf_16.to_string().contains("iconv -f UTF-16LE"), "{utf_16}");
        assert_eq!(Sample::new(b"a\nb\0c", true).unwrap_err().line, 2);
    }
}
