//! How a store is to be written.

use super::Weights;

/// What is decided before the first edge is written.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Layout {
    /// Bytes of a block: a power of two, 4096 to 65,536.
    pub block_bytes: u32,
    /// Whether lists are written in the byte code.
    pub compressed: bool,
    /// Whether an edge leads one way only.
    pub directed: bool,
    /// How weights are kept. With [`Weights::F32`] every weight must be exact in 32 bits.
    pub weights: Weights,
    /// Vertices, at most [`MAX_VERTICES`](super::MAX_VERTICES).
    pub vertices: u64,
}
