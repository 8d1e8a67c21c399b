//! GML.

use leadline_graph_store::input::{Column, EdgeColumns, IdMode, InputOptions};

use super::{directed, edges, plain, read_text, refused, weighted};

fn gml(head: &str, nodes: &[(i64, &str)], rest: &str) -> String {
    let nodes: String =
        nodes.iter().map(|(id, label)| format!("  node [\n    id {id}\n{label}\n  ]\n")).collect();
    format!("Creator \"x\"\n# c\ngraph [\n{head}\n{nodes}{rest}]\n")
}

const PEOPLE: [(i64, &str); 3] = [(0, "label \"ann\""), (1, "label \"b &#38; c\""), (2, "label \"alone\"")];

#[test]
fn labels_are_names_where_they_are_unique() {
    let edge = "edge [ source 0 target 1 weight 2.5 graphics [ type \"line\" ] ]";
    let text = gml("directed 1", &PEOPLE, edge);
    let found = read_text("a.gml", &text, &weighted()).unwrap();
    assert_eq!((found.named(), &found.weights), ((false, edges(&[("ann", "b & c")])), &vec![2.5]));
    assert_eq!(found.vertex_names(), ["ann", "b & c", "alone"]);
    assert_eq!(found.summary.notes, ["vertices are called by their labels"]);
    // Whatever it is called.
    let found = read_text("a.txt", &text, &plain()).unwrap();
    assert!(
        found.summary.notes.contains(&"its weights were not kept".to_owned()),
        "{:?}",
        found.summary.notes
    );
    let numbers = InputOptions { ids: IdMode::Numbers, ..plain() };
    let expected =
        "line 17: expected labels that are numbers, found \"ann\"; where ids are names, read them as strings";
    refused("a.gml", &numbers, &[(&text, expected)]);
}

#[test]
fn labels_that_are_numbers_are_ids_that_are_numbers() {
    let nodes = [(0, "label \"17\""), (1, "label \"5\"")];
    let found = read_text("a.gml", gml("", &nodes, "edge [ target 1 source 0 ]"), &plain()).unwrap();
    assert_eq!((found.pairs, found.vertices), (vec![(17, 5)], vec![17, 5]));
    assert!(found.declared.undirected && found.strings.is_none());
    assert!(!read_text("a.gml", gml("", &nodes, ""), &directed()).unwrap().declared.undirected);
}

#[test]
fn ids_are_names_where_labels_are_not() {
    let twice = [(4, "label \"x\""), (7, "label \"x\"")];
    let found =
        read_text("a.gml", gml("directed 0", &twice, "edge [ source 4 target 7 ]"), &plain()).unwrap();
    assert_eq!((found.pairs, found.vertices), (vec![(4, 7)], vec![4, 7]));
    assert!(found.summary.notes[0].ends_with("since several vertices have the label \"x\""));
    let found = read_text("a.gml", gml("", &[(4, ""), (7, "label \"x\"")], ""), &plain()).unwrap();
    assert_eq!(found.vertices, [4, 7]);
    // As igraph writes names.
    let named = [(0, "name \"ann\""), (1, "name \"bob\"")];
    let found = read_text("a.gml", gml("", &named, "edge [ source 1 target 0 ]"), &plain()).unwrap();
    assert_eq!(found.named().1, edges(&[("bob", "ann")]));
    let negative = gml("", &[(-4, "")], "edge [ source -4 target -4 ]");
    refused("a.gml", &plain(), &[(&negative, "expected an id of 0 or more, found \"-4\"")]);
    let strings = InputOptions { ids: IdMode::Strings, ..plain() };
    assert_eq!(read_text("a.gml", &negative, &strings).unwrap().named().1, edges(&[("-4", "-4")]));
}

#[test]
fn all_may_stand_on_one_line_that_is_longer_than_any_buffer() {
    let nodes: String = (0..40_000).map(|node| format!("node [id {node} label \"n {node}\"] ")).collect();
    let edges: String = (1..40_000).map(|node| format!("edge [source 0 target {node}] ")).collect();
    let found = read_text("a.gml", format!("graph [{nodes}{edges}]"), &plain()).unwrap();
    assert_eq!((found.pairs.len(), found.vertices.len()), (39_999, 40_000));
    assert_eq!(found.strings.unwrap()[39_999], "n 39999");
}

#[test]
fn what_is_wrong_is_named_with_its_line() {
    let weight = Some(Column::Name("km".to_owned()));
    let km = InputOptions { columns: EdgeColumns { weight, ..EdgeColumns::default() }, ..plain() };
    let text = gml("", &PEOPLE, "edge [ source 0 target 1 km 7 weight 1 ]");
    assert_eq!(read_text("a.gml", &text, &km).unwrap().weights, [7.0]);
    for (rest, expected) in [
        ("edge [ source 0 ]", "line 17: expected a target of the edge, found none"),
        ("edge [ source 0 target 9 ]", "line 17: expected the id of a node, found 9"),
        ("edge [ source 0 target 1 ]", "line 17: expected a \"weight\" of the edge, found none"),
        (
            "edge [ source 0 target 1 weight \"x\" ]",
            "line 17: expected a finite number as weight, found \"x\"",
        ),
        (
            "edge [ source 0 target 1 weight 1 value 2 ]",
            "found several attributes that may be the weight, \"value\"",
        ),
        ("edge [ source 0 target 1 weight 1 ]\nnode [ id 3 ]", "line 18: found a node behind edges"),
        ("node [ id 2 ]", "line 17: found a second node with the id 2"),
        ("node [ label \"x\" ]", "line 17: expected an id of the node, found none"),
        ("node [ id x ]", "line 17: expected a whole number as \"id\", found \"x\""),
        ("] ]", "line 17: found ] without ["),
        ("[", "line 17: expected a key before ["),
        ("] graph [", "line 17: found a second graph"),
        ("x [", "found the end within its graph; it was cut off"),
    ] {
        refused("a.gml", &weighted(), &[(&gml("", &PEOPLE, rest), expected)]);
    }
    let deep = format!("graph [ {}", "a [ ".repeat(100_000));
    refused("a.gml", &plain(), &[(&deep, "found the end within its graph")]);
}
