//! What all readers share: a format says what a line or a record means, and here it becomes a [`Trace`].

use crate::input::{Input, Lines, Meter, Records};
use crate::{Recognition, Request, Skipped, Trace, TraceError, Unit};

/// What a line or a record holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Holds {
    Request(Request),
    /// No request, and nothing wrong: what such lines are, in the plural.
    Other(&'static str),
}

/// What the kinds are called that several formats have.
pub(super) const EMPTY: Holds = Holds::Other("empty lines");
pub(super) const COMMENT: Holds = Holds::Other("comments");
pub(super) const HEADER: Holds = Holds::Other("header");

/// What a line of a text format means.
pub(super) trait LineFormat: Send + 'static {
    fn unit(&self) -> Unit;

    fn timed(&self) -> bool {
        false
    }

    /// What this line holds.
    ///
    /// # Errors
    /// What was found and what was expected.
    fn request(&mut self, line: &[u8]) -> Result<Holds, String>;

    /// One more request of the line read last, where a line stands for several.
    #[inline]
    fn again(&mut self) -> Option<Request> {
        None
    }

    /// Bytes of the object of the request given last, where the format has sizes of objects.
    #[inline]
    fn object_bytes(&self) -> Option<u32> {
        None
    }

    /// Told once, at the end of the text, to say what only shows there.
    fn end(&mut self) -> Result<(), String> {
        Ok(())
    }
}

/// A trace of lines.
pub(super) struct Text<F> {
    lines: Lines,
    format: F,
    meter: Meter,
    recognition: Option<Recognition>,
    skipped: Skipped,
    ended: bool,
}

impl<F: LineFormat> Text<F> {
    pub(super) fn open(input: Input, format: F) -> Box<dyn Trace> {
        let lines = Lines::new(input.name, input.reader, input.line_end);
        let (meter, recognition) = (input.meter, input.recognition);
        Box::new(Text { lines, format, meter, recognition, skipped: Skipped::default(), ended: false })
    }
}

impl<F: LineFormat> Trace for Text<F> {
    fn unit(&self) -> Unit {
        self.format.unit()
    }

    fn next(&mut self) -> Result<Option<Request>, TraceError> {
        if let Some(request) = self.format.again() {
            return Ok(Some(request));
        }
        while let Some(line) = self.lines.next()? {
            match self.format.request(line) {
                Ok(Holds::Request(request)) => return Ok(Some(request)),
                Ok(Holds::Other(what)) => self.skipped.add(what, self.lines.given()),
                Err(reason) => return Err(self.lines.wrong(reason)),
            }
        }
        if !self.ended {
            self.ended = true;
            self.format.end().map_err(|reason| self.lines.wrong(reason))?;
        }
        Ok(None)
    }

    fn timed(&self) -> bool {
        self.format.timed()
    }

    fn progress(&self) -> Option<f64> {
        self.meter.progress()
    }

    fn object_bytes(&self) -> Option<u32> {
        self.format.object_bytes()
    }

    fn recognition(&self) -> Option<&Recognition> {
        self.recognition.as_ref()
    }

    fn skipped(&self) -> Option<&Skipped> {
        Some(&self.skipped)
    }
}

/// What a record of a binary format means.
pub(super) trait RecordFormat: Send + 'static {
    fn unit(&self) -> Unit;

    fn timed(&self) -> bool {
        false
    }

    fn record_bytes(&self) -> usize;

    /// Whether each record is a request.
    fn all_are_requests(&self) -> bool;

    /// What this record, which has `record_bytes`, holds.
    ///
    /// # Errors
    /// What was found and what was expected.
    fn request(&mut self, record: &[u8]) -> Result<Holds, String>;

    /// Bytes of the object of the request given last, where the format has sizes of objects.
    #[inline]
    fn object_bytes(&self) -> Option<u32> {
        None
    }
}

/// A trace of records.
pub(super) struct Binary<F> {
    records: Records,
    format: F,
    meter: Meter,
    recognition: Option<Recognition>,
    skipped: Skipped,
}

impl<F: RecordFormat> Binary<F> {
    pub(super) fn open(input: Input, format: F) -> Box<dyn Trace> {
        let records = Records::new(input.name, input.reader, format.record_bytes());
        let (meter, recognition) = (input.meter, input.recognition);
        Box::new(Binary { records, format, meter, recognition, skipped: Skipped::default() })
    }
}

impl<F: RecordFormat> Trace for Binary<F> {
    fn unit(&self) -> Unit {
        self.format.unit()
    }

    fn next(&mut self) -> Result<Option<Request>, TraceError> {
        while let Some(record) = self.records.next()? {
            match self.format.request(record) {
                Ok(Holds::Request(request)) => return Ok(Some(request)),
                Ok(Holds::Other(what)) => self.skipped.add(what, self.records.given()),
                Err(reason) => return Err(self.records.wrong(reason)),
            }
        }
        Ok(None)
    }

    fn remaining(&self) -> Option<u64> {
        let records = self.meter.plain_bytes()? / self.records.record_bytes() as u64;
        self.format.all_are_requests().then(|| records.saturating_sub(self.records.given()))
    }

    fn timed(&self) -> bool {
        self.format.timed()
    }

    fn progress(&self) -> Option<f64> {
        self.meter.progress()
    }

    fn object_bytes(&self) -> Option<u32> {
        self.format.object_bytes()
    }

    fn recognition(&self) -> Option<&Recognition> {
        self.recognition.as_ref()
    }

    fn skipped(&self) -> Option<&Skipped> {
        Some(&self.skipped)
    }
}
