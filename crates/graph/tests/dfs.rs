//! Depth-first search: the forest is one, and with one read at a time that of a depth-first search.

mod made;

use leadline_graph::algorithms::Dfs;
use leadline_graph::format::{NO_VERTEX, Vertex};
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
            assert!(lists[parent as usize].contains(&(vertex as Vertex)), "{parent} -> {vertex} is no edge");
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
        threads in 1..4usize, depth in 1..20u32, sources in prop::collection::vec(any::<u32>(), 0..4),
    ) {
        let dir = tempdir().unwrap();
        let edges = edges(vertices, count, None, seed);
        let lists = lists(vertices, directed, &edges);
        let shape = Shape::new(u64::from(vertices), directed);
        let shape = if compressed { shape.compressed() } else { shape };
        let mut graph = shape.open(&dir.path().join("g"), &edges, options(8 << 20, threads, depth));
        let sources: Vec<Vertex> = sources.iter().map(|source| source % vertices).collect();
        check_forest(&graph.dfs(&sources).unwrap(), &lists, &sources);
        graph.set_options(options(8 << 20, 1, 1));
        let strict = graph.dfs(&sources).unwrap();
        check_forest(&strict, &lists, &sources);
        check_depth_first(&strict, &lists);
    }
}

#[test]
fn hubs_of_several_blocks_are_searched_whole() {
    let dir = tempdir().unwrap();
    let edges = edges(5000, 3000, Some((40, 15_000)), 5);
    let lists = lists(5000, false, &edges);
    for (i, shape) in [Shape::new(5000, false), Shape::new(5000, false).compressed()].into_iter().enumerate()
    {
        let mut graph = shape.open(&dir.path().join(format!("{i}")), &edges, options(8 << 20, 1, 1));
        let strict = graph.dfs(&[40]).unwrap();
        check_forest(&strict, &lists, &[40]);
        check_depth_first(&strict, &lists);
        for (threads, depth) in [(1, 64), (2, 32), (4, 4)] {
            graph.set_options(options(8 << 20, threads, depth));
            let found = graph.dfs(&[]).unwrap();
            check_forest(&found, &lists, &[]);
            let again = graph.dfs(&[]).unwrap();
            assert_eq!((found.parents, found.order), (again.parents, again.order), "the same again");
        }
    }
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
