//! What can be wrong with a question about placement.

use leadline_tiers::OpenError;

use crate::PlacementError;

/// Why nothing can be said. The message names what was given and what to do.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StudyError {
    /// A capture cannot be used.
    #[error(transparent)]
    Capture(#[from] PlacementError),
    /// A device cannot be used.
    #[error(transparent)]
    Device(#[from] OpenError),
    /// Two captures have one name.
    #[error("{name}: two traces are called so; rename one of them")]
    SameName {
        /// The name.
        name: String,
    },
    /// No file of a capture has a name.
    #[error(
        "{name}: has no names of files, so nothing can be placed; capture it with leadline emulate --trace"
    )]
    NoNames {
        /// The capture.
        name: String,
    },
    /// A weight of a query that is not there.
    #[error("{name}: is none of the queries, which are {known}; they are called as their traces")]
    UnknownQuery {
        /// The name.
        name: String,
        /// The names there are.
        known: String,
    },
    /// Every query has the weight 0.
    #[error("all queries have weight 0, so nothing is to be gained; give one of them another")]
    NoWeight,
    /// A fast device too small to cache a block, or larger than it is.
    #[error(
        "a fast size of {bytes} bytes: must be from a cached block, {block_bytes} bytes, to what the fast \
         device has, {most_bytes} bytes"
    )]
    FastSize {
        /// Bytes asked for.
        bytes: u64,
        /// Bytes of a block.
        block_bytes: u32,
        /// Bytes of the fast device.
        most_bytes: u64,
    },
}

impl StudyError {
    /// Whether it was ended by the watcher.
    pub fn is_interrupted(&self) -> bool {
        matches!(self, StudyError::Capture(PlacementError::Interrupted))
    }
}
