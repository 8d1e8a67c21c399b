//! A setting: what a key should be, and why.

use std::fmt;

use serde::{Serialize, Serializer};

use crate::Value;

/// One key of one system, with all that a reader needs to believe it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Setting {
    /// As the system spells it.
    pub key: &'static str,
    /// What to set it to.
    pub value: Value,
    /// The number that the rule came to, in the same unit, where `value` is the nearest step of a ladder that
    /// does as well, so that profiles of one device have one value; `None` where `value` is that number.
    pub exact: Option<f64>,
    /// Unit of the value, in words: `requests in flight`, `bytes`, `pages per second`.
    pub unit: &'static str,
    /// Lower end of the 95 % interval of the number that the value comes from, in the same unit; `None` for
    /// words and where the profile has no interval.
    pub low: Option<f64>,
    /// Its upper end.
    pub high: Option<f64>,
    /// What the value is made of, in one sentence with the numbers.
    pub rule: String,
    /// Where the system says what the key means.
    pub source: Source,
    /// What the system does if nobody sets it; `None` where that depends on the machine.
    pub default: Option<Value>,
    /// Which values do as well, so that [`lint`](crate::lint()) has nothing to say of them.
    pub fits: Fits,
    /// What happens where the value is too low (of words: where it is another).
    pub if_too_low: &'static str,
    /// What happens where it is too high.
    pub if_too_high: &'static str,
    /// What other values cost, where the profile tells.
    pub costs: Option<Costs>,
    /// Whether a change is in force only after a restart; `false` also where the program does not tell.
    pub needs_restart: bool,
}

/// Where a key is defined.
///
/// [`Display`](fmt::Display), and as text in JSON: document and version.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Source {
    /// Document and section, or source file: `PostgreSQL 18 documentation, 19.4.5 "I/O"`.
    pub defined: &'static str,
    /// Version of the system that it describes.
    pub version: &'static str,
}

/// The values that fit.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Fits {
    /// From the first to the last, in the unit of the value.
    Range([f64; 2]),
    /// Any of these.
    Words(Vec<String>),
}

/// What values cost: each with its time relative to the best.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Costs {
    /// What takes the time: `a cold bitmap heap scan`.
    pub of: &'static str,
    /// Values, ascending if numbers, and time / time at the best value (1 or more).
    pub points: Vec<(Value, f64)>,
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.defined, self.version)
    }
}

impl Serialize for Source {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl Setting {
    /// A setting that only its own value fits, without interval, default, consequences and costs.
    pub(crate) fn new(
        key: &'static str,
        value: Value,
        unit: &'static str,
        rule: String,
        source: Source,
    ) -> Self {
        let fits = match value.number() {
            Some(number) => Fits::Range([number; 2]),
            None => Fits::Words(vec![value.to_string()]),
        };
        Setting {
            key,
            value,
            exact: None,
            unit,
            low: None,
            high: None,
            rule,
            source,
            default: None,
            fits,
            if_too_low: "",
            if_too_high: "",
            costs: None,
            needs_restart: false,
        }
    }

    /// With the interval of the number it comes from, in the unit of the value.
    pub(crate) fn interval(self, [low, high]: [f64; 2]) -> Self {
        Setting { low: Some(low), high: Some(high), ..self }
    }

    /// With these values that do as well, and itself.
    pub(crate) fn fits(self, low: f64, high: f64) -> Self {
        let own = self.value.number().unwrap_or(low);
        Setting { fits: Fits::Range([low.min(own), high.max(own)]), ..self }
    }

    /// With what happens where it is too low and too high; of words, where it is another.
    pub(crate) fn if_wrong(self, too_low: &'static str, too_high: &'static str) -> Self {
        Setting { if_too_low: too_low, if_too_high: too_high, ..self }
    }

    /// With what is in force if nobody sets it.
    pub(crate) fn default(self, value: Value) -> Self {
        Setting { default: Some(value), ..self }
    }

    /// With what other values cost.
    pub(crate) fn costs(self, of: &'static str, points: Vec<(Value, f64)>) -> Self {
        let costs = (!points.is_empty()).then_some(Costs { of, points });
        Setting { costs, ..self }
    }
}

impl Fits {
    /// Whether `value` is one of them.
    pub fn has(&self, value: &Value) -> bool {
        match (self, value) {
            (Fits::Range([low, high]), value) => {
                value.number().is_some_and(|number| *low <= number && number <= *high)
            }
            (Fits::Words(words), Value::Word(word)) => words.iter().any(|one| one.eq_ignore_ascii_case(word)),
            (Fits::Words(words), value) => words.contains(&value.to_string()),
        }
    }
}

impl Costs {
    /// Time at `value` / time at the best value; between two numbers along a straight line on logarithmic
    /// axes, beyond the last as at the last. `None` for words that are not known.
    pub fn at(&self, value: &Value) -> Option<f64> {
        let Some(number) = value.number().filter(|number| number.is_finite()) else {
            return self.points.iter().find(|(known, _)| known == value).map(|(_, time)| *time);
        };
        let points: Vec<(f64, f64)> =
            self.points.iter().filter_map(|(value, time)| Some((value.number()?, *time))).collect();
        let above = points.iter().position(|(x, _)| *x >= number);
        match above {
            None => points.last().map(|(_, time)| *time),
            Some(0) => points.first().map(|(_, time)| *time),
            Some(at) => {
                let ((x0, y0), (x1, y1)) = (points[at - 1], points[at]);
                // One more, since 0 is a value of many keys.
                let place = |x: f64| (x + 1.0).ln();
                let share = (place(number) - place(x0)) / (place(x1) - place(x0));
                Some((y0.ln() * (1.0 - share) + y1.ln() * share).exp())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn costs(points: &[(f64, f64)]) -> Costs {
        let points = points.iter().map(|&(value, time)| (Value::Number(value), time)).collect();
        Costs { of: "a test", points }
    }

    #[test]
    fn costs_between_two_values_lie_between_theirs_and_beyond_the_ends_are_those_of_the_ends() {
        let costs = costs(&[(1.0, 8.0), (7.0, 2.0), (31.0, 1.0)]);
        assert_eq!(costs.at(&Value::Number(1.0)), Some(8.0));
        // 3 is halfway from 1 to 7 on this axis: ln 4 between ln 2 and ln 8.
        assert!((costs.at(&Value::Number(3.0)).unwrap() - 4.0).abs() < 1e-9);
        assert_eq!(costs.at(&Value::Number(0.0)), Some(8.0));
        assert_eq!(costs.at(&Value::Number(1000.0)), Some(1.0));
        assert_eq!(costs.at(&Value::Number(f64::NAN)), None);
        assert_eq!(costs.at(&Value::word("on")), None);
    }

    #[test]
    fn words_fit_whatever_their_case_and_numbers_within_their_range() {
        let words = Fits::Words(vec!["fdatasync".into(), "0".into()]);
        assert!(words.has(&Value::word("FDATASYNC")) && !words.has(&Value::word("fsync")));
        assert!(words.has(&Value::Number(0.0)) && !words.has(&Value::Number(1.0)));
        let range = Fits::Range([8.0, 64.0]);
        assert!(range.has(&Value::Number(8.0)) && range.has(&Value::Bytes(64)));
        assert!(!range.has(&Value::Number(65.0)) && !range.has(&Value::word("8")));
    }
}
