//! Strongly connected components.

use leadline_graph::algorithms::{SccRun, WccRun};
use leadline_graph::format::{Layout, StoreWriter, Weights};
use leadline_graph::{Graph, GraphError, Options, RunStats};

use crate::algorithms::{PLENTY, options};
use crate::kinds;
use crate::samples::Sample;
use crate::shapes::{open, sample};

/// By rank, the first of the ranks that it reaches and is reached from.
fn model(sample: &Sample) -> Vec<u32> {
    let reached = |lists: &[Vec<(u32, f64)>], from: u32| {
        let mut reached = vec![false; lists.len()];
        let mut stack = vec![from];
        while let Some(vertex) = stack.pop() {
            if !std::mem::replace(&mut reached[vertex as usize], true) {
                stack.extend(lists[vertex as usize].iter().map(|edge| edge.0));
            }
        }
        reached
    };
    let (out, incoming) = (sample.out(), sample.incoming());
    let mut first = vec![u32::MAX; out.len()];
    for rank in 0..sample.vertices {
        if first[rank as usize] == u32::MAX {
            let (to, from) = (reached(&out, rank), reached(&incoming, rank));
            (0..first.len()).filter(|other| to[*other] && from[*other]).for_each(|other| first[other] = rank);
        }
    }
    first
}

fn check(sample: &Sample, graph: &mut Graph) {
    let right = model(sample);
    let count = right.iter().zip(0..).filter(|(first, rank)| **first == *rank).count() as u64;
    let right: Vec<u32> = right.into_iter().map(|rank| sample.vertex(rank)).collect();
    for found in kinds::with_each_memory(graph, Graph::scc) {
        assert_eq!(sample.by_rank(found.components.in_memory().unwrap()), right);
        assert_eq!(found.count, count);
    }
}

#[test]
fn components_are_those_of_the_model() {
    kinds::for_each(check);
}

/// Components of a few vertices, one behind the other and side by side: with little memory they are found by
/// colour.
#[test]
fn many_small_components_behind_each_other() {
    let mut rng = fastrand::Rng::with_seed(22);
    let folder = tempfile::tempdir().unwrap();
    for renumbered in [false, true] {
        let n = 900;
        let pairs = (0..n / 3).flat_map(|at| [(3 * at, 3 * at + 1), (3 * at + 1, 3 * at)]);
        let mut of = sample(n, true, pairs);
        for at in 1..n / 3 {
            of.edges.push((3 * at - 3, 3 * at, 1.0));
            of.edges.push((3 * at - 1 - 3 * rng.u32(..at), 3 * at + 2, 1.0));
        }
        let mut order: Vec<u32> = (0..n).collect();
        rng.shuffle(&mut order);
        of.order = renumbered.then_some(order);
        check(&of, &mut open(folder.path(), &of, true));
    }
}

/// What a run with the least memory did.
fn with_the_least(graph: &mut Graph, count: u64) -> RunStats {
    let least = graph.estimate(&SccRun, None).unwrap().least_memory_bytes;
    graph.set_options(options(least));
    let found = graph.scc().unwrap();
    assert_eq!(found.count, count);
    found.stats
}

#[test]
fn long_chains_and_cycles_take_a_sweep_for_each_block_and_not_for_each_vertex() {
    let folder = tempfile::tempdir().unwrap();
    let n = 100_000;
    let chain = sample(n, true, (1..n).map(|v| (v - 1, v)));
    let back = sample(n, true, (1..n).map(|v| (v, v - 1)));
    let cycle = sample(n, true, (0..n).map(|v| (v, (v + 1) % n)));
    // All components are pairs.
    let pairs = (0..n - 1).map(|v| (v, v + 1)).chain((0..n / 2).map(|v| (2 * v + 1, 2 * v)));
    let pairs = sample(n, true, pairs);
    for (name, of, count) in
        [("chain", chain, n), ("back", back, n), ("cycle", cycle, 1), ("pairs", pairs, n / 2)]
    {
        let mut graph = open(folder.path(), &of, true);
        let stats = with_the_least(&mut graph, u64::from(count));
        assert!(stats.sweeps < 3000, "{name}: {} sweeps", stats.sweeps);
        graph.set_options(options(PLENTY));
        assert_eq!(graph.scc().unwrap().stats.sweeps, 2, "{name}: all at once");
    }
}

/// With ids in no order an edge leads to another block nearly always: what is left is finished in memory.
#[test]
fn a_cycle_in_no_order_is_finished_in_memory_if_that_has_room_for_it() {
    let folder = tempfile::tempdir().unwrap();
    let n = 50_000;
    let mut order: Vec<u32> = (0..n).collect();
    fastrand::Rng::with_seed(23).shuffle(&mut order);
    let edges = (0..n as usize).map(|at| (order[at], order[(at + 1) % order.len()]));
    // As many vertices again that are trimmed.
    let edges = edges.chain((0..n).map(|v| (n + v, v)));
    let mut graph = open(folder.path(), &sample(2 * n, true, edges), true);
    let least = graph.estimate(&SccRun, None).unwrap().least_memory_bytes;
    // Twice what the cycle takes, since half is for the cache: not enough for all.
    graph.set_options(options(least + 2 * 25 * u64::from(n) + (512 << 10)));
    let found = graph.scc().unwrap();
    assert_eq!(found.count, u64::from(n) + 1);
    assert!(found.stats.sweeps < 20, "{} sweeps", found.stats.sweeps);
}

#[test]
fn an_undirected_graph_has_its_components() {
    let folder = tempfile::tempdir().unwrap();
    let graph = open(folder.path(), &sample(6, false, [(0, 3), (3, 1), (4, 5)].into_iter()), true);
    assert_eq!(graph.scc().unwrap().components.in_memory().unwrap(), [0, 0, 2, 0, 4, 4]);
    assert_eq!(graph.estimate(&SccRun, None).unwrap(), graph.estimate(&WccRun::default(), None).unwrap());
}

#[test]
fn a_directed_graph_without_incoming_edges_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store");
    let layout =
        Layout { block_bytes: 4096, compressed: true, directed: true, weights: Weights::None, vertices: 2 };
    let mut writer = StoreWriter::create(&path, layout).unwrap();
    writer.edge(0, 1, 1.0).unwrap();
    writer.finish().unwrap();
    let graph = Graph::open(&path, options(PLENTY)).unwrap();
    for refused in [graph.scc().map(|_| ()), graph.estimate(&SccRun, None).map(|_| ())] {
        let error = refused.unwrap_err();
        assert!(matches!(error, GraphError::NeedsReverse { .. }), "{error}");
    }
}

#[test]
fn graphs_of_no_vertex_and_of_one() {
    let folder = tempfile::tempdir().unwrap();
    for memory in [400 << 10, PLENTY] {
        let mut empty = open(folder.path(), &sample(0, true, std::iter::empty()), true);
        empty.set_options(Options { memory, ..options(0) });
        assert_eq!(empty.scc().unwrap().count, 0);
        let mut one = open(folder.path(), &sample(1, true, [(0, 0)].into_iter()), true);
        one.set_options(Options { memory, ..options(0) });
        assert_eq!(one.scc().unwrap().components.in_memory().unwrap(), [0]);
    }
}
