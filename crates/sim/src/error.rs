//! What can go wrong with a device description.

use crate::place::line_of;

/// A description that makes no device. The message names the file, the place in it, and what to do.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SimError {
    /// No built-in device has this name.
    #[error("sim:{name}: no such device; built in are {known}, or name a file: sim:./device.toml")]
    Unknown {
        /// The name asked for.
        name: String,
        /// The names there are.
        known: String,
    },
    /// The description has nothing to simulate.
    #[error("sim:{name}: has published numbers only, nothing to simulate; simulated are {known}")]
    PublishedOnly {
        /// The name or file asked for.
        name: String,
        /// The names of those that can be simulated.
        known: String,
    },
    /// What the catalogue reads of the file is wrong.
    #[error(transparent)]
    Catalogue(#[from] leadline_catalogue::CatalogueError),
    /// The file could not be read.
    #[error("sim:{path}: {source}")]
    Io {
        /// The file.
        path: String,
        /// The operating system's reason.
        source: std::io::Error,
    },
    /// The file is not TOML of the right shape.
    #[error("{path}: line {line}: {reason}")]
    Syntax {
        /// The file.
        path: String,
        /// Line, from 1.
        line: usize,
        /// The parser's reason.
        reason: String,
    },
    /// A value makes no sense.
    #[error("{path}: {}{field}: {reason}", line_words(*.line))]
    Value {
        /// The file.
        path: String,
        /// Line of the field, from 1; of its table where it is left out. `None` where there is no text.
        line: Option<usize>,
        /// The field, such as `read.servers`.
        field: &'static str,
        /// What is wrong and what is allowed.
        reason: String,
    },
}

fn line_words(line: Option<usize>) -> String {
    line.map_or(String::new(), |line| format!("line {line}: "))
}

/// A field that cannot be, such as `read.servers`, and what is allowed there.
pub type Flaw = (&'static str, String);

impl SimError {
    /// A flaw of a description, whose text tells the line.
    pub fn value((field, reason): Flaw, text: &str, path: &str) -> Self {
        SimError::Value { path: path.to_owned(), line: Some(line_of(text, field)), field, reason }
    }

    /// The parser's error, in one line.
    pub fn syntax(error: &toml::de::Error, text: &str, path: &str) -> Self {
        let line = |at: usize| 1 + text[..at.min(text.len())].matches('\n').count();
        SimError::Syntax {
            path: path.to_owned(),
            line: error.span().map_or(1, |span| line(span.start)),
            reason: error.message().replace('\n', " "),
        }
    }
}
