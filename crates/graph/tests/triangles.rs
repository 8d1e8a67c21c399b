//! Triangles, of whole graphs and of each vertex.

use std::collections::BTreeSet;

use leadline_graph::Graph;
use leadline_graph::format::Weights;

use crate::algorithms::{PLENTY, options};
use crate::kinds;
use crate::samples::Sample;
use crate::shapes::sample;

/// By rank, the pairs of neighbours that are neighbours of each other.
fn model(sample: &Sample) -> Vec<u64> {
    let mut around = vec![BTreeSet::new(); sample.vertices as usize];
    for &(a, b, _) in sample.edges.iter().filter(|edge| edge.0 != edge.1) {
        around[a as usize].insert(b);
        around[b as usize].insert(a);
    }
    let pairs = |near: &BTreeSet<u32>| -> usize {
        near.iter().map(|other| around[*other as usize].intersection(near).count()).sum()
    };
    around.iter().map(|near| pairs(near) as u64 / 2).collect()
}

#[test]
fn triangles_are_those_of_the_model() {
    kinds::for_each(|sample, graph| {
        let right = model(sample);
        let total = right.iter().sum::<u64>() / 3;
        for found in kinds::with_each_memory(graph, |graph| graph.triangles(true)) {
            assert_eq!(sample.by_rank(&found.counts), right);
            assert_eq!(found.total, total);
        }
        for found in kinds::with_each_memory(graph, |graph| graph.triangles(false)) {
            assert_eq!((found.total, found.counts.len()), (total, 0));
        }
    });
}

/// With the least memory lists are streamed past others, and nothing is counted twice or left out.
#[test]
fn a_clique_has_all_triangles_in_any_number_of_passes() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store");
    let n = 250_u32;
    let edges = (0..n).flat_map(|a| (0..a).map(move |b| (a, b)));
    sample(n, false, edges).write(&path, 4096, true, Weights::None);
    let mut graph = Graph::open(&path, options(PLENTY)).unwrap();
    let [least, _, most] = kinds::with_each_memory(&mut graph, |graph| graph.triangles(true));
    assert!(least.passes > 1 && most.passes == 1, "{} and {} passes", least.passes, most.passes);
    for found in [least, most] {
        let n = u64::from(n);
        assert_eq!(found.total, n * (n - 1) * (n - 2) / 6);
        assert!(found.counts.iter().all(|count| *count == (n - 1) * (n - 2) / 2));
    }
}
