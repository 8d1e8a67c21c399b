//! What can go wrong.

use std::path::{Path, PathBuf};

use crate::System;

/// Why there is no advice, or why a configuration cannot be judged. All are errors of the input.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AdviseError {
    /// A version that is not known.
    #[error("--version {given}: not a version of {} that is known; known are {}", system.title(),
        system.versions().join(", "))]
    Version {
        /// Of which system.
        system: System,
        /// What was given.
        given: String,
    },
    /// A configuration that cannot be read.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        source: std::io::Error,
    },
    /// A configuration that is not in the system's syntax.
    #[error("{}{}: {reason}", path.display(), line.map_or(String::new(), |line| format!(", line {line}")))]
    Syntax {
        /// The file.
        path: PathBuf,
        /// Line, from 1, where there is one.
        line: Option<usize>,
        /// What is wrong, and what would be right.
        reason: String,
    },
}

impl AdviseError {
    pub(crate) fn syntax(path: &Path, line: impl Into<Option<usize>>, reason: impl Into<String>) -> Self {
        AdviseError::Syntax { path: path.into(), line: line.into(), reason: reason.into() }
    }
}
