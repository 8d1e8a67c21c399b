//! Records of a binary file, all of one size.

use std::io::Read;

use super::buffered::Buffered;
use crate::TraceError;

const BUFFER_BYTES: usize = 128 << 10;

/// The records of a file, counted.
pub(crate) struct Records {
    input: Buffered,
    record_bytes: usize,
    record: u64,
}

impl Records {
    /// `record_bytes` is at least 1 and small compared to 128 KiB.
    pub(crate) fn new(name: String, reader: Box<dyn Read + Send>, record_bytes: usize) -> Records {
        Records { input: Buffered::new(name, reader, BUFFER_BYTES), record_bytes, record: 0 }
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
        while self.input.unread.len() < self.record_bytes {
            if !self.input.fill()? {
                return if self.input.unread.is_empty() { Ok(None) } else { Err(self.cut_off()) };
            }
        }
        let record = self.input.unread.start..self.input.unread.start + self.record_bytes;
        self.input.unread.start = record.end;
        self.record += 1;
        Ok(Some(&self.input.buffer[record]))
    }

    /// What is wrong with the record given out last.
    pub(crate) fn wrong(&self, reason: String) -> TraceError {
        TraceError::Syntax { path: self.input.name.clone(), line: self.record, reason }
    }

    fn cut_off(&mut self) -> TraceError {
        let rest = std::mem::replace(&mut self.input.unread, 0..0).len();
        self.record += 1;
        let size = self.record_bytes;
        self.wrong(format!(
            "found {rest} bytes at the end, expected a record of {size}; the file was cut off"
        ))
    }
}
