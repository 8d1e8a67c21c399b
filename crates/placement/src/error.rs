//! What can be wrong with a capture that is to be predicted.

use leadline_trace::TraceError;

/// A capture that cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PlacementError {
    /// It cannot be read, or is not a capture.
    #[error(transparent)]
    Trace(#[from] TraceError),
    /// It has no requests, or more than can be numbered.
    #[error(
        "{path}: {}",
        if *found == 0 { "has no reads, writes or syncs" } else { "has more than 2^31 requests" }
    )]
    Requests {
        /// The capture.
        path: String,
        /// Requests found.
        found: usize,
    },
    /// Its files do not fit on a device.
    #[error(
        "{name}: its files have {bytes} bytes, and {device} holds {capacity_bytes}; choose a larger device"
    )]
    TooLarge {
        /// The capture.
        name: String,
        /// Bytes of its files, as far as it knows them.
        bytes: u64,
        /// The device.
        device: String,
        /// Bytes of the device.
        capacity_bytes: u64,
    },
    /// The watcher ended it.
    #[error("interrupted")]
    Interrupted,
}
