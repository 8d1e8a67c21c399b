//! The options of a generator: known ones only, each within its range.

use std::ops::RangeInclusive;

/// A generator, for help and messages.
#[derive(Debug, Clone, Copy)]
pub struct GeneratorInfo {
    /// Behind `gen:`.
    pub name: &'static str,
    /// What it makes, in a line.
    pub about: &'static str,
    /// What may be set.
    pub options: &'static [OptionInfo],
}

/// An option of a generator.
#[derive(Debug, Clone, Copy)]
pub struct OptionInfo {
    /// Its name.
    pub key: &'static str,
    /// What it is where it is not set.
    pub default: &'static str,
}

/// Options of all generators with their defaults.
macro_rules! options {
    ($($key:literal = $default:literal),* $(,)?) => {
        &[$($crate::generate::options::OptionInfo { key: $key, default: $default }),*]
    };
}
pub(super) use options;

/// The options of one generator.
#[derive(Debug)]
pub(super) struct Options<'a> {
    info: &'static GeneratorInfo,
    given: Vec<(&'a str, &'a str)>,
}

impl<'a> Options<'a> {
    /// `key=value&key=value`, or nothing.
    pub(super) fn parse(info: &'static GeneratorInfo, text: &'a str) -> Result<Options<'a>, String> {
        let mut given: Vec<(&str, &str)> = Vec::new();
        for pair in text.split('&').filter(|_| !text.is_empty()) {
            let known = || {
                let all: Vec<String> =
                    info.options.iter().map(|option| format!("{}={}", option.key, option.default)).collect();
                all.join("&")
            };
            let Some((key, value)) = pair.split_once('=') else {
                return Err(format!("{pair:?} is not an option, expected key=value of {}", known()));
            };
            if !info.options.iter().any(|option| option.key == key) {
                return Err(format!("there is no option {key:?}; the options are {}", known()));
            }
            if given.iter().any(|&(earlier, _)| earlier == key) {
                return Err(format!("{key} is given twice"));
            }
            given.push((key, value));
        }
        Ok(Options { info, given })
    }

    /// A whole number within `range`.
    pub(super) fn count(&self, key: &str, range: RangeInclusive<u64>) -> Result<u64, String> {
        let text = self.text(key);
        let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        let value = text.parse().ok().filter(|value| digits && range.contains(value));
        value.ok_or_else(|| {
            format!("{key}={text}: expected a whole number from {} to {}", range.start(), range.end())
        })
    }

    /// A number within `range`.
    pub(super) fn number(&self, key: &str, range: RangeInclusive<f64>) -> Result<f64, String> {
        let text = self.text(key);
        let value = text.parse().ok().filter(|value| range.contains(value));
        value.ok_or_else(|| {
            format!("{key}={text}: expected a number from {} to {}", range.start(), range.end())
        })
    }

    /// Requests that come out.
    pub(super) fn ops(&self) -> Result<u64, String> {
        self.count("ops", 0..=u64::MAX)
    }

    /// What was given, else the default.
    fn text(&self, key: &str) -> &str {
        let given = self.given.iter().find(|&&(given, _)| given == key).map(|&(_, value)| value);
        let default =
            || self.info.options.iter().find(|option| option.key == key).map(|option| option.default);
        given.or_else(default).unwrap_or("")
    }
}
