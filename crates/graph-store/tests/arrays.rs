//! Edges from arrays: the same store as from a file of the same edges, and refused with the place where they
//! are wrong.

use std::fmt::Write as _;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use leadline_graph_store::GraphError;
use leadline_graph_store::import::{ImportOptions, LEAST_MEMORY, Merge, import, import_edges};
use leadline_graph_store::input::{
    ArrayEdges, ArrayIds, ArrayWeights, Batch, EdgeReader, IdMode, InputOptions, StringArray,
};
use proptest::prelude::*;
use tempfile::tempdir;

/// All pairs and vertices that are given out.
fn read(mut edges: ArrayEdges) -> Result<Batch, GraphError> {
    let (mut all, mut batch) = (Batch::default(), Batch::default());
    while edges.next_batch(&mut batch)? {
        all.pairs.extend(&batch.pairs);
        all.weights.extend(&batch.weights);
        all.vertices.extend(&batch.vertices);
    }
    assert!(!edges.next_batch(&mut batch)? && batch == Batch::default(), "the end is the end");
    Ok(all)
}

fn refusal(edges: Result<ArrayEdges, GraphError>) -> String {
    let error = edges.and_then(read).unwrap_err();
    assert!(error.is_input(), "{error}");
    error.to_string()
}

fn stored(edges: ArrayEdges, path: &Path, options: &ImportOptions) -> Vec<u8> {
    import_edges(Box::new(edges), path, options, &mut |_| {}).unwrap();
    std::fs::read(path).unwrap()
}

#[test]
fn arrays_of_any_type_are_read_in_order() {
    let edges = ArrayEdges::new(vec![7i32, 0], vec![u64::MAX, 1]).unwrap();
    assert_eq!(read(edges).unwrap().pairs, [(7, u64::MAX), (0, 1)]);
    let edges = ArrayEdges::new(vec![7u32], vec![i64::MAX]).unwrap().with_weights(vec![0.5f32]).unwrap();
    assert!(edges.declared().weighted);
    let found = read(edges.with_vertices(vec![9i64, 7]).unwrap()).unwrap();
    assert_eq!(
        (found.pairs, found.weights, found.vertices),
        (vec![(7, i64::MAX as u64)], vec![0.5], vec![9, 7])
    );
    let edges = ArrayEdges::new(Vec::<u32>::new(), Vec::<u32>::new()).unwrap();
    assert_eq!(edges.with_vertices_below(4).unwrap().declared().vertices, Some(4));
}

#[test]
fn arrays_of_many_batches_come_whole_and_progress_tells_how_far() {
    let count = 400_000u64;
    let numbers = |step: u64| (0..count).map(|i| i * step).collect::<Vec<u64>>();
    let weights: Vec<f64> = (0..count).map(|i| -(i as f64)).collect();
    let edges = ArrayEdges::new(numbers(1), numbers(3)).unwrap().with_weights(weights.clone()).unwrap();
    let mut edges = edges.with_vertices(numbers(2)).unwrap();
    assert_eq!(edges.progress(), (0, Some(count * 32)));
    let (mut batch, mut batches, mut before) = (Batch::default(), 0, 0);
    while edges.next_batch(&mut batch).unwrap() {
        assert!(batch.memory_bytes() <= 4 << 20, "{}", batch.memory_bytes());
        assert!(edges.progress().0 > before);
        (batches, before) = (batches + 1, edges.progress().0);
    }
    assert!(batches > 8 && before == count * 32, "{batches} {before}");
    let edges = ArrayEdges::new(numbers(1), numbers(3)).unwrap().with_weights(weights.clone()).unwrap();
    let found = read(edges.with_vertices(numbers(2)).unwrap()).unwrap();
    assert!(found.pairs.iter().zip(0..).all(|(pair, i)| *pair == (i, i * 3)));
    assert_eq!((found.pairs.len() as u64, found.weights, found.vertices), (count, weights, numbers(2)));
}

/// Strings of which some are missing.
struct Holes(Vec<Option<&'static str>>);

impl StringArray for Holes {
    fn count(&self) -> usize {
        self.0.len()
    }

    fn read(&self, places: Range<usize>, each: &mut dyn FnMut(Result<&str, &str>)) {
        self.0[places].iter().for_each(|text| each(text.ok_or("there is no id")));
    }
}

#[test]
fn what_is_wrong_is_named_with_its_place() {
    let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<String>>();
    let edge = |source: i64, target: i32| ArrayEdges::new(vec![1, source, 4], vec![2, target, 6]);
    assert_eq!(refusal(edge(-3, 5)), "edges[1]: source -3; ids are from 0 to 2^64 - 1");
    assert_eq!(refusal(edge(3, -5)), "edges[1]: target -5; ids are from 0 to 2^64 - 1");
    let vertices = edge(3, 5).and_then(|edges| edges.with_vertices(vec![0, 1, i64::MIN, 3]));
    assert_eq!(refusal(vertices), format!("vertices[2]: id {}; ids are from 0 to 2^64 - 1", i64::MIN));
    for (weight, said) in [(f64::NAN, "NaN"), (f64::INFINITY, "inf"), (f64::NEG_INFINITY, "-inf")] {
        let said = format!("edges[1]: expected a finite number as weight, found {said}");
        assert_eq!(refusal(edge(1, 1).and_then(|edges| edges.with_weights(vec![-1.0, weight, 1.0]))), said);
        let single = vec![0.0, weight as f32, 1.0];
        assert_eq!(refusal(edge(1, 1).and_then(|edges| edges.with_weights(single))), said);
    }
    assert_eq!(
        refusal(ArrayEdges::new(vec![1u32], vec![1u32, 2])),
        "edges: expected as many targets as sources, found 1 sources and 2 targets"
    );
    assert_eq!(
        refusal(edge(1, 1).and_then(|edges| edges.with_weights(vec![1.0; 2]))),
        "weights: expected one for each edge, found 2 weights and 3 edges"
    );
    assert_eq!(
        refusal(ArrayEdges::new(vec![1u32], names(&["a"]))),
        "targets: expected numbers, as sources are, found strings"
    );
    let named = || ArrayEdges::new(names(&["a"]), names(&["b"])).unwrap();
    assert_eq!(
        refusal(named().with_vertices(vec![1u64])),
        "vertices: expected strings, as targets are, found numbers"
    );
    assert_eq!(
        refusal(named().with_vertices_below(3)),
        "sources: expected numbers, as vertices are, found strings"
    );
    let holes = ArrayIds::Strings(Arc::new(Holes(vec![Some("a"), None])));
    assert_eq!(refusal(ArrayEdges::new(names(&["a", "b"]), holes)), "edges[1]: target: there is no id");
    assert!(
        refusal(ArrayEdges::new(names(&["a"]), names(&["x".repeat(2 << 20).as_str()])))
            .starts_with("edges[0]: "),
        "an id that no store takes"
    );
}

#[test]
fn after_an_error_nothing_more_is_given_out() {
    let mut edges = ArrayEdges::new(vec![-1i32], vec![0u32]).unwrap();
    let mut batch = Batch::default();
    assert!(edges.next_batch(&mut batch).is_err());
    assert_eq!((edges.next_batch(&mut batch).unwrap(), batch), (false, Batch::default()));
}

#[test]
fn strings_are_within_the_memory_of_the_import() {
    let dir = tempdir().unwrap();
    let names: Vec<String> = (0..100_000).map(|i| format!("{i:0>100}")).collect();
    let options = ImportOptions { memory: LEAST_MEMORY, ..ImportOptions::default() };
    let edges = ArrayEdges::new(names.clone(), names).unwrap();
    let ended = import_edges(Box::new(edges), dir.path().join("g"), &options, &mut |_| {});
    let Err(GraphError::Memory { needed, .. }) = ended else { panic!("{ended:?}") };
    assert!(needed > LEAST_MEMORY);
}

/// Ids that lie close together or far apart, and pairs of them.
fn pairs() -> impl Strategy<Value = Vec<(u64, u64)>> {
    let id = prop_oneof![4 => 0u64..50, 1 => 0u64..1 << 31];
    prop::collection::vec((id.clone(), id), 0..200)
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 48,
        failure_persistence: None,
        rng_seed: prop::test_runner::RngSeed::Fixed(15),
        ..ProptestConfig::default()
    })]

    #[test]
    fn arrays_become_the_store_that_a_file_of_the_same_edges_becomes(
        pairs in pairs(),
        types in (0..4, 0..4),
        undirected: bool,
        renumber: bool,
        dedupe: bool,
    ) {
        let dir = tempdir().unwrap();
        let options = ImportOptions { undirected, renumber, dedupe: dedupe.then_some(Merge::Min), ..ImportOptions::default() };
        let bytes: Vec<u8> = pairs.iter().flat_map(|(a, b)| [*a as u32, *b as u32]).flat_map(u32::to_le_bytes).collect();
        std::fs::write(dir.path().join("e.u32"), bytes).unwrap();
        import(dir.path().join("e.u32"), InputOptions::default(), dir.path().join("f"), &options, &mut |_| {}).unwrap();
        let array = |kind: i32, ids: Vec<u64>| -> ArrayIds {
            match kind {
                0 => ids.into_iter().map(|id| id as u32).collect::<Vec<u32>>().into(),
                1 => ids.into_iter().map(|id| id as i32).collect::<Vec<i32>>().into(),
                2 => ids.into_iter().map(|id| id as i64).collect::<Vec<i64>>().into(),
                _ => ids.into(),
            }
        };
        let (sources, targets) = pairs.into_iter().unzip();
        let edges = ArrayEdges::new(array(types.0, sources), array(types.1, targets)).unwrap();
        let found = stored(edges, &dir.path().join("a"), &options);
        prop_assert!(found == std::fs::read(dir.path().join("f")).unwrap());
    }

    #[test]
    fn weights_and_strings_are_those_of_a_text(
        edges in prop::collection::vec(("[a-c]{1,3}", "[a-c]{1,3}", -1e6..1e6), 1..100),
        single: bool,
        undirected: bool,
        renumber: bool,
    ) {
        let dir = tempdir().unwrap();
        let options = ImportOptions { undirected, renumber, ..ImportOptions::default() };
        let weight = |weight: f64| if single { f64::from(weight as f32) } else { weight };
        let mut text = String::new();
        for (source, target, value) in &edges {
            writeln!(text, "{source},{target},{}", weight(*value)).unwrap();
        }
        std::fs::write(dir.path().join("e.csv"), text).unwrap();
        let input = InputOptions { weights: true, ids: IdMode::Strings, ..InputOptions::default() };
        import(dir.path().join("e.csv"), input, dir.path().join("f"), &options, &mut |_| {}).unwrap();
        let (mut sources, mut targets, mut values) = (Vec::new(), Vec::new(), Vec::new());
        for (source, target, value) in edges {
            sources.push(source);
            targets.push(target);
            values.push(value);
        }
        let weights = match single {
            true => ArrayWeights::from(values.into_iter().map(|value| value as f32).collect::<Vec<f32>>()),
            false => ArrayWeights::from(values),
        };
        // Vertices that have edges are no others; one that has none is.
        let edges = ArrayEdges::new(sources.clone(), targets).unwrap().with_weights(weights).unwrap();
        let found = stored(edges.with_vertices(sources).unwrap(), &dir.path().join("a"), &options);
        prop_assert!(found == std::fs::read(dir.path().join("f")).unwrap());
    }
}

/// Edges in batches: the first, and those that follow.
fn batches(all: Vec<ArrayEdges>) -> ArrayEdges {
    let mut all = all.into_iter();
    let first = all.next().unwrap();
    first.followed_by(move || Ok(all.next()))
}

#[test]
fn batches_make_the_store_of_their_edges_in_one_array() {
    let folder = tempdir().unwrap();
    let sources: Vec<u64> = (0..100_000).map(|i| i * 7 % 10_007).collect();
    let targets: Vec<u64> = (0..100_000).map(|i| i * i % 10_009).collect();
    let options = ImportOptions::default().with_memory(LEAST_MEMORY);
    let part = |range: std::ops::Range<usize>| {
        ArrayEdges::new(sources[range.clone()].to_vec(), targets[range].to_vec()).unwrap()
    };
    let further = [20_000..20_000, 20_000..20_001, 20_001..100_000].map(part);
    let parts = [part(0..20_000)].into_iter().chain(further).collect();
    let one = stored(part(0..100_000), &folder.path().join("one.graph"), &options);
    assert!(one == stored(batches(parts), &folder.path().join("more.graph"), &options));
}

#[test]
fn numbers_of_strings_go_on_from_batch_to_batch() {
    let texts = |ids: [&str; 2]| ids.map(str::to_owned).to_vec();
    let part = |sources, targets| ArrayEdges::new(texts(sources), texts(targets)).unwrap();
    let empty = ArrayEdges::new(Vec::<u64>::new(), Vec::<u64>::new()).unwrap();
    let mut edges = batches(vec![empty, part(["a", "b"], ["b", "c"]), part(["c", "d"], ["a", "d"])]);
    let (mut all, mut batch) = (Vec::new(), Batch::default());
    while edges.next_batch(&mut batch).unwrap() {
        all.extend(batch.pairs.clone());
    }
    assert_eq!(all, [(0, 1), (1, 2), (2, 0), (3, 3)]);
    assert_eq!(edges.strings().unwrap(), ["a", "b", "c", "d"]);
}

#[test]
fn a_batch_unlike_those_before_is_named() {
    let numbers = || ArrayEdges::new(vec![1, 2], vec![2, 3]).unwrap();
    let weighted = || numbers().with_weights(vec![1.0, 2.0]).unwrap().placed("batch 2: ", 0);
    let refused = |first, second| refusal(Ok(batches(vec![first, second])));
    assert_eq!(
        refused(numbers(), weighted()),
        "batch 2: edges: found weights, but the edges before have none; give all of them weights, or none"
    );
    assert!(refused(weighted(), numbers()).contains("found no weights"));
    let texts = ArrayEdges::new(vec!["a".to_owned()], vec!["b".to_owned()]).unwrap();
    assert_eq!(
        refused(numbers(), texts.placed("batch 2: ", 0)),
        "batch 2: edges: expected numbers as ids, as before, found strings"
    );
    let negative = ArrayEdges::new(vec![1], vec![-7]).unwrap().placed("batch 2: ", 10);
    assert_eq!(refused(numbers(), negative), "batch 2: edges[10]: target -7; ids are from 0 to 2^64 - 1");
}

#[test]
fn an_error_of_whoever_gives_batches_ends_the_import_and_leaves_nothing() {
    let folder = tempdir().unwrap();
    let mut given = false;
    let edges = ArrayEdges::new(vec![1, 2], vec![2, 3]).unwrap().followed_by(move || {
        assert!(!std::mem::replace(&mut given, true), "asked again after an error");
        Err(GraphError::Interrupted)
    });
    let store = folder.path().join("none.graph");
    let error = import_edges(Box::new(edges), &store, &ImportOptions::default(), &mut |_| {}).unwrap_err();
    assert!(matches!(error, GraphError::Interrupted));
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}
