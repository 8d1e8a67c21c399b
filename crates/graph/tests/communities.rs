//! Communities of high modularity: what is reported is true of what was found, planted communities are found
//! again, and nothing but the seed decides.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use leadline_graph::algorithms::{CommunityLevel, CommunityOptions, LevelCommunities};
use leadline_graph::format::Weights;
use leadline_graph::{Graph, GraphError, Options};

use crate::algorithms::{PLENTY, options};
use crate::samples::Sample;
use crate::shapes::{open, sample};

/// What either method found.
#[derive(Debug, PartialEq)]
pub(crate) struct Found {
    /// By rank of the id.
    pub(crate) communities: Vec<u32>,
    count: u64,
    pub(crate) modularity: f64,
    levels: Vec<CommunityLevel>,
    pub(crate) each_level: Vec<Vec<u32>>,
}

/// Communities by vertex, as both methods call them.
pub(crate) fn run(graph: &Graph, sample: &Sample, leiden: bool, options: &CommunityOptions) -> Found {
    let mut each_level = Vec::new();
    let keep = |number: u32, level: LevelCommunities<'_>| {
        each_level.push(sample.by_rank(&level()?));
        assert_eq!(number as usize, each_level.len());
        Ok(())
    };
    let (communities, count, modularity, levels) = if leiden {
        let found = graph.leiden(options, keep).unwrap();
        (found.communities, found.count, found.modularity, found.levels)
    } else {
        let found = graph.louvain(options, keep).unwrap();
        (found.communities, found.count, found.modularity, found.levels)
    };
    Found { communities: sample.by_rank(&communities), count, modularity, levels, each_level }
}

/// Modularity by its definition, from a matrix of all pairs.
fn modularity(sample: &Sample, communities: &[u32], resolution: f64) -> f64 {
    let n = sample.vertices as usize;
    let mut matrix = vec![0.0; n * n];
    for (from, to, weight) in &sample.edges {
        matrix[*from as usize * n + *to as usize] += weight;
        matrix[*to as usize * n + *from as usize] += weight;
    }
    let degree: Vec<f64> = matrix.chunks(n).map(|row| row.iter().sum()).collect();
    let twice: f64 = degree.iter().sum();
    let mut sum = 0.0;
    for from in 0..n {
        for to in (0..n).filter(|to| communities[*to] == communities[from]) {
            sum += matrix[from * n + to] - resolution * degree[from] * degree[to] / twice;
        }
    }
    if twice == 0.0 { 0.0 } else { sum / twice }
}

/// Whether the vertices of every community hang together within it.
pub(crate) fn all_connected(sample: &Sample, communities: &[u32]) -> bool {
    let mut parents: Vec<u32> = (0..sample.vertices).collect();
    let root = |parents: &mut Vec<u32>, mut vertex: u32| {
        while parents[vertex as usize] != vertex {
            parents[vertex as usize] = parents[parents[vertex as usize] as usize];
            vertex = parents[vertex as usize];
        }
        vertex
    };
    for (a, b, weight) in &sample.edges {
        if communities[*a as usize] == communities[*b as usize] && *weight > 0.0 {
            let (a, b) = (root(&mut parents, *a), root(&mut parents, *b));
            parents[a.max(b) as usize] = a.min(b);
        }
    }
    let roots = (0..sample.vertices).map(|vertex| root(&mut parents, vertex)).collect::<Vec<u32>>();
    let pairs: BTreeSet<(u32, u32)> = communities.iter().copied().zip(roots).collect();
    let distinct: BTreeSet<u32> = communities.iter().copied().collect();
    pairs.len() == distinct.len()
}

/// A community is named by the smallest rank in it.
fn named_by_the_first(communities: &[u32]) -> bool {
    let mut first = BTreeMap::new();
    (0..).zip(communities).all(|(rank, community)| *first.entry(community).or_insert(rank) == *community)
}

fn random(rng: &mut fastrand::Rng) -> Sample {
    let vertices = rng.u32(1..60);
    let whole = rng.bool();
    let weight =
        |rng: &mut fastrand::Rng| if whole { f64::from(rng.u32(0..4)) } else { f64::from(rng.f32()) };
    let edges = (0..rng.u32(0..4 * vertices))
        .map(|_| (rng.u32(..vertices), rng.u32(..vertices), weight(rng)))
        .collect();
    let order = rng.bool().then(|| {
        let mut order: Vec<u32> = (0..vertices).collect();
        rng.shuffle(&mut order);
        order
    });
    Sample { vertices, directed: rng.bool(), edges, order }
}

#[test]
fn what_is_reported_is_true_of_random_graphs() {
    let folder = tempfile::tempdir().unwrap();
    for seed in 0..150 {
        let mut rng = fastrand::Rng::with_seed(seed);
        let sample = random(&mut rng);
        let graph = open(folder.path(), &sample, rng.bool());
        let resolution = [0.3, 1.0, 2.5][rng.usize(..3)];
        let options = CommunityOptions { resolution, seed, ..CommunityOptions::default() };
        for leiden in [false, true] {
            let found = run(&graph, &sample, leiden, &options);
            let right = modularity(&sample, &found.communities, resolution);
            assert!((found.modularity - right).abs() < 1e-9, "seed {seed}: {} {right}", found.modularity);
            let alone: Vec<u32> = (0..sample.vertices).collect();
            assert!(right >= modularity(&sample, &alone, resolution) - 1e-9, "seed {seed}");
            let distinct: BTreeSet<u32> = found.communities.iter().copied().collect();
            assert_eq!(found.count, distinct.len() as u64, "seed {seed}");
            assert!(named_by_the_first(&found.communities), "seed {seed}: {:?}", found.communities);
            assert!(!leiden || all_connected(&sample, &found.communities), "seed {seed}");
            assert_eq!(found.levels.len(), found.each_level.len());
            for (level, communities) in found.levels.iter().zip(&found.each_level) {
                let right = modularity(&sample, communities, resolution);
                assert!((level.modularity - right).abs() < 1e-9, "seed {seed}: {level:?} {right}");
                assert!(!leiden || all_connected(&sample, communities), "seed {seed}");
            }
            // No single vertex gains by a move to a neighbour's community, or away from all.
            for vertex in 0..sample.vertices as usize {
                let near = sample.edges.iter().filter(|(a, b, _)| [*a, *b].contains(&(vertex as u32)));
                let mut tried: BTreeSet<u32> = near
                    .flat_map(|(a, b, _)| [*a, *b])
                    .map(|other| found.communities[other as usize])
                    .collect();
                tried.insert(u32::MAX);
                // Louvain promises that of its levels' vertices only.
                for to in tried.into_iter().filter(|_| found.levels.is_empty()) {
                    let mut moved = found.communities.clone();
                    moved[vertex] = to;
                    assert!(modularity(&sample, &moved, resolution) <= right + 1e-9, "seed {seed}");
                }
            }
        }
    }
}

/// Communities of so many vertices each, and which vertex is in which.
fn planted(communities: u32, each: u32, directed: bool, seed: u64) -> (Sample, Vec<u32>) {
    let mut rng = fastrand::Rng::with_seed(seed);
    let n = communities * each;
    let mut numbers: Vec<u32> = (0..n).collect();
    rng.shuffle(&mut numbers);
    let mut edges = Vec::new();
    for at in 0..n {
        for _ in 0..8 {
            edges.push((numbers[at as usize], numbers[(at / each * each + rng.u32(..each)) as usize]));
        }
        for _ in 0..2 {
            edges.push((numbers[at as usize], numbers[rng.u32(..n) as usize]));
        }
    }
    let mut truth = vec![0; n as usize];
    (0..n).for_each(|at| truth[numbers[at as usize] as usize] = at / each);
    (sample(n, directed, edges.into_iter()), truth)
}

#[test]
fn planted_communities_are_found_again_also_in_renumbered_stores() {
    let folder = tempfile::tempdir().unwrap();
    for directed in [false, true] {
        let (plain, truth) = planted(12, 60, directed, 5);
        let planted = modularity(&plain, &truth, 1.0);
        let mut order: Vec<u32> = (0..plain.vertices).collect();
        fastrand::Rng::with_seed(6).shuffle(&mut order);
        for order in [None, Some(order)] {
            let sample = Sample { order, ..plain.clone() };
            let graph = open(folder.path(), &sample, true);
            for leiden in [false, true] {
                for seed in 0..3 {
                    let options = CommunityOptions { seed, ..CommunityOptions::default() };
                    let found = run(&graph, &sample, leiden, &options).modularity;
                    assert!(found >= 0.99 * planted, "{leiden}, {seed}: {found} of {planted}");
                }
            }
        }
    }
}

/// The least memory with which either runs.
fn least(graph: &mut Graph, leiden: bool, threads: usize) -> u64 {
    graph.set_options(Options { memory: 1, threads, ..options(1) });
    let run = match leiden {
        true => graph.leiden(&CommunityOptions::default(), |_, _| Ok(())).map(drop),
        false => graph.louvain(&CommunityOptions::default(), |_, _| Ok(())).map(drop),
    };
    let Err(GraphError::Memory { needed, .. }) = run else { panic!("a byte was enough") };
    needed
}

#[test]
fn nothing_but_the_seed_decides() {
    let folder = tempfile::tempdir().unwrap();
    // Edges at random: many partitions are about as good as each other. And hubs, whose lists are in pieces.
    let mut rng = fastrand::Rng::with_seed(9);
    let random: Vec<(u32, u32)> = (0..5000).map(|_| (rng.u32(..1500), rng.u32(..1500))).collect();
    let hubs = (0..4500).map(|at| (at % 3, at / 3));
    let mut sample = sample(1500, true, random.into_iter().chain(hubs));
    // Sums of these depend on the order of what is added, in their last digits.
    sample.edges.iter_mut().zip(1..).for_each(|(edge, at)| edge.2 = f64::from(at % 97) / 7.0);
    let mut first: BTreeMap<(bool, u64), Found> = BTreeMap::new();
    for (block_bytes, compressed) in [(4096, true), (16384, false)] {
        let path = folder.path().join("store");
        sample.write(&path, block_bytes, compressed, Weights::F64);
        for threads in [1, 3] {
            for leiden in [false, true] {
                let mut graph = Graph::open(&path, options(PLENTY)).unwrap();
                for memory in [least(&mut graph, leiden, threads), PLENTY] {
                    graph.set_options(Options { memory, threads, ..options(1) });
                    for seed in [1, 2] {
                        let options = CommunityOptions { seed, ..CommunityOptions::default() };
                        let found = run(&graph, &sample, leiden, &options);
                        let first = first
                            .entry((leiden, seed))
                            .or_insert_with(|| run(&graph, &sample, leiden, &options));
                        assert!(found == *first, "{leiden}, {seed}, {threads} threads, {memory}");
                    }
                }
            }
        }
    }
    for leiden in [false, true] {
        let level = |seed| &first[&(leiden, seed)].each_level[0];
        assert!(level(1) != level(2), "the seed decides");
    }
}

#[test]
fn levels_end_where_they_are_told_to_and_are_connected_nevertheless() {
    let folder = tempfile::tempdir().unwrap();
    let (sample, _) = planted(10, 50, false, 3);
    let graph = open(folder.path(), &sample, true);
    for leiden in [false, true] {
        let all = run(&graph, &sample, leiden, &CommunityOptions::default());
        assert!(all.levels.len() > 1, "{:?}", all.levels);
        let one =
            run(&graph, &sample, leiden, &CommunityOptions { max_levels: 1, ..CommunityOptions::default() });
        assert_eq!((one.levels.as_slice(), &one.communities), (&all.levels[..1], &all.each_level[0]));
        assert_eq!(one.modularity, all.levels[0].modularity);
        assert!(!leiden || all_connected(&sample, &one.communities));
    }
}

#[test]
fn what_has_no_modularity_is_refused_or_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let edges = vec![(0, 1, 1.0), (1, 2, -0.5)];
    let negative = Sample { vertices: 3, directed: true, edges, order: Some(vec![2, 1, 0]) };
    let graph = open(folder.path(), &negative, true);
    let error = graph.leiden(&CommunityOptions::default(), |_, _| Ok(())).unwrap_err().to_string();
    assert!(error.contains("1 and 2 has a negative weight") || error.contains("2 and 1 has"), "{error}");
    for resolution in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let options = CommunityOptions { resolution, ..CommunityOptions::default() };
        assert!(matches!(graph.louvain(&options, |_, _| Ok(())), Err(GraphError::Resolution { .. })));
    }
    let no_edge: [(u32, u32); 0] = [];
    for (vertices, edges) in [(0, &no_edge[..]), (1, &no_edge), (1, &[(0, 0), (0, 0)]), (5, &no_edge)] {
        let sample = sample(vertices, false, edges.iter().copied());
        let graph = open(folder.path(), &sample, false);
        for leiden in [false, true] {
            let found = run(&graph, &sample, leiden, &CommunityOptions::default());
            let alone: Vec<u32> = (0..vertices).collect();
            assert_eq!((found.communities, found.levels.len(), found.modularity), (alone, 0, 0.0));
        }
    }
}

/// The first level's graph has too many edges for the memory, and becomes a store.
#[test]
fn a_level_that_does_not_fit_in_memory_is_a_store_and_leaves_no_file_behind() {
    let folder = tempfile::tempdir().unwrap();
    let mut rng = fastrand::Rng::with_seed(1);
    let n = 30_000;
    // Triangles, which merge first, with edges at random between them.
    let triangles = (0..n).map(|v| (v, v / 3 * 3 + (v + 1) % 3));
    let edges: Vec<(u32, u32)> = triangles
        .flat_map(|edge| [edge; 4])
        .chain((0..8 * n).map(|_| (rng.u32(..n), rng.u32(..n))))
        .collect();
    let sample = sample(n, false, edges.into_iter());
    let path: &Path = &folder.path().join("store");
    sample.write(path, 4096, true, Weights::None);
    let mut graph = Graph::open(path, options(PLENTY)).unwrap();
    for leiden in [false, true] {
        let memory = least(&mut graph, leiden, 2);
        let once = CommunityOptions { max_levels: 2, ..CommunityOptions::default() };
        graph.set_options(options(1 << 30));
        let plenty = run(&graph, &sample, leiden, &once);
        graph.set_options(options(memory));
        let found = run(&graph, &sample, leiden, &once);
        let levels = (&found.levels, &plenty.levels);
        assert!(found == plenty, "{levels:?}");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
