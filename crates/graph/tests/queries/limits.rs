//! What is read, refused and written.

use std::path::Path;

use leadline_graph::import::{ImportOptions, import_edges};
use leadline_graph::input::ArrayEdges;
use leadline_graph::output::RowFile;
use leadline_graph::{Graph, GraphError, Side};

use super::{Plain, names, options};

fn hub_and_others(store: &Path) -> Graph {
    let hub = (0..4000).map(|at| (17, at, 1));
    let edges = hub.chain((0..20_000u32).map(|at| (at.into(), u64::from(at) * 7 % 20_000, 2))).collect();
    let plain = Plain {
        directed: true,
        weighted: true,
        strings: false,
        renumbered: false,
        compressed: false,
        vertices: (0..20_000).collect(),
        edges,
    };
    plain.write(store);
    Graph::open(store, options(64 << 20)).unwrap()
}

#[test]
fn each_block_is_read_once_however_many_ask_for_it() {
    let folder = tempfile::tempdir().unwrap();
    let graph = hub_and_others(&folder.path().join("g"));
    let directory = graph.directory(leadline_graph::format::Direction::Forward);
    let (blocks, hub) = (u64::from(directory.blocks()), 17);
    let of_hub = u64::from(directory.last_block_of(hub) - directory.block_of(hub)) + 1;
    assert!(of_hub > 5 && blocks > 50, "{of_hub} of {blocks} blocks are the hub's");
    // Without a cache that could answer the second time.
    let read = |vertices: &[u32]| {
        let graph = Graph::open(folder.path().join("g"), options(16 << 20)).unwrap();
        graph.neighbors(vertices, Side::Out).unwrap().stats.bytes_read / 4096
    };
    assert_eq!(read(&[hub]), of_hub);
    assert_eq!(read(&[19_999, 19_998, 19_999]), 1);
    let backwards: Vec<u32> = (0..20_000).rev().chain(0..20_000).collect();
    assert_eq!(read(&backwards), blocks);
    assert_eq!(read(&[]), 0);
}

#[test]
fn columns_say_what_is_in_them() {
    let folder = tempfile::tempdir().unwrap();
    let graph = hub_and_others(&folder.path().join("g"));
    let rows = |side| graph.neighbors(&[1], side).unwrap().rows(&graph).unwrap();
    assert_eq!(names(&rows(Side::In)), ["vertex", "neighbor", "weight"]);
    assert_eq!(names(&rows(Side::Both)), ["vertex", "neighbor", "direction", "weight"]);
    assert_eq!(names(&graph.degree(&[1], Side::Out).unwrap().rows(&graph).unwrap()), ["vertex", "degree"]);
    let around = graph.ego(1, 1, Side::Out).unwrap();
    assert_eq!(names(&around.vertex_rows(&graph).unwrap()), ["vertex", "hops"]);
    assert_eq!(names(&around.edge_rows(&graph).unwrap()), ["source", "target", "weight"]);
}

#[test]
fn an_answer_without_room_is_refused_with_what_it_would_need() {
    let folder = tempfile::tempdir().unwrap();
    let mut graph = hub_and_others(&folder.path().join("g"));
    let all: Vec<u32> = (0..20_000).collect();
    graph.set_options(options(1 << 20));
    let refused = graph.neighbors(&all, Side::Out).unwrap_err();
    let GraphError::Memory { needed, .. } = refused else { panic!("{refused}") };
    assert!(refused.to_string().starts_with("the neighbours of 20,000 vertices needs at least"), "{refused}");
    graph.set_options(options(needed));
    assert_eq!(graph.neighbors(&all, Side::Out).unwrap().count(), 24_000);
    // No batch is larger than what holds it; nothing follows the refusal.
    graph.set_options(options(1 << 20));
    let mut edges = graph.edges(1 << 40);
    assert!(matches!(edges.next(), Some(Err(GraphError::Memory { .. }))));
    assert!(edges.next().is_none());
}

#[test]
fn the_first_id_that_is_none_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let graph = hub_and_others(&folder.path().join("g"));
    let error = graph.vertices_of(&["5", "60002", "8", "6", "x"]).unwrap_err();
    assert!(error.is_input() && error.to_string().contains("has no vertex 6;"), "{error}");
    let error = graph.vertices_of(&["x"]).unwrap_err();
    assert!(error.to_string().contains("has no vertex x; its ids go from 5 to 60002"), "{error}");
}

#[test]
fn incoming_edges_that_a_store_does_not_have_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("g");
    let edges = ArrayEdges::new(vec![1u32], vec![2u32]).unwrap();
    import_edges(Box::new(edges), &store, &ImportOptions::default(), &mut |_| {}).unwrap();
    let graph = Graph::open(&store, options(64 << 20)).unwrap();
    for side in [Side::In, Side::Both] {
        assert!(matches!(graph.neighbors(&[0], side), Err(GraphError::NeedsReverse { .. })));
        assert!(matches!(graph.ego(0, 1, side), Err(GraphError::NeedsReverse { .. })));
    }
    assert_eq!(graph.degree(&[0, 1], Side::Out).unwrap().degrees, [1, 0]);
}

#[test]
fn rows_are_the_same_on_paper_and_in_files() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let edges =
        ArrayEdges::new(vec!["a, b".to_owned(), "c".to_owned()], vec!["c".to_owned(), "c".to_owned()]);
    let edges = edges.unwrap().with_weights(vec![0.5f64, 1e-7]).unwrap();
    import_edges(Box::new(edges), path("g"), &ImportOptions::default(), &mut |_| {}).unwrap();
    let graph = Graph::open(path("g"), options(64 << 20)).unwrap();
    let rows = graph.neighbors(&[1, 0], Side::Out).unwrap().rows(&graph).unwrap();
    let expected = "vertex,neighbor,weight\nc,c,1e-7\n\"a, b\",c,0.5\n";
    let mut text = String::new();
    rows.each_csv::<()>(|lines| {
        text.push_str(lines);
        Ok(())
    })
    .unwrap();
    assert_eq!(text, expected);
    RowFile::create(&path("r.csv")).unwrap().write(&graph, &rows).unwrap();
    assert_eq!(std::fs::read_to_string(path("r.csv")).unwrap(), expected);
    RowFile::create(&path("r.parquet")).unwrap().write(&graph, &rows).unwrap();
    let file = std::fs::File::open(path("r.parquet")).unwrap();
    let rows = parquet::file::reader::SerializedFileReader::new(file).unwrap();
    let rows: Vec<String> = rows.into_iter().map(|row| row.unwrap().to_string()).collect();
    let expected = [
        "{vertex: \"c\", neighbor: \"c\", weight: 0.0000001}",
        "{vertex: \"a, b\", neighbor: \"c\", weight: 0.5}",
    ];
    assert_eq!(rows, expected);
    for name in ["r.bin", "r", "r.txt"] {
        let error = RowFile::create(&path(name)).unwrap_err();
        assert!(error.is_input() && error.to_string().contains("name a .csv or .parquet"), "{error}");
    }
}
