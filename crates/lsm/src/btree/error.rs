//! What can go wrong.

use leadline_model::{NotFitted, PredictError};

use super::MixError;
use crate::LsmError;

/// Why nothing can be said about a B-tree.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BTreeError {
    /// The data, or another number, is out of its range.
    #[error(transparent)]
    OutOfRange(#[from] LsmError),
    /// A mix of operations that is not one.
    #[error(transparent)]
    Mix(#[from] MixError),
    /// A node takes fewer pairs or children than a tree needs.
    #[error(
        "a node of {node_bytes} bytes takes {pairs} pairs of {pair_bytes} bytes and {children} children with \
         keys of {key_bytes} bytes; a B-tree needs nodes of at least 2 of each"
    )]
    NodeTooSmall {
        /// Bytes of the node.
        node_bytes: u32,
        /// Bytes of a key and its value.
        pair_bytes: f64,
        /// Bytes of a key.
        key_bytes: u32,
        /// Pairs that it takes.
        pairs: u64,
        /// Children that it takes, at its fill factor.
        children: u64,
    },
    /// Requests of one size say nothing about another.
    #[error("only requests of {bytes} bytes were measured; to compare node sizes takes two sizes or more")]
    OneRequestSize {
        /// The size.
        bytes: u32,
    },
    /// No node size lies within what was measured.
    #[error("no node of {low} to {high} bytes, the measured sizes, takes two pairs of {pair_bytes} bytes")]
    NothingMeasuredFits {
        /// Smallest request measured.
        low: u32,
        /// Largest request measured.
        high: u32,
        /// Bytes of a key and its value.
        pair_bytes: f64,
    },
    /// A model of this name was not fitted.
    #[error(transparent)]
    NotFitted(#[from] NotFitted),
    /// The model cannot predict such requests.
    #[error(transparent)]
    Predict(#[from] PredictError),
}
