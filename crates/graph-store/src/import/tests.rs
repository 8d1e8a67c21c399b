use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use proptest::prelude::*;

use super::*;
use crate::format::{Direction, Scratch};
use crate::input::{Batch, Declared};
use crate::inspect::StoreFile;

/// Edges in memory, handed out some at a time.
#[derive(Debug, Clone, Default)]
struct Listed {
    declared: Declared,
    edges: Vec<(u64, u64, f64)>,
    vertices: Vec<u64>,
    strings: Option<Vec<String>>,
    at: usize,
}

impl EdgeReader for Listed {
    fn declared(&self) -> Declared {
        self.declared
    }

    fn next_batch(&mut self, batch: &mut Batch) -> Result<bool, GraphError> {
        *batch = Batch { vertices: std::mem::take(&mut self.vertices), ..Batch::default() };
        let end = self.edges.len().min(self.at + 100);
        for &(source, target, weight) in &self.edges[self.at..end] {
            batch.pairs.push((source, target));
            if self.declared.weighted {
                batch.weights.push(weight);
            }
        }
        self.at = end;
        Ok(end < self.edges.len())
    }

    fn progress(&self) -> (u64, Option<u64>) {
        (self.at as u64, Some(self.edges.len() as u64))
    }

    fn strings(&mut self) -> Option<Vec<String>> {
        self.strings.take()
    }

    fn memory_bytes(&self) -> u64 {
        0
    }
}

/// Vertices by their ids, and edges with their weights' bits: what a store should hold, or does.
#[derive(Debug, Clone, PartialEq)]
struct Model {
    ids: Vec<String>,
    directed: bool,
    forward: BTreeMap<(String, String), Vec<u64>>,
    reverse: Option<BTreeMap<(String, String), Vec<u64>>>,
}

fn expected(input: &Listed, options: &ImportOptions) -> Model {
    let text = |id: u64| match &input.strings {
        Some(strings) => strings[id as usize].clone(),
        None => id.to_string(),
    };
    let declared = input.declared;
    let undirected = options.undirected || declared.undirected;
    let mut ids: BTreeSet<u64> = input.vertices.iter().copied().collect();
    ids.extend(declared.first..declared.first + declared.vertices.unwrap_or(0));
    let mut forward: BTreeMap<_, Vec<u64>> = BTreeMap::new();
    for &(source, target, weight) in &input.edges {
        ids.extend([source, target]);
        if source == target && options.drop_self_loops {
            continue;
        }
        let bits = if declared.weighted { weight.to_bits() } else { 0 };
        forward.entry((text(source), text(target))).or_default().push(bits);
        if undirected && source != target {
            forward.entry((text(target), text(source))).or_default().push(bits);
        }
    }
    let merge = options.dedupe;
    for weights in forward.values_mut() {
        if merge == Some(Merge::First) {
            weights.truncate(1);
        }
        weights.sort_unstable_by(|a, b| f64::from_bits(*a).total_cmp(&f64::from_bits(*b)));
        let sum: f64 = weights.iter().map(|bits| f64::from_bits(*bits)).sum();
        match merge {
            None | Some(Merge::First) => {}
            Some(Merge::Min) => weights.truncate(1),
            Some(Merge::Max) => weights.drain(..weights.len() - 1).for_each(drop),
            Some(Merge::Sum) => *weights = vec![sum.to_bits()],
        }
    }
    let reverse = (options.reverse && !undirected)
        .then(|| forward.iter().map(|((a, b), weights)| ((b.clone(), a.clone()), weights.clone())).collect());
    let mut ids: Vec<String> = ids.into_iter().map(text).collect();
    if input.strings.is_some() {
        ids.sort();
    }
    Model { ids, directed: !undirected, forward, reverse }
}

/// What a store holds, and whether its lists are in order.
fn stored(path: &Path) -> Model {
    let store = StoreFile::open(path).unwrap();
    let header = store.header;
    let mut ids = store.ids();
    let texts: Vec<String> = (0..header.vertices).map(|rank| ids.text(rank).unwrap()).collect();
    let mut of_vertex = vec![String::new(); texts.len()];
    for (rank, text) in texts.iter().enumerate() {
        of_vertex[ids.vertex(rank as u64).unwrap() as usize] = text.clone();
        assert_eq!(ids.rank(text).unwrap(), Some(rank as u64));
    }
    let mut degrees = vec![0; texts.len()];
    let mut side = |direction| {
        let mut lists: BTreeMap<(String, String), Vec<u64>> = BTreeMap::new();
        let mut scratch = Scratch::default();
        let mut next = 0;
        let read = store.blocks(direction, |_, _, block| {
            for vertex in block.vertices() {
                assert!(vertex == next || vertex + 1 == next, "no vertex is left out");
                next = vertex + 1;
                let list = block.list(vertex, &mut scratch);
                assert!(list.neighbours.is_sorted());
                for (i, neighbour) in list.neighbours.iter().enumerate() {
                    let key = (of_vertex[vertex as usize].clone(), of_vertex[*neighbour as usize].clone());
                    let weight = list.weights.get(i).map_or(0, |weight| weight.to_bits());
                    lists.entry(key).or_default().push(weight);
                }
                if direction == Direction::Forward {
                    degrees[vertex as usize] += list.neighbours.len();
                }
            }
            Ok(())
        });
        read.unwrap();
        assert_eq!(u64::from(next), header.vertices);
        for weights in lists.values_mut() {
            weights.sort_unstable_by(|a, b| f64::from_bits(*a).total_cmp(&f64::from_bits(*b)));
        }
        lists
    };
    let forward = side(Direction::Forward);
    let reverse = (header.has_reverse() && header.directed).then(|| side(Direction::Reverse));
    if header.renumbered {
        let powers = degrees.iter().map(|degree| degree.checked_ilog2());
        assert!(powers.is_sorted_by(|a, b| a >= b), "the largest degrees come first");
    }
    assert_eq!(header.edges, forward.values().map(|weights| weights.len() as u64).sum::<u64>());
    Model { ids: texts, directed: header.directed, forward, reverse }
}

fn import_to(path: &Path, input: &Listed, options: &ImportOptions) -> ImportReport {
    import_within(Box::new(input.clone()), path, options, &mut |_| {}).unwrap()
}

fn round(input: &Listed, options: &ImportOptions) -> ImportReport {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store");
    let report = import_to(&path, input, options);
    let model = expected(input, options);
    assert_eq!(stored(&path), model);
    let kept: usize = model.forward.values().map(Vec::len).sum();
    let loops: usize =
        model.forward.iter().filter(|((a, b), _)| a == b).map(|(_, weights)| weights.len()).sum();
    let edges = if model.directed { kept } else { (kept + loops) / 2 };
    assert_eq!(report.edges, edges as u64);
    assert_eq!(report.vertices, model.ids.len() as u64);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "nothing but the store");
    report
}

/// How ids come: close together, with gaps, far apart below 2^32, of 64 bits.
fn spread(kind: u32, id: u64) -> u64 {
    match kind {
        0 => id,
        1 => id * 7 + 3,
        2 => id * 40_000_003 % (1 << 32),
        _ => u64::MAX - id * 0x1234_5678_9abc,
    }
}

prop_compose! {
    fn graphs()(
        kind in 0u32..4,
        strings in prop::bool::weighted(0.2),
        weighted in any::<bool>(),
        exact in any::<bool>(),
        declared in prop::option::weighted(0.3, (0u64..50, 0u64..3)),
        undirected in prop::bool::weighted(0.2),
        edges in prop::collection::vec((0u64..60, 0u64..60, 0u32..1000), 0..1500),
        vertices in prop::collection::vec(0u64..70, 0..5),
    ) -> Listed {
        let of = |id| if strings { id } else { spread(kind, id) };
        let weight = |weight: u32| f64::from(weight) / if exact { 4.0 } else { 3.0 };
        let declared = declared.filter(|_| !strings && kind == 0);
        Listed {
            declared: Declared {
                vertices: declared.map(|(vertices, _)| vertices),
                first: declared.map_or(0, |(_, first)| first),
                directed: false, undirected, weighted, ..Declared::default()
            },
            edges: edges.iter().map(|(a, b, w)| (of(*a), of(*b), weight(*w))).collect(),
            vertices: if strings { (0..70).collect() } else { vertices.iter().map(|id| of(*id)).collect() },
            strings: strings.then(|| (0..70).map(|i| format!("name {}", i * 37 % 70)).collect()),
            at: 0,
        }
    }
}

prop_compose! {
    fn options()(
        memory in prop::sample::select(vec![1u64 << 12, 1 << 16, 1 << 18, 1 << 24]),
        block in 12u32..17,
        flags in prop::array::uniform6(any::<bool>()),
        merge in prop::sample::select(Merge::ALL.to_vec()),
    ) -> ImportOptions {
        let [compressed, undirected, dedupe, drop_self_loops, reverse, renumber] = flags;
        ImportOptions {
            memory, block_bytes: 1 << block, compressed, undirected, dedupe: dedupe.then_some(merge), drop_self_loops, reverse, renumber,
            ..ImportOptions::default()
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn any_graph_is_stored_whatever_the_options_and_the_memory(input in graphs(), mut options in options()) {
        // Sums of other numbers depend on their order.
        let whole = |(_, _, weight): &(u64, u64, f64)| weight.abs() < 1e9 && weight.fract() == 0.0;
        if options.dedupe == Some(Merge::Sum) && !input.edges.iter().all(whole) {
            options.dedupe = Some(Merge::Max);
        }
        round(&input, &options);
    }
}

#[test]
fn sorted_pairs_are_distributed_once_as_those_in_any_order_are() {
    let folder = tempfile::tempdir().unwrap();
    let mut random = fastrand::Rng::with_seed(5);
    let mut pairs: Vec<(u32, u32)> = (0..3_000_000).map(|i| (i / 30, random.u32(..100_000))).collect();
    let spilled = |pairs: &[(u32, u32)]| {
        let (path, store) = (folder.path().join("pairs.u32"), folder.path().join("store"));
        let bytes: Vec<u8> = pairs
            .iter()
            .flat_map(|(source, target)| [source.to_le_bytes(), target.to_le_bytes()].concat())
            .collect();
        std::fs::write(&path, bytes).unwrap();
        let options = ImportOptions::default().with_memory(64 << 20);
        let report = import(&path, InputOptions::default(), &store, &options, &mut |_| {}).unwrap();
        (report.bytes_spilled, std::fs::read(&store).unwrap()[4096..].to_vec())
    };
    let (sorted, store) = spilled(&pairs);
    fastrand::Rng::with_seed(6).shuffle(&mut pairs);
    let (shuffled, same) = spilled(&pairs);
    assert!(shuffled > 0, "it does not fit in memory");
    assert!(sorted < shuffled * 5 / 4, "{sorted} and {shuffled} bytes");
    assert!(store == same, "the same store but for its header, which says how long it took");
}
