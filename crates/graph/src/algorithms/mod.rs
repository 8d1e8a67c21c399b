//! The algorithms, one file each; docs/graph-algorithms.md and docs/graph-run.md say what each computes and
//! costs.

mod bfs;
mod cdlp;
mod dfs;
mod kcore;
mod lcc;
mod lists;
mod memory_plan;
mod modularity;
mod pagerank;
mod parents;
mod parts;
mod previous;
mod relax;
mod scc;
mod similarity;
mod sssp;
mod table;
mod triangles;
mod upward;
mod walk;
mod wcc;

pub use bfs::{Bfs, BfsRun, UNREACHED};
pub use cdlp::{Cdlp, CdlpRun};
pub use dfs::{Dfs, DfsRun};
pub use kcore::{KCore, KCoreRun};
pub use lcc::{Lcc, LccRun};
pub(crate) use lists::{blocks_of, most_values, spare};
pub use modularity::{
    Communities, CommunitiesRun, CommunityLevel, CommunityOptions, LevelCommunities, Method,
};
pub use pagerank::{PageRank, PageRankOptions, PageRankRun};
pub use parents::Parents;
pub use previous::{Continued, GoesOn, Previous, Stamp};
pub use scc::{Scc, SccRun};
pub use similarity::{Measure, MostSimilar, MostSimilarRun, Similarities, SimilaritiesRun, TopOptions};
pub use sssp::{Sssp, SsspRun};
pub use triangles::{Triangles, TrianglesRun};
pub use walk::{Starts, WalkOptions, WalkRun, Walks};
pub use wcc::{Wcc, WccRun};

use crate::algorithm::Definition;

/// All algorithms, in the order in which they are listed.
pub static ALGORITHMS: [&Definition; 14] = [
    &bfs::DEFINITION,
    &wcc::DEFINITION,
    &scc::DEFINITION,
    &pagerank::DEFINITION,
    &sssp::DEFINITION,
    &cdlp::DEFINITION,
    &lcc::DEFINITION,
    &modularity::LOUVAIN,
    &modularity::LEIDEN,
    &triangles::DEFINITION,
    &kcore::DEFINITION,
    &similarity::DEFINITION,
    &dfs::DEFINITION,
    &walk::DEFINITION,
];

use std::sync::atomic::AtomicU32;

use rayon::prelude::*;

/// Vertex state, made on all threads. It is read at random, so it is in huge pages.
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
