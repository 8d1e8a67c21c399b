//! The test harness of Rust.

use super::Counts;

/// Of "test NAME ... ok": the name, and whether it failed. A test may write on its own line, so the outcome
/// may come later.
pub(super) fn test(line: &str) -> Option<(&str, bool)> {
    let (name, outcome) = line.strip_prefix("test ")?.split_once(" ... ")?;
    Some((name, outcome.ends_with("FAILED")))
}

/// Of "test result: ok. 12 passed; 0 failed; 0 ignored; ...".
pub(super) fn counts(line: &str) -> Option<Counts> {
    let (_, numbers) = line.strip_prefix("test result: ")?.split_once(". ")?;
    let number = |what: &str| {
        let part = numbers.split("; ").find(|part| part.ends_with(what))?;
        part.split(' ').next()?.parse().ok()
    };
    Some(Counts { passed: number(" passed")?, failed: number(" failed")? })
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::super::{Counts, Format, Reader};

    #[test]
    fn lines_become_counts_and_times() {
        let start = Instant::now();
        let after = |seconds| start + Duration::from_secs(seconds);
        let mut reader = Reader::new(Format::Rust, start);
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
