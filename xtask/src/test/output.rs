//! What a test program writes, a line at a time as it comes: how many tests passed, which failed, how long
//! each took.

mod pytest;
mod rust;

use std::time::{Duration, Instant};

/// How a program tells of its tests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Format {
    /// As those do that the test harness of Rust runs.
    Rust,
    /// As pytest does when it is verbose.
    Pytest,
    /// It has none: it succeeds as a whole or not at all.
    None,
}

/// Tests that passed and failed.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(super) struct Counts {
    pub(super) passed: u64,
    pub(super) failed: u64,
}

impl Counts {
    pub(super) fn total(self) -> u64 {
        self.passed + self.failed
    }

    pub(super) fn add(&mut self, other: Counts) {
        self.passed += other.passed;
        self.failed += other.failed;
    }
}

/// A test's name and time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Timed {
    pub(super) name: String,
    pub(super) time: Duration,
}

/// Reads the output of a program that runs its tests one after the other, so that the time between two lines
/// is the time of a test.
#[derive(Debug)]
pub(super) struct Reader {
    format: Format,
    last: Instant,
    pub(super) counts: Counts,
    pub(super) tests: Vec<Timed>,
    pub(super) failed: Vec<String>,
}

impl Reader {
    pub(super) fn new(format: Format, start: Instant) -> Self {
        Reader { format, last: start, counts: Counts::default(), tests: Vec::new(), failed: Vec::new() }
    }

    /// Takes a line that came at `now`. Whether the user must see it: what could not be tested.
    pub(super) fn line(&mut self, line: &str, now: Instant) -> bool {
        let (counts, test) = match self.format {
            Format::Rust => (rust::counts(line), rust::test(line)),
            Format::Pytest => (pytest::counts(line), pytest::test(line)),
            Format::None => (None, None),
        };
        if let Some(counts) = counts {
            self.counts.add(counts);
        } else if let Some((name, failed)) = test {
            if failed {
                self.failed.push(name.to_owned());
            }
            self.tests.push(Timed { name: name.to_owned(), time: now - self.last });
            self.last = now;
        }
        self.format == Format::Pytest && line.starts_with("SKIPPED ")
    }
}
