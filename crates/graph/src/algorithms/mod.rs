//! The algorithms, one file each; docs/graph-algorithms.md and docs/graph-run.md say what each computes and
//! costs.

mod bfs;
mod cdlp;
mod decoded;
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
mod sharded;
mod similarity;
mod sssp;
mod table;
mod triangles;
mod upward;
mod walk;
mod wcc;

pub use bfs::sharded::ShardedBfs;
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
pub use sharded::{run_sharded, sharded_name};
pub use similarity::{Measure, MostSimilar, MostSimilarRun, Similarities, SimilaritiesRun, TopOptions};
pub use sssp::{Sssp, SsspRun};
pub use triangles::{Triangles, TrianglesRun};
pub use walk::{Starts, WalkOptions, WalkRun, Walks};
pub use wcc::sharded::ShardedWcc;
pub use wcc::{Wcc, WccRun};

use crate::algorithm::Definition;
pub(crate) use crate::numbers::{by_vertex, numbers, plain};

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
