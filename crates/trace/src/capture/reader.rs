//! Reading captures.

use std::path::Path;

use super::code::{LONGEST_EVENT, LONGEST_NAME, LONGEST_NUMBER};
use super::decode::Decoder;
use super::{Event, MARK, Thread};
use crate::input::{Buffered, Input, Meter};
use crate::{Recognition, TraceError};

const BUFFER_BYTES: usize = 256 << 10;

/// Bytes of the longest record: a rename.
const LONGEST_RECORD: usize = LONGEST_EVENT + LONGEST_NUMBER + LONGEST_NAME;

/// Reads a capture, event by event, in constant memory apart from the names of its files and threads.
pub struct Reader {
    input: Buffered,
    meter: Meter,
    recognition: Option<Recognition>,
    /// Whether an error was given out, after which nothing is.
    failed: bool,
    decoder: Decoder,
}

impl Reader {
    /// Opens the capture at `path`.
    ///
    /// # Errors
    /// [`TraceError::Io`] where it cannot be read, [`TraceError::Name`] where it is not a capture, or one of
    /// another version.
    pub fn open(path: &(impl AsRef<Path> + ?Sized)) -> Result<Reader, TraceError> {
        Self::new(Input::file(path.as_ref())?)
    }

    pub(crate) fn new(input: Input) -> Result<Reader, TraceError> {
        if !input.head.starts_with(MARK) {
            let reason = if input.head.starts_with(&MARK[..MARK.len() - 2]) {
                "is a capture of another version; this program reads version 1"
            } else {
                "is not a capture; `leadline emulate --trace` and `leadline trace capture` make them"
            };
            return Err(TraceError::Name { name: input.name, reason: reason.to_owned() });
        }
        let mut reader = Reader {
            input: Buffered::new(input.name, input.reader, BUFFER_BYTES),
            meter: input.meter,
            recognition: input.recognition,
            failed: false,
            decoder: Decoder::default(),
        };
        reader.fill(MARK.len())?;
        reader.input.unread.start += MARK.len();
        Ok(reader)
    }

    /// How it was told to be a capture, where that was asked.
    pub(crate) fn recognition(&self) -> Option<&Recognition> {
        self.recognition.as_ref()
    }

    /// The next event, `None` at the end.
    ///
    /// # Errors
    /// [`TraceError::Syntax`] with the event's number where the capture is damaged or cut off, and
    /// [`TraceError::Io`]; `None` follows either.
    #[inline]
    pub fn next_event(&mut self) -> Result<Option<Event>, TraceError> {
        loop {
            if self.input.bytes().len() < LONGEST_RECORD && !self.input.ended {
                self.fill(LONGEST_RECORD)?;
            }
            let mut bytes = self.input.bytes();
            if bytes.is_empty() && (self.failed || self.decoder.ended_ns.is_some()) {
                return Ok(None);
            }
            match self.decoder.record(&mut bytes) {
                Ok(event) => {
                    self.input.unread.start = self.input.unread.end - bytes.len();
                    if event.is_some() {
                        return Ok(event);
                    }
                }
                Err(flaw) => return Err(self.wrong(flaw)),
            }
        }
    }

    /// The files so far, by the names that they have now, relative to the directory that was captured.
    pub fn files(&self) -> &[String] {
        &self.decoder.files
    }

    /// The threads so far.
    pub fn threads(&self) -> &[Thread] {
        &self.decoder.threads
    }

    /// When the capture ended, nanoseconds since it began; `None` before the last event was passed.
    pub fn ended_ns(&self) -> Option<u64> {
        self.decoder.ended_ns
    }

    /// Share of the file that was read so far, 0 to 1, where its size is known.
    pub fn progress(&self) -> Option<f64> {
        self.meter.progress()
    }

    /// The capture, for messages.
    pub fn name(&self) -> &str {
        &self.input.name
    }

    #[cold]
    fn wrong(&mut self, flaw: &str) -> TraceError {
        self.end();
        let number = self.decoder.events + 1;
        let reason = format!("event {number}: {flaw}; the capture is damaged");
        TraceError::Syntax { path: self.input.name.clone(), line: number, reason }
    }

    /// Nothing more is given out.
    fn end(&mut self) {
        self.input.end();
        self.failed = true;
    }

    /// Reads on until `wanted` bytes are there, or the input ends.
    #[cold]
    fn fill(&mut self, wanted: usize) -> Result<(), TraceError> {
        while self.input.bytes().len() < wanted && !self.input.ended {
            self.input.fill().inspect_err(|_| self.failed = true)?;
        }
        Ok(())
    }
}

impl std::fmt::Debug for Reader {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Reader")
            .field("name", &self.input.name)
            .field("events", &self.decoder.events)
            .finish()
    }
}
