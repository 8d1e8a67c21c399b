//! Vertex state that the cap has no room for: results are the same, in a file or written to one.

use crate::made;

use std::fs;
use std::path::Path;

use leadline_graph::algorithms::PageRankOptions;
use leadline_graph::output::{Output, VertexTable};
use leadline_graph::{Algorithm, Graph, GraphError, Options, RunStats};
use made::{Shape, edges, options};
use tempfile::tempdir;

const VERTICES: u32 = 1_200_000;

/// What is written with plenty of memory, and with so many bytes more than the least; that a run with these
/// costs what was estimated, and that one with less than the least is refused.
fn written<T: VertexTable>(
    graph: &Graph,
    algorithm: &Algorithm,
    more: u64,
    run: impl Fn(&Graph) -> Result<(T, RunStats), GraphError>,
) -> [Vec<u8>; 2] {
    let estimate = graph.estimate(algorithm, None).unwrap();
    assert_eq!(estimate.spilled_bytes, Some([0; 2]));
    let under =
        |memory: u64| Graph::open(graph.name(), Options { memory, ..graph.options().clone() }).unwrap();
    let alone = under(estimate.least_memory_bytes + more);
    let (_, stats) = run(&alone).unwrap();
    let [least, most] = alone.estimate(algorithm, None).unwrap().spilled_bytes.unwrap();
    assert!(
        (least..=most).contains(&stats.spilled_bytes),
        "{algorithm:?}: {} of {least} to {most}",
        stats.spilled_bytes
    );
    assert!(stats.spilled_bytes > 0 && stats.memory_bytes <= alone.options().memory);
    let [fewest, most] = alone.estimate(algorithm, None).unwrap().bytes_read.unwrap();
    assert!(
        (fewest..=most).contains(&stats.bytes_read),
        "{algorithm:?}: {} of {fewest} to {most}",
        stats.bytes_read
    );
    let refused = run(&under(estimate.least_memory_bytes - 1024)).map(|_| ());
    assert!(
        matches!(refused, Err(GraphError::Memory { needed, .. }) if needed == estimate.least_memory_bytes)
    );
    let file = under(estimate.least_memory_with_file_bytes.max(alone.options().memory));
    [graph, &file].map(|graph| {
        let (found, _) = run(graph).unwrap();
        let path = Path::new(graph.name()).with_extension("csv");
        Output::create(&path, graph).unwrap().write(graph, &found.columns()).unwrap();
        fs::read(path).unwrap()
    })
}

fn check(graph: &Graph) {
    let [right, spilled] = written(graph, &Algorithm::Bfs { parents: false }, 0, |graph| {
        graph.bfs(&[7]).map(|found| (found.clone(), found.stats))
    });
    assert!(right == spilled, "levels");
    let [right, spilled] = written(graph, &Algorithm::Sssp, 2 << 20, |graph| {
        graph.sssp(&[7]).map(|found| (found.clone(), found.stats))
    });
    assert!(right == spilled, "distances");
    let ranks = PageRankOptions { iterations: 2, ..PageRankOptions::default() };
    let [right, spilled] = written(graph, &Algorithm::PageRank(ranks.clone()), 4 << 20, |graph| {
        graph.pagerank(&ranks).map(|found| (found.clone(), found.stats))
    });
    let number = |line: &str| line.rsplit(',').next().unwrap().parse::<f64>().unwrap();
    let [right, spilled] = [right, spilled].map(|bytes| String::from_utf8(bytes).unwrap());
    assert_eq!(right.lines().count(), spilled.lines().count());
    for (right, spilled) in right.lines().zip(spilled.lines()).skip(1) {
        assert!((number(spilled) / number(right) - 1.0).abs() < 1e-6, "{right}, {spilled}");
    }
}

#[test]
fn results_are_those_in_memory() {
    let dir = tempdir().unwrap();
    let edges = edges(VERTICES, 2_400_000, Some((7, 40_000)), 15);
    let shape = Shape::new(VERTICES.into(), false).compressed().weighted();
    check(&shape.open(&dir.path().join("g"), &edges, options(256 << 20, 2, 8)));
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 2, "no temporary file is left");
}

#[test]
fn a_folder_for_the_state_that_is_not_there_is_named() {
    let dir = tempdir().unwrap();
    let shape = Shape::new(VERTICES.into(), false);
    let mut graph = shape.open(&dir.path().join("g"), &[(0, 1, 1.0)], options(256 << 20, 2, 8));
    let memory = graph.estimate(&Algorithm::Bfs { parents: false }, None).unwrap().least_memory_bytes;
    let missing = dir.path().join("missing");
    graph.set_options(Options { memory, ..graph.options().clone() }.with_temp(&missing));
    let error = graph.bfs(&[0]).unwrap_err();
    assert!(error.is_input() && error.to_string().starts_with(missing.to_str().unwrap()), "{error}");
}
