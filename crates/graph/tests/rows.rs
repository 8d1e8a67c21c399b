//! Results in memory: cell by cell what the files have, and without a copy where none is needed.

use crate::made;

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use leadline_graph::algorithms::{
    Bfs, Measure, PageRankOptions, Parents, Starts, TopOptions, WalkOptions, Wcc,
};
use leadline_graph::format::Vertex;
use leadline_graph::output::{
    Kind, Output, PairOutput, PairRows, RowColumn, RowValues, Rows, VertexTable, WalkOutput, WalkRows,
};
use leadline_graph::{Graph, GraphError, Options};
use made::{Shape, edges, options};
use proptest::prelude::*;
use tempfile::tempdir;

/// The ids of a graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Names {
    Dense,
    Numbers,
    Strings,
}

/// A graph with a hub and vertices that are alone, its vertices in any order where it is renumbered.
fn graph(dir: &Path, vertices: u32, directed: bool, names: Names, renumbered: bool) -> Graph {
    let shape = Shape::new(vertices.into(), directed).weighted();
    let edges = edges(vertices, vertices as usize, Some((vertices / 2, 20)), 15);
    let mut writer = shape.writer(&dir.join("g"), &edges);
    match names {
        Names::Dense => {}
        Names::Numbers => writer.number_ids((0..u64::from(vertices)).map(|rank| Ok(rank * 3 + 7))).unwrap(),
        Names::Strings => {
            let text = |rank: u32| format!("{rank:06}, {}", "é".repeat(rank as usize % 5));
            let texts: Vec<String> = (0..vertices).map(text).collect();
            writer.string_ids(|| texts.iter().map(Ok)).unwrap();
        }
    }
    if renumbered {
        let mut order: Vec<Vertex> = (0..vertices).collect();
        fastrand::Rng::with_seed(16).shuffle(&mut order);
        writer.order(order.into_iter().map(Ok)).unwrap();
    }
    writer.finish().unwrap();
    Graph::open(dir.join("g"), options(32 << 20, 2, 8)).unwrap()
}

/// A cell as text; nothing where it is missing.
fn cell(column: &RowColumn, row: usize) -> String {
    if column.present.as_ref().is_some_and(|bits| bits[row / 8] >> (row % 8) & 1 == 0) {
        return String::new();
    }
    match &column.values {
        RowValues::Integers(values) => values[row].to_string(),
        RowValues::Doubles(values) => values[row].to_string(),
        RowValues::Ids(values) => values[row].to_string(),
        RowValues::Texts(texts) => {
            let bytes = &texts.bytes[texts.offsets[row] as usize..texts.offsets[row + 1] as usize];
            String::from_utf8(bytes.to_vec()).unwrap()
        }
        other => panic!("{other:?}"),
    }
}

/// Whether a CSV file has these rows and no others.
fn compare(rows: &Rows, csv: &Path) {
    let text = std::fs::read_to_string(csv).unwrap();
    let mut lines = text.lines().map(|line| {
        // Ids of these tests have commas, and no quotation marks.
        let mut quoted = false;
        let ends = |byte: char| {
            quoted ^= byte == '"';
            byte == ',' && !quoted
        };
        line.split(ends).map(|cell| cell.trim_matches('"').to_owned()).collect::<Vec<String>>()
    });
    let names: Vec<&str> = rows.columns.iter().map(|column| column.name).collect();
    assert_eq!(lines.next().unwrap(), names);
    for row in 0..rows.count() {
        let written = lines.next().unwrap();
        for (column, written) in rows.columns.iter().zip(&written) {
            let written = match column.values {
                RowValues::Doubles(_) => written.parse::<f64>().unwrap().to_string(),
                _ => written.clone(),
            };
            assert_eq!(cell(column, row), written, "{} of row {row}", column.name);
        }
    }
    assert!(lines.next().is_none());
}

/// Whether a result has the same rows in memory as in its file.
fn check<T: VertexTable>(graph: &Graph, dir: &Path, found: T) {
    let csv = dir.join("r.csv");
    Output::create(&csv, graph).unwrap().write(graph, &found.columns()).unwrap();
    Rows::check_memory(graph, T::COLUMNS).unwrap();
    let rows = found.into_rows(graph).unwrap();
    assert_eq!(rows.count() as u64, graph.vertices());
    compare(&rows, &csv);
    for (column, (name, kind)) in rows.columns[1..].iter().zip(T::COLUMNS) {
        assert_eq!((column.name, column.optional), (*name, *kind == Kind::Vertices));
    }
}

fn check_all(graph: &Graph, dir: &Path) {
    let sources = [0, graph.vertices() as Vertex / 2];
    let found = graph.bfs(&sources).unwrap();
    let parents = graph.parents(&found.levels).unwrap();
    check(graph, dir, (found, parents));
    check(graph, dir, graph.wcc().unwrap());
    check(graph, dir, graph.pagerank(&PageRankOptions::default()).unwrap());
    check(graph, dir, graph.sssp(&sources).unwrap());
    check(graph, dir, graph.cdlp(3).unwrap());
    check(graph, dir, graph.lcc().unwrap());
    check(graph, dir, graph.kcore().unwrap());
    check(graph, dir, graph.dfs(&sources).unwrap());
    let walks = WalkOptions { starts: Starts::EveryVertex(2), length: 7, ..WalkOptions::default() };
    let csv = dir.join("w.csv");
    let mut output = WalkOutput::create(&csv, graph).unwrap();
    graph.walks(&walks, |walk, vertices| output.put(walk, vertices)).unwrap();
    output.finish().unwrap();
    let mut rows = WalkRows::new(graph, &walks).unwrap();
    graph
        .walks(&walks, |walk, vertices| {
            rows.put(walk, vertices);
            Ok(())
        })
        .unwrap();
    compare(&rows.finish().unwrap(), &csv);
    let top = TopOptions { measure: Measure::Jaccard, most: 3, skip_above: None, sink_bytes: 0 };
    let mut output = PairOutput::create(&csv, graph, "similarity").unwrap();
    let mut rows = PairRows::new(graph, "similarity", top.most_pairs(graph)).unwrap();
    graph
        .most_similar(&top, |vertex, similar| {
            similar.iter().for_each(|(other, value)| rows.put(vertex, *other, *value));
            similar.iter().try_for_each(|(other, value)| output.put(vertex, *other, *value))
        })
        .unwrap();
    output.finish().unwrap();
    compare(&rows.finish().unwrap(), &csv);
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 24,
        failure_persistence: None,
        rng_seed: prop::test_runner::RngSeed::Fixed(15),
        ..ProptestConfig::default()
    })]

    #[test]
    fn rows_in_memory_are_those_of_the_file(
        vertices in prop_oneof![Just(1u32), 2u32..40, Just(1000)],
        directed: bool,
        names in prop_oneof![Just(Names::Dense), Just(Names::Numbers), Just(Names::Strings)],
        renumbered: bool,
    ) {
        let dir = tempdir().unwrap();
        check_all(&graph(dir.path(), vertices, directed, names, renumbered), dir.path());
    }
}

#[test]
fn more_rows_than_are_made_at_a_time_are_those_of_the_file() {
    for (names, renumbered) in [(Names::Dense, false), (Names::Numbers, true), (Names::Strings, true)] {
        let dir = tempdir().unwrap();
        let graph = graph(dir.path(), 150_000, false, names, renumbered);
        let found = graph.bfs(&[75_000]).unwrap();
        let parents = graph.parents(&found.levels).unwrap();
        check(&graph, dir.path(), (found, parents));
        check(&graph, dir.path(), graph.wcc().unwrap());
    }
}

#[test]
fn a_graph_without_vertices_has_tables_without_rows() {
    let dir = tempdir().unwrap();
    let graph = Shape::new(0, true).open(&dir.path().join("g"), &[], options(1 << 20, 1, 1));
    let rows = graph.wcc().unwrap().into_rows(&graph).unwrap();
    assert_eq!((rows.count(), rows.columns.len()), (0, 2));
}

#[test]
fn doubles_of_a_store_in_order_are_not_copied() {
    let dir = tempdir().unwrap();
    for renumbered in [false, true] {
        let graph = graph(dir.path(), 1000, true, Names::Numbers, renumbered);
        let found = graph.pagerank(&PageRankOptions::default()).unwrap();
        let place = found.ranks.in_memory().unwrap().as_ptr();
        let rows = found.into_rows(&graph).unwrap();
        let RowValues::Doubles(ranks) = &rows.columns[1].values else { panic!("{rows:?}") };
        assert_eq!(ranks.as_ptr() == place, !renumbered);
    }
}

#[test]
fn memory_that_is_enough_is_named_and_is_enough() {
    let dir = tempdir().unwrap();
    for (names, renumbered) in [(Names::Dense, false), (Names::Numbers, true), (Names::Strings, false)] {
        let mut graph = graph(dir.path(), 20_000, true, names, renumbered);
        let found = graph.bfs(&[0]).unwrap();
        let parents = graph.parents(&found.levels).unwrap();
        let columns = <(Bfs, Parents)>::COLUMNS;
        graph.set_options(Options { memory: 4096, ..graph.options().clone() });
        let Err(GraphError::Memory { needed, .. }) = Rows::check_memory(&graph, columns) else {
            panic!("4 KiB are not enough")
        };
        graph.set_options(Options { memory: needed, ..graph.options().clone() });
        Rows::check_memory(&graph, columns).unwrap();
        (found, parents).into_rows(&graph).unwrap();
        graph.set_options(Options { memory: needed - 1024, ..graph.options().clone() });
        assert!(Rows::check_memory(&graph, columns).is_err());
    }
}

#[test]
fn long_strings_in_every_row_are_refused_before_they_are_made() {
    let dir = tempdir().unwrap();
    // All are of the component of the one with the long name.
    let edges: Vec<(u32, u32, f64)> = (1..5000).map(|vertex| (0, vertex, 1.0)).collect();
    let mut writer = Shape::new(5000, false).writer(&dir.path().join("g"), &edges);
    let texts: Vec<String> =
        (0..5000).map(|i| if i == 0 { "a".repeat(100_000) } else { format!("b{i:04}") }).collect();
    writer.string_ids(|| texts.iter().map(Ok)).unwrap();
    writer.finish().unwrap();
    let graph = Graph::open(dir.path().join("g"), options(8 << 20, 1, 1)).unwrap();
    Rows::check_memory(&graph, Wcc::COLUMNS).unwrap();
    let Err(GraphError::Memory { needed, .. }) = graph.wcc().unwrap().into_rows(&graph) else {
        panic!("500 MB of names in 8 MiB")
    };
    assert!(needed > 500_000_000);
}

#[test]
fn what_was_cached_stays_where_there_is_room_for_both() {
    let dir = tempdir().unwrap();
    let mut graph = graph(dir.path(), 100_000, false, Names::Dense, false);
    for (memory, kept) in [(64 << 20, true), (2 << 20, false)] {
        graph.set_options(options(memory, 1, 8));
        for _ in 0..2 {
            graph.kcore().unwrap().into_rows(&graph).unwrap();
        }
        let again = graph.kcore().unwrap().stats.bytes_read;
        assert_eq!(again == 0, kept, "{memory}: {again}");
    }
}

#[test]
fn collecting_ends_where_it_is_asked_to() {
    let dir = tempdir().unwrap();
    for names in [Names::Dense, Names::Numbers, Names::Strings] {
        let mut graph = graph(dir.path(), 1000, true, names, true);
        let found = graph.wcc().unwrap();
        let stop = Some(Arc::new(AtomicBool::new(true)));
        graph.set_options(Options { stop, ..graph.options().clone() });
        assert!(matches!(found.into_rows(&graph), Err(GraphError::Interrupted)));
    }
}

#[test]
fn pairs_that_the_cap_has_no_room_for_are_refused_beforehand() {
    let dir = tempdir().unwrap();
    let mut graph = graph(dir.path(), 1000, true, Names::Numbers, true);
    let options = |most| TopOptions { measure: Measure::Overlap, most, skip_above: None, sink_bytes: 0 };
    assert_eq!([7, u32::MAX].map(|most| options(most).most_pairs(&graph)), [7_000, 999_000]);
    let bytes = PairRows::bytes(&graph, 7_000);
    assert!((7_000 * 32..7_000 * 34).contains(&bytes), "{bytes}");
    graph.set_options(Options { memory: bytes - 1, ..graph.options().clone() });
    let refused = |most| PairRows::new(&graph, "similarity", most).err();
    assert!(
        [7_000, u64::MAX].into_iter().all(|most| matches!(refused(most), Some(GraphError::Memory { .. })))
    );
}

#[test]
fn walks_that_the_cap_has_no_room_for_are_refused_beforehand() {
    let dir = tempdir().unwrap();
    let mut graph = graph(dir.path(), 1000, true, Names::Numbers, true);
    let walks = WalkOptions { starts: Starts::EveryVertex(10), length: 80, ..WalkOptions::default() };
    let bytes = WalkRows::bytes(&graph, &walks);
    assert!((10_000 * 81 * 28..10_000 * 81 * 30).contains(&bytes), "{bytes}");
    graph.set_options(Options { memory: bytes - 1, ..graph.options().clone() });
    assert!(matches!(WalkRows::new(&graph, &walks).err(), Some(GraphError::Memory { .. })));
    let walks = WalkOptions { sink_bytes: bytes, ..walks };
    graph.set_options(Options { memory: bytes + (8 << 20), ..graph.options().clone() });
    let mut rows = WalkRows::new(&graph, &walks).unwrap();
    graph
        .walks(&walks, |walk, vertices| {
            rows.put(walk, vertices);
            Ok(())
        })
        .unwrap();
    rows.finish().unwrap();
}
