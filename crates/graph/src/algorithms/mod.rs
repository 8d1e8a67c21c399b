//! The algorithms, one file each; each has a page in docs/graph-algorithms.

mod bfs;
mod pagerank;
mod wcc;

pub use bfs::{Bfs, UNREACHED};
pub use pagerank::{PageRank, PageRankOptions};
pub use wcc::Wcc;

use std::sync::atomic::AtomicU32;

/// Vertex state that threads share: a number a vertex.
pub(crate) fn numbers(vertices: u64, value: impl Fn(u32) -> u32) -> Vec<AtomicU32> {
    (0..vertices as u32).map(|vertex| AtomicU32::new(value(vertex))).collect()
}

/// The numbers, once no thread shares them any more.
pub(crate) fn plain(numbers: Vec<AtomicU32>) -> Vec<u32> {
    numbers.into_iter().map(AtomicU32::into_inner).collect()
}
