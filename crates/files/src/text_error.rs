//! What can be wrong with a text that is read.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// A text file that could not be used. Every message is one line and names the file, the place in it, and
/// what to do.
#[derive(Debug)]
#[non_exhaustive]
pub enum TextError {
    /// The operating system refused to read the file.
    Io {
        /// The file.
        path: PathBuf,
        /// The operating system's reason.
        source: io::Error,
    },
    /// The file as a whole is not what it must be: something is missing, or it is too large.
    File {
        /// The file.
        path: PathBuf,
        /// What is wrong with it and what to do.
        reason: String,
    },
    /// A line does not have the form that it must have.
    Line {
        /// The file.
        path: PathBuf,
        /// Line in the file, from 1; comments and blank lines count.
        line: usize,
        /// What is wrong with it and what to do.
        reason: String,
    },
    /// A value is unknown or impossible.
    Value {
        /// The file.
        path: PathBuf,
        /// Line in the file, from 1; comments and blank lines count.
        line: usize,
        /// The column's name, in a table.
        column: Option<&'static str>,
        /// What is wrong with it and what to do.
        reason: String,
    },
}

impl TextError {
    /// Of a file as a whole.
    pub fn file(path: &Path, reason: impl Into<String>) -> Self {
        TextError::File { path: path.to_owned(), reason: reason.into() }
    }

    /// Of a line.
    pub fn line(path: &Path, line: usize, reason: impl Into<String>) -> Self {
        TextError::Line { path: path.to_owned(), line, reason: reason.into() }
    }

    /// Of a value in a line.
    pub fn value(path: &Path, line: usize, reason: impl Into<String>) -> Self {
        TextError::Value { path: path.to_owned(), line, column: None, reason: reason.into() }
    }

    /// Of a value in a table.
    pub fn cell(path: &Path, line: usize, column: &'static str, reason: impl Into<String>) -> Self {
        TextError::Value { path: path.to_owned(), line, column: Some(column), reason: reason.into() }
    }
}

impl fmt::Display for TextError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TextError::Io { path, source } => write!(f, "{}: {source}", path.display()),
            TextError::File { path, reason } => write!(f, "{}: {reason}", path.display()),
            TextError::Line { path, line, reason }
            | TextError::Value { path, line, column: None, reason } => {
                write!(f, "{}: line {line}: {reason}", path.display())
            }
            TextError::Value { path, line, column: Some(column), reason } => {
                write!(f, "{}: line {line}, column {column}: {reason}", path.display())
            }
        }
    }
}

impl std::error::Error for TextError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            TextError::Io { source, .. } => Some(source),
            _ => None,
        }
    }
}
