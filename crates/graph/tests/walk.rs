//! Random walks: every step an edge, the distribution that theory has, the same walks however they are made.

use crate::made;

use std::collections::HashMap;

use leadline_graph::algorithms::{Starts, WalkOptions};
use leadline_graph::format::Vertex;
use leadline_graph::{Graph, GraphError};
use made::{Shape, edges, lists, options};
use tempfile::tempdir;

fn walks(graph: &Graph, options: &WalkOptions) -> Vec<Vec<Vertex>> {
    let mut all = Vec::new();
    let done = graph.walks(options, |walk, vertices| {
        assert_eq!(walk, all.len() as u64, "in the order of walkers");
        all.push(vertices.to_vec());
        Ok(())
    });
    let done = done.unwrap();
    assert_eq!(done.walks, all.len() as u64);
    assert_eq!(done.steps, all.iter().map(|walk| walk.len() as u64 - 1).sum::<u64>());
    all
}

/// Chi-square of counts against expected ones, and its degrees of freedom.
fn chi_square(counts: &[(f64, f64)]) -> (f64, f64) {
    let chi = counts.iter().map(|(count, expected)| (count - expected).powi(2) / expected).sum();
    (chi, counts.len() as f64 - 1.0)
}

/// How far a chi-square is from its mean, in standard deviations.
fn excess((chi, freedom): (f64, f64)) -> f64 {
    (chi - freedom) / (2.0 * freedom).sqrt()
}

#[test]
fn every_step_follows_an_edge_and_only_dead_ends_end_early() {
    let dir = tempdir().unwrap();
    let edges = edges(3000, 4000, Some((7, 9000)), 1);
    let lists = lists(3000, true, &edges);
    let graph =
        Shape::new(3000, true).compressed().open(&dir.path().join("g"), &edges, options(8 << 20, 2, 8));
    for (p, q) in [(1.0, 1.0), (0.25, 4.0), (4.0, 0.5)] {
        let options =
            WalkOptions { starts: Starts::EveryVertex(2), length: 12, p, q, ..WalkOptions::default() };
        let all = walks(&graph, &options);
        assert_eq!(all.len(), 6000);
        for (i, walk) in all.iter().enumerate() {
            assert_eq!(walk[0], i as u32 / 2, "two from each, in order");
            for pair in walk.windows(2) {
                assert!(lists[pair[0] as usize].binary_search(&pair[1]).is_ok(), "{pair:?} is not an edge");
            }
            let last = walk[walk.len() - 1];
            assert!(walk.len() == 13 || lists[last as usize].is_empty(), "{walk:?} ends early");
        }
        assert!(all.iter().any(|walk| walk.contains(&7)), "the hub is passed");
    }
}

#[test]
fn walks_are_the_same_whatever_threads_memory_blocks_and_code() {
    let dir = tempdir().unwrap();
    let edges = edges(4000, 8000, Some((100, 12_000)), 2);
    let shape = Shape::new(4000, false).weighted();
    for (p, q, weighted) in [(1.0, 1.0, false), (2.0, 0.5, false), (0.5, 2.0, true)] {
        let options_of = WalkOptions {
            starts: Starts::Random(3000),
            length: 10,
            p,
            q,
            weighted,
            ..WalkOptions::default()
        };
        let mut first: Option<Vec<Vec<Vertex>>> = None;
        for (i, shape) in [shape, shape.compressed(), shape.blocks(65_536), shape.blocks(8192).compressed()]
            .into_iter()
            .enumerate()
        {
            let path = dir.path().join(format!("{i}"));
            let mut graph = shape.open(&path, &edges, options(64 << 20, 1, 1));
            for (memory, threads, depth) in [(64 << 20, 1, 1), (3 << 20, 2, 8), (64 << 20, 3, 32)] {
                graph.set_options(options(
                    memory.max(u64::from(shape.layout.block_bytes) * 120),
                    threads,
                    depth,
                ));
                let found = walks(&graph, &options_of);
                let wanted = first.get_or_insert_with(|| found.clone());
                assert!(*wanted == found, "store {i}, {memory} bytes, {threads} threads");
            }
        }
        let other = WalkOptions { seed: 2, ..options_of };
        let graph = Graph::open(dir.path().join("0"), options(64 << 20, 1, 1)).unwrap();
        assert!(first.unwrap() != walks(&graph, &other), "another seed walks elsewhere");
    }
}

/// Where lists fit in memory they are decoded and walked on there; where they do not, round by round.
#[test]
fn walks_are_the_same_on_lists_in_memory_and_on_blocks() {
    let dir = tempdir().unwrap();
    let mut edges = edges(4000, 200_000, Some((100, 12_000)), 5);
    edges.extend_from_within(1000..1200);
    for (i, directed) in [false, true].into_iter().enumerate() {
        let shape = Shape::new(4000, directed).compressed();
        let path = dir.path().join(format!("{i}"));
        drop(shape.open(&path, &edges, options(64 << 20, 1, 1)));
        for (p, q, length) in [(1.0, 1.0, 20), (4.0, 0.5, 20), (0.25, 2.0, 20), (0.05, 300.0, 3)] {
            let starts = Starts::EveryVertex(1);
            let walking = WalkOptions { starts, length, p, q, ..WalkOptions::default() };
            let mut first = None;
            let mut on_lists = [0, 0];
            for kib in [1250, 1500, 3000, 4000, 64_000] {
                let graph = Graph::open(&path, options(kib << 10, 2, 4)).unwrap();
                let mut found = Vec::new();
                let keep = |_, walk: &[Vertex]| {
                    found.push(walk.to_vec());
                    Ok(())
                };
                let stats = graph.walks(&walking, keep).unwrap().stats;
                // A round for each step at least, where there are blocks.
                on_lists[usize::from(stats.sweeps < u64::from(length))] += 1;
                let wanted = first.get_or_insert_with(|| found.clone());
                assert!(*wanted == found, "directed {directed}, p {p}, q {q}, {kib} KiB");
            }
            assert!(on_lists.iter().all(|runs| *runs > 0) || length < 20, "{on_lists:?}");
        }
    }
}

#[test]
fn the_share_of_time_at_a_vertex_is_its_degrees() {
    let dir = tempdir().unwrap();
    let mut edges = edges(40, 120, None, 3);
    // All hang together, and a triangle keeps it from going to and fro.
    edges.extend((1..40).map(|vertex| (0, vertex, 2.0)));
    edges.sort_by_key(|edge| (edge.0.min(edge.1), edge.0.max(edge.1)));
    edges.dedup_by_key(|edge| (edge.0.min(edge.1), edge.0.max(edge.1)));
    let shape = Shape::new(40, false).weighted();
    let graph = shape.open(&dir.path().join("g"), &edges, options(16 << 20, 2, 4));
    for weighted in [false, true] {
        let mut mass = vec![0.0; 40];
        for (from, to, weight) in &edges {
            let weight = if weighted { *weight } else { 1.0 };
            mass[*from as usize] += weight;
            mass[*to as usize] += if from == to { 0.0 } else { weight };
        }
        let options =
            WalkOptions { starts: Starts::Random(20_000), length: 40, weighted, ..WalkOptions::default() };
        let mut counts = vec![0.0; 40];
        for walk in walks(&graph, &options) {
            counts[walk[40] as usize] += 1.0;
        }
        let total: f64 = mass.iter().sum();
        let counts: Vec<(f64, f64)> =
            counts.into_iter().zip(&mass).map(|(count, mass)| (count, 20_000.0 * mass / total)).collect();
        assert!(excess(chi_square(&counts)).abs() < 4.0, "weighted {weighted}: {counts:?}");
    }
}

/// How far the steps of node2vec's walks are from what they should be, over all pairs of vertices behind
/// them.
fn node2vec_excess(all: &[Vec<Vertex>], edges: &Edges, p: f64, q: f64) -> f64 {
    let mut counts: HashMap<[Vertex; 2], HashMap<Vertex, f64>> = HashMap::new();
    for step in all.iter().flat_map(|walk| walk.windows(3)) {
        *counts.entry([step[0], step[1]]).or_default().entry(step[2]).or_default() += 1.0;
    }
    let mut all = (0.0, 0.0);
    for ([before, at], counts) in counts {
        let law = |next: Vertex| match next {
            next if next == before => 1.0 / p,
            next if edges[&before].contains_key(&next) => 1.0,
            _ => 1.0 / q,
        };
        let weights: Vec<(Vertex, f64)> =
            edges[&at].iter().map(|(next, weight)| (*next, weight * law(*next))).collect();
        let total: f64 = weights.iter().map(|(_, weight)| weight).sum();
        let steps: f64 = counts.values().sum();
        let count = |next: &Vertex| counts.get(next).copied().unwrap_or(0.0);
        // What is expected too rarely for a chi-square counts as one.
        let (mut rare, mut compared) = ((0.0, 0.0), Vec::new());
        for (next, weight) in &weights {
            let expected = steps * weight / total;
            if expected >= 5.0 {
                compared.push((count(next), expected));
            } else {
                rare = (rare.0 + count(next), rare.1 + expected);
            }
        }
        if rare.1 >= 5.0 {
            compared.push(rare);
        }
        if compared.len() > 1 {
            let (chi, freedom) = chi_square(&compared);
            all = (all.0 + chi, all.1 + freedom);
        }
    }
    assert!(all.1 > 30.0, "too little to compare: {all:?}");
    excess(all)
}

/// By vertex: its neighbours, and what the edges to each weigh together.
type Edges = HashMap<Vertex, HashMap<Vertex, f64>>;

fn edges_of(edges: &[(Vertex, Vertex, f64)], directed: bool, weighted: bool) -> Edges {
    let mut all = Edges::new();
    for (from, to, weight) in edges {
        let weight = if weighted { *weight } else { 1.0 };
        *all.entry(*from).or_default().entry(*to).or_default() += weight;
        let back = all.entry(*to).or_default();
        if !directed && from != to {
            *back.entry(*from).or_default() += weight;
        }
    }
    all
}

#[test]
fn node2vec_steps_are_as_likely_as_they_should_be() {
    let dir = tempdir().unwrap();
    let mut edges = edges(12, 30, None, 4);
    // Some edges twice or more.
    edges.extend_from_within(3..9);
    edges.extend_from_within(5..7);
    for (i, (directed, weighted)) in [(false, false), (false, true), (true, true)].into_iter().enumerate() {
        let shape = Shape::new(12, directed).weighted();
        let graph = shape.open(&dir.path().join(format!("{i}")), &edges, options(16 << 20, 2, 4));
        let exact = edges_of(&edges, directed, weighted);
        for (p, q) in [(0.05, 0.5), (0.05, 2.0), (4.0, 0.5), (4.0, 2.0), (0.25, 4.0), (0.5, 0.5)] {
            let starts = Starts::EveryVertex(4000);
            let options = WalkOptions { starts, length: 4, p, q, weighted, ..WalkOptions::default() };
            let far = node2vec_excess(&walks(&graph, &options), &exact, p, q);
            assert!(far.abs() < 4.0, "directed {directed}, weighted {weighted}, p {p}, q {q}: {far}");
        }
    }
}

#[test]
fn node2vec_steps_from_hubs_are_as_likely_as_they_should_be() {
    let dir = tempdir().unwrap();
    // Each leaf has one to three edges with each of two hubs, so that they run from one block into the next.
    let leaves = 2..900;
    let mut edges: Vec<(Vertex, Vertex, f64)> = leaves
        .flat_map(|leaf| {
            (0..2).flat_map(move |hub| (0..1 + (leaf + hub) % 3).map(move |i| (hub, leaf, f64::from(1 + i))))
        })
        .collect();
    edges.push((0, 1, 1.0));
    for (i, weighted) in [false, true].into_iter().enumerate() {
        let shape = Shape::new(900, false).weighted();
        let graph = shape.open(&dir.path().join(format!("{i}")), &edges, options(64 << 20, 2, 8));
        let exact = edges_of(&edges, false, weighted);
        for (p, q) in [(0.002, 0.5), (0.05, 2.0), (4.0, 2.0)] {
            let starts = Starts::EveryVertex(200);
            let options = WalkOptions { starts, length: 4, p, q, weighted, ..WalkOptions::default() };
            let far = node2vec_excess(&walks(&graph, &options), &exact, p, q);
            assert!(far.abs() < 4.0, "weighted {weighted}, p {p}, q {q}: {far}");
        }
    }
}

#[test]
fn a_small_p_costs_no_more_than_p_1() {
    let dir = tempdir().unwrap();
    let edges = edges(3000, 20_000, Some((7, 9000)), 1);
    // Rounds are what a try takes that is not made where the one before was.
    let graph =
        Shape::new(3000, true).weighted().open(&dir.path().join("g"), &edges, options(64 << 20, 2, 8));
    let sweeps = |p: f64| {
        let options = WalkOptions { length: 10, p, q: 0.5, weighted: true, ..WalkOptions::default() };
        graph.walks(&options, |_, _| Ok(())).unwrap().stats.sweeps
    };
    let (small, one) = (sweeps(1e-6), sweeps(1.0));
    assert!(small <= 2 * one, "{small} rounds where p is a millionth, {one} where it is 1");
}

#[test]
fn a_hubs_neighbours_are_all_alike() {
    let dir = tempdir().unwrap();
    let edges: Vec<(Vertex, Vertex, f64)> =
        (1..5001).map(|leaf| (0, leaf, f64::from(leaf % 2 * 2 + 1))).collect();
    let graph =
        Shape::new(5001, true).weighted().open(&dir.path().join("g"), &edges, options(64 << 20, 2, 8));
    for weighted in [false, true] {
        let options = WalkOptions {
            starts: Starts::From(vec![0; 500_000]),
            length: 1,
            weighted,
            ..WalkOptions::default()
        };
        let mut counts = vec![(0.0, 0.0); 5000];
        for (i, count) in counts.iter_mut().enumerate() {
            count.1 = if !weighted {
                100.0
            } else if i % 2 == 0 {
                150.0
            } else {
                50.0
            };
        }
        for walk in walks(&graph, &options) {
            counts[walk[1] as usize - 1].0 += 1.0;
        }
        assert!(
            excess(chi_square(&counts)).abs() < 4.0,
            "weighted {weighted}: {}",
            excess(chi_square(&counts))
        );
    }
}

#[test]
fn what_cannot_be_walked_is_refused() {
    let dir = tempdir().unwrap();
    let graph = Shape::new(3, false).open(&dir.path().join("g"), &[(0, 1, 1.0)], options(16 << 20, 1, 1));
    let refused = |options: WalkOptions| graph.walks(&options, |_, _| Ok(())).unwrap_err().to_string();
    let plain = WalkOptions::default();
    assert!(refused(WalkOptions { p: 0.0, ..plain.clone() }).contains("p 0: must be above 0"));
    assert!(refused(WalkOptions { q: f64::NAN, ..plain.clone() }).contains("q NaN"));
    assert!(
        refused(WalkOptions { weighted: true, ..plain.clone() }).contains("import it again with its weights")
    );
    let failing = graph.walks(&plain, |_, _| Err(GraphError::Interrupted)).unwrap_err();
    assert!(matches!(failing, GraphError::Interrupted), "what the sink says ends it");
    let too_long = WalkOptions { length: 100_000_000, ..plain };
    assert!(matches!(graph.walks(&too_long, |_, _| Ok(())), Err(GraphError::Memory { .. })));
}
