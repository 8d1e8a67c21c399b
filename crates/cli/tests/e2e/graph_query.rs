//! `leadline graph neighbors`, `ego` and `subgraph`, from the outside.

use std::fs::{self, File};
use std::path::Path;

use parquet::file::reader::{FileReader, SerializedFileReader};
use serde_json::{Value, json};

use crate::ran::{Ran, folder, names, run};

/// A directed graph with weights, parallel edges and one from a vertex to itself.
fn store(dir: &Path) {
    fs::write(dir.join("e.csv"), "ann,bob,0.5\nbob,\"c, d\",1\n\"c, d\",ann,2\nbob,bob,4\nann,bob,7\n")
        .unwrap();
    run(dir, &["graph", "import", "e.csv", "g", "--weights", "--reverse"]).succeeded();
}

fn graph(dir: &Path, arguments: &[&str]) -> Ran {
    run(dir, &[&["graph"], arguments].concat())
}

#[test]
fn rows_go_to_stdout_in_the_order_asked_for() {
    let dir = folder();
    let dir = dir.path();
    store(dir);
    for (arguments, expected) in [
        (
            &["neighbors", "g", "bob", "ann"][..],
            "vertex,neighbor,weight\nbob,bob,4\nbob,\"c, d\",1\nann,bob,0.5\nann,bob,7\n",
        ),
        (
            &["neighbors", "g", "bob", "--direction", "both"],
            "vertex,neighbor,direction,weight\nbob,bob,out,4\nbob,\"c, d\",out,1\nbob,ann,in,0.5\nbob,ann,in,7\n\
             bob,bob,in,4\n",
        ),
        (
            &["neighbors", "g", "c, d", "bob", "c, d", "--degrees"],
            "vertex,degree\n\"c, d\",1\nbob,2\n\"c, d\",1\n",
        ),
        (&["ego", "g", "ann"], "source,target,weight\nann,bob,0.5\nann,bob,7\nbob,bob,4\n"),
        (
            &["ego", "g", "ann", "--hops", "9", "--show", "vertices"],
            "vertex,hops\nann,0\nbob,1\n\"c, d\",2\n",
        ),
        (&["ego", "g", "ann", "--hops", "0"], "source,target,weight\n"),
        (&["subgraph", "g", "c, d", "ann"], "source,target,weight\n\"c, d\",ann,2\n"),
    ] {
        let ran = graph(dir, arguments).succeeded();
        assert_eq!(ran.stdout, expected, "{arguments:?}");
    }
}

#[test]
fn a_file_names_vertices_and_takes_rows() {
    let dir = folder();
    let dir = dir.path();
    store(dir);
    fs::write(dir.join("ids.txt"), "\u{feff}bob\r\n\r\nc, d\r\n").unwrap();
    let ran = graph(dir, &["neighbors", "g", "ann", "--vertices", "ids.txt", "-o", "n.parquet"]).succeeded();
    assert!(
        ran.stdout.contains("3 vertices: 5 neighbors") && ran.stdout.contains("5 rows in n.parquet"),
        "{ran:?}"
    );
    let file = SerializedFileReader::new(File::open(dir.join("n.parquet")).unwrap()).unwrap();
    assert_eq!(file.metadata().file_metadata().num_rows(), 5);
    let ran = graph(dir, &["subgraph", "g", "--vertices", "ids.txt", "-o", "s.csv", "--json"]).succeeded();
    let document: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!((&document["found_edges"], &document["output"]), (&json!(2), &json!("s.csv")));
    assert!(document.get("rows").is_none());
    assert_eq!(
        fs::read_to_string(dir.join("s.csv")).unwrap(),
        "source,target,weight\nbob,bob,4\nbob,\"c, d\",1\n"
    );
    assert_eq!(names(dir), ["e.csv", "g", "ids.txt", "n.parquet", "s.csv"]);
}

#[test]
fn the_document_has_the_rows() {
    let dir = folder();
    let dir = dir.path();
    store(dir);
    let document = |arguments: &[&str]| {
        let ran = graph(dir, arguments).succeeded();
        serde_json::from_str::<Value>(&ran.stdout).unwrap_or_else(|error| panic!("{error}: {}", ran.stdout))
    };
    let found = document(&["neighbors", "g", "c, d", "--json", "--concurrency", "7"]);
    assert_eq!(found["rows"], json!({"neighbors": [{"vertex": "c, d", "neighbor": "ann", "weight": 2.0}]}));
    let numbers = ["row_count", "cache_misses", "version"].map(|name| found[name].as_u64().unwrap());
    assert_eq!((numbers, &found["question"]), ([1, 1, 0], &json!("neighbors")));
    let found = document(&["ego", "g", "c, d", "--json"]);
    let vertices = json!([{"vertex": "c, d", "hops": 0}, {"vertex": "ann", "hops": 1}]);
    assert_eq!(found["rows"]["vertices"], vertices);
    assert_eq!(found["rows"]["edges"], json!([{"source": "c, d", "target": "ann", "weight": 2.0}]));
}

#[test]
fn committed_changes_are_part_of_the_answers() {
    let dir = folder();
    let dir = dir.path();
    fs::write(dir.join("e.txt"), "1 2\n2 3\n").unwrap();
    graph(dir, &["import", "e.txt", "g", "--undirected"]).succeeded();
    fs::write(dir.join("changes.txt"), "+ 1 9\n- 2 3\n").unwrap();
    graph(dir, &["update", "g", "changes.txt"]).succeeded();
    let ran = graph(dir, &["neighbors", "g", "1", "9", "3"]).succeeded();
    assert_eq!(ran.stdout, "vertex,neighbor\n1,2\n1,9\n9,1\n");
}

#[test]
fn bad_input_is_refused_in_one_line_and_leaves_nothing() {
    let dir = folder();
    let dir = dir.path();
    store(dir);
    fs::write(dir.join("ids.txt"), "ann\n\nzoe\n").unwrap();
    fs::write(dir.join("one.txt"), "1 2\n").unwrap();
    graph(dir, &["import", "one.txt", "one"]).succeeded();
    let before = names(dir);
    for (arguments, parts) in [
        (&["neighbors", "g", "zoe"][..], &["g: has no vertex zoe", "its ids go from ann to c, d"][..]),
        (&["neighbors", "g", "--vertices", "ids.txt", "-o", "x.csv"], &["ids.txt:3: g: has no vertex zoe"]),
        (&["neighbors", "g", "--vertices", "no.txt"], &["no.txt: cannot be opened"]),
        (&["neighbors", "g"], &["VERTEX"]),
        (&["neighbors", "g", "ann", "--direction", "up"], &["--direction", "none of out, in and both"]),
        (&["neighbors", "one", "1", "--direction", "in"], &["needs incoming edges", "--reverse"]),
        (&["neighbors", "g", "ann", "-o", "x.bin"], &["x.bin: its ending", "name a .csv or .parquet"]),
        (&["neighbors", "g", "ann", "-o", "g"], &["-o g: is the same file as STORE g"]),
        (
            &["neighbors", "g", "ann", "--memory", "100K"],
            &["--memory 100K", "the neighbours of 1 vertex needs"],
        ),
        (&["ego", "g", "ann", "--hops=-1"], &["--hops", "-1"]),
        (&["subgraph", "e.csv", "ann"], &["e.csv: is not a graph store"]),
    ] {
        graph(dir, arguments).failed(2, parts);
        assert_eq!(names(dir), before, "{arguments:?}");
    }
}
