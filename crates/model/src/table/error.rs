//! What can be wrong with a table.

use std::path::{Path, PathBuf};

/// Both layouts, for messages.
pub(super) const LAYOUTS: &str = "a table of measured points has op, random_fraction, concurrency, block_bytes, bytes, \
    seconds; a table of costs has k with s_us, beta_us (writes) or t_us, alpha_us (reads) or both";

/// A table that could not be read. Every message is one line and names the file, the place in it, and what to
/// do.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TableError {
    /// The operating system refused to read the file.
    #[error("{path}: {source}")]
    Io {
        /// The file.
        path: PathBuf,
        /// The operating system's reason.
        source: std::io::Error,
    },
    /// The file as a whole is not a table: it is empty, too large, or JSON.
    #[error("{path}: {reason}")]
    File {
        /// The file.
        path: PathBuf,
        /// What is wrong with it and what to do.
        reason: String,
    },
    /// A line is wrong: the header's columns, the number of fields.
    #[error("{path}: line {line}: {reason}")]
    Line {
        /// The file.
        path: PathBuf,
        /// Line in the file, from 1, comments and blank lines counted.
        line: usize,
        /// What is wrong with it and what to do.
        reason: String,
    },
    /// A value is impossible.
    #[error("{path}: line {line}, column {column}: {reason}")]
    Value {
        /// The file.
        path: PathBuf,
        /// Line in the file, from 1, comments and blank lines counted.
        line: usize,
        /// The column's name.
        column: &'static str,
        /// What is wrong with it and what to do.
        reason: String,
    },
}

impl TableError {
    pub(super) fn file(path: &Path, reason: impl Into<String>) -> Self {
        TableError::File { path: path.to_owned(), reason: reason.into() }
    }

    pub(super) fn line(path: &Path, line: usize, reason: impl Into<String>) -> Self {
        TableError::Line { path: path.to_owned(), line, reason: reason.into() }
    }
}

/// Text from a file, made fit for a message of one line: quoted, without control characters, and not too
/// long.
pub(super) fn quoted(text: &str) -> String {
    const MOST: usize = 40;
    let clipped: String = text.chars().take(MOST).collect();
    if clipped.len() < text.len() { format!("{clipped:?}...") } else { format!("{clipped:?}") }
}
