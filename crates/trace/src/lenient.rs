//! A trace whose bad lines are passed over, counted and remembered.

use crate::{Recognition, Request, Skipped, Trace, TraceError, Unit};

/// As many bad lines are remembered word for word.
const REMEMBERED: usize = 5;

/// Passes over what is not a request. Files that cannot be read any further still end with an error.
pub struct Lenient<T> {
    trace: T,
    strict: bool,
    bad: BadLines,
}

/// The lines (or records) of a trace that were no requests.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize)]
pub struct BadLines {
    /// How many.
    pub count: u64,
    /// What was wrong with the first five, with their places.
    pub first: Vec<String>,
    /// How many of each kind, and where the first of it is.
    pub kinds: Skipped,
}

impl<T: Trace> Lenient<T> {
    /// Over `trace`; a `strict` one passes over nothing, and its first bad line is an error.
    pub fn new(trace: T, strict: bool) -> Self {
        Lenient { trace, strict, bad: BadLines::default() }
    }

    /// What was passed over so far.
    pub fn bad_lines(&self) -> &BadLines {
        &self.bad
    }
}

impl<T: Trace> Trace for Lenient<T> {
    fn unit(&self) -> Unit {
        self.trace.unit()
    }

    fn next(&mut self) -> Result<Option<Request>, TraceError> {
        loop {
            match self.trace.next() {
                Err(error @ TraceError::Syntax { .. }) if !self.strict => {
                    self.bad.count += 1;
                    if let TraceError::Syntax { line, reason, .. } = &error {
                        self.bad.kinds.add_wrong(reason, *line);
                    }
                    if self.bad.first.len() < REMEMBERED {
                        self.bad.first.push(error.to_string());
                    }
                }
                other => return other,
            }
        }
    }

    fn remaining(&self) -> Option<u64> {
        self.trace.remaining()
    }

    fn timed(&self) -> bool {
        self.trace.timed()
    }

    fn progress(&self) -> Option<f64> {
        self.trace.progress()
    }

    fn volume_name(&self, volume: u32) -> Option<&str> {
        self.trace.volume_name(volume)
    }

    fn object_bytes(&self) -> Option<u32> {
        self.trace.object_bytes()
    }

    fn recognition(&self) -> Option<&Recognition> {
        self.trace.recognition()
    }

    fn skipped(&self) -> Option<&Skipped> {
        self.trace.skipped()
    }
}
