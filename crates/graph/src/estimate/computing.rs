//! How long an algorithm computes: what a vertex and an entry of a list cost, as measured.

use super::Algorithm;
use crate::Graph;

/// How far off this may be, either way.
const FACTOR: f64 = 2.0;

/// Nanoseconds of one thread for each vertex and for each entry of a list, in each iteration.
struct Cost {
    vertex: f64,
    entry: f64,
}

// From benches/RESULTS.md, "Graphs: in memory": two threads, rmat20 (550,326 vertices, 16,477,062 entries)
// and grid1k (1,000,000 and 3,996,000). The times on both give both numbers of WCC and PageRank. Those of BFS
// have no such solution, since it leaves out most entries of rmat20: these are within 1.6 of both times.
const BFS: Cost = Cost { vertex: 80.0, entry: 0.5 };
const WCC: Cost = Cost { vertex: 50.0, entry: 1.4 };
const PAGERANK: Cost = Cost { vertex: 4.4, entry: 4.3 };

/// With weights an entry took 1.1 to 1.8 times as long, on a random graph of 500,000 vertices and 16,000,000
/// entries on a busy machine: about the middle of that.
const WEIGHTED_PAGERANK: Cost = Cost { vertex: 4.4, entry: 6.5 };

// From benches/RESULTS.md, "The other algorithms": whole runs on rmat20 with all blocks cached, the first
// read included; two threads, but one for DFS.
const CDLP: Cost = Cost { vertex: 0.0, entry: 14.0 };
const KCORE: Cost = Cost { vertex: 0.0, entry: 27.0 };
const DFS: Cost = Cost { vertex: 0.0, entry: 28.0 };

/// Of LCC, from the same run, by the number of entries to the power of 1.5: so many steps bound it.
const LCC: f64 = 0.065;

/// An entry is looked at once at least; what that takes is known from PageRank.
const LEAST: Cost = PAGERANK;

/// Seconds, at least and at most, without any waiting for the device; none where nothing was measured.
pub(super) fn seconds(graph: &Graph, algorithm: &Algorithm) -> Option<[f64; 2]> {
    let header = graph.header();
    let (vertices, forward) = (header.vertices as f64, header.edges as f64);
    // Of a directed graph, both lists that an edge is in.
    let both = if header.directed { 2.0 * forward } else { forward };
    let pass = |cost: Cost, entries: f64| cost.vertex * vertices + cost.entry * entries;
    let same = |nanos: f64| [nanos, nanos];
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    let threads = graph.options().threads.clamp(1, processors) as f64;
    let nanos = match algorithm {
        Algorithm::Bfs { parents: false } => same(pass(BFS, forward)),
        Algorithm::Bfs { parents: true } => same(pass(BFS, forward) + pass(PAGERANK, forward)),
        Algorithm::Wcc => same(pass(WCC, forward)),
        Algorithm::PageRank(options) => {
            let most = f64::from(options.iterations);
            let least = if options.tolerance > 0.0 { most.min(1.0) } else { most };
            let iteration = pass(if options.weighted { WEIGHTED_PAGERANK } else { PAGERANK }, forward);
            [least, most].map(|iterations| iterations * iteration)
        }
        Algorithm::Cdlp { iterations } => same(f64::from(*iterations) * pass(CDLP, both)),
        Algorithm::Lcc | Algorithm::Triangles { .. } => {
            [pass(LEAST, both), pass(LEAST, both).max(LCC * both * both.sqrt())]
        }
        Algorithm::KCore => same(pass(KCORE, both)),
        // One vertex at a time where all is cached, however many threads there are.
        Algorithm::Dfs => [pass(DFS, forward), pass(DFS, forward) * threads],
        Algorithm::Sssp | Algorithm::Scc | Algorithm::Walks(_) => return None,
        Algorithm::Louvain(_) | Algorithm::Leiden(_) => return None,
        Algorithm::Similarities { .. } | Algorithm::MostSimilar(_) => return None,
    };
    Some([nanos[0] / FACTOR, nanos[1] * FACTOR].map(|nanos| nanos / threads / 1e9))
}
