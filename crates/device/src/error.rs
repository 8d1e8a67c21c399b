//! What can go wrong between a request and its completion.

use std::fmt;
use std::io;

use crate::{Op, Request, error_in_words};

/// A request that was refused before the device saw it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RequestError {
    /// The request.
    pub request: Request,
    /// What is wrong with it.
    pub reason: &'static str,
}

impl std::error::Error for RequestError {}

impl fmt::Display for RequestError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Request { op, slot, len, offset, .. } = self.request;
        let op = match op {
            Op::Read => "read",
            Op::Write => "write",
            Op::Flush => "flush",
            Op::Trim => "trim",
        };
        write!(f, "{op} of {len} bytes at offset {offset} (slot {slot}) refused: {}", self.reason)
    }
}

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
