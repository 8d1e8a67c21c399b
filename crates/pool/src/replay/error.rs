//! What can go wrong in a replay.

use std::fmt;

use leadline_device::{DeviceError, RequestError};
use leadline_trace::TraceError;

use crate::{ConfigError, PoolError};

/// Why a trace was not replayed, or what was wrong afterwards.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReplayError {
    /// The trace cannot be read.
    #[error(transparent)]
    Trace(#[from] TraceError),
    /// The trace holds no request.
    #[error("holds no request")]
    Empty,
    /// The trace is shorter than when it was read first.
    #[error("the trace is shorter than when it was read first: it must not change meanwhile")]
    Shorter,
    /// The trace has a page that it did not have when it was read first.
    #[error("page {page} was not in the trace when it was read first: it must not change meanwhile")]
    Changed {
        /// The page.
        page: u64,
    },
    /// What no replay can be made of.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The pool failed; what it says of pages is their place in the file.
    #[error("{source}{}", alias(.place_and_page))]
    Pool {
        /// What it says.
        source: PoolError,
        /// Place of the page it names, and the page's number in the trace, where the two differ.
        place_and_page: Option<(u64, u64)>,
    },
    /// A page holds something else than it should.
    #[error("page {page} is wrong: {found}")]
    Mismatch {
        /// Its number in the trace.
        page: u64,
        /// What it holds.
        found: String,
    },
    /// The contents are from a run that was cancelled or failed.
    #[error("an earlier run failed, so the content of the pages is unknown; lay them out again")]
    Unknown,
    /// A client could not be started.
    #[error("only {clients} clients could be started: {source}")]
    Thread {
        /// The clients that were.
        clients: u32,
        /// The system's reason.
        source: std::io::Error,
    },
    /// A request outside the pool failed.
    #[error("{phase}: the request at byte {offset} failed: {source}")]
    Io {
        /// What was under way.
        phase: ReplayPhase,
        /// First byte of the request on the device.
        offset: u64,
        /// The device's reason.
        source: std::io::Error,
    },
    /// The device broke.
    #[error(transparent)]
    Device(#[from] DeviceError),
    /// The device refused a request.
    #[error(transparent)]
    Refused(#[from] RequestError),
    /// The caller cancelled it.
    #[error("interrupted")]
    Cancelled,
}

/// What a replay does outside the pool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReplayPhase {
    /// Writes all pages before the first run.
    LayingOut,
    /// Makes them durable.
    Flushing,
    /// Reads all pages back after the last run.
    Verifying,
}

impl fmt::Display for ReplayPhase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ReplayPhase::LayingOut => "laying out",
            ReplayPhase::Flushing => "flushing",
            ReplayPhase::Verifying => "verifying",
        })
    }
}

fn alias(place_and_page: &Option<(u64, u64)>) -> String {
    let text = |(place, page)| format!(" (page {place} of the file is page {page} of the trace)");
    place_and_page.map(text).unwrap_or_default()
}
