//! What the benchmark asks of each algorithm's output: the same value, the same partition, or nearly the same
//! number (section "Validation" of its specification).

use crate::input::whole;

/// How far a number may be from the one expected, as a share of it: the benchmark's own validator's bound.
const EPSILON: f64 = 1e-4;

/// An algorithm of the benchmark.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Benchmark {
    /// Breadth-first search: levels must be equal.
    Bfs,
    /// PageRank: ranks must be nearly equal.
    Pr,
    /// Weakly connected components: the same vertices must be together, whatever their labels.
    Wcc,
    /// Communities by label propagation: labels must be equal.
    Cdlp,
    /// Local clustering coefficients: they must be nearly equal.
    Lcc,
    /// Shortest paths: distances must be nearly equal.
    Sssp,
}

impl Benchmark {
    /// Whether values are numbers with a point, compared with a margin; they are whole else.
    fn is_real(self) -> bool {
        matches!(self, Benchmark::Pr | Benchmark::Lcc | Benchmark::Sssp)
    }

    /// Whether values only say which vertices are together.
    pub(super) fn is_partition(self) -> bool {
        self == Benchmark::Wcc
    }

    /// The bits of a value as it is in a file.
    pub(super) fn parse(self, field: &[u8]) -> Result<u64, String> {
        if !self.is_real() {
            return whole(field, "a whole number as value");
        }
        // Infinity in any of its spellings is a number for the standard library.
        let parsed = std::str::from_utf8(field).ok().and_then(|text| text.parse::<f64>().ok());
        let shown = || format!("expected a number as value, found {:?}", String::from_utf8_lossy(field));
        parsed.filter(|value| !value.is_nan()).map(f64::to_bits).ok_or_else(shown)
    }

    /// Whether a value will do where another is expected.
    pub(super) fn accepts(self, expected: u64, found: u64) -> bool {
        if !self.is_real() {
            return expected == found;
        }
        let (expected, found) = (f64::from_bits(expected), f64::from_bits(found));
        // What is infinite has no share of it.
        expected == found || expected.is_finite() && (expected - found).abs() <= EPSILON * expected.abs()
    }

    /// A value for a message.
    pub(super) fn show(self, value: u64) -> String {
        if self.is_real() { f64::from_bits(value).to_string() } else { value.to_string() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn accepts(expected: &str, found: &str) -> bool {
        let parse = |text: &str| Benchmark::Sssp.parse(text.as_bytes()).unwrap();
        Benchmark::Sssp.accepts(parse(expected), parse(found))
    }

    #[test]
    fn numbers_may_differ_by_a_ten_thousandth_of_the_expected_one() {
        assert!(accepts("10", "10.001") && accepts("10", "9.999") && accepts("-10", "-10.0009"));
        assert!(!accepts("10", "10.0011") && !accepts("10", "9.9989") && !accepts("1e-9", "2e-9"));
        assert!(accepts("0", "0.0") && !accepts("0", "1e-300"));
    }

    #[test]
    fn infinity_is_equal_to_itself_only_however_it_is_written() {
        for text in ["infinity", "Infinity", "inf", "+inf", "INF"] {
            assert!(accepts("infinity", text), "{text}");
            assert!(!accepts("1e308", text) && !accepts(text, "1e308"), "{text}");
        }
        assert!(!accepts("infinity", "-infinity"));
    }

    #[test]
    fn what_is_no_value_is_refused() {
        for (algorithm, text) in [(Benchmark::Bfs, "-1"), (Benchmark::Wcc, "1.5"), (Benchmark::Pr, "nan")] {
            assert!(algorithm.parse(text.as_bytes()).is_err(), "{text}");
        }
    }
}
