//! Runs on lists in memory, which the first run of a process does not have: later ones find the same, and
//! nothing exceeds the cap.

use std::path::Path;

use leadline_graph::algorithms::{CdlpRun, LccRun, PageRankOptions, SccRun, TrianglesRun};
use leadline_graph::format::Weights;
use leadline_graph::{Graph, GraphUpdate, Options, UpdateOptions};
use proptest::prelude::*;

use crate::algorithms::options;
use crate::made::{self, Shape};
use crate::samples::Sample;

/// Enough for everything.
const MEMORY: u64 = 64 << 20;

/// Hubs over several blocks, repeats, self-loops, vertices without edges; or a path.
fn sample() -> impl Strategy<Value = Sample> {
    let edges = (1u32..3000).prop_flat_map(|vertices| {
        let vertex = prop_oneof![3 => 0..vertices, 1 => Just(0), 1 => Just(vertices / 2)];
        let random = prop::collection::vec((vertex, 0..vertices), 0..12_000);
        let path = Just((1..vertices).map(|vertex| (vertex - 1, vertex)).collect());
        (Just(vertices), prop_oneof![4 => random, 1 => path])
    });
    (edges, any::<bool>(), any::<Option<u64>>()).prop_map(|((vertices, edges), directed, shuffled)| {
        let order = shuffled.map(|seed| {
            let mut order: Vec<u32> = (0..vertices).collect();
            fastrand::Rng::with_seed(seed).shuffle(&mut order);
            order
        });
        let edges = edges.into_iter().map(|(from, to)| (from, to, 1.0)).collect();
        Sample { vertices, directed, edges, order }
    })
}

fn open(path: &Path, sample: &Sample, reverse: bool, threads: usize) -> Graph {
    sample.write_lists(path, 4096, true, Weights::None, reverse);
    Graph::open(path, Options { threads, ..options(MEMORY) }).unwrap()
}

fn ranks(graph: &Graph) -> Vec<f64> {
    let found = graph.pagerank(&PageRankOptions::default()).unwrap();
    assert!(found.stats.memory_bytes <= graph.options().memory, "{:?}", found.stats);
    found.ranks.into_vec().unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]
    #[test]
    fn a_later_run_finds_what_is_there(
        (sample, reverse, threads) in (sample(), any::<bool>(), 1usize..4),
        picks in prop::collection::vec(any::<u32>(), 0..4),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let graph = open(&folder.path().join("store"), &sample, reverse, threads);
        let components = graph.wcc().unwrap();
        for picks in [picks.as_slice(), &[0], &[7]] {
            let ranks: Vec<u32> = picks.iter().map(|pick| pick % sample.vertices).collect();
            let sources: Vec<u32> = ranks.iter().map(|rank| sample.vertex(*rank)).collect();
            let found = graph.bfs(&sources).unwrap();
            let right = sample.bfs(&ranks);
            prop_assert_eq!(sample.by_rank(found.levels.in_memory().unwrap()), right.as_slice());
            let reached = || right.iter().filter(|level| **level != u32::MAX);
            prop_assert_eq!(found.reached as usize, reached().count());
            prop_assert_eq!(found.depth, reached().copied().max().unwrap_or(0));
            prop_assert!(found.stats.memory_bytes <= MEMORY);
        }
        let again = graph.wcc().unwrap();
        prop_assert_eq!(again.components.in_memory(), components.components.in_memory());
        prop_assert_eq!(again.count, components.count);
    }

    #[test]
    fn ranks_on_lists_are_those_on_blocks(
        (sample, reverse, threads) in (sample(), any::<bool>(), 1usize..4),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let mut graph = open(&folder.path().join("store"), &sample, reverse, threads);
        let options = PageRankOptions::default();
        let (on_lists, taken) = (ranks(&graph), graph.pagerank(&options).unwrap().stats.memory_bytes);
        // One thread or several: the same to the last digit, unless ranks are pushed.
        if reverse || !sample.directed {
            let alone = open(&folder.path().join("other"), &sample, reverse, 1);
            prop_assert_eq!(&ranks(&alone), &on_lists);
        }
        // With a little less, lists have no room, and those that were decoded go.
        graph.set_options(Options { threads, ..crate::algorithms::options(taken - 1) });
        let on_blocks = ranks(&graph);
        for (one, other) in on_lists.iter().zip(&on_blocks) {
            prop_assert!((one / other - 1.0).abs() < 1e-12, "{one} and {other}");
        }
    }
}

/// What algorithms that look at all neighbours of a vertex find; how much memory the first of them took.
fn neighbourhoods(graph: &Graph) -> (String, u64) {
    let (lcc, triangles) = (graph.lcc().unwrap(), graph.triangles(true).unwrap());
    let (cdlp, scc) = (graph.cdlp(6).unwrap(), graph.scc().unwrap());
    for stats in [&lcc.stats, &triangles.stats, &cdlp.stats, &scc.stats] {
        assert!(stats.memory_bytes <= graph.options().memory, "{stats:?}");
    }
    let found = format!(
        "{:?} {} {:?} {} {:?} {} {} {} {:?} {}",
        lcc.coefficients,
        lcc.triangles,
        triangles.counts,
        triangles.total,
        cdlp.labels,
        cdlp.count,
        cdlp.iterations,
        cdlp.converged,
        scc.components,
        scc.count
    );
    (found, lcc.stats.memory_bytes)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]
    #[test]
    fn neighbourhoods_on_lists_are_those_on_blocks((sample, threads) in (sample(), 1usize..4)) {
        let folder = tempfile::tempdir().unwrap();
        let graph = open(&folder.path().join("store"), &sample, true, threads);
        let (on_lists, taken) = neighbourhoods(&graph);
        prop_assert_eq!(&neighbourhoods(&graph).0, &on_lists);
        let other = open(&folder.path().join("other"), &sample, true, threads);
        for share in [1, 2, 3] {
            let estimates = [
                other.estimate(&LccRun, None).unwrap(),
                other.estimate(&TrianglesRun { per_vertex: true }, None).unwrap(),
                other.estimate(&CdlpRun { iterations: 6 }, None).unwrap(),
                other.estimate(&SccRun, None).unwrap(),
            ];
            let least = estimates.iter().map(|estimate| estimate.least_memory_bytes).max().unwrap();
            let memory = least.max(taken / 4 * share);
            let mut other = Graph::open(folder.path().join("other"), options(MEMORY)).unwrap();
            other.set_options(Options { threads, ..options(memory) });
            prop_assert_eq!(&neighbourhoods(&other).0, &on_lists);
        }
    }
}

/// A run on a version with changes decodes the lists as they are then; the next version has its own.
#[test]
fn lists_are_those_of_the_version() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store");
    let edges = (1..500).map(|vertex| (vertex - 1, vertex, 1.0)).collect();
    let sample = Sample { vertices: 500, directed: false, edges, order: None };
    let graph = open(&path, &sample, true, 2);
    for _ in 0..3 {
        assert_eq!(graph.bfs(&[0]).unwrap().depth, 499);
    }
    let mut update = GraphUpdate::open(&path, UpdateOptions::default()).unwrap();
    update.insert_edge(0u64, 400u64, None).unwrap();
    update.delete_edge(100u64, 101u64).unwrap();
    update.commit().unwrap();
    let changed = Graph::open(&path, options(MEMORY)).unwrap();
    for _ in 0..3 {
        assert_eq!(changed.bfs(&[0]).unwrap().depth, 300);
        assert_eq!(changed.wcc().unwrap().count, 1);
    }
    assert_eq!(graph.bfs(&[0]).unwrap().depth, 499);
}

/// A search needs both directions: where only one fits, neither is decoded.
#[test]
fn a_direction_is_not_decoded_alone() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("g");
    let edges = made::edges(2000, 200_000, None, 1);
    Shape::new(2000, true).compressed().writer(&path, &edges).finish().unwrap();
    let taken = |memory: u64| {
        let graph = Graph::open(&path, made::options(memory, 1, 1)).unwrap();
        [(); 2].map(|()| graph.bfs(&[0]).unwrap().stats.memory_bytes)
    };
    let [blocks, both] = taken(64 << 20);
    let lists = (both - blocks) / 2;
    assert!(lists > 4 * 150_000, "the second search decodes both: {both}, {blocks}");
    let [first, second] = taken(blocks + lists + lists / 2);
    assert_eq!(first, second, "nothing is decoded");
}
