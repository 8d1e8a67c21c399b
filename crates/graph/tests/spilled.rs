//! Vertex state that the cap has no room for: results are the same, in a file or written to one.

use crate::made;

use std::fs;
use std::path::Path;

use leadline_graph::algorithms::{BfsRun, PageRankOptions, PageRankRun, SsspRun, WccRun};
use leadline_graph::format::Vertex;
use leadline_graph::output::{Output, VertexTable};
use leadline_graph::{Algorithm, Graph, GraphError, Options, RunStats};
use made::{Shape, edges, options};
use tempfile::tempdir;

const VERTICES: u32 = 1_200_000;

/// What is written with plenty of memory, and with so many bytes more than the least; that a run with these
/// costs what was estimated, and that one with less than the least is refused.
fn written<T: VertexTable>(
    graph: &Graph,
    algorithm: &dyn Algorithm,
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
        let (mut found, _) = run(graph).unwrap();
        let path = Path::new(graph.name()).with_extension("csv");
        found.write(graph, Output::create(&path, graph).unwrap()).unwrap();
        fs::read(path).unwrap()
    })
}

fn check(graph: &Graph) {
    let [right, spilled] = written(graph, &BfsRun::default(), 0, |graph| {
        graph.bfs(&[7]).map(|found| (found.clone(), found.stats))
    });
    assert!(right == spilled, "levels");
    let [right, spilled] = written(graph, &SsspRun::default(), 2 << 20, |graph| {
        graph.sssp(&[7]).map(|found| (found.clone(), found.stats))
    });
    assert!(right == spilled, "distances");
    let [right, spilled] = written(graph, &WccRun::default(), 128 << 10, |graph| {
        graph.wcc().map(|found| (found.clone(), found.stats))
    });
    assert!(right == spilled, "components");
    check_ranks(graph, PageRankOptions { iterations: 2, ..PageRankOptions::default() }, 1e-6);
    let weighted = PageRankOptions { iterations: 2, weighted: true, ..PageRankOptions::default() };
    check_ranks(graph, weighted, 1e-12);
}

fn check_ranks(graph: &Graph, options: PageRankOptions, most: f64) {
    let [right, spilled] = written(graph, &PageRankRun::new(options.clone()), 4 << 20, |graph| {
        graph.pagerank(&options).map(|found| (found.clone(), found.stats))
    });
    let number = |line: &str| line.rsplit(',').next().unwrap().parse::<f64>().unwrap();
    let [right, spilled] = [right, spilled].map(|bytes| String::from_utf8(bytes).unwrap());
    assert_eq!(right.lines().count(), spilled.lines().count());
    for (right, spilled) in right.lines().zip(spilled.lines()).skip(1) {
        assert!((number(spilled) / number(right) - 1.0).abs() < most, "{right}, {spilled}");
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

/// That components in parts, with several caps, are those in memory, and cost what was estimated.
fn check_components(graph: &Graph) {
    let right = graph.wcc().unwrap();
    let least = graph.estimate(&WccRun::default(), None).unwrap().least_memory_bytes;
    for more in [0, 300 << 10, 1500 << 10] {
        let options = Options { memory: least + more, ..graph.options().clone() };
        let graph = Graph::open(graph.name(), options).unwrap();
        let estimate = graph.estimate(&WccRun::default(), None).unwrap();
        let found = graph.wcc().unwrap();
        let within = |[least, most]: [u64; 2], bytes| (least..=most).contains(&bytes);
        let stats = found.stats;
        assert!(within(estimate.spilled_bytes.unwrap(), stats.spilled_bytes), "{stats:?}, {estimate:?}");
        assert!(within(estimate.bytes_read.unwrap(), stats.bytes_read), "{stats:?}, {estimate:?}");
        assert!(stats.spilled_bytes > 0 && stats.memory_bytes <= graph.options().memory, "{stats:?}");
        assert_eq!(found.count, right.count);
        assert!(found.components.into_vec().unwrap() == right.components.in_memory().unwrap());
    }
}

/// Edges as those of R-MAT graphs are: low vertices have many, and high ones few or none.
fn skewed_edges(vertices: u32, count: usize) -> Vec<(Vertex, Vertex, f64)> {
    let mut random = fastrand::Rng::with_seed(3);
    let mut vertex = || (random.f64().powi(4) * f64::from(vertices)) as Vertex;
    (0..count).map(|_| (vertex(), vertex(), 1.0)).collect()
}

#[test]
fn components_are_those_in_memory() {
    let dir = tempdir().unwrap();
    let path = dir.path().join("g");
    let vertices = 2_000_000;
    let edges = skewed_edges(vertices, 1_500_000);
    let options = options(256 << 20, 2, 8);
    for directed in [false, true] {
        let shape = Shape::new(vertices.into(), directed).compressed();
        check_components(&shape.open(&path, &edges, options.clone()));
    }
    let mut writer = Shape::new(vertices.into(), false).compressed().writer(&path, &edges);
    writer.order((0..vertices).map(|rank| Ok((rank + vertices / 3) % vertices))).unwrap();
    writer.finish().unwrap();
    let graph = Graph::open(&path, options.clone()).unwrap();
    check_components(&graph);
    // Enough for the state, but not for the result and for the order of the ids, in which it is written.
    let memory = 16 << 20;
    let small = Graph::open(&path, Options { memory, ..options }).unwrap();
    let [right, mut found] = [&graph, &small].map(|graph| graph.wcc().unwrap());
    assert_eq!(found.stats.spilled_bytes, 0);
    found.make_room(&small).unwrap();
    assert!(found.components.in_memory().is_none(), "it stays in memory");
    assert!(found.components.into_vec().unwrap() == right.components.into_vec().unwrap());
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1, "no temporary file is left");
}

#[test]
fn a_folder_for_the_state_that_is_not_there_is_named() {
    let dir = tempdir().unwrap();
    let shape = Shape::new(VERTICES.into(), false);
    let mut graph = shape.open(&dir.path().join("g"), &[(0, 1, 1.0)], options(256 << 20, 2, 8));
    let missing = dir.path().join("missing");
    let check = |graph: &mut Graph, algorithm: &dyn Algorithm, run: fn(&Graph) -> Result<(), GraphError>| {
        let memory = graph.estimate(algorithm, None).unwrap().least_memory_bytes;
        graph.set_options(Options { memory, ..graph.options().clone() }.with_temp(&missing));
        let error = run(graph).unwrap_err();
        assert!(error.is_input() && error.to_string().starts_with(missing.to_str().unwrap()), "{error}");
    };
    check(&mut graph, &BfsRun::default(), |graph| graph.bfs(&[0]).map(|_| ()));
    check(&mut graph, &WccRun::default(), |graph| graph.wcc().map(|_| ()));
}
