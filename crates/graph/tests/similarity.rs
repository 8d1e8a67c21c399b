//! Similarity of pairs, and the most similar ones of each vertex.

use std::collections::BTreeSet;

use leadline_graph::algorithms::{Measure, TopOptions};

use crate::kinds;
use crate::samples::Sample;
use crate::shapes::{open, sample};

const MEASURES: [Measure; 2] = [Measure::Jaccard, Measure::Overlap];

/// By rank, the ranks that edges lead to, without those that more than `most` others lead to.
fn neighbours(sample: &Sample, most: Option<u32>) -> Vec<BTreeSet<u32>> {
    let sets = |lists: Vec<Vec<(u32, f64)>>| -> Vec<BTreeSet<u32>> {
        let own = (0..).zip(lists);
        own.map(|(rank, list)| list.iter().map(|edge| edge.0).filter(|o| *o != rank).collect()).collect()
    };
    let incoming = sets(sample.incoming());
    let mut sets = sets(sample.out());
    let counts = |other: &u32| most.is_none_or(|most| incoming[*other as usize].len() <= most as usize);
    sets.iter_mut().for_each(|set| set.retain(counts));
    sets
}

fn similarity(a: &BTreeSet<u32>, b: &BTreeSet<u32>, measure: Measure) -> f64 {
    let common = a.intersection(b).count() as f64;
    let whole = match measure {
        Measure::Jaccard => a.union(b).count(),
        Measure::Overlap => a.len().min(b.len()),
    };
    if whole == 0 { 0.0 } else { common / whole as f64 }
}

#[test]
fn pairs_are_as_similar_as_in_the_model() {
    kinds::for_each(|sample, graph| {
        let sets = neighbours(sample, None);
        let mut rng = fastrand::Rng::with_seed(24);
        let mut ranks: Vec<(u32, u32)> =
            (0..300).map(|_| (rng.u32(..sample.vertices), rng.u32(..sample.vertices.min(40)))).collect();
        ranks.extend([(0, 0), ranks[5], (ranks[5].1, ranks[5].0)]);
        let pairs: Vec<(u32, u32)> =
            ranks.iter().map(|(a, b)| (sample.vertex(*a), sample.vertex(*b))).collect();
        for measure in MEASURES {
            let right: Vec<f64> = ranks
                .iter()
                .map(|(a, b)| similarity(&sets[*a as usize], &sets[*b as usize], measure))
                .collect();
            for found in kinds::with_each_memory(graph, |graph| graph.similarities(&pairs, measure, 0)) {
                assert_eq!(found.values, right);
            }
        }
    });
}

/// What the model finds for each rank: the most similar first, of equal ones the lowest.
fn most_similar(sets: &[BTreeSet<u32>], measure: Measure, most: usize) -> Vec<(u32, Vec<(u32, f64)>)> {
    let mut owners = vec![Vec::new(); sets.len()];
    for (set, rank) in sets.iter().zip(0..) {
        set.iter().for_each(|other| owners[*other as usize].push(rank));
    }
    let mut all = Vec::new();
    for (set, rank) in sets.iter().zip(0..) {
        // Each that shares a neighbour, once.
        let mut others: Vec<u32> = set.iter().flat_map(|other| &owners[*other as usize]).copied().collect();
        others.sort_unstable();
        let mut similar: Vec<(u32, f64)> = others
            .chunk_by(|a, b| a == b)
            .filter(|run| run[0] != rank)
            .map(|run| {
                let (common, other) = (run.len(), &sets[run[0] as usize]);
                let whole = match measure {
                    Measure::Jaccard => set.len() + other.len() - common,
                    Measure::Overlap => set.len().min(other.len()),
                };
                (run[0], common as f64 / whole as f64)
            })
            .collect();
        similar.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        similar.truncate(most);
        if !similar.is_empty() {
            all.push((rank, similar));
        }
    }
    all
}

#[test]
fn the_most_similar_ones_are_those_of_the_model() {
    kinds::for_each(|sample, graph| {
        // Each pair of rays shares the middle of a star: too many for a test, unless it is skipped.
        let star = sample.vertices == 2500;
        let skips = if star { vec![Some(40)] } else { vec![None, Some(5)] };
        for (skip_above, measure) in skips.into_iter().zip(MEASURES) {
            let sets = neighbours(sample, skip_above);
            let options = TopOptions { measure, most: 3, skip_above, sink_bytes: 0 };
            let named = |(rank, similar): (u32, Vec<(u32, f64)>)| {
                let similar = similar.into_iter().map(|(other, value)| (sample.vertex(other), value));
                (sample.vertex(rank), similar.collect::<Vec<_>>())
            };
            let right: Vec<_> = most_similar(&sets, measure, 3).into_iter().map(named).collect();
            let run = |graph: &leadline_graph::Graph| {
                let mut all = Vec::new();
                let found = graph.most_similar(&options, |vertex, similar| {
                    all.push((vertex, similar.to_vec()));
                    Ok(())
                })?;
                Ok((found, all))
            };
            for (found, all) in kinds::with_each_memory(graph, run) {
                assert_eq!(all, right);
                assert_eq!(found.vertices, right.len() as u64);
                assert_eq!(found.pairs, right.iter().map(|(_, similar)| similar.len() as u64).sum::<u64>());
            }
        }
    });
}

/// With more paths than vertices a vertex has a number for each other one.
#[test]
fn all_leaves_of_a_hub_are_alike() {
    let folder = tempfile::tempdir().unwrap();
    let n = 2000;
    let edges = (2..n).flat_map(|leaf| [(leaf, 0), (leaf, 1)]);
    let mut graph = open(folder.path(), &sample(n, true, edges), true);
    let options = TopOptions { measure: Measure::Jaccard, most: 2, skip_above: None, sink_bytes: 0 };
    let run = |graph: &leadline_graph::Graph| {
        let mut all = Vec::new();
        let found = graph.most_similar(&options, |vertex, similar| {
            all.push((vertex, similar.to_vec()));
            Ok(())
        })?;
        Ok((found.batches, all))
    };
    let [least, _, most] = kinds::with_each_memory(&mut graph, run);
    assert!(least.0 > 1, "{} batches", least.0);
    for (_, all) in [least, most] {
        assert_eq!(all.len() as u32, n - 2);
        assert_eq!(all[0], (2, vec![(3, 1.0), (4, 1.0)]));
        assert_eq!(all[100], (102, vec![(2, 1.0), (3, 1.0)]));
    }
}
