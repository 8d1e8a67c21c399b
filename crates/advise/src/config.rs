//! A configuration that somebody uses: keys and values with their places.

use std::path::PathBuf;

/// What was read from a file, or asked of a running server.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Config {
    /// In the order in which the program reads them, files that are included at their place.
    pub entries: Vec<Entry>,
    /// Keys that are set to what is not known here: the value is a variable of a shell or a template.
    pub undecided: Vec<Entry>,
    /// What was not followed or not understood, one sentence each.
    pub notes: Vec<String>,
    /// The version of the system that reads it, as the configuration itself tells it: `15.4`, `8.10.0`.
    pub version: Option<String>,
    /// Whether it has parts that could not be read, so that a key which is not in it may still be set.
    pub incomplete: bool,
}

/// One key.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// The section it is in, such as `mysqld`; empty where there is none.
    pub section: String,
    /// As the system spells it.
    pub key: String,
    /// The text of the value, without quotes.
    pub value: String,
    /// Where it stands.
    pub place: Place,
}

/// Where a value comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// A line of a file, from 1.
    Line {
        /// The file.
        path: PathBuf,
        /// The line.
        line: usize,
    },
    /// A running server.
    Server(String),
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Place::Line { path, line } => write!(f, "{}, line {line}", path.display()),
            Place::Server(name) => f.write_str(name),
        }
    }
}

impl Config {
    /// The entry in force for `key`: the last one.
    pub fn last(&self, key: &str) -> Option<&Entry> {
        self.entries.iter().rev().find(|entry| entry.key == key)
    }

    /// Whether it is known that nobody sets `key`.
    pub fn is_unset(&self, key: &str) -> bool {
        let is_it = |entry: &Entry| entry.key == key;
        !self.incomplete && !self.entries.iter().any(is_it) && !self.undecided.iter().any(is_it)
    }

    /// The value of `key` as a number without a unit.
    pub fn number(&self, key: &str) -> Option<f64> {
        self.last(key)?.value.parse().ok()
    }
}
