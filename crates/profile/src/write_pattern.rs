//! Which pages of a region are written how often.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// Which pages are written, as on the command line: `uniform`, `zipf:0.99`, `zones:10/90`, `sequential`.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum WritePattern {
    /// Every page alike, at random.
    #[default]
    Uniform,
    /// By Zipf's law with this exponent, from 0 to 2; popular pages are scattered.
    Zipf(f64),
    /// Two kinds of pages, both scattered, written at random.
    Zones {
        /// Share of the pages that are of the first kind, between 0 and 1.
        pages: f64,
        /// Share of the writes that go to them, 0 to 1.
        writes: f64,
    },
    /// One after the other, over and over.
    Sequential,
}

/// What may be said.
const FORMS: &str = "must be uniform, sequential, zipf:THETA with THETA from 0 to 2, or zones:P/W: P % of \
                     the pages, above 0 and below 100, get W % of the writes";

impl FromStr for WritePattern {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let number = |text: &str| text.parse::<f64>().ok().filter(|number| number.is_finite());
        let pattern = match text.split_once(':') {
            None if text == "uniform" => Some(WritePattern::Uniform),
            None if text == "sequential" => Some(WritePattern::Sequential),
            Some(("zipf", theta)) => {
                number(theta).filter(|theta| (0.0..=2.0).contains(theta)).map(WritePattern::Zipf)
            }
            Some(("zones", shares)) => shares.split_once('/').and_then(|(pages, writes)| {
                let (pages, writes) = (number(pages)?, number(writes)?);
                let fits = 0.0 < pages && pages < 100.0 && (0.0..=100.0).contains(&writes);
                fits.then_some(WritePattern::Zones { pages: pages / 100.0, writes: writes / 100.0 })
            }),
            _ => None,
        };
        pattern.ok_or_else(|| FORMS.to_owned())
    }
}

impl fmt::Display for WritePattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // 0.07 is 7.000000000000001 %.
        let percent = |share: f64| (share * 1e12).round() / 1e10;
        match *self {
            WritePattern::Uniform => f.write_str("uniform"),
            WritePattern::Sequential => f.write_str("sequential"),
            WritePattern::Zipf(theta) => write!(f, "zipf:{theta}"),
            WritePattern::Zones { pages, writes } => {
                write!(f, "zones:{}/{}", percent(pages), percent(writes))
            }
        }
    }
}

impl TryFrom<String> for WritePattern {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl From<WritePattern> for String {
    fn from(pattern: WritePattern) -> String {
        pattern.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_are_written_as_they_are_read() {
        for text in
            ["uniform", "sequential", "zipf:0.99", "zipf:0", "zones:10/90", "zones:0.5/7", "zones:7/100"]
        {
            assert_eq!(text.parse::<WritePattern>().unwrap().to_string(), text);
        }
        assert_eq!("zones:10/90".parse(), Ok(WritePattern::Zones { pages: 0.1, writes: 0.9 }));
    }

    #[test]
    fn other_words_and_numbers_out_of_range_are_refused() {
        for text in [
            "",
            "random",
            "zipf",
            "zipf:",
            "zipf:2.1",
            "zipf:-1",
            "zipf:nan",
            "zones:10",
            "zones:0/50",
            "zones:100/50",
            "zones:10/101",
            "zones:10/90/1",
            "uniform:1",
        ] {
            let said = text.parse::<WritePattern>().unwrap_err();
            assert!(said.contains("zones:P/W"), "{text}: {said}");
        }
    }
}
