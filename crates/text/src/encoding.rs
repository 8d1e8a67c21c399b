//! How text is in bytes.

use std::fmt;

use memchr::memchr;

use crate::Undecided;

/// What some programs put in front of a text in UTF-8.
pub const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// What ends a line.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum LineEnd {
    /// `\n`.
    #[default]
    Lf,
    /// `\r\n`.
    CrLf,
    /// `\r` alone, as old Macintosh programs and some exports of spreadsheets write it.
    Cr,
}

impl LineEnd {
    /// Of a text that begins with `bytes`: `\r` alone ends lines only where no `\n` is.
    pub fn of(bytes: &[u8]) -> LineEnd {
        match (memchr(b'\n', bytes), memchr(b'\r', bytes)) {
            (Some(end), _) if end > 0 && bytes[end - 1] == b'\r' => LineEnd::CrLf,
            // A `\r` at the very end may be half of a line's end that is cut.
            (None, Some(at)) if at + 1 < bytes.len() => LineEnd::Cr,
            _ => LineEnd::Lf,
        }
    }
}

impl fmt::Display for LineEnd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            LineEnd::Lf => "LF",
            LineEnd::CrLf => "CRLF",
            LineEnd::Cr => "CR",
        })
    }
}

/// Refuses what is no text in UTF-8 or another one-byte encoding.
pub(crate) fn check(bytes: &[u8]) -> Result<(), Undecided> {
    let utf_16 = match bytes {
        [0xff, 0xfe, ..] => Some("UTF-16LE"),
        [0xfe, 0xff, ..] => Some("UTF-16BE"),
        _ => None,
    };
    if let Some(encoding) = utf_16 {
        let what = format!(
            "found text in {encoding}, expected UTF-8; convert it: iconv -f {encoding} -t UTF-8 < OLD > NEW"
        );
        return Err(Undecided::refused(1, what));
    }
    match memchr(0, bytes) {
        Some(at) => {
            let line = bytes[..at].iter().filter(|byte| **byte == b'\n').count() as u64 + 1;
            let what = "expected text, found a byte 0: the file is binary, or text in UTF-16".to_owned();
            Err(Undecided::refused(line, what))
        }
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_ends_are_told_apart() {
        for (text, end) in [
            ("1 2\n3 4\n", LineEnd::Lf),
            ("1 2\r\n3 4\r\n", LineEnd::CrLf),
            ("1 2\r3 4\r", LineEnd::Cr),
            ("1 2\r", LineEnd::Lf),
            ("", LineEnd::Lf),
        ] {
            assert_eq!(LineEnd::of(text.as_bytes()), end, "{text:?}");
        }
    }
}
