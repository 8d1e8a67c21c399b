//! Records of a binary file, all of one size.

use std::io::{ErrorKind, Read};
use std::ops::Range;

use crate::TraceError;

const BUFFER_BYTES: usize = 128 << 10;

/// The records of a file, counted.
pub(crate) struct Records {
    name: String,
    reader: Box<dyn Read + Send>,
    buffer: Box<[u8]>,
    unread: Range<usize>,
    record_bytes: usize,
    record: u64,
    ended: bool,
}

impl Records {
    /// `record_bytes` is at least 1 and small beside 128 KiB.
    pub(crate) fn new(name: String, reader: Box<dyn Read + Send>, record_bytes: usize) -> Records {
        let buffer = vec![0; BUFFER_BYTES].into_boxed_slice();
        Records { name, reader, buffer, unread: 0..0, record_bytes, record: 0, ended: false }
    }

    /// Bytes of a record.
    pub(crate) fn record_bytes(&self) -> usize {
        self.record_bytes
    }

    /// Records given out so far.
    pub(crate) fn given(&self) -> u64 {
        self.record
    }

    /// The next record, `None` at the end.
    ///
    /// # Errors
    /// `Syntax` where the file ends within a record; `Io`, after which the end is reached.
    #[inline]
    pub(crate) fn next(&mut self) -> Result<Option<&[u8]>, TraceError> {
        while self.unread.len() < self.record_bytes {
            if !self.fill()? {
                return if self.unread.is_empty() { Ok(None) } else { Err(self.cut_off()) };
            }
        }
        let record = self.unread.start..self.unread.start + self.record_bytes;
        self.unread.start = record.end;
        self.record += 1;
        Ok(Some(&self.buffer[record]))
    }

    /// What is wrong with the record given out last.
    pub(crate) fn wrong(&self, reason: String) -> TraceError {
        TraceError::Syntax { path: self.name.clone(), line: self.record, reason }
    }

    fn cut_off(&mut self) -> TraceError {
        let rest = std::mem::replace(&mut self.unread, 0..0).len();
        self.record += 1;
        let size = self.record_bytes;
        self.wrong(format!(
            "found {rest} bytes at the end, expected a record of {size}; the file was cut off"
        ))
    }

    #[cold]
    fn fill(&mut self) -> Result<bool, TraceError> {
        self.buffer.copy_within(self.unread.clone(), 0);
        self.unread = 0..self.unread.len();
        while !self.ended {
            match self.reader.read(&mut self.buffer[self.unread.end..]) {
                Ok(0) => self.ended = true,
                Ok(got) => {
                    self.unread.end += got;
                    return Ok(true);
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(source) => {
                    self.ended = true;
                    self.unread = 0..0;
                    return Err(TraceError::Io { path: self.name.clone(), source });
                }
            }
        }
        Ok(false)
    }
}
