//! The part of every result in addition to its table: what the run did, and a summary.

use serde_json::{Map, Value};

use crate::RunStats;

/// The result of an algorithm.
pub trait Outcome {
    /// What the run did.
    fn stats(&self) -> RunStats;

    /// The result in short, by name: `result` in the document of a run.
    fn facts(&self) -> Map<String, Value>;

    /// The same in a line of words.
    fn words(&self) -> String;

    /// Iterations, where sweeps are not.
    fn iterations(&self) -> u64 {
        self.stats().sweeps
    }

    /// Where it ended before it was as good as was asked for: what it lacks, and the remedy.
    fn unfinished(&self) -> Option<String> {
        None
    }
}

/// Of a result: its facts by name, its line of words, and its iterations where they are not sweeps.
macro_rules! outcome {
    (
        $result:ty,
        $found:ident: { $($name:literal: $fact:expr),+ },
        $words:expr
        $(, iterations: $iterations:expr)?
        $(, unfinished: $unfinished:expr)?
    ) => {
        impl $crate::output::Outcome for $result {
            fn stats(&self) -> $crate::RunStats {
                self.stats
            }

            fn facts(&self) -> serde_json::Map<String, serde_json::Value> {
                let $found = self;
                serde_json::Map::from_iter([$(($name.to_owned(), serde_json::json!($fact))),+])
            }

            fn words(&self) -> String {
                let $found = self;
                $words
            }

            $(fn iterations(&self) -> u64 {
                let $found = self;
                $iterations
            })?

            $(fn unfinished(&self) -> Option<String> {
                let $found = self;
                $unfinished
            })?
        }
    };
}
pub(crate) use outcome;

/// A number with a comma after each three digits.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped() {
        assert_eq!([0, 999, 1000, 1_234_567].map(grouped), ["0", "999", "1,000", "1,234,567"]);
    }
}
