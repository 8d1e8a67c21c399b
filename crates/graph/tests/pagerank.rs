//! PageRank by weights: what little graphs must give, and which weights are refused.

use std::path::Path;

use leadline_graph::algorithm::{Algorithm as _, Job};
use leadline_graph::algorithms::{PageRankOptions, PageRankRun};
use leadline_graph::format::Weights;
use leadline_graph::{Graph, GraphError, Options};

use crate::algorithms::{PLENTY, options};
use crate::samples::Sample;

const WEIGHTED: bool = true;

fn iterations(iterations: u32, weighted: bool) -> PageRankOptions {
    PageRankOptions { iterations, weighted, ..PageRankOptions::default() }
}

fn directed(vertices: u32, edges: &[(u32, u32, f64)]) -> Sample {
    Sample { vertices, directed: true, edges: edges.to_vec(), order: None }
}

/// A store with 64-bit weights.
fn open(folder: &Path, sample: &Sample, compressed: bool, reverse: bool) -> Graph {
    let path = folder.join("store");
    sample.write_lists(&path, 4096, compressed, Weights::F64, reverse);
    Graph::open(&path, options(PLENTY)).unwrap()
}

fn ranks(graph: &Graph, options: &PageRankOptions) -> Vec<f64> {
    graph.pagerank(options).unwrap().ranks.into_vec().unwrap()
}

fn assert_close(found: &[f64], right: &[f64]) {
    assert_eq!(found.len(), right.len());
    for (found, right) in found.iter().zip(right) {
        assert!((found / right - 1.0).abs() < 1e-12, "{found}, not {right}");
    }
}

#[test]
fn a_vertex_gives_in_proportion_to_weights_and_jumps_where_they_are_zero() {
    let folder = tempfile::tempdir().unwrap();
    let edges = [(0, 1, 3.0), (0, 2, 1.0), (1, 0, 0.5), (2, 2, 2.0), (2, 1, 6.0), (3, 0, 0.0), (3, 3, 0.0)];
    // The rank of 3, whose weights are 0, goes everywhere.
    let jump = (0.15 + 0.85 * 0.25) / 4.0;
    let given = [1.0, 0.75 + 0.75, 0.25 + 0.25, 0.0];
    let right = given.map(|given| jump + 0.85 * 0.25 * given);
    for compressed in [false, true] {
        for reverse in [false, true] {
            let graph = open(folder.path(), &directed(4, &edges), compressed, reverse);
            let found = graph.pagerank(&iterations(1, WEIGHTED)).unwrap();
            assert_close(found.ranks.in_memory().unwrap(), &right);
            assert!((found.highest / right[1] - 1.0).abs() < 1e-12);
        }
    }
}

#[test]
fn parallel_edges_add_up_and_equal_weights_do_not_matter() {
    let folder = tempfile::tempdir().unwrap();
    let apart = [(0, 1, 1.0), (0, 1, 2.5), (0, 2, 0.5), (1, 2, 1.0), (2, 0, 4.0), (2, 0, 4.0)];
    let together = [(0, 1, 3.5), (0, 2, 0.5), (1, 2, 1.0), (2, 0, 8.0)];
    let [apart, together] = [&apart[..], &together[..]]
        .map(|edges| ranks(&open(folder.path(), &directed(3, edges), true, true), &iterations(7, WEIGHTED)));
    assert_close(&apart, &together);

    let mut rng = fastrand::Rng::with_seed(4);
    let edges: Vec<_> = (0..3000).map(|_| (rng.u32(..500), rng.u32(..500), 1e-3)).collect();
    for directed in [false, true] {
        let sample = Sample { vertices: 500, directed, edges: edges.clone(), order: None };
        let graph = open(folder.path(), &sample, true, true);
        let [weighted, unweighted] = [true, false].map(|weighted| ranks(&graph, &iterations(9, weighted)));
        assert_close(&weighted, &unweighted);
    }
}

#[test]
fn weights_of_any_size_share_out_alike() {
    let folder = tempfile::tempdir().unwrap();
    let ranks_of = |scale: f64| {
        let edges = [(0, 1, 3.0 * scale), (0, 2, scale), (1, 0, scale), (2, 0, scale / 8.0), (2, 1, scale)];
        ranks(&open(folder.path(), &directed(3, &edges), true, true), &iterations(5, WEIGHTED))
    };
    let right = ranks_of(1.0);
    for scale in [1e-249, 1e-60, 1e60, 1e249] {
        assert_close(&ranks_of(scale), &right);
    }
}

#[test]
fn hubs_over_many_blocks_give_the_same_for_any_number_of_threads() {
    let folder = tempfile::tempdir().unwrap();
    let mut rng = fastrand::Rng::with_seed(6);
    let vertices = 20_000;
    let mut edges: Vec<(u32, u32, f64)> = Vec::new();
    for vertex in 0..vertices {
        edges.push((7, vertex, rng.f64()));
        edges.push((vertex, 7, rng.f64()));
        edges.push((vertex, rng.u32(..vertices), rng.f64()));
    }
    for directed in [false, true] {
        let sample = Sample { vertices, directed, edges: edges.clone(), order: None };
        let path = folder.path().join("store");
        sample.write(&path, 4096, true, Weights::F64);
        let ranks = |threads: usize, memory: u64| {
            let options = Options { memory, threads, depth: 4, ..Options::default() };
            ranks(&Graph::open(&path, options).unwrap(), &iterations(5, WEIGHTED))
        };
        let right = ranks(1, PLENTY);
        assert_close(&right, &sample.pagerank(0.85, 5, WEIGHTED));
        assert_eq!(ranks(2, PLENTY), right);
        assert_eq!(ranks(3, 2 << 20), right);
    }
}

/// What is said of a graph that is refused. The same in every way to run it.
fn refused(sample: &Sample) -> String {
    let folder = tempfile::tempdir().unwrap();
    let texts = [false, true].map(|reverse| {
        let graph = open(folder.path(), sample, true, reverse);
        let error = graph.pagerank(&iterations(3, WEIGHTED)).unwrap_err();
        assert!(error.is_input() && matches!(error, GraphError::Malformed { .. }), "{error:?}");
        // Without weights it does not matter what they are.
        graph.pagerank(&iterations(3, false)).unwrap();
        let text = error.to_string();
        assert!(text.starts_with(graph.name()) && !text.contains('\n'), "{text}");
        text
    });
    assert_eq!(texts[0], texts[1]);
    texts[0].clone()
}

#[test]
fn weights_that_ranks_cannot_be_shared_out_by_are_named() {
    for weight in [-0.5, f64::NAN, f64::INFINITY] {
        // By ids, not by the numbers in the store; the first there of those that are wrong.
        let edges = vec![(0, 1, 1.0), (1, 2, weight), (1, 4, weight), (0, 3, weight), (2, 3, 0.0)];
        let sample = Sample { vertices: 5, directed: true, edges, order: Some(vec![4, 3, 2, 1, 0]) };
        let text = refused(&sample);
        assert!(text.contains("the edge from 1 to 4 has a negative weight"), "{text}");
    }
    for weight in [1e308, 1e-260, 1e251] {
        let text = refused(&directed(3, &[(0, 1, 1.0), (1, 0, weight), (1, 2, weight)]));
        assert!(text.contains("the weights of the edges from 1 add up to"), "{text}");
    }
}

#[test]
fn what_it_needs_is_estimated_with_its_weights() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store");
    let vertices = 5000;
    directed(vertices, &[(0, 1, 1.0)]).write(&path, 4096, true, Weights::F64);
    let graph = Graph::open(&path, options(PLENTY)).unwrap();
    let state =
        |weighted| graph.estimate(&PageRankRun::new(iterations(3, weighted)), None).unwrap().state_bytes;
    assert_eq!([state(false), state(WEIGHTED)], [20, 24].map(|bytes| bytes * u64::from(vertices)));
    directed(vertices, &[(0, 1, 1.0)]).write(&path, 4096, true, Weights::None);
    let graph = Graph::open(&path, options(PLENTY)).unwrap();
    let error = graph.estimate(&PageRankRun::new(iterations(3, WEIGHTED)), None).unwrap_err();
    assert!(matches!(error, GraphError::NeedsWeights { .. }), "{error}");
}

#[test]
fn whether_ranks_converged_is_said_where_a_tolerance_asks_for_it() {
    let folder = tempfile::tempdir().unwrap();
    let graph = open(folder.path(), &directed(3, &[(0, 1, 1.0), (1, 2, 1.0), (2, 1, 1.0)]), true, true);
    let run = |iterations, tolerance| {
        let options = PageRankOptions { iterations, tolerance, ..PageRankOptions::default() };
        let ran = PageRankRun::new(options).run(&graph, &Job::default()).unwrap();
        (ran.facts["converged"].as_bool(), ran.unfinished)
    };
    assert_eq!(run(10, 0.0), (None, None));
    assert_eq!(run(1000, 1e-9), (Some(true), None));
    let (converged, unfinished) = run(3, 1e-9);
    assert_eq!(converged, Some(false));
    let line = unfinished.unwrap();
    assert!(
        line.contains("iteration 3 still changed the ranks by") && line.contains("a larger tolerance"),
        "{line}"
    );
    let empty = open(folder.path(), &directed(0, &[]), true, true);
    let options = PageRankOptions { tolerance: 1e-9, ..PageRankOptions::default() };
    assert_eq!(empty.pagerank(&options).unwrap().converged, Some(true));
}

#[test]
fn the_meter_shows_the_share_of_the_run_and_ends_at_all_of_it() {
    let folder = tempfile::tempdir().unwrap();
    let graph = open(folder.path(), &directed(3, &[(0, 1, 1.0), (1, 2, 1.0), (2, 1, 1.0)]), true, true);
    assert_eq!(graph.meter().read().passes, 0);
    graph.pagerank(&iterations(4, false)).unwrap();
    let shown = graph.meter().read();
    // Two passes decode lists, and one is for degrees.
    assert_eq!((shown.passes, shown.share, shown.of_run), (7, 1.0, true));
    graph.wcc().unwrap();
    assert!(!graph.meter().read().of_run);
}
