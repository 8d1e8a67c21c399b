//! What can go wrong between a request and its completion.

use std::io;

use crate::{RequestError, error_in_words};

/// A device or queue pair that failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DeviceError {
    /// A request the device was not given.
    #[error(transparent)]
    Request(#[from] RequestError),
    /// The operating system refused.
    #[error("{what}: {}", error_in_words(.source))]
    Io {
        /// What was attempted, and on what.
        what: String,
        /// The operating system's reason.
        source: io::Error,
    },
    /// The device or queue pair cannot be had in this shape.
    #[error("{0}")]
    Unsupported(String),
}

impl DeviceError {
    /// Wraps the operating system's reason with what was attempted.
    pub fn io(what: impl Into<String>, source: impl Into<io::Error>) -> Self {
        DeviceError::Io { what: what.into(), source: source.into() }
    }
}
