//! What runs need and read is what was estimated.

use crate::made;

use std::path::Path;

use leadline_graph::algorithm::Job;
use leadline_graph::algorithms::{
    BfsRun, CdlpRun, CommunitiesRun, CommunityOptions, DfsRun, KCoreRun, LccRun, Measure, Method,
    MostSimilarRun, PageRankOptions, PageRankRun, SccRun, SimilaritiesRun, SsspRun, Starts, TopOptions,
    TrianglesRun, WalkOptions, WalkRun, WccRun,
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

fn all() -> Vec<Box<dyn Algorithm>> {
    let walks = WalkOptions { starts: Starts::Random(3000), length: 5, q: 2.0, ..WalkOptions::default() };
    let ranks = |weighted| PageRankOptions { iterations: 5, weighted, ..PageRankOptions::default() };
    let communities = |method| CommunitiesRun::new(method, CommunityOptions::default());
    let pairs = (0..1000).map(|at| (at, 7 * at)).collect();
    let top = TopOptions { measure: Measure::Jaccard, most: 2, skip_above: Some(40), sink_bytes: 0 };
    vec![
        Box::new(BfsRun { sources: vec![0], ..BfsRun::default() }),
        Box::new(WccRun::default()),
        Box::new(PageRankRun::new(ranks(false))),
        Box::new(PageRankRun::new(ranks(true))),
        Box::new(SsspRun { sources: vec![0] }),
        Box::new(CdlpRun { iterations: 3 }),
        Box::new(SccRun),
        Box::new(LccRun),
        Box::new(TrianglesRun { per_vertex: false }),
        Box::new(TrianglesRun { per_vertex: true }),
        Box::new(KCoreRun),
        Box::new(communities(Method::Louvain)),
        Box::new(communities(Method::Leiden)),
        Box::new(SimilaritiesRun { pairs, measure: Measure::Overlap, sink_bytes: 0 }),
        Box::new(MostSimilarRun { options: top }),
        Box::new(DfsRun { sources: vec![0] }),
        Box::new(WalkRun { options: walks }),
    ]
}

/// Runs with a cold cache.
fn run_with(graph: &mut Graph, memory: u64, algorithm: &dyn Algorithm) -> Result<RunStats, GraphError> {
    let options = Options { memory, ..graph.options().clone() };
    *graph = Graph::open(graph.name(), options).unwrap();
    Ok(algorithm.run(graph, &Job::default())?.runs[0])
}

fn check(mut graph: Graph) {
    for algorithm in all() {
        let of_all = graph.estimate(&*algorithm, None).unwrap();
        let least = of_all.least_memory_bytes;
        run_with(&mut graph, least, &*algorithm).unwrap();
        let refused = run_with(&mut graph, least - 1024, &*algorithm);
        assert!(
            matches!(refused, Err(GraphError::Memory { needed, .. }) if needed == least),
            "{algorithm:?}"
        );
        assert!(!graph.estimate(&*algorithm, None).unwrap().enough_memory);
        for more in [0, 256 << 10, 64 << 20] {
            let stats = run_with(&mut graph, least + more, &*algorithm).unwrap();
            let estimate = graph.estimate(&*algorithm, None).unwrap();
            let [fewest, most] = estimate.bytes_read.unwrap();
            let read = stats.bytes_read;
            assert!(fewest <= read && read <= most, "{algorithm:?}, {more}: {read}, {estimate:?}");
            assert_eq!(estimate.all_cached, more == 64 << 20, "{algorithm:?}, {more}");
            assert!(estimate.state_bytes + estimate.cache_bytes <= stats.memory_bytes);
            let exact = match algorithm.name() {
                "connected components" | "PageRank" => true,
                "label propagation" | "local clustering" | "triangles" => estimate.all_cached,
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
    let algorithm = WalkRun { options: walks.clone() };
    let least = graph.estimate(&algorithm, None).unwrap().least_memory_with_rows_bytes;
    let sink_bytes = WalkRows::bytes(&graph, &walks);
    let walks = WalkRun { options: WalkOptions { sink_bytes, ..walks } };
    run_with(&mut graph, least, &walks).unwrap();
    assert!(run_with(&mut graph, least - 1024, &walks).is_err());
}

#[test]
fn the_device_adds_its_time() {
    let dir = tempdir().unwrap();
    let graph = random(dir.path(), false);
    let slow = ReadSpeed { bandwidth_bytes: 1e6, iops: Some(100.0) };
    for algorithm in all() {
        let estimate = graph.estimate(&*algorithm, Some(slow)).unwrap();
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
fn iterations_are_estimated_on_decoded_lists_where_a_run_decodes_them() {
    let dir = tempdir().unwrap();
    let edges = edges(8000, 40_000, Some((7, 5000)), 15);
    let mut graph =
        Shape::new(8000, false).compressed().open(&dir.path().join("g"), &edges, options(0, 2, 8));
    let ranks = |iterations| PageRankRun::new(PageRankOptions { iterations, ..PageRankOptions::default() });
    let run = ranks(10);
    let least = graph.estimate(&run, None).unwrap().least_memory_bytes;
    let mut seen = [false; 2];
    // On both sides of where lists fit, as close as pages are.
    for memory in (least..least + (8 << 20)).step_by(64 << 10) {
        let stats = run_with(&mut graph, memory, &run).unwrap();
        let seconds = |run| graph.estimate(&run, None).unwrap().computing_seconds.unwrap()[0];
        let each = (seconds(ranks(1010)) - seconds(ranks(10))) / 1000.0;
        // Two passes decode; on blocks, the first is for degrees. A single iteration never decodes.
        let on_lists = match stats.sweeps {
            12 => true,
            11 => false,
            other => panic!("{other} sweeps"),
        };
        assert_eq!(each < 0.5 * seconds(ranks(1)), on_lists, "{memory}: {each}");
        seen[usize::from(on_lists)] = true;
    }
    assert_eq!(seen, [true; 2]);
}

#[test]
fn iterations_without_end_are_estimated_at_once() {
    let dir = tempdir().unwrap();
    let graph = random(dir.path(), true);
    let forever = PageRankOptions { iterations: u32::MAX, tolerance: 1e-9, ..PageRankOptions::default() };
    let algorithms: [Box<dyn Algorithm>; 2] =
        [Box::new(PageRankRun::new(forever)), Box::new(CdlpRun { iterations: u32::MAX })];
    for algorithm in algorithms {
        assert!(graph.estimate(&*algorithm, None).unwrap().computing_seconds.unwrap()[1] > 1000.0);
    }
    let walks = WalkOptions { starts: Starts::EveryVertex(u64::MAX), ..WalkOptions::default() };
    let estimate = graph.estimate(&WalkRun { options: walks }, None).unwrap();
    assert!(estimate.least_memory_with_rows_bytes > 1 << 60);
}
