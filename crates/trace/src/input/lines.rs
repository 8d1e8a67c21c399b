//! Lines of a text, without ever holding more than a buffer.

use std::io::Read;
use std::ops::Range;

use memchr::memchr;

use super::buffered::Buffered;
use crate::TraceError;

/// Longest line, bytes; no format has lines near it.
const LINE_MAX: usize = 64 << 10;

const BUFFER_BYTES: usize = 4 * LINE_MAX;

/// The lines of a text, counted.
pub(crate) struct Lines {
    input: Buffered,
    /// The last byte of each line.
    end: u8,
    line: u64,
}

impl Lines {
    /// Lines end with `end`: `\n`, or `\r` in files of old programs.
    pub(crate) fn new(name: String, reader: Box<dyn Read + Send>, end: u8) -> Lines {
        Lines { input: Buffered::new(name, reader, BUFFER_BYTES), end, line: 0 }
    }

    /// The number of the line given out last, from 1.
    pub(crate) fn given(&self) -> u64 {
        self.line
    }

    /// The next line without its end (`\n`, `\r\n` or `\r`), `None` at the end.
    ///
    /// # Errors
    /// `Syntax` for a line of more than 64 KiB, which is passed over; `Io`, after which the end is reached.
    #[inline]
    pub(crate) fn next(&mut self) -> Result<Option<&[u8]>, TraceError> {
        let line = match memchr(self.end, self.input.bytes()) {
            Some(length) if length <= LINE_MAX => self.take(length),
            Some(length) => {
                self.take(length);
                return Err(self.too_long());
            }
            None => match self.refill()? {
                Some(line) => line,
                None => return Ok(None),
            },
        };
        let line = &self.input.buffer[line];
        Ok(Some(line.strip_suffix(b"\r").unwrap_or(line)))
    }

    /// What is wrong with the line given out last.
    pub(crate) fn wrong(&self, reason: String) -> TraceError {
        TraceError::Syntax { path: self.input.name.clone(), line: self.line.max(1), reason }
    }

    /// The first `length` bytes of what is unread; the byte behind them is the line's end.
    fn take(&mut self, length: usize) -> Range<usize> {
        let line = self.input.unread.start..self.input.unread.start + length;
        self.input.unread.start = (line.end + 1).min(self.input.unread.end);
        self.line += 1;
        line
    }

    /// A line whose end is not in the buffer yet.
    #[cold]
    fn refill(&mut self) -> Result<Option<Range<usize>>, TraceError> {
        loop {
            let searched = self.input.unread.len();
            if searched > LINE_MAX {
                return Err(self.skip());
            }
            if !self.input.fill()? {
                let rest = self.input.unread.len();
                return Ok(if rest == 0 { None } else { Some(self.take(rest)) });
            }
            let new = self.input.unread.start + searched..self.input.unread.end;
            if let Some(at) = memchr(self.end, &self.input.buffer[new]) {
                let line = self.take(searched + at);
                if line.len() <= LINE_MAX {
                    return Ok(Some(line));
                }
                return Err(self.too_long());
            }
        }
    }

    /// Passes over the rest of a line that is too long.
    fn skip(&mut self) -> TraceError {
        self.line += 1;
        loop {
            self.input.unread = 0..0;
            match self.input.fill() {
                Ok(false) => return self.too_long(),
                Err(error) => return error,
                Ok(true) => {}
            }
            if let Some(at) = memchr(self.end, self.input.bytes()) {
                self.input.unread.start += at + 1;
                return self.too_long();
            }
        }
    }

    fn too_long(&self) -> TraceError {
        self.wrong(format!(
            "found a line of more than {LINE_MAX} bytes, expected text with one request per line"
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: impl Read + Send + 'static) -> Lines {
        Lines::new("t".into(), Box::new(text), b'\n')
    }

    /// Gives one byte at a time, as a slow pipe does.
    struct Slow(std::io::Cursor<Vec<u8>>);

    impl Read for Slow {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            let most = buffer.len().min(1);
            self.0.read(&mut buffer[..most])
        }
    }

    #[test]
    fn lines_come_whole_whatever_their_ends_and_however_they_arrive() {
        let text = b"one\r\n\ntwo\nlast".to_vec();
        let mut slow = lines(Slow(std::io::Cursor::new(text)));
        for expected in ["one", "", "two", "last"] {
            assert_eq!(slow.next().unwrap(), Some(expected.as_bytes()));
        }
        assert_eq!(slow.next().unwrap(), None);
        assert_eq!(slow.next().unwrap(), None);
    }

    #[test]
    fn a_line_of_256_mib_is_an_error_and_the_next_line_is_read() {
        let text = std::io::repeat(b'x').take(256 << 20).chain(&b"\nnext\n"[..]);
        let mut lines = lines(text);
        let held = lines.input.buffer.len();
        let error = lines.next().unwrap_err().to_string();
        assert!(error.starts_with("t:1: ") && error.contains("65536"), "{error}");
        assert_eq!(lines.next().unwrap(), Some(&b"next"[..]));
        assert_eq!(lines.wrong(String::new()).to_string(), "t:2: ");
        assert_eq!(lines.next().unwrap(), None);
        assert_eq!(lines.input.buffer.len(), held);
    }

    #[test]
    fn the_limit_is_the_same_wherever_the_line_lies_in_the_buffer() {
        for before in [0, 1, LINE_MAX, 3 * LINE_MAX] {
            for (length, good) in [(LINE_MAX, true), (LINE_MAX + 1, false)] {
                let mut text = Vec::new();
                for _ in 0..before / 64 {
                    text.extend_from_slice(&[b'a'; 63]);
                    text.push(b'\n');
                }
                text.extend(std::iter::repeat_n(b'x', length));
                text.extend_from_slice(b"\nz");
                let mut lines = lines(std::io::Cursor::new(text));
                for _ in 0..before / 64 {
                    lines.next().unwrap();
                }
                assert_eq!(lines.next().is_ok(), good, "{before} {length}");
                assert_eq!(lines.next().unwrap(), Some(&b"z"[..]));
            }
        }
    }

    #[test]
    fn after_a_failure_of_the_disk_comes_the_end() {
        struct Broken;
        impl Read for Broken {
            fn read(&mut self, _: &mut [u8]) -> std::io::Result<usize> {
                Err(std::io::Error::other("unplugged"))
            }
        }
        let mut lines = lines(b"a\nb".chain(Broken));
        assert_eq!(lines.next().unwrap(), Some(&b"a"[..]));
        assert_eq!(lines.next().unwrap_err().to_string(), "t: unplugged");
        assert_eq!(lines.next().unwrap(), None);
    }
}
