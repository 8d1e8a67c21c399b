//! Whether a value fits.

use serde::Serialize;

/// What is said of one key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Verdict {
    /// As good as what would be advised.
    Fits,
    /// Lower than what fits.
    TooLow,
    /// Higher than what fits.
    TooHigh,
    /// A word that does not fit.
    Wrong,
    /// It does nothing, or says something that cannot be, on this device or on any.
    Meaningless,
    /// Not a value of this key.
    Invalid,
    /// A value of this key's kind, but not one that the program takes.
    OutOfRange,
    /// The program of this version has no such key.
    Unknown,
    /// Another setting has taken its effect away.
    Moot,
    /// It switches something off; whether that is meant, the device cannot tell.
    Off,
    /// The profile lacks what it would be judged by, or the configuration does not tell the value.
    NotJudged,
}

impl Verdict {
    /// Whether something should be done about it.
    pub fn is_wrong(self) -> bool {
        self.is_judged() && self != Verdict::Fits
    }

    /// Whether the value was compared with what fits: a key without effect is not.
    pub fn is_judged(self) -> bool {
        !matches!(self, Verdict::Moot | Verdict::Off | Verdict::NotJudged)
    }

    /// Whether the program does not take it at all.
    pub(crate) fn is_refused(self) -> bool {
        matches!(self, Verdict::Invalid | Verdict::OutOfRange | Verdict::Unknown)
    }

    /// In words: `too low`.
    pub fn words(self) -> &'static str {
        match self {
            Verdict::Fits => "fits",
            Verdict::TooLow => "too low",
            Verdict::TooHigh => "too high",
            Verdict::Wrong => "wrong",
            Verdict::Meaningless => "meaningless",
            Verdict::Invalid => "invalid",
            Verdict::OutOfRange => "out of range",
            Verdict::Unknown => "unknown",
            Verdict::Moot => "moot",
            Verdict::Off => "off (meant?)",
            Verdict::NotJudged => "not judged",
        }
    }
}
