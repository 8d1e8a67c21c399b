//! pytest, run with --verbose.

use super::Counts;

/// Of "tests/test_a.py::test_b PASSED    [ 50%]": the name, and whether it failed.
pub(super) fn test(line: &str) -> Option<(&str, bool)> {
    let outcome = |word: &'static str| {
        let name = line[..line.rfind(word)?].trim_end();
        // The summary has the outcome first, and a traceback has other words before a name.
        let (file, _) = name.split_once("::")?;
        (!file.contains(' ')).then_some((name, word == " FAILED" || word == " ERROR"))
    };
    [" PASSED", " FAILED", " ERROR", " SKIPPED", " XFAIL", " XPASS"].into_iter().find_map(outcome)
}

/// Of "==== 1 failed, 12 passed, 2 skipped, 1 error in 0.50s ====". Of tests that are known to fail nothing
/// is said.
pub(super) fn counts(line: &str) -> Option<Counts> {
    let (numbers, _) = line.strip_prefix('=')?.trim_matches(['=', ' ']).split_once(" in ")?;
    let number = |what: &str| -> u64 {
        let mut parts = numbers.split(", ").filter_map(|part| part.split_once(' '));
        let number = parts.find(|(_, word)| word.trim_end_matches('s') == what);
        number.and_then(|(number, _)| number.parse().ok()).unwrap_or(0)
    };
    let counts = Counts { passed: number("passed"), failed: number("failed") + number("error") };
    numbers.starts_with(|first: char| first.is_ascii_digit()).then_some(counts)
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::super::{Counts, Format, Reader};

    #[test]
    fn lines_become_counts_names_and_what_was_skipped() {
        let mut reader = Reader::new(Format::Pytest, Instant::now());
        let mut shown = Vec::new();
        for line in [
            "============================= test session starts ==============================",
            "collecting ... collected 5 items",
            "tests/test_graph.py::test_bfs[a b] PASSED                               [ 20%]",
            "tests/test_graph.py::TestClosed::test_is_refused FAILED                 [ 40%]",
            "tests/test_graph.py::test_ray SKIPPED (could not import 'ray')          [ 60%]",
            "tests/test_graph.py::test_later XFAIL (not yet)                         [ 80%]",
            "tests/test_graph.py::test_setup ERROR                                   [100%]",
            "=================================== FAILURES ===================================",
            "E       assert 'tests/a.py::b PASSED' == ''",
            "=========================== short test summary info ============================",
            "SKIPPED [1] tests/test_graph.py:7: could not import 'ray'",
            "FAILED tests/test_graph.py::TestClosed::test_is_refused - assert 1 == 2",
            "ERROR tests/test_graph.py::test_setup - NameError",
            "==== 1 failed, 1 passed, 1 skipped, 1 xfailed, 2 warnings, 1 error in 0.31s ====",
        ] {
            if reader.line(line, Instant::now()) {
                shown.push(line);
            }
        }
        assert_eq!(reader.counts, Counts { passed: 1, failed: 2 });
        let file = |test: &str| format!("tests/test_graph.py::{test}");
        assert_eq!(reader.failed, [file("TestClosed::test_is_refused"), file("test_setup")]);
        assert_eq!(reader.tests.len(), 5);
        assert_eq!(reader.tests[0].name, file("test_bfs[a b]"));
        assert_eq!(shown, ["SKIPPED [1] tests/test_graph.py:7: could not import 'ray'"]);
    }

    #[test]
    fn a_run_without_a_test_counts_none() {
        let mut reader = Reader::new(Format::Pytest, Instant::now());
        reader.line(
            "============================ no tests ran in 0.01s =============================",
            Instant::now(),
        );
        assert_eq!(reader.counts, Counts::default());
    }
}
