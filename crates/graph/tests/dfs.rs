//! Depth-first search: the forest is one, and that of a depth-first search where all fits in memory or one
//! read is made at a time.

use crate::made;

use leadline_graph::algorithms::Dfs;
use leadline_graph::format::{Direction, NO_VERTEX, Vertex};
use leadline_graph::{Graph, GraphError};
use made::{Shape, edges, lists, options};
use proptest::prelude::*;
use tempfile::tempdir;

/// By vertex, whether a source leads to it.
fn reachable(lists: &[Vec<Vertex>], sources: &[Vertex]) -> Vec<bool> {
    let mut seen = vec![false; lists.len()];
    let mut left = sources.to_vec();
    while let Some(vertex) = left.pop() {
        if !std::mem::replace(&mut seen[vertex as usize], true) {
            left.extend(&lists[vertex as usize]);
        }
    }
    seen
}

/// The least memory that a search takes with so many threads and reads.
fn least_memory(graph: &mut Graph, threads: usize, depth: u32) -> u64 {
    graph.set_options(options(1, threads, depth));
    match graph.dfs(&[]) {
        Err(GraphError::Memory { needed, .. }) => needed,
        other => panic!("a search in one byte: {other:?}"),
    }
}

fn forward_bytes(graph: &Graph) -> u64 {
    u64::from(graph.directory(Direction::Forward).blocks()) * u64::from(graph.header().block_bytes)
}

fn parts(found: &Dfs) -> (&[Vertex], &[Vertex], &[u32]) {
    (&found.parents, &found.roots, &found.order)
}

fn check_forest(found: &Dfs, lists: &[Vec<Vertex>], sources: &[Vertex]) {
    let all: Vec<Vertex> = (0..lists.len() as u32).collect();
    let sources = if sources.is_empty() { &all } else { sources };
    let reachable = reachable(lists, sources);
    let mut places = vec![false; lists.len()];
    for (vertex, reachable) in reachable.iter().enumerate() {
        let (parent, root, order) = (found.parents[vertex], found.roots[vertex], found.order[vertex]);
        if !reachable {
            assert_eq!((parent, root, order), (NO_VERTEX, NO_VERTEX, NO_VERTEX));
            continue;
        }
        assert!(!std::mem::replace(&mut places[order as usize], true), "each place in the order once");
        assert!(sources.contains(&root), "roots are sources");
        if parent == NO_VERTEX {
            assert_eq!(root as usize, vertex);
        } else {
            assert!(
                lists[parent as usize].contains(&(vertex as Vertex)),
                "{parent} -> {vertex} is not an edge"
            );
            assert!(found.order[parent as usize] < order, "a parent comes first");
            assert_eq!(found.roots[parent as usize], root);
        }
    }
    let reached = reachable.iter().filter(|reached| **reached).count();
    assert_eq!(found.reached, reached as u64);
    assert!(places[..reached].iter().all(|place| *place), "no place is left out");
}

/// An edge to a later vertex leads to a descendant: what makes a forest depth-first.
fn check_depth_first(found: &Dfs, lists: &[Vec<Vertex>]) {
    for (vertex, list) in lists.iter().enumerate().filter(|(vertex, _)| found.order[*vertex] != NO_VERTEX) {
        for neighbour in list {
            if found.order[*neighbour as usize] > found.order[vertex] {
                let mut at = *neighbour;
                while at != NO_VERTEX && at as usize != vertex {
                    at = found.parents[at as usize];
                }
                assert_ne!(at, NO_VERTEX, "{vertex} -> {neighbour} crosses to a later tree");
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]
    #[test]
    fn any_graph_any_way(
        vertices in 1..200u32, count in 0..600usize, directed: bool, compressed: bool, seed: u64,
        threads in 1..4usize, depth in 2..20u32, sources in prop::collection::vec(any::<u32>(), 0..4),
    ) {
        let dir = tempdir().unwrap();
        let edges = edges(vertices, count, None, seed);
        let lists = lists(vertices, directed, &edges);
        let shape = Shape::new(u64::from(vertices), directed);
        let shape = if compressed { shape.compressed() } else { shape };
        let mut graph = shape.open(&dir.path().join("g"), &edges, options(8 << 20, threads, depth));
        let sources: Vec<Vertex> = sources.iter().map(|source| source % vertices).collect();
        let strict = graph.dfs(&sources).unwrap();
        check_forest(&strict, &lists, &sources);
        check_depth_first(&strict, &lists);
        // No block fits in memory.
        let least = least_memory(&mut graph, threads, depth);
        graph.set_options(options(least, threads, depth));
        check_forest(&graph.dfs(&sources).unwrap(), &lists, &sources);
        let least = least_memory(&mut graph, 1, 1);
        for memory in [least, 8 << 20] {
            graph.set_options(options(memory, 1, 1));
            let found = graph.dfs(&sources).unwrap();
            prop_assert_eq!(parts(&found), parts(&strict));
        }
    }
}

#[test]
fn hubs_of_several_blocks_are_searched_whole() {
    let dir = tempdir().unwrap();
    let edges = edges(5000, 3000, Some((40, 15_000)), 5);
    let lists = lists(5000, false, &edges);
    for (i, shape) in [Shape::new(5000, false), Shape::new(5000, false).compressed()].into_iter().enumerate()
    {
        let mut graph = shape.open(&dir.path().join(format!("{i}")), &edges, options(8 << 20, 2, 16));
        for sources in [&[40][..], &[]] {
            graph.set_options(options(8 << 20, 2, 16));
            let strict = graph.dfs(sources).unwrap();
            check_forest(&strict, &lists, sources);
            check_depth_first(&strict, &lists);
            for (threads, depth) in [(1, 64), (2, 32), (4, 4)] {
                let least = least_memory(&mut graph, threads, depth);
                graph.set_options(options(least, threads, depth));
                check_forest(&graph.dfs(sources).unwrap(), &lists, sources);
            }
        }
    }
}

/// A graph of which not all blocks fit in the memory that a search is given: so much more than the least.
fn larger_than_memory(
    shape: Shape,
    dir: &std::path::Path,
    edges: &[(Vertex, Vertex, f64)],
    more: u64,
    threads: usize,
) -> Graph {
    let mut graph = shape.open(&dir.join("g"), edges, options(1, 1, 1));
    let least = least_memory(&mut graph, threads, 8);
    graph.set_options(options(least + more, threads, 8));
    graph
}

#[test]
fn a_graph_larger_than_memory_is_read_few_times_and_gives_one_forest() {
    let dir = tempdir().unwrap();
    let edges = edges(40_000, 150_000, Some((17, 30_000)), 6);
    let lists = lists(40_000, true, &edges);
    let shape = Shape::new(40_000, true).weighted();
    for threads in [1, 3] {
        let graph = larger_than_memory(shape, dir.path(), &edges, 700 << 10, threads);
        let first = graph.dfs(&[17, 3]).unwrap();
        check_forest(&first, &lists, &[17, 3]);
        let blocks = forward_bytes(&graph);
        let read = first.stats.bytes_read;
        assert!(read >= blocks && read < 3 * blocks, "{read} bytes read of {blocks}");
        assert!(first.stats.memory_bytes <= graph.options().memory);
        assert!(
            first.stats.sweeps < first.reached / 10,
            "{} sweeps: one for each vertex",
            first.stats.sweeps
        );
        for _ in 0..3 {
            let again = graph.dfs(&[17, 3]).unwrap();
            assert!(parts(&again) == parts(&first), "{threads} threads: another forest");
        }
    }
}

#[test]
fn where_all_fits_each_block_is_read_once_and_for_a_small_tree_few() {
    let dir = tempdir().unwrap();
    let mut edges = edges(40_000, 150_000, None, 7);
    edges.retain(|(from, to, _)| *from < 39_990 && *to < 39_990);
    edges.push((39_990, 39_991, 1.0));
    let shape = Shape::new(40_000, true).weighted();
    for (threads, depth) in [(1, 1), (2, 16)] {
        // A new graph each time, with nothing cached.
        let open = || shape.open(&dir.path().join("g"), &edges, options(64 << 20, threads, depth));
        let (graph, blocks) = (open(), forward_bytes(&open()));
        assert_eq!(graph.dfs(&[]).unwrap().stats.bytes_read, blocks);
        assert!(open().dfs(&[39_990]).unwrap().stats.bytes_read <= 2 * 4096);
    }
}

#[test]
fn many_small_trees_share_their_reads() {
    let dir = tempdir().unwrap();
    let edges: Vec<(Vertex, Vertex, f64)> =
        (0..200_000).map(|vertex| (vertex, (vertex + 100_000) % 200_000, 1.0)).collect();
    let shape = Shape::new(200_000, true).weighted();
    let graph = larger_than_memory(shape, dir.path(), &edges, 2 << 20, 2);
    let found = graph.dfs(&[0]).unwrap();
    assert_eq!(found.reached, 2);
    let found = graph.dfs(&[]).unwrap();
    assert_eq!((found.reached, found.roots[100_000]), (200_000, 0));
    assert!(found.stats.sweeps < 100_000 / 2, "{} sweeps for 100,000 trees", found.stats.sweeps);
}

#[test]
fn children_are_visited_in_order_by_one_read_at_a_time() {
    let dir = tempdir().unwrap();
    let edges = [(0, 1, 1.0), (0, 2, 1.0), (1, 3, 1.0), (3, 2, 1.0), (4, 0, 1.0)];
    let graph = Shape::new(6, true).open(&dir.path().join("g"), &edges, options(8 << 20, 1, 1));
    let found = graph.dfs(&[]).unwrap();
    assert_eq!(found.order, [0, 1, 3, 2, 4, 5]);
    assert_eq!(found.parents, [NO_VERTEX, 0, 3, 1, NO_VERTEX, NO_VERTEX]);
    assert_eq!(found.roots, [0, 0, 0, 0, 4, 5]);
}
