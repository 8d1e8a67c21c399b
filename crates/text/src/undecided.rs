//! Why a file was not read.

use std::error::Error;
use std::fmt;

/// The option that decides how a file is read; each user interface has its own way to write one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextOption {
    /// What separates columns.
    Delimiter,
    /// Whether the first line names the columns.
    Header,
    /// What a comment begins with.
    Comment,
    /// What the file is, where it is no list of rows at all.
    Format,
}

impl TextOption {
    /// Its name in options, without dashes.
    pub fn name(self) -> &'static str {
        match self {
            TextOption::Delimiter => "delimiter",
            TextOption::Header => "header",
            TextOption::Comment => "comment",
            TextOption::Format => "format",
        }
    }
}

/// A file that can be read in two ways, or in none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Undecided {
    /// The line that shows it, from 1.
    pub line: u64,
    /// What was found, without the option.
    pub what: String,
    /// The option that decides, with the values that choose each reading.
    pub decided_by: Option<(TextOption, Vec<String>)>,
    /// Lines have different numbers of columns, as lists of neighbours have.
    pub is_ragged: bool,
}

impl Undecided {
    pub(crate) fn refused(line: u64, what: String) -> Undecided {
        Undecided { line, what, decided_by: None, is_ragged: false }
    }

    pub(crate) fn ragged(line: u64, what: String) -> Undecided {
        Undecided { is_ragged: true, ..Undecided::refused(line, what) }
    }

    pub(crate) fn between(line: u64, what: String, option: TextOption, values: Vec<String>) -> Undecided {
        Undecided { decided_by: Some((option, values)), ..Undecided::refused(line, what) }
    }

    /// What to say, where options are written as by `option`: `--header yes`, `header="yes"`.
    pub fn text(&self, option: impl Fn(&str, &str) -> String) -> String {
        match &self.decided_by {
            None => self.what.clone(),
            Some((decides, values)) => {
                let choices: Vec<String> = values.iter().map(|value| option(decides.name(), value)).collect();
                format!("{}; say {}", self.what, choices.join(" or "))
            }
        }
    }
}

impl fmt::Display for Undecided {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.text(|name, value| format!("{name} {value}")))
    }
}

impl Error for Undecided {}
