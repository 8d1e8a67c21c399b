//! Vertices that have no edge, from a list next to the edges.

use std::path::Path;

use leadline_graph_store::input::{IdMode, InputOptions};

use super::{edges, file, plain, read};

fn with_list(folder: &Path, name: &str, text: &str) -> InputOptions {
    let path = folder.join(name);
    std::fs::write(&path, text).unwrap();
    InputOptions { vertices: Some(path), ..plain() }
}

#[test]
fn a_list_adds_vertices_in_lines_or_in_a_column() {
    let (folder, path) = file("edges.txt", "1 2\n2 3\n");
    for (name, text) in [
        ("v.txt", "# all\n\n2\n9\r\n70"),
        ("v.csv", "name,id\nann,2\nbob,9\ncy,70\n"),
        ("v.tsv", "2\tx\n9\ty\n70\tz\n"),
        ("v.v", "id\n2\n9\n70\n"),
    ] {
        let found = read(&path, &with_list(folder.path(), name, text)).unwrap();
        assert_eq!((found.pairs, found.vertices), (vec![(1, 2), (2, 3)], vec![2, 9, 70]), "{name}");
        assert!(found.summary.notes[0].contains("lists 3 vertices"), "{:?}", found.summary.notes);
    }
}

#[test]
fn names_are_those_of_the_edges() {
    let (folder, path) = file("edges.csv", "source,target\nNew York,Boston\n");
    let options = with_list(folder.path(), "v.txt", "Boston\nLos Angeles\n");
    let found = read(&path, &options).unwrap();
    assert_eq!(found.named().1, edges(&[("New York", "Boston")]));
    assert_eq!(found.vertex_names(), ["Boston", "Los Angeles"]);
    let found =
        read(&path, &with_list(folder.path(), "v.csv", "city:ID(City),x\n\"Paris, TX\",1\n")).unwrap();
    assert_eq!(found.vertex_names(), ["Paris, TX"]);
    let (_gml, path) = file("a.gml", "graph [ node [ id 0 label \"ann\" ] ]");
    let found = read(&path, &with_list(folder.path(), "v.txt", "bob\nann\n")).unwrap();
    assert_eq!(found.vertex_names(), ["ann", "bob", "ann"]);
}

#[test]
fn what_is_wrong_in_a_list_is_named_with_its_line() {
    let (folder, path) = file("edges.txt", "1 2\n");
    for (name, text, expected) in [
        ("v.txt", "1\n2 3\n", "v.txt: line 2: expected a vertex id, found \"2 3\""),
        ("v.txt", "1\nx\n", "v.txt: line 2: expected a vertex id, found \"x\""),
        ("v.csv", "x,id\n1\n", "v.csv: line 2: expected a vertex in column 2, found nothing"),
        ("v.txt", "PAR1", "v.txt: is Parquet; a list of vertices is text"),
    ] {
        let error = read(&path, &with_list(folder.path(), name, text)).unwrap_err();
        assert!(error.is_input() && error.to_string().contains(expected), "{error}");
    }
    let strings = InputOptions { ids: IdMode::Strings, ..with_list(folder.path(), "v.txt", "#x\n") };
    let error = read(&path, &strings).unwrap_err().to_string();
    assert!(
        error.contains("v.txt: line 1: \"#x\" may be a comment, or a name that begins with #"),
        "{error}"
    );
    let missing = InputOptions { vertices: Some(folder.path().join("none")), ..plain() };
    assert!(read(&path, &missing).unwrap_err().to_string().contains("none: cannot be opened"));
}

#[test]
fn edges_of_graphalytics_may_stand_alone_and_that_is_said() {
    let (folder, path) = file("g.e", "10 20\n20 30\n");
    let found = read(&path, &plain()).unwrap();
    assert_eq!((found.pairs, found.vertices), (vec![(10, 20), (20, 30)], vec![]));
    assert_eq!(found.summary.notes, ["there is no .v next to it: its vertices are the ends of its edges"]);
    std::fs::rename(&path, folder.path().join("h.v")).unwrap();
    let error = read(&folder.path().join("h.v"), &plain()).unwrap_err().to_string();
    assert!(error.contains("h.e next to it, which is not there"), "{error}");
}
