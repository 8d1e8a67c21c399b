//! Sweeps: every wanted block once, whatever the memory, the threads and the depth; and nothing more.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use leadline_graph::format::{Direction, Layout, StoreWriter, Vertex, Weights};
use leadline_graph::{Engine, Frontier, Graph, GraphError, Options, RunStats, Which};
use proptest::prelude::*;

type Edges = Vec<(Vertex, Vertex)>;

/// A store of a directed graph.
fn store(path: &Path, vertices: u64, mut edges: Edges, block_bytes: u32, compressed: bool) -> Edges {
    edges.sort_unstable();
    let layout = Layout { block_bytes, compressed, directed: true, weights: Weights::None, vertices };
    let mut writer = StoreWriter::create(path, layout).unwrap();
    for (from, to) in &edges {
        writer.edge(*from, *to, 0.0).unwrap();
    }
    writer.finish().unwrap();
    edges
}

fn options(memory: u64, threads: usize, depth: u32) -> Options {
    Options { memory, threads, depth, ..Options::default() }
}

/// All edges that a sweep shows, `rounds` times over; of the frontier's vertices only, where there is one.
fn seen(graph: &Graph, rounds: usize, frontier: Option<&Frontier>) -> Result<(Edges, RunStats), GraphError> {
    Engine::run(graph, "the test", 0, |engine| {
        let mut all = Edges::new();
        for _ in 0..rounds {
            let which = frontier.map_or(Which::All, Which::Holding);
            let found = engine.sweep(Direction::Forward, which, Edges::new, |found, block| {
                for vertex in
                    block.vertices().filter(|vertex| frontier.is_none_or(|set| set.contains(*vertex)))
                {
                    block.scan(vertex, |neighbour| {
                        found.push((vertex, neighbour));
                        true
                    });
                }
            })?;
            all = found.concat();
            all.sort_unstable();
        }
        Ok(all)
    })
}

/// A few hubs, some isolated vertices, repeats, self-loops.
fn edges(vertices: u32) -> impl Strategy<Value = Edges> {
    let vertex = prop_oneof![4 => 0..vertices, 1 => Just(0), 1 => Just(vertices / 2)];
    prop::collection::vec((vertex, 0..vertices), 0..9000)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]
    #[test]
    fn sweeps_show_what_was_written(
        (vertices, edges) in (1u32..20_000).prop_flat_map(|vertices| (Just(vertices), edges(vertices))),
        (compressed, large, threads, depth) in (any::<bool>(), any::<bool>(), 1usize..4, 1u32..9),
        spare in prop_oneof![Just(0u64), 0..200_000u64, Just(10_000_000)],
        picks in prop::collection::vec(any::<u32>(), 0..40),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("graph");
        let block = if large { 8192 } else { 4096 };
        let edges = store(&path, u64::from(vertices), edges, block, compressed);
        // The least that it takes, which the refusal names, and some more.
        let refused = seen(&Graph::open(&path, options(1, threads, depth)).unwrap(), 1, None);
        let Err(GraphError::Memory { needed, .. }) = refused else { panic!("{refused:?}") };
        let graph = Graph::open(&path, options(needed + spare, threads, depth)).unwrap();
        let (all, stats) = seen(&graph, 3, None).unwrap();
        prop_assert_eq!(&all, &edges);
        prop_assert!(stats.memory_bytes <= needed + spare);
        let bytes = std::fs::metadata(&path).unwrap().len();
        if spare == 10_000_000 {
            prop_assert!(stats.bytes_read <= bytes, "{} of {}", stats.bytes_read, bytes);
        }
        let frontier = Frontier::new(u64::from(vertices));
        let picks: BTreeSet<Vertex> = picks.into_iter().map(|pick| pick % vertices).collect();
        picks.iter().for_each(|pick| { frontier.insert(*pick); });
        let (some, _) = seen(&graph, 2, Some(&frontier)).unwrap();
        let wanted: Edges = edges.into_iter().filter(|(from, _)| picks.contains(from)).collect();
        prop_assert_eq!(some, wanted);
    }
}

/// 100,000 vertices, each with an edge to the next: 60 blocks or so.
fn chain(path: &Path) -> Edges {
    store(path, 100_001, (0..100_000).map(|vertex| (vertex, vertex + 1)).collect(), 4096, true)
}

#[test]
fn a_sweep_reads_no_block_that_is_not_wanted() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("graph");
    chain(&path);
    let graph = Graph::open(&path, options(1 << 20, 2, 8)).unwrap();
    let frontier = Frontier::new(graph.vertices());
    frontier.insert(50_000);
    let (found, stats) = seen(&graph, 1, Some(&frontier)).unwrap();
    assert_eq!((found, stats.bytes_read, stats.requests), (vec![(50_000, 50_001)], 4096, 1));
}

#[test]
fn blocks_side_by_side_come_in_one_request() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("graph");
    chain(&path);
    let graph = Graph::open(&path, options(8 << 20, 1, 2)).unwrap();
    let blocks = u64::from(graph.directory(Direction::Forward).blocks());
    let (_, stats) = seen(&graph, 1, None).unwrap();
    assert_eq!(stats.bytes_read, blocks * 4096);
    assert!(stats.requests <= blocks / 8, "{} requests for {blocks} blocks", stats.requests);
}

#[test]
fn what_one_run_cached_is_there_for_the_next() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("graph");
    let edges = chain(&path);
    let graph = Graph::open(&path, options(8 << 20, 2, 8)).unwrap();
    seen(&graph, 1, None).unwrap();
    let (again, stats) = seen(&graph, 1, None).unwrap();
    assert_eq!((again, stats.bytes_read), (edges, 0));
}

#[test]
fn a_run_that_is_stopped_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("graph");
    chain(&path);
    let stop = Arc::new(AtomicBool::new(false));
    let graph =
        Graph::open(&path, Options { stop: Some(Arc::clone(&stop)), ..options(8 << 20, 2, 8) }).unwrap();
    stop.store(true, Ordering::Relaxed);
    assert!(matches!(seen(&graph, 1, None), Err(GraphError::Interrupted)));
    stop.store(false, Ordering::Relaxed);
    assert!(seen(&graph, 1, None).is_ok());
}
