//! Edges of a file as changes of a store.

use leadline_graph_store::updates::{Change, ChangeOptions, ChangeSource, NextChanges};

use super::{file, plain};

/// The edges that are inserted.
fn inserted(name: &str, text: &str, directed: bool) -> Vec<(String, String)> {
    let (_folder, path) = file(name, text);
    let options = ChangeOptions {
        text: plain().text,
        columns: plain().columns,
        ignore_columns: false,
        strings: false,
        weighted: false,
        directed,
        delete: false,
        memory: 1 << 24,
    };
    let mut changes = ChangeSource::open(&path, None, options).unwrap();
    let mut all = Vec::new();
    while let NextChanges::Some(some) = changes.next(None).unwrap() {
        for (_, change) in some {
            if let Change::InsertEdge { source, target, .. } = change {
                all.push((source.to_string(), target.to_string()));
            }
        }
    }
    all
}

#[test]
fn an_edge_that_leads_both_ways_is_two_of_a_store_whose_edges_lead_one_way() {
    let there = super::edges(&[("1", "2"), ("2", "3")]);
    let both = super::edges(&[("1", "2"), ("2", "1"), ("2", "3"), ("3", "2")]);
    let matrix = "%%MatrixMarket matrix coordinate pattern symmetric\n3 3 2\n1 2\n2 3\n";
    for (name, text) in [("a.graph", "3 2\n2\n1 3\n2\n"), ("a.mtx", matrix)] {
        assert_eq!(inserted(name, text, true), both, "{name}");
        assert_eq!(inserted(name, text, false), there, "{name}");
    }
    assert_eq!(inserted("a.txt", "1 2\n2 3\n", true), there);
    let own = "%%MatrixMarket matrix coordinate pattern symmetric\n1 1 1\n1 1\n";
    assert_eq!(inserted("a.mtx", own, true), super::edges(&[("1", "1")]));
}
