//! What a test program writes, a line at a time as it comes: how many tests passed, which failed, how long
//! each took.

use std::time::{Duration, Instant};

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
    last: Instant,
    pub(super) counts: Counts,
    pub(super) tests: Vec<Timed>,
    pub(super) failed: Vec<String>,
}

impl Reader {
    pub(super) fn new(start: Instant) -> Self {
        Reader { last: start, counts: Counts::default(), tests: Vec::new(), failed: Vec::new() }
    }

    /// Takes a line that came at `now`.
    pub(super) fn line(&mut self, line: &str, now: Instant) {
        if let Some(counts) = counts(line) {
            self.counts.add(counts);
        } else if let Some((name, outcome)) = test(line) {
            if outcome.ends_with("FAILED") {
                self.failed.push(name.to_owned());
            }
            self.tests.push(Timed { name: name.to_owned(), time: now - self.last });
            self.last = now;
        }
    }
}

/// Of "test NAME ... ok": the name and the rest. A test may write on its own line, so the outcome may come
/// later.
fn test(line: &str) -> Option<(&str, &str)> {
    line.strip_prefix("test ")?.split_once(" ... ")
}

/// Of "test result: ok. 12 passed; 0 failed; 0 ignored; ...".
fn counts(line: &str) -> Option<Counts> {
    let (_, numbers) = line.strip_prefix("test result: ")?.split_once(". ")?;
    let number = |what: &str| {
        let part = numbers.split("; ").find(|part| part.ends_with(what))?;
        part.split(' ').next()?.parse().ok()
    };
    Some(Counts { passed: number(" passed")?, failed: number(" failed")? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_become_counts_and_times() {
        let start = Instant::now();
        let after = |seconds| start + Duration::from_secs(seconds);
        let mut reader = Reader::new(start);
        for (line, at) in [
            ("running 2 tests", 0),
            ("test reads::one ... ok", 2),
            ("test two - should panic ... FAILED", 5),
            ("test result: FAILED. 1 passed; 1 failed; 0 ignored; 0 measured; 3 filtered out", 5),
        ] {
            reader.line(line, after(at));
        }
        assert_eq!(reader.counts, Counts { passed: 1, failed: 1 });
        assert_eq!(reader.failed, ["two - should panic"]);
        let times: Vec<_> = reader.tests.iter().map(|test| (&*test.name, test.time.as_secs())).collect();
        assert_eq!(times, [("reads::one", 2), ("two - should panic", 3)]);
    }
}
