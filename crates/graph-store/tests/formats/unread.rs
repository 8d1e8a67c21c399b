//! Formats that are not read are named.

use super::{plain, refused};

#[test]
fn graphs_in_other_languages_are_named_and_not_read_as_columns() {
    refused(
        "a.txt",
        &plain(),
        &[
            (
                "digraph G {\n a -> b;\n}\n",
                "line 1: found Graphviz's DOT, \"digraph G {\", which is not read; convert it",
            ),
            ("graph {\n", "line 1: found Graphviz's DOT"),
            ("{\"nodes\": [], \"links\": []}\n", "line 1: found JSON"),
            ("<?xml version=\"1.0\"?>\n<svg xmlns=\"x\">\n", "found XML that is neither GraphML nor GEXF"),
        ],
    );
}
