//! What no program tells of its keys: which values stand for something else, and which other keys decide
//! whether one counts at all.

use std::fmt;

/// What there is to know of one key beyond its [`Key`](crate::Key).
#[derive(Debug, Clone, Copy)]
pub struct Meaning {
    /// As the system spells it.
    pub key: &'static str,
    /// Values that are no amounts.
    pub special: &'static [(&'static str, Special)],
    /// When the key has no effect; the first that is so is named.
    pub moot: &'static [Moot],
    /// The key of which only the ratio to this one counts.
    pub relative_to: Option<&'static str>,
}

/// What a value stands for.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum Special {
    /// It switches something off: what then happens, a sentence without its point.
    Off(&'static str),
    /// The program chooses: by what, a sentence without its point.
    Automatic(&'static str),
}

/// Why a key has no effect.
#[derive(Debug, Clone, Copy)]
pub struct Moot {
    /// All of these; the first is the one that is named.
    pub when: &'static [When],
    /// What happens instead, in a sentence that begins behind "because KEY = VALUE: ".
    pub why: &'static str,
}

/// A condition on another key.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum When {
    /// One of these is in force, set or by default.
    Is(&'static str, &'static [&'static str]),
    /// None of these is in force: it is known to be another, or the version has no such key.
    IsNot(&'static str, &'static [&'static str]),
    /// Somebody set it, and to none of these.
    IsSet(&'static str, &'static [&'static str]),
    /// What is in force is a list, separated by commas, that has this word.
    Lists(&'static str, &'static str),
}

impl Meaning {
    /// Of `key`, which nothing else is known of.
    pub(crate) const fn of(key: &'static str) -> Meaning {
        Meaning { key, special: &[], moot: &[], relative_to: None }
    }

    /// With these values that are no amounts.
    pub(crate) const fn special(self, special: &'static [(&'static str, Special)]) -> Meaning {
        Meaning { special, ..self }
    }

    /// Without effect in these cases.
    pub(crate) const fn moot(self, moot: &'static [Moot]) -> Meaning {
        Meaning { moot, ..self }
    }

    /// Counting only by its ratio to `key`.
    pub(crate) const fn relative_to(self, key: &'static str) -> Meaning {
        Meaning { relative_to: Some(key), ..self }
    }
}

/// `io_method is not worker`.
impl fmt::Display for When {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            When::Is(key, words) => write!(f, "{key} is {}", words.join(" or ")),
            When::IsNot(key, words) => write!(f, "{key} is not {}", words.join(" or ")),
            When::IsSet(key, []) => write!(f, "{key} is set"),
            When::IsSet(key, words) => write!(f, "{key} is set to other than {}", words.join(" or ")),
            When::Lists(key, word) => write!(f, "{key} has {word}"),
        }
    }
}

impl When {
    /// The other key.
    pub fn key(&self) -> &'static str {
        match self {
            When::Is(key, _) | When::IsNot(key, _) | When::IsSet(key, _) | When::Lists(key, _) => key,
        }
    }
}
