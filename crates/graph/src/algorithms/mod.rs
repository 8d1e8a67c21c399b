//! The algorithms, one file each; docs/graph-algorithms.md and docs/graph-run.md say what each computes and
//! costs.

pub(crate) mod bfs;
pub(crate) mod cdlp;
pub(crate) mod dfs;
pub(crate) mod kcore;
pub(crate) mod lcc;
pub(crate) mod leiden;
mod lists;
pub(crate) mod louvain;
pub(crate) mod modularity;
pub(crate) mod pagerank;
pub(crate) mod parents;
mod parts;
pub(crate) mod previous;
mod relax;
mod room;
pub(crate) mod scc;
pub(crate) mod similarity;
pub(crate) mod sssp;
mod table;
pub(crate) mod triangles;
mod upward;
pub(crate) mod walk;
pub(crate) mod wcc;

pub use bfs::{Bfs, UNREACHED};
pub use cdlp::Cdlp;
pub use dfs::Dfs;
pub use kcore::KCore;
pub use lcc::Lcc;
pub use leiden::Leiden;
pub use louvain::Louvain;
pub use modularity::{CommunityLevel, CommunityOptions, LevelCommunities};
pub use pagerank::{PageRank, PageRankOptions};
pub use parents::Parents;
pub(crate) use parts::{Alike, Parts};
pub use previous::{Continued, Previous, Stamp};
pub use scc::Scc;
pub use similarity::{Measure, MostSimilar, Similarities, TopOptions};
pub use sssp::Sssp;
pub use triangles::Triangles;
pub(crate) use upward::Room as UpwardRoom;
pub use walk::{Starts, WalkOptions, Walks};
pub use wcc::Wcc;

use std::sync::atomic::AtomicU32;

use rayon::prelude::*;

/// Vertex state, made on all threads. It is read at random, so it lies in huge pages.
pub(crate) fn by_vertex<T: Send>(vertices: u64, value: impl Fn(u32) -> T + Sync + Send) -> Vec<T> {
    let mut values = leadline_files::huge_vec(vertices as usize);
    (0..vertices as u32).into_par_iter().map(value).collect_into_vec(&mut values);
    values
}

/// Vertex state that threads share: a number per vertex.
///
/// Every operation on such a number is relaxed, here and in the algorithms, and that is enough: what a number
/// says is in it alone, changes of it are single atomic operations (or one thread's alone in a sweep), and
/// what one sweep wrote the next one reads, because between them all threads have met. The exception is
/// `relax`, where a number and a bit of a set belong together, and fences say so.
pub(crate) fn numbers(vertices: u64, value: impl Fn(u32) -> u32 + Sync + Send) -> Vec<AtomicU32> {
    by_vertex(vertices, |vertex| AtomicU32::new(value(vertex)))
}

/// The numbers, once no thread shares them any more.
pub(crate) fn plain(numbers: Vec<AtomicU32>) -> Vec<u32> {
    numbers.into_iter().map(AtomicU32::into_inner).collect()
}
