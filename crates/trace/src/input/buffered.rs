//! A file through a buffer whose unread part can be looked at and grows at its end.

use std::io::{ErrorKind, Read};
use std::ops::Range;

use crate::TraceError;

/// What was read from a file and is not given out yet.
pub(crate) struct Buffered {
    pub(crate) name: String,
    reader: Box<dyn Read + Send>,
    pub(crate) buffer: Box<[u8]>,
    /// Of the buffer.
    pub(crate) unread: Range<usize>,
    /// Whether there is no more to read.
    pub(crate) ended: bool,
}

impl Buffered {
    pub(crate) fn new(name: String, reader: Box<dyn Read + Send>, bytes: usize) -> Buffered {
        let buffer = vec![0; bytes].into_boxed_slice();
        Buffered { name, reader, buffer, unread: 0..0, ended: false }
    }

    /// What is unread.
    #[inline]
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.buffer[self.unread.clone()]
    }

    /// Nothing more is read or given out.
    pub(crate) fn end(&mut self) {
        self.ended = true;
        self.unread = 0..0;
    }

    /// Reads on, behind what is unread; whether there was more.
    ///
    /// # Errors
    /// `Io`, after which the end is reached.
    #[cold]
    pub(crate) fn fill(&mut self) -> Result<bool, TraceError> {
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
                    self.end();
                    return Err(TraceError::Io { path: self.name.clone(), source });
                }
            }
        }
        Ok(false)
    }
}
