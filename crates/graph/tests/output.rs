//! Results as files, read back.

use crate::made;

use std::fs::{self, File};
use std::path::Path;

use leadline_graph::algorithms::{Bfs, Cdlp, PageRank, Starts, UNREACHED, WalkOptions};
use leadline_graph::format::NO_VERTEX;
use leadline_graph::output::{Column, Output, Values, VertexTable as _, WalkOutput};
use leadline_graph::{Graph, GraphError};
use made::{Shape, edges, lists, options};
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::Field;
use tempfile::tempdir;

fn names(dir: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// Rows of a Parquet file as text, names of columns first.
fn parquet(path: &Path) -> Vec<Vec<String>> {
    let reader = SerializedFileReader::new(File::open(path).unwrap()).unwrap();
    let fields = reader.metadata().file_metadata().schema().get_fields().to_vec();
    let mut rows = vec![fields.iter().map(|field| field.name().to_owned()).collect()];
    for row in reader.get_row_iter(None).unwrap() {
        let text = |field: &Field| match field {
            Field::Null => String::new(),
            Field::Str(text) => text.clone(),
            Field::Double(value) => value.to_string(),
            other => other.to_string(),
        };
        rows.push(row.unwrap().get_column_iter().map(|(_, field)| text(field)).collect());
    }
    rows
}

/// Vertices 0 to 3 in the order 2, 0, 3, 1 of their ids; 2 -> 3 -> 0, 1 alone.
fn renumbered(path: &Path, ids: &[&str]) -> Graph {
    let shape = Shape::new(4, true);
    let mut writer = shape.writer(path, &[(2, 3, 1.0), (3, 0, 1.0)]);
    writer.string_ids(|| ids.iter().map(Ok)).unwrap();
    writer.order([2, 0, 3, 1].into_iter().map(Ok)).unwrap();
    writer.finish().unwrap();
    Graph::open(path, options(32 << 20, 1, 1)).unwrap()
}

#[test]
fn rows_are_in_the_order_of_ids_and_strings_are_quoted() {
    let dir = tempdir().unwrap();
    let graph = renumbered(&dir.path().join("g"), &["a", "b, c", "d\"e", "f"]);
    let found = graph.bfs(&[2]).unwrap();
    assert_eq!(found.levels.in_memory().unwrap(), [2, UNREACHED, 0, 1]);
    let parents = graph.parents(&found.levels).unwrap();
    assert_eq!(parents.parents, [3, NO_VERTEX, NO_VERTEX, 2]);
    let found = (found, parents);
    let columns = found.columns();
    let csv = dir.path().join("r.csv");
    let bytes = Output::create(&csv, &graph).unwrap().write(&graph, &columns).unwrap();
    let text = fs::read_to_string(&csv).unwrap();
    assert_eq!(text, "vertex,level,parent\na,0,\n\"b, c\",2,\"d\"\"e\"\n\"d\"\"e\",1,a\nf,-1,\n");
    assert_eq!(bytes, text.len() as u64);
    let file = dir.path().join("r.parquet");
    Output::create(&file, &graph).unwrap().write(&graph, &columns).unwrap();
    let rows = parquet(&file);
    assert_eq!(rows[0], ["vertex", "level", "parent"]);
    assert_eq!(rows[1..], [["a", "0", ""], ["b, c", "2", "d\"e"], ["d\"e", "1", "a"], ["f", "-1", ""]]);
    let refused = Output::create(&dir.path().join("r.bin"), &graph).unwrap_err();
    assert!(refused.is_input() && refused.to_string().contains("strings"), "{refused}");
}

#[test]
fn every_format_has_the_same_numbers() {
    let dir = tempdir().unwrap();
    let shape = Shape::new(200_000, true);
    let mut writer = shape.writer(&dir.path().join("g"), &[(0, 1, 1.0)]);
    writer.number_ids((0..200_000).map(|rank| Ok(rank * 3 + (1 << 63)))).unwrap();
    writer.finish().unwrap();
    let graph = Graph::open(dir.path().join("g"), options(32 << 20, 1, 1)).unwrap();
    let ranks: Vec<f64> = (0..200_000).map(|vertex| 1.0 / f64::from(vertex)).collect();
    let labels: Vec<u32> = (0..200_000).map(|vertex| 199_999 - vertex).collect();
    let columns = [
        Column { name: "rank", values: Values::Doubles(ranks.into()) },
        Column { name: "label", values: Values::Ranks(labels.into()) },
    ];
    Output::check_memory(&graph, &[PageRank::COLUMNS, Cdlp::COLUMNS].concat(), false).unwrap();
    let write = |name: &str| {
        let path = dir.path().join(name);
        Output::create(&path, &graph).unwrap().write(&graph, &columns).unwrap();
        path
    };
    let id = |rank: u64| rank * 3 + (1 << 63);
    let csv = fs::read_to_string(write("r.csv")).unwrap();
    let rows = parquet(&write("r.parquet"));
    let records = fs::read(write("r.bin")).unwrap();
    assert_eq!((csv.lines().count(), rows.len(), records.len()), (200_001, 200_001, 200_000 * 24));
    assert!(csv.starts_with("vertex,rank,label\n9223372036854775808,inf,"));
    let lines = csv.lines().skip(1).zip(&rows[1..]).zip(records.chunks_exact(24)).zip(0_u64..);
    for (((line, row), record), vertex) in lines {
        let expected = (id(vertex), 1.0 / vertex as f64, id(199_999 - vertex));
        let cells: Vec<&str> = line.split(',').collect();
        assert_eq!(
            (cells[0].parse(), cells[1].parse(), cells[2].parse()),
            (Ok(expected.0), Ok(expected.1), Ok(expected.2))
        );
        assert_eq!(
            (row[0].parse(), row[1].parse(), row[2].parse()),
            (Ok(expected.0), Ok(expected.1), Ok(expected.2))
        );
        let number = |at: usize| u64::from_le_bytes(record[at..at + 8].try_into().unwrap());
        assert_eq!((number(0), f64::from_bits(number(8)), number(16)), expected);
    }
    let groups = SerializedFileReader::new(File::open(dir.path().join("r.parquet")).unwrap())
        .unwrap()
        .num_row_groups();
    assert_eq!(groups, 4, "rows are not all held at once");
}

#[test]
fn a_file_is_there_whole_or_not_at_all() {
    let dir = tempdir().unwrap();
    let mut graph = Shape::new(70_000, true).open(&dir.path().join("g"), &[], options(32 << 20, 1, 1));
    let csv = dir.path().join("r.csv");
    fs::write(&csv, "old").unwrap();
    drop(Output::create(&csv, &graph).unwrap());
    assert_eq!(fs::read_to_string(&csv).unwrap(), "old");
    let stop = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(true));
    let stopped = leadline_graph::Options { stop: Some(stop), ..graph.options().clone() };
    let plain = graph.options().clone();
    graph.set_options(stopped);
    let ended = Output::create(&csv, &graph).unwrap().write(&graph, &[]);
    assert!(matches!(ended, Err(GraphError::Interrupted)));
    assert_eq!(
        (fs::read_to_string(&csv).unwrap().as_str(), names(dir.path())),
        ("old", vec!["g".into(), "r.csv".into()])
    );
    graph.set_options(plain);
    Output::create(&csv, &graph).unwrap().write(&graph, &[]).unwrap();
    assert_eq!(fs::read_to_string(&csv).unwrap().lines().count(), 70_001);
    for (name, said) in [
        ("r", "no known format"),
        ("r.txt", "no known format"),
        ("no/r.csv", "its directory"),
        (".", "no known format"),
    ] {
        let refused = Output::create(&dir.path().join(name), &graph).unwrap_err();
        assert!(refused.is_input() && refused.to_string().contains(said), "{refused}");
    }
    fs::create_dir(dir.path().join("d.csv")).unwrap();
    assert!(
        Output::create(&dir.path().join("d.csv"), &graph).unwrap_err().to_string().contains("is a directory")
    );
    graph.set_options(options(1 << 20, 1, 1));
    let Err(GraphError::Memory { needed, .. }) = Output::check_memory(&graph, Bfs::COLUMNS, false) else {
        panic!("a mebibyte is not enough")
    };
    graph.set_options(options(needed, 1, 1));
    Output::check_memory(&graph, Bfs::COLUMNS, false).unwrap();
}

#[test]
fn walks_are_lines_or_rows() {
    let dir = tempdir().unwrap();
    let graph = renumbered(&dir.path().join("g"), &["a", "b", "c", "d"]);
    let options = WalkOptions { starts: Starts::EveryVertex(1), length: 5, ..WalkOptions::default() };
    let write = |name: &str| {
        let path = dir.path().join(name);
        let mut output = WalkOutput::create(&path, &graph).unwrap();
        graph.walks(&options, |walk, vertices| output.put(walk, vertices)).unwrap();
        output.finish().unwrap();
        path
    };
    assert_eq!(fs::read_to_string(write("w.txt")).unwrap(), "a c b\nb\nc b\nd\n");
    let rows = "walk,step,vertex\n0,0,a\n0,1,c\n0,2,b\n1,0,b\n2,0,c\n2,1,b\n3,0,d\n";
    assert_eq!(fs::read_to_string(write("w.csv")).unwrap(), rows);
    let written: Vec<String> = parquet(&write("w.parquet")).iter().map(|row| row.join(",") + "\n").collect();
    assert_eq!(written.concat(), rows);
}

#[test]
fn parents_are_the_smallest_of_the_level_before() {
    let dir = tempdir().unwrap();
    let edges = edges(3000, 9000, Some((3, 6000)), 6);
    for directed in [false, true] {
        let lists = lists(3000, directed, &edges);
        let path = dir.path().join(format!("{directed}"));
        let graph = Shape::new(3000, directed).compressed().open(&path, &edges, options(8 << 20, 2, 8));
        let found = graph.bfs(&[5, 9]).unwrap().levels;
        let levels = found.in_memory().unwrap();
        let mut expected = vec![NO_VERTEX; 3000];
        for (from, list) in lists.iter().enumerate().filter(|(from, _)| levels[*from] != UNREACHED) {
            for to in list.iter().filter(|to| levels[**to as usize] == levels[from] + 1) {
                expected[*to as usize] = expected[*to as usize].min(from as u32);
            }
        }
        assert_eq!(graph.parents(&found).unwrap().parents, expected);
    }
}

#[test]
fn the_page_shows_the_example_as_it_is() {
    let page = include_str!("../../../docs/graph-run.md");
    let example = include_str!("../examples/degrees.rs");
    let code = &example[example.find("use std::path").unwrap()..];
    assert!(page.contains(code), "docs/graph-run.md shows another program than examples/degrees.rs");
}
