//! What can go wrong.

use std::path::{Path, PathBuf};

use leadline_process::ProcessError;

use crate::System;

/// Why there is no advice, or why a configuration cannot be judged.
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
    /// An address of a server that is of another form, or of another system.
    #[error("{address}: {reason}")]
    Address {
        /// The address, without what may be secret in it.
        address: String,
        /// What is wrong, and what would be right.
        reason: String,
    },
    /// A server could not be asked.
    #[error("{address}: {source}")]
    Client {
        /// Its address.
        address: String,
        /// What happened to the client.
        source: ProcessError,
    },
    /// A file that can be read as one of several systems.
    #[error("{}: can be read as {readings}; name the system instead of auto, {}", path.display(),
        systems.iter().map(|system| system.name()).collect::<Vec<_>>().join(" or "))]
    Ambiguous {
        /// The file.
        path: PathBuf,
        /// All readings with their evidence.
        readings: String,
        /// Whose they are.
        systems: Vec<System>,
    },
    /// A file that is none of any system that is known.
    #[error("{}: {reason}", path.display())]
    Unknown {
        /// The file.
        path: PathBuf,
        /// What it is instead, and what to do.
        reason: String,
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
    /// Whether other input helps; otherwise the operation failed.
    pub fn is_input(&self) -> bool {
        match self {
            // Another address helps against all but an interruption.
            AdviseError::Client { source, .. } => !matches!(source, ProcessError::Cancelled),
            _ => true,
        }
    }

    pub(crate) fn syntax(path: &Path, line: impl Into<Option<usize>>, reason: impl Into<String>) -> Self {
        AdviseError::Syntax { path: path.into(), line: line.into(), reason: reason.into() }
    }
}
