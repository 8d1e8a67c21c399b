//! How long an algorithm computes: what a vertex and an entry of a list cost, as measured.

use super::Algorithm;
use crate::Graph;

/// How far off this may be, either way.
const FACTOR: f64 = 2.0;

/// Nanoseconds of one thread for each vertex and for each entry of a list, in each iteration.
///
/// Measured on rmat20 (550,326 vertices, 16,477,062 entries) and grid1k (1,000,000 and 3,996,000), all blocks
/// cached, with two threads: benches/RESULTS.md, "Graphs: what a pass costs to compute". The two times give
/// both numbers; where that makes one of them negative, it is 0.
struct Cost {
    vertex: f64,
    entry: f64,
}

const BFS: Cost = Cost { vertex: 80.0, entry: 0.5 };
const WCC: Cost = Cost { vertex: 50.0, entry: 1.4 };
const PAGERANK: Cost = Cost { vertex: 4.4, entry: 4.3 };
const SSSP: Cost = Cost { vertex: 100.0, entry: 20.0 };
const CDLP: Cost = Cost { vertex: 10.0, entry: 12.0 };
const LCC: Cost = Cost { vertex: 100.0, entry: 20.0 };
const KCORE: Cost = Cost { vertex: 50.0, entry: 20.0 };
const DFS: Cost = Cost { vertex: 100.0, entry: 20.0 };

/// Nanoseconds of one thread for a triangle to be looked for, of which there are at most the square root of
/// the entries for each of them.
const TRIANGLE: f64 = 0.065;

/// Nanoseconds of one thread for a step of a walk: where every edge is as likely, and with each try of
/// node2vec's.
const STEP: f64 = 100.0;

/// Seconds, at least and at most, without any waiting for the device.
pub(super) fn seconds(graph: &Graph, algorithm: &Algorithm) -> [f64; 2] {
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
            [least, most].map(|iterations| iterations * pass(PAGERANK, forward))
        }
        Algorithm::Sssp => same(pass(SSSP, forward)),
        Algorithm::Cdlp { iterations } => same(f64::from(*iterations) * pass(CDLP, both)),
        Algorithm::Lcc => {
            let least = pass(LCC, both);
            [least, least + TRIANGLE * both * both.sqrt()]
        }
        Algorithm::KCore => same(pass(KCORE, both)),
        // One vertex at a time where all is cached, however many threads there are.
        Algorithm::Dfs => [pass(DFS, forward), pass(DFS, forward) * threads],
        Algorithm::Walks(options) => {
            let steps = graph.walk_count(options) as f64 * f64::from(options.length);
            // Some end early.
            [0.5 * STEP * steps, STEP * steps * options.tries()]
        }
    };
    [nanos[0] / FACTOR, nanos[1] * FACTOR].map(|nanos| nanos / threads / 1e9)
}
