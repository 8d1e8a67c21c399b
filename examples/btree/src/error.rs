//! Why a validation ended without a result.

use leadline_device::DeviceError;
use leadline_device::guard::GuardError;
use leadline_index::IndexError;
use leadline_lsm::btree::BTreeError;

/// What went wrong, in one line.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ValidateError {
    /// The directory cannot hold the trees.
    #[error(transparent)]
    Place(#[from] GuardError),
    /// The model cannot predict what is to be measured.
    #[error(transparent)]
    Model(#[from] BTreeError),
    /// Requests as large as the nodes were not measured.
    #[error("requests of {low} to {high} bytes were measured; nodes are of {least} to {most} bytes")]
    NotMeasured {
        /// Smallest request measured, bytes.
        low: u32,
        /// Largest request measured, bytes.
        high: u32,
        /// Smallest node, bytes.
        least: u32,
        /// Largest node, bytes.
        most: u32,
    },
    /// The pool has too few frames for the clients.
    #[error("{memory_bytes} bytes of memory hold {frames} nodes of {node_bytes} bytes; {least} are needed")]
    FewFrames {
        /// Memory of a pool.
        memory_bytes: u64,
        /// Bytes of a node.
        node_bytes: u32,
        /// Nodes that the memory holds.
        frames: u64,
        /// Nodes that it must hold.
        least: u64,
    },
    /// There is too much or too little data.
    #[error("{bytes} bytes are {pairs} pairs of 48 bytes; there must be from {least} to 4294967295 pairs")]
    Size {
        /// Bytes asked for.
        bytes: u64,
        /// Pairs in them.
        pairs: f64,
        /// Fewest pairs.
        least: u32,
    },
    /// A lookup or a range did not find what was inserted.
    #[error(
        "the tree with nodes of {node_bytes} bytes has no pair {number}, which was inserted; report this"
    )]
    Lost {
        /// Bytes of a node.
        node_bytes: u32,
        /// Number of the pair.
        number: u32,
    },
    /// A client panicked.
    #[error("a client panicked; please report it with the command line")]
    Panicked,
    /// Ctrl-C, SIGTERM, or a closed terminal.
    #[error("interrupted; nothing is left behind")]
    Interrupted,
    /// The device's reason.
    #[error(transparent)]
    Device(#[from] DeviceError),
    /// The index's reason.
    #[error(transparent)]
    Index(#[from] IndexError),
}

impl ValidateError {
    /// Whether it lies in what the user asked for.
    pub fn is_bad_input(&self) -> bool {
        use ValidateError::{FewFrames, Model, NotMeasured, Place, Size};
        matches!(self, Place(_) | Model(_) | NotMeasured { .. } | FewFrames { .. } | Size { .. })
    }
}
