//! Changes from arrays: the same as one by one, and refused as a whole with the place where they are wrong.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use leadline_graph::import::{ImportOptions, import_edges};
use leadline_graph::input::{ArrayEdges, ArrayIds, ArrayWeights};
use leadline_graph::{Graph, GraphError, GraphUpdate, Options, UpdateOptions};
use tempfile::{TempDir, tempdir};

fn edges(sources: impl Into<ArrayIds>, targets: impl Into<ArrayIds>) -> ArrayEdges {
    ArrayEdges::new(sources, targets).unwrap()
}

/// Longer than what is copied out of an array at a time.
const MANY: usize = 40_000;

fn changed(edges: ArrayEdges, memory: u64) -> (TempDir, GraphUpdate) {
    let folder = tempdir().unwrap();
    let store = folder.path().join("g");
    import_edges(Box::new(edges), &store, &ImportOptions::default(), &mut |_| {}).unwrap();
    let options = UpdateOptions::new(Options { memory, threads: 1, ..Options::default() });
    let update = GraphUpdate::open(&store, options).unwrap();
    (folder, update)
}

fn of_numbers(memory: u64) -> (TempDir, GraphUpdate) {
    let edges = ArrayEdges::new(vec![1u32], vec![2u32]).unwrap().with_weights(vec![0.5f64]).unwrap();
    changed(edges, memory)
}

#[test]
fn each_change_of_arrays_is_made() {
    // With little memory, changes are taken out of it on the way.
    for memory in [4 << 20, 64 << 20] {
        let (folder, mut update) = of_numbers(memory);
        let sources: Vec<u64> = (0..MANY as u64).collect();
        let targets: Vec<i64> = (1..=MANY as i64).collect();
        let weights = ArrayWeights::from((0..MANY).map(|at| at as f32 / 4.0).collect::<Vec<f32>>());
        update.insert_edges(&[edges(sources, targets).with_weights(weights).unwrap()]).unwrap();
        update.set_weights(&[edges(vec![7i32], vec![8u32]).with_weights(vec![99.5f64]).unwrap()]).unwrap();
        let gone = [edges(vec![20_000u32], vec![20_001u32]), edges(vec![5u32], vec![5u64])];
        update.delete_edges(&gone).unwrap();
        update.insert_vertices(&vec![u64::MAX].into()).unwrap();
        update.delete_vertices(&vec![30_000u64].into()).unwrap();
        assert_eq!(update.pending(), MANY as u64 + 5);
        let report = update.commit().unwrap();
        assert_eq!((report.changes, report.missing), (MANY as u64 + 5, 1));
        assert_eq!((report.vertices, report.edges), (MANY as u64 + 1, MANY as u64 + 1 - 3));
        drop(update);
        let graph = Graph::open(folder.path().join("g"), Options::default()).unwrap();
        let distances = graph.sssp(&[graph.vertex("6").unwrap()]).unwrap().distances.into_vec().unwrap();
        for (id, expected) in [("7", 1.5), ("8", 101.0), ("9", 103.0), ("20001", f64::INFINITY)] {
            assert_eq!(distances[graph.vertex(id).unwrap() as usize], expected, "{id} with {memory} bytes");
        }
    }
}

#[test]
fn arrays_are_checked_before_a_change_is_taken() {
    let (_folder, mut update) = of_numbers(64 << 20);
    update.insert_vertices(&vec![9u32].into()).unwrap();
    let fine = || ArrayIds::from(vec![3i64; MANY]);
    let with = |value: i64| {
        let mut ids = vec![3i64; MANY];
        ids[MANY - 1] = value;
        ArrayIds::from(ids)
    };
    let mut weights = vec![1.0f64; MANY];
    weights[MANY - 2] = f64::NAN;
    let refused = |done: Result<(), GraphError>, said: &str| {
        let error = done.unwrap_err();
        assert!(error.is_input() && error.to_string().contains(said), "{error}");
    };
    let one = || edges(vec![3u32], vec![3u32]);
    refused(update.insert_edges(&[one(), edges(with(-2), fine())]), "sources[39999]: -2; ids are from 0");
    refused(update.delete_edges(&[edges(fine(), with(-1))]), "targets[39999]: -1; ids are from 0");
    refused(update.delete_vertices(&with(-1)), "vertices[39999]: -1; ids are from 0");
    let nan = [edges(fine(), fine()).with_weights(weights).unwrap()];
    refused(update.set_weights(&nan), "weights[39998]: expected a finite number, found NaN");
    refused(update.set_weights(&[one()]), "weights: give one for each edge");
    let placed = [one(), edges(with(-2), fine()).placed("batch 2: ", 100)];
    refused(update.insert_edges(&placed), "batch 2: sources[40099]: -2");
    let ann = ArrayIds::from(vec!["ann".to_owned()]);
    refused(update.insert_vertices(&ann), "vertices: expected numbers, as the ids of ");
    assert_eq!(update.pending(), 1);
    // No array says what an empty one holds.
    update.insert_vertices(&Vec::<String>::new().into()).unwrap();

    let (_folder, mut update) =
        changed(ArrayEdges::new(vec!["a".to_owned()], vec!["b".to_owned()]).unwrap(), 64 << 20);
    refused(update.insert_edges(&[one()]), "sources: expected strings, as the ids of ");
    let weighted = edges(ann.clone(), ann.clone()).with_weights(vec![1.0f32]).unwrap();
    refused(update.insert_edges(&[weighted]), "has no weights");
    let long = "x".repeat((1 << 20) + 1);
    let longest = ArrayIds::from(vec!["y".repeat(1 << 20)]);
    refused(update.insert_edges(&[edges(ann, vec![long])]), "targets[0]: expected an id of at most");
    assert_eq!(update.pending(), 0);
    update.insert_vertices(&longest).unwrap();
    assert_eq!(update.commit().unwrap().vertices, 3);
}

#[test]
fn whoever_stops_it_drops_what_is_pending() {
    let (_folder, mut update) = of_numbers(64 << 20);
    update.insert_vertices(&vec![9u32].into()).unwrap();
    update.set_stop(Some(Arc::new(AtomicBool::new(true))));
    let stopped = update.insert_vertices(&vec![10u32].into());
    assert!(matches!(stopped, Err(GraphError::Interrupted)));
    update.set_stop(None);
    assert_eq!((update.pending(), update.commit().unwrap().vertices), (0, 2));
    for memory in [4 << 20, 64 << 20] {
        let (_folder, mut update) = of_numbers(memory);
        update.insert_vertices(&(0..MANY as u64).collect::<Vec<u64>>().into()).unwrap();
        update.discard().unwrap();
        assert_eq!((update.pending(), update.commit().unwrap().vertices), (0, 2));
    }
}
