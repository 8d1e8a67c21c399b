//! Communities that all threads look for at the same time: the number of threads changes nothing, modularity
//! is no lower than one thread's, and Leiden's communities are connected.

use std::collections::BTreeMap;

use leadline_graph::algorithms::CommunityOptions;
use leadline_graph::format::Weights;
use leadline_graph::{Graph, Options};
use proptest::prelude::*;

use crate::algorithms::{PLENTY, options};
use crate::communities::{all_connected, run};
use crate::samples::Sample;
use crate::shapes::{open, sample};

/// Edges of a recursive matrix (R-MAT): a few vertices have very many.
fn rmat(scale: u32, edges: u32, rng: &mut fastrand::Rng) -> Vec<(u32, u32)> {
    let mut edge = || {
        (0..scale).fold((0, 0), |(from, to), _| {
            let (right, down) = match rng.f32() {
                chance if chance < 0.57 => (0, 0),
                chance if chance < 0.76 => (0, 1),
                chance if chance < 0.95 => (1, 0),
                _ => (1, 1),
            };
            (2 * from + down, 2 * to + right)
        })
    };
    (0..edges).map(|_| edge()).collect()
}

/// A grid of that many rows and columns.
fn grid(side: u32) -> Vec<(u32, u32)> {
    let right = (0..side * side).filter(|v| v % side + 1 < side).map(|v| (v, v + 1));
    right.chain((0..side * (side - 1)).map(|v| (v, v + side))).collect()
}

/// Communities of 50 vertices whose numbers are at random: six edges of each vertex within, three to any.
fn planted(vertices: u32, rng: &mut fastrand::Rng) -> Vec<(u32, u32)> {
    let mut numbers: Vec<u32> = (0..vertices).collect();
    rng.shuffle(&mut numbers);
    let mut edges = Vec::new();
    for at in 0..vertices {
        let mut add = |other: u32| edges.push((numbers[at as usize], numbers[other as usize]));
        (0..6).for_each(|_| add(at / 50 * 50 + rng.u32(..50)));
        (0..3).for_each(|_| add(rng.u32(..vertices)));
    }
    edges
}

/// Graphs of enough edges that threads share them.
fn graphs() -> Vec<(&'static str, Sample)> {
    let mut rng = fastrand::Rng::with_seed(11);
    vec![
        ("rmat", sample(1 << 13, false, rmat(13, 100_000, &mut rng).into_iter())),
        ("directed rmat", sample(1 << 12, true, rmat(12, 60_000, &mut rng).into_iter())),
        ("grid", sample(150 * 150, false, grid(150).into_iter())),
        ("planted", sample(10_000, false, planted(10_000, &mut rng).into_iter())),
    ]
}

/// The weights between vertices, there and back; an edge to itself twice.
type Lists = Vec<BTreeMap<u32, f64>>;

fn lists(vertices: u32, edges: impl Iterator<Item = (u32, u32, f64)>) -> Lists {
    let mut lists = vec![BTreeMap::new(); vertices as usize];
    for (from, to, weight) in edges {
        *lists[from as usize].entry(to).or_insert(0.0) += weight;
        *lists[to as usize].entry(from).or_insert(0.0) += weight;
    }
    lists
}

/// Modularity, by its definition in sums over communities.
fn modularity(lists: &Lists, communities: &[u32]) -> f64 {
    let (mut inside, mut total) = (0.0, BTreeMap::<u32, f64>::new());
    for (list, own) in lists.iter().zip(communities) {
        let near = list.iter().filter(|(other, _)| communities[**other as usize] == *own);
        inside += near.map(|(_, weight)| weight).sum::<f64>();
        *total.entry(*own).or_default() += list.values().sum::<f64>();
    }
    let twice: f64 = total.values().sum();
    inside / twice - total.values().map(|total| (total / twice).powi(2)).sum::<f64>()
}

/// The Louvain method, one vertex after the other: the communities of the first vertices.
fn one_after_the_other(lists: Lists, rng: &mut fastrand::Rng) -> Vec<u32> {
    let n = lists.len();
    let degree: Vec<f64> = lists.iter().map(|list| list.values().sum()).collect();
    let twice: f64 = degree.iter().sum();
    let (mut community, mut total) = ((0..n as u32).collect::<Vec<u32>>(), degree.clone());
    let (mut any, mut moves) = (false, true);
    while moves {
        moves = false;
        let mut order: Vec<usize> = (0..n).collect();
        rng.shuffle(&mut order);
        for vertex in order {
            let own = community[vertex];
            total[own as usize] -= degree[vertex];
            let mut near = BTreeMap::from([(own, 0.0)]);
            for (other, weight) in lists[vertex].iter().filter(|(other, _)| **other != vertex as u32) {
                *near.entry(community[*other as usize]).or_insert(0.0) += weight;
            }
            let gain = |to: u32| near[&to] - degree[vertex] * total[to as usize] / twice;
            let best = near.keys().copied().fold(own, |best, to| match gain(to) > gain(best) + 1e-9 {
                true => to,
                false => best,
            });
            total[best as usize] += degree[vertex];
            community[vertex] = best;
            (moves, any) = (moves || best != own, any || best != own);
        }
    }
    if !any {
        return community;
    }
    let mut numbers = BTreeMap::new();
    for label in &mut community {
        let next = numbers.len() as u32;
        *label = *numbers.entry(*label).or_insert(next);
    }
    let mut above = vec![BTreeMap::new(); numbers.len()];
    for (list, own) in lists.iter().zip(&community) {
        for (other, weight) in list {
            *above[*own as usize].entry(community[*other as usize]).or_insert(0.0) += weight;
        }
    }
    let above = one_after_the_other(above, rng);
    community.iter().map(|label| above[*label as usize]).collect()
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    for (name, mut sample) in graphs() {
        // Sums of these depend on the order of what is added, in their last digits.
        sample.edges.iter_mut().zip(1..).for_each(|(edge, at)| edge.2 = f64::from(at % 97) / 7.0);
        let path = folder.path().join("store");
        sample.write(&path, 4096, true, Weights::F64);
        for leiden in [false, true] {
            let found = [1, 2, 3, 8].map(|threads| {
                let graph = Graph::open(&path, Options { threads, ..options(PLENTY) }).unwrap();
                run(&graph, &sample, leiden, &CommunityOptions::default())
            });
            let same = found.iter().all(|other| *other == found[0]);
            assert!(same, "{name}, {leiden}: {:?}", found.map(|found| found.modularity));
        }
    }
}

#[test]
fn modularity_is_no_lower_than_by_moving_one_vertex_after_the_other() {
    let folder = tempfile::tempdir().unwrap();
    for (name, sample) in graphs() {
        let graph = open(folder.path(), &sample, true);
        let lists = lists(sample.vertices, sample.edges.iter().copied());
        let mut rng = fastrand::Rng::with_seed(3);
        let reference = modularity(&lists, &one_after_the_other(lists.clone(), &mut rng));
        for leiden in [false, true] {
            let found = run(&graph, &sample, leiden, &CommunityOptions::default());
            let right = modularity(&lists, &found.communities);
            assert!((found.modularity - right).abs() < 1e-9, "{name}: {} {right}", found.modularity);
            assert!(right >= reference - 0.002, "{name}, {leiden}: {right} of {reference}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    /// Also where communities are large and hang on a few edges, and where some edges weigh nothing.
    #[test]
    fn leidens_communities_are_connected_at_every_level(
        seed: u64,
        vertices in 2000_u32..6000,
        each in 6_u32..12,
        resolution in prop_oneof![Just(0.02), Just(0.3), Just(1.0), Just(3.0)],
        nothing in 0_u32..3,
    ) {
        let mut rng = fastrand::Rng::with_seed(seed);
        let near = rng.u32(1..200);
        let edges = (0..vertices * each).map(|at| match at % each {
            0 => (at / each, rng.u32(..vertices)),
            1 => (at / each, 0),
            _ => (at / each, (at / each + rng.u32(..near)) % vertices),
        });
        let mut sample = sample(vertices, false, edges.collect::<Vec<_>>().into_iter());
        sample.edges.iter_mut().for_each(|edge| edge.2 = f64::from(u8::from(rng.u32(..4) >= nothing)));
        let folder = tempfile::tempdir().unwrap();
        let graph = open(folder.path(), &sample, true);
        let options = CommunityOptions { resolution, seed, ..CommunityOptions::default() };
        let found = run(&graph, &sample, true, &options);
        for level in found.each_level.iter().chain([&found.communities]) {
            prop_assert!(all_connected(&sample, level));
        }
    }
}
