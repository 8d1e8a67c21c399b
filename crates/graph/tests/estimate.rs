//! What runs need and read is what was estimated.

use crate::made;

use std::path::Path;

use leadline_graph::algorithms::{
    CommunityOptions, Measure, PageRankOptions, Starts, TopOptions, WalkOptions,
};
use leadline_graph::format::Vertex;
use leadline_graph::output::WalkRows;
use leadline_graph::{Algorithm, Graph, GraphError, Options, ReadSpeed, RunStats};
use made::{Shape, edges, options};
use tempfile::tempdir;

/// A few levels and hubs.
fn random(dir: &Path, directed: bool) -> Graph {
    let edges = edges(8000, 40_000, Some((7, 5000)), 15);
    Shape::new(8000, directed).compressed().weighted().open(&dir.join("g"), &edges, options(64 << 20, 2, 8))
}

/// Hundreds of levels, neighbours close together.
fn grid(dir: &Path) -> Graph {
    let side = 150;
    let right = (0..side * side).filter(|at| at % side + 1 < side).map(|at| (at, at + 1, 1.0));
    let down = (0..side * (side - 1)).map(|at| (at, at + side, 1.0));
    let edges: Vec<(Vertex, Vertex, f64)> = right.chain(down).collect();
    let shape = Shape::new(u64::from(side * side), false).compressed().weighted();
    shape.open(&dir.join("g"), &edges, options(64 << 20, 2, 8))
}

fn all() -> Vec<Algorithm> {
    let walks = WalkOptions { starts: Starts::Random(3000), length: 5, q: 2.0, ..WalkOptions::default() };
    vec![
        Algorithm::Bfs { parents: false },
        Algorithm::Wcc,
        Algorithm::PageRank(PageRankOptions { iterations: 5, ..PageRankOptions::default() }),
        Algorithm::PageRank(PageRankOptions { iterations: 5, weighted: true, ..PageRankOptions::default() }),
        Algorithm::Sssp,
        Algorithm::Cdlp { iterations: 3 },
        Algorithm::Scc,
        Algorithm::Lcc,
        Algorithm::Triangles { per_vertex: false },
        Algorithm::Triangles { per_vertex: true },
        Algorithm::KCore,
        Algorithm::Louvain(CommunityOptions::default()),
        Algorithm::Leiden(CommunityOptions::default()),
        Algorithm::Similarities { pairs: 1000, sink_bytes: 0 },
        Algorithm::MostSimilar(TopOptions {
            measure: Measure::Jaccard,
            most: 2,
            skip_above: Some(40),
            sink_bytes: 0,
        }),
        Algorithm::Dfs,
        Algorithm::Walks(walks),
    ]
}

fn run(graph: &Graph, algorithm: &Algorithm) -> Result<RunStats, GraphError> {
    Ok(match algorithm {
        Algorithm::Bfs { .. } => graph.bfs(&[0])?.stats,
        Algorithm::Wcc => graph.wcc()?.stats,
        Algorithm::PageRank(options) => graph.pagerank(options)?.stats,
        Algorithm::Sssp => graph.sssp(&[0])?.stats,
        Algorithm::Cdlp { iterations } => graph.cdlp(*iterations)?.stats,
        Algorithm::Lcc => graph.lcc()?.stats,
        Algorithm::Triangles { per_vertex } => graph.triangles(*per_vertex)?.stats,
        Algorithm::Scc => graph.scc()?.stats,
        Algorithm::KCore => graph.kcore()?.stats,
        Algorithm::Louvain(options) => graph.louvain(options, |_, _| Ok(()))?.stats,
        Algorithm::Leiden(options) => graph.leiden(options, |_, _| Ok(()))?.stats,
        Algorithm::Similarities { pairs, sink_bytes } => {
            let pairs: Vec<(Vertex, Vertex)> = (0..*pairs as u32).map(|at| (at, 7 * at)).collect();
            graph.similarities(&pairs, Measure::Overlap, *sink_bytes)?.stats
        }
        Algorithm::MostSimilar(options) => graph.most_similar(options, |_, _| Ok(()))?.stats,
        Algorithm::Dfs => graph.dfs(&[0])?.stats,
        Algorithm::Walks(options) => graph.walks(options, |_, _| Ok(()))?.stats,
        other => panic!("{other:?}"),
    })
}

/// Runs with a cold cache.
fn run_with(graph: &mut Graph, memory: u64, algorithm: &Algorithm) -> Result<RunStats, GraphError> {
    let options = Options { memory, ..graph.options().clone() };
    *graph = Graph::open(graph.name(), options).unwrap();
    run(graph, algorithm)
}

fn check(mut graph: Graph) {
    for algorithm in all() {
        let of_all = graph.estimate(&algorithm, None).unwrap();
        let least = of_all.least_memory_bytes;
        run_with(&mut graph, least, &algorithm).unwrap();
        let refused = run_with(&mut graph, least - 1024, &algorithm);
        assert!(
            matches!(refused, Err(GraphError::Memory { needed, .. }) if needed == least),
            "{algorithm:?}"
        );
        assert!(!graph.estimate(&algorithm, None).unwrap().enough_memory);
        for more in [0, 256 << 10, 64 << 20] {
            let stats = run_with(&mut graph, least + more, &algorithm).unwrap();
            let estimate = graph.estimate(&algorithm, None).unwrap();
            let [fewest, most] = estimate.bytes_read.unwrap();
            let read = stats.bytes_read;
            assert!(fewest <= read && read <= most, "{algorithm:?}, {more}: {read}, {estimate:?}");
            assert_eq!(estimate.all_cached, more == 64 << 20, "{algorithm:?}, {more}");
            assert!(estimate.state_bytes + estimate.cache_bytes <= stats.memory_bytes);
            let exact = match &algorithm {
                Algorithm::Wcc | Algorithm::PageRank(_) => true,
                Algorithm::Cdlp { .. } | Algorithm::Lcc | Algorithm::Triangles { .. } => estimate.all_cached,
                _ => false,
            };
            assert!(!exact || fewest == most, "{algorithm:?}, {more}: {estimate:?}");
        }
    }
}

#[test]
fn runs_read_what_was_estimated_on_a_graph_of_few_levels() {
    for directed in [false, true] {
        check(random(tempdir().unwrap().path(), directed));
    }
}

#[test]
fn runs_read_what_was_estimated_on_a_graph_of_many_levels() {
    check(grid(tempdir().unwrap().path()));
}

#[test]
fn rows_in_memory_are_in_the_least_memory_for_them() {
    let dir = tempdir().unwrap();
    let mut graph = random(dir.path(), true);
    let walks = WalkOptions { starts: Starts::EveryVertex(3), length: 20, ..WalkOptions::default() };
    let algorithm = Algorithm::Walks(walks.clone());
    let least = graph.estimate(&algorithm, None).unwrap().least_memory_with_rows_bytes;
    let sink_bytes = WalkRows::bytes(&graph, &walks);
    let walks = Algorithm::Walks(WalkOptions { sink_bytes, ..walks });
    run_with(&mut graph, least, &walks).unwrap();
    assert!(run_with(&mut graph, least - 1024, &walks).is_err());
}

#[test]
fn the_device_adds_its_time() {
    let dir = tempdir().unwrap();
    let graph = random(dir.path(), false);
    let slow = ReadSpeed { bandwidth_bytes: 1e6, iops: Some(100.0) };
    for algorithm in all() {
        let estimate = graph.estimate(&algorithm, Some(slow)).unwrap();
        let bytes = estimate.bytes_read.unwrap().map(|bytes| bytes as f64);
        let [least, most] = estimate.reading_seconds.unwrap();
        assert!((least - bytes[0] / 1e6).abs() < 1e-9, "{estimate:?}");
        assert!(bytes[1] / 1e6 <= most && most <= bytes[1] / 4096.0 / 100.0 + 1e-9, "{estimate:?}");
        let Some(computing) = estimate.computing_seconds else {
            assert!(estimate.seconds.is_none(), "{estimate:?}");
            continue;
        };
        assert!(0.0 < computing[0] && computing[0] < computing[1], "{estimate:?}");
        assert_eq!(estimate.seconds, Some([least.max(computing[0]), most + computing[1]]));
    }
}

#[test]
fn iterations_without_end_are_estimated_at_once() {
    let dir = tempdir().unwrap();
    let graph = random(dir.path(), true);
    let forever = PageRankOptions { iterations: u32::MAX, tolerance: 1e-9, ..PageRankOptions::default() };
    for algorithm in [Algorithm::PageRank(forever), Algorithm::Cdlp { iterations: u32::MAX }] {
        assert!(graph.estimate(&algorithm, None).unwrap().computing_seconds.unwrap()[1] > 1000.0);
    }
    let walks = WalkOptions { starts: Starts::EveryVertex(u64::MAX), ..WalkOptions::default() };
    let estimate = graph.estimate(&Algorithm::Walks(walks), None).unwrap();
    assert!(estimate.least_memory_with_rows_bytes > 1 << 60);
}
