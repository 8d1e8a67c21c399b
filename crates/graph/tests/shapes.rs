//! Graphs of known shapes, large, small and empty: what the algorithms find is known, and what a search looks
//! at is bounded.

use std::path::Path;

use leadline_graph::Graph;
use leadline_graph::algorithms::{PageRankOptions, UNREACHED};
use leadline_graph::format::Weights;

use crate::algorithms::{PLENTY, options};
use crate::samples::Sample;

pub(crate) fn sample(vertices: u32, directed: bool, edges: impl Iterator<Item = (u32, u32)>) -> Sample {
    Sample { vertices, directed, edges: edges.map(|(a, b)| (a, b, 1.0)).collect(), order: None }
}

pub(crate) fn open(folder: &Path, sample: &Sample, compressed: bool) -> Graph {
    let path = folder.join("store");
    sample.write(&path, 4096, compressed, Weights::F32);
    Graph::open(&path, options(PLENTY)).unwrap()
}

#[test]
fn a_star_of_a_million_rays() {
    let folder = tempfile::tempdir().unwrap();
    let n = 1_000_001;
    for compressed in [false, true] {
        let graph = open(folder.path(), &sample(n, false, (1..n).map(|ray| (0, ray))), compressed);
        let bfs = graph.bfs(&[5]).unwrap();
        let levels = bfs.levels.in_memory().unwrap();
        assert_eq!((levels[0], levels[5], levels[6], bfs.reached), (1, 0, 2, u64::from(n)));
        assert_eq!(graph.sssp(&[5]).unwrap().distances.in_memory().unwrap()[n as usize - 1], 2.0);
        assert_eq!(graph.wcc().unwrap().count, 1);
        assert!(graph.kcore().unwrap().cores.iter().all(|core| *core == 1));
        let labels = graph.cdlp(1).unwrap().labels;
        assert_eq!((labels[0], labels[1], labels[n as usize - 1]), (1, 0, 0));
        let lcc = graph.lcc().unwrap();
        assert!(lcc.triangles == 0 && lcc.coefficients.iter().all(|coefficient| *coefficient == 0.0));
        let ranks = graph.pagerank(&PageRankOptions::default()).unwrap().ranks.into_vec().unwrap();
        // What that many give is rounded to single precision.
        assert!((ranks.iter().sum::<f64>() - 1.0).abs() < 1e-7);
    }
}

#[test]
fn a_chain_of_a_hundred_thousand() {
    let folder = tempfile::tempdir().unwrap();
    let n = 100_000;
    let graph = open(folder.path(), &sample(n, false, (1..n).map(|v| (v - 1, v))), true);
    for source in [0, n / 2, n - 1] {
        let levels = graph.bfs(&[source]).unwrap().levels.into_vec().unwrap();
        let sssp = graph.sssp(&[source]).unwrap();
        for vertex in 0..n {
            assert_eq!(levels[vertex as usize], vertex.abs_diff(source));
            assert_eq!(
                sssp.distances.in_memory().unwrap()[vertex as usize],
                f64::from(vertex.abs_diff(source))
            );
        }
        assert!(sssp.stats.sweeps < 500, "{} sweeps", sssp.stats.sweeps);
    }
    assert!(graph.kcore().unwrap().cores.iter().all(|core| *core == 1));
    assert_eq!(graph.lcc().unwrap().triangles, 0);
}

/// An R-MAT graph (Chakrabarti, Zhan, Faloutsos, SDM 2004) whose vertices are numbered at random: nothing but
/// its lists tells which vertices have many edges.
fn rmat(scale: u32, edges: usize) -> Sample {
    let mut rng = fastrand::Rng::with_seed(1);
    let mut numbers: Vec<u32> = (0..1 << scale).collect();
    rng.shuffle(&mut numbers);
    let edge = |_| {
        let (mut row, mut column) = (0, 0);
        for _ in 0..scale {
            let x = rng.f64();
            row = row << 1 | u32::from(x >= 0.76);
            column = column << 1 | u32::from((0.57..0.76).contains(&x) || x >= 0.95);
        }
        (numbers[row as usize], numbers[column as usize])
    };
    sample(1 << scale, false, (0..edges).map(edge))
}

#[test]
fn a_search_looks_at_few_entries_of_a_graph_with_hubs_from_wherever_it_starts() {
    let folder = tempfile::tempdir().unwrap();
    let of = rmat(15, 500_000);
    let graph = open(folder.path(), &of, true);
    let lists = of.out();
    let entries: usize = lists.iter().map(Vec::len).sum();
    let hub = (0..of.vertices).max_by_key(|vertex| lists[*vertex as usize].len()).unwrap();
    for source in (0..30).map(|i| i * 1000).chain([hub]) {
        let found = graph.bfs(&[source]).unwrap();
        let mut levels = vec![UNREACHED; lists.len()];
        levels[source as usize] = 0;
        let mut queue = std::collections::VecDeque::from([source]);
        while let Some(vertex) = queue.pop_front() {
            for &(next, _) in &lists[vertex as usize] {
                if levels[next as usize] == UNREACHED {
                    levels[next as usize] = levels[vertex as usize] + 1;
                    queue.push_back(next);
                }
            }
        }
        assert_eq!(found.levels.in_memory().unwrap(), levels, "from {source}");
        let looked_at = found.stats.edges as f64 / entries as f64;
        assert!(looked_at < 0.25, "from {source}: {looked_at}");
    }
}

/// In memory only a few edges of each vertex are joined before the largest component is left out.
#[test]
fn an_edge_late_in_both_lists_joins_two_components() {
    let folder = tempfile::tempdir().unwrap();
    // Even vertices hang on 0 and 2, odd ones on 1 and 3; of one kind there are more.
    for (evens, odds) in [(1000, 600), (600, 1000)] {
        let even = (2..evens).step_by(2).map(|v| (0, v)).chain((4..evens).step_by(2).map(|v| (2, v)));
        let odd = (3..odds).step_by(2).map(|v| (1, v)).chain((5..odds).step_by(2).map(|v| (3, v)));
        let (bridge, odd_end) = if evens > odds { ((501, 900), 501) } else { ((500, 901), 901) };
        for bridges in [0, 1] {
            let edges = even.clone().chain(odd.clone()).chain(std::iter::repeat_n(bridge, bridges));
            let found = open(folder.path(), &sample(1000, false, edges), true).wcc().unwrap();
            // 200 vertices have no edge.
            let component = found.components.in_memory().unwrap()[odd_end];
            assert_eq!((found.count, component), (202 - bridges as u64, 1 - bridges as u32));
        }
    }
}

#[test]
fn a_grid() {
    let folder = tempfile::tempdir().unwrap();
    let side = 200;
    let across = (0..side * side).filter(|v| v % side > 0).map(|v| (v - 1, v));
    let down = (side..side * side).map(|v| (v - side, v));
    let sample = sample(side * side, false, across.chain(down));
    let graph = open(folder.path(), &sample, false);
    let source = side + 1;
    let way = |v: u32| (v % side).abs_diff(1) + (v / side).abs_diff(1);
    let distances = graph.sssp(&[source]).unwrap().distances.into_vec().unwrap();
    assert!((0..side * side).all(|v| distances[v as usize] == f64::from(way(v))));
    let levels = graph.bfs(&[source]).unwrap().levels.into_vec().unwrap();
    assert_eq!(levels, (0..side * side).map(way).collect::<Vec<_>>());
    assert!(graph.kcore().unwrap().cores.iter().all(|core| *core == 2));
    assert_eq!(graph.cdlp(3).unwrap().labels, sample.cdlp(3));
}

#[test]
fn graphs_of_no_vertex_and_of_one() {
    let folder = tempfile::tempdir().unwrap();
    for directed in [false, true] {
        let graph = open(folder.path(), &sample(0, directed, std::iter::empty()), true);
        assert_eq!(graph.bfs(&[]).unwrap().levels.len(), 0);
        assert_eq!(graph.sssp(&[]).unwrap().distances.len(), 0);
        assert_eq!(graph.wcc().unwrap().count, 0);
        assert_eq!(graph.pagerank(&PageRankOptions::default()).unwrap().ranks.len(), 0);
        assert_eq!(graph.kcore().unwrap().max, 0);
        assert_eq!(graph.cdlp(3).unwrap().count, 0);
        assert_eq!(graph.lcc().unwrap().triangles, 0);
        for loops in [0, 2] {
            let graph = open(folder.path(), &sample(1, directed, (0..loops).map(|_| (0, 0))), false);
            assert_eq!(graph.bfs(&[0]).unwrap().levels.in_memory().unwrap(), [0]);
            assert_eq!(graph.sssp(&[0]).unwrap().distances.in_memory().unwrap(), [0.0]);
            assert_eq!(graph.wcc().unwrap().count, 1);
            assert_eq!(
                graph.pagerank(&PageRankOptions::default()).unwrap().ranks.in_memory(),
                Some(&[1.0][..])
            );
            assert_eq!(graph.kcore().unwrap().cores, [0]);
            assert_eq!(graph.cdlp(3).unwrap().labels, [0]);
            assert_eq!(graph.lcc().unwrap().coefficients, [0.0]);
        }
    }
}

/// More than 2^17 vertices: what they give is rounded, unless a small tolerance asks for doubles.
#[test]
fn ranks_of_many_vertices_are_those_in_doubles_to_seven_digits() {
    let vertices = (1 << 17) + 1000;
    let mut rng = fastrand::Rng::with_seed(4);
    let folder = tempfile::tempdir().unwrap();
    let edges = (0..2 * vertices).map(|i| (i % vertices, (rng.f64().powi(3) * f64::from(vertices)) as u32));
    let graph = open(folder.path(), &sample(vertices, true, edges), true);
    let doubles = PageRankOptions { tolerance: f64::MIN_POSITIVE, ..PageRankOptions::default() };
    let (rounded, exact) =
        (graph.pagerank(&PageRankOptions::default()).unwrap(), graph.pagerank(&doubles).unwrap());
    assert_eq!((rounded.iterations, exact.iterations), (10, 10));
    let off = |(rounded, exact): (&f64, &f64)| (rounded / exact - 1.0).abs();
    let (ranks, exact_ranks) = (rounded.ranks.in_memory().unwrap(), exact.ranks.in_memory().unwrap());
    let most = ranks.iter().zip(exact_ranks).map(off).fold(0.0, f64::max);
    assert!(most > 0.0 && most < 4e-7, "{most}");
    assert!((ranks.iter().sum::<f64>() - 1.0).abs() < 1e-7);
    assert!(rounded.stats.memory_bytes < exact.stats.memory_bytes);
}

#[test]
fn a_directed_cycle() {
    let folder = tempfile::tempdir().unwrap();
    let n = 5000;
    let graph = open(folder.path(), &sample(n, true, (0..n).map(|v| (v, (v + 1) % n))), true);
    let bfs = graph.bfs(&[10]).unwrap();
    assert_eq!(
        (bfs.levels.in_memory().unwrap()[9], bfs.levels.in_memory().unwrap()[11], bfs.depth),
        (n - 1, 1, n - 1)
    );
    assert_eq!(graph.sssp(&[10]).unwrap().distances.in_memory().unwrap()[9], f64::from(n - 1));
    assert_eq!(graph.wcc().unwrap().count, 1);
    assert!(graph.kcore().unwrap().cores.iter().all(|core| *core == 2));
    let ranks = graph.pagerank(&PageRankOptions::default()).unwrap().ranks.into_vec().unwrap();
    assert!(ranks.iter().all(|rank| (rank * f64::from(n) - 1.0).abs() < 1e-9));
}
