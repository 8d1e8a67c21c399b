//! What can be wrong with an OPTIONS file.

use std::path::{Path, PathBuf};

/// An OPTIONS file that could not be read. Every message is one line and names the file, the place in it, and
/// what to do.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OptionsError {
    /// The operating system refused to read the file.
    #[error("{path}: {source}")]
    Io {
        /// The file.
        path: PathBuf,
        /// The operating system's reason.
        source: std::io::Error,
    },
    /// The file as a whole is not an OPTIONS file that can be read: something is missing, or it is too large.
    #[error("{path}: {reason}")]
    File {
        /// The file.
        path: PathBuf,
        /// What is wrong with it and what to do.
        reason: String,
    },
    /// A line is neither a section nor an option, or a section is not one of RocksDB's.
    #[error("{path}: line {line}: {reason}")]
    Line {
        /// The file.
        path: PathBuf,
        /// Line in the file, from 1.
        line: usize,
        /// What is wrong with it and what to do.
        reason: String,
    },
    /// RocksDB does not know the option, and would refuse the file.
    #[error("{path}: line {line}: {section} has no option {name}{hint}")]
    Unknown {
        /// The file.
        path: PathBuf,
        /// Line in the file, from 1.
        line: usize,
        /// The section, "DBOptions".
        section: String,
        /// The option, quoted.
        name: String,
        /// What to do.
        hint: String,
    },
    /// The value of an option is impossible, or says that the data are not in a leveled tree.
    #[error("{path}: line {line}: {name}={value}: {reason}")]
    Value {
        /// The file.
        path: PathBuf,
        /// Line in the file, from 1.
        line: usize,
        /// The option.
        name: String,
        /// Its value, shortened.
        value: String,
        /// What is wrong with it and what to do.
        reason: String,
    },
}

impl OptionsError {
    pub(super) fn file(path: &Path, reason: impl Into<String>) -> Self {
        OptionsError::File { path: path.to_owned(), reason: reason.into() }
    }

    pub(super) fn line(path: &Path, line: usize, reason: impl Into<String>) -> Self {
        OptionsError::Line { path: path.to_owned(), line, reason: reason.into() }
    }
}

/// Text from a file, made fit for a message of one line: without control characters, and not too long.
pub(super) fn shown(text: &str) -> String {
    const MOST: usize = 40;
    let mut shown: String = text.chars().take(MOST).flat_map(char::escape_debug).collect();
    if text.chars().nth(MOST).is_some() {
        shown.push_str("...");
    }
    shown
}
