//! What all readers share: a format says what a line or a record means, and here it becomes a [`Trace`].

use crate::input::{Input, Lines, Meter, Records};
use crate::{Request, Trace, TraceError, Unit};

/// What a line of a text format means.
pub(super) trait LineFormat: Send + 'static {
    fn unit(&self) -> Unit;

    fn timed(&self) -> bool {
        false
    }

    /// The request of this line, `None` where it holds none (a comment, a header, another kind of event).
    ///
    /// # Errors
    /// What was found and what was expected.
    fn request(&mut self, line: &[u8]) -> Result<Option<Request>, String>;

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
    ended: bool,
}

impl<F: LineFormat> Text<F> {
    pub(super) fn open(input: Input, format: F) -> Box<dyn Trace> {
        let lines = Lines::new(input.name, input.reader);
        Box::new(Text { lines, format, meter: input.meter, ended: false })
    }
}

impl<F: LineFormat> Trace for Text<F> {
    fn unit(&self) -> Unit {
        self.format.unit()
    }

    fn next(&mut self) -> Result<Option<Request>, TraceError> {
        while let Some(line) = self.lines.next()? {
            match self.format.request(line) {
                Ok(Some(request)) => return Ok(Some(request)),
                Ok(None) => {}
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

    /// The request of this record, which has `record_bytes`; `None` where it holds none.
    ///
    /// # Errors
    /// What was found and what was expected.
    fn request(&mut self, record: &[u8]) -> Result<Option<Request>, String>;
}

/// A trace of records.
pub(super) struct Binary<F> {
    records: Records,
    format: F,
    meter: Meter,
}

impl<F: RecordFormat> Binary<F> {
    pub(super) fn open(input: Input, format: F) -> Box<dyn Trace> {
        let records = Records::new(input.name, input.reader, format.record_bytes());
        Box::new(Binary { records, format, meter: input.meter })
    }
}

impl<F: RecordFormat> Trace for Binary<F> {
    fn unit(&self) -> Unit {
        self.format.unit()
    }

    fn next(&mut self) -> Result<Option<Request>, TraceError> {
        while let Some(record) = self.records.next()? {
            match self.format.request(record) {
                Ok(Some(request)) => return Ok(Some(request)),
                Ok(None) => {}
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
}
