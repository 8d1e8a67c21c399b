//! Pajek.

use super::{directed, edges, plain, read_text, refused, weighted};

#[test]
fn labels_are_names_and_sections_tell_the_direction() {
    // As networkx writes it.
    let text = "*vertices 3\n1 ann 0.0 0.0 ellipse\n2 \"b c\" 0.0 0.0 ellipse\n3 alone 0.0 0.0 \
        ellipse\n*arcs\n1 2 2.5\n2 1 1.0 c \"x\"\n";
    let found = read_text("a.net", text, &weighted()).unwrap();
    assert_eq!(
        (found.named(), &found.weights),
        ((false, edges(&[("ann", "b c"), ("b c", "ann")])), &vec![2.5, 1.0])
    );
    assert_eq!(found.vertex_names(), ["ann", "b c", "alone"]);
    let found = read_text("a.txt", text.replace("arcs", "Edges"), &plain()).unwrap();
    assert!(found.declared.undirected);
    assert_eq!(found.summary.notes, ["vertices are called by their labels", "its weights were not kept"]);
    let found = read_text("a.net", "*Vertices 2\n1 \"17\"\n2 \"5\"\n*Edges\n1 2\n", &weighted()).unwrap();
    assert_eq!((found.pairs, found.vertices, found.weights), (vec![(17, 5)], vec![17, 5], vec![1.0]));
}

#[test]
fn a_label_may_have_a_quote_of_its_own() {
    let text = "*Vertices 2\n1 \"a\"1 0.5\n2 \"a\"\n*Edges\n1 2\n";
    let found = read_text("a.net", text, &plain()).unwrap();
    assert_eq!(found.named().1, edges(&[("\"a\"1", "a")]));
}

#[test]
fn vertices_without_labels_are_called_by_their_numbers() {
    let text = "% c\n*Network x\n*Vertices 4 2\n*Arcslist\n1 2 3\n4 1\n*Arcs :1 \"r\"\n2 3 7\n*Partition \
        p\n*Vertices 4\n1\n2\n1\n1\n";
    let found = read_text("a.net", text, &plain()).unwrap();
    assert_eq!(found.pairs, [(1, 2), (1, 3), (4, 1), (2, 3)]);
    assert_eq!((found.declared.vertices, found.declared.undirected), (Some(4), false));
    assert!(found.summary.notes[0].contains("vertices are of two kinds; the first are 1 to 2"));
    assert!(found.summary.notes.contains(&"the section \"*Partition\" was not read".to_owned()));
    let found = read_text("a.net", "*Vertices 3\n1 a\n3 c\n*Edgeslist\n1 3\n", &plain()).unwrap();
    assert_eq!((found.pairs, found.declared.vertices), (vec![(1, 3)], Some(3)));
    assert!(found.summary.notes[0].ends_with("since not every vertex has a label"));
    // Many that nobody names take no memory.
    assert_eq!(read_text("a.net", "*Vertices 1000000000000\n", &plain()).unwrap().pairs, []);
}

#[test]
fn what_is_wrong_is_named_with_its_line() {
    let both = "*Vertices 3\n*Arcs\n1 2\n*Edges\n2 3\n";
    refused(
        "a.net",
        &plain(),
        &[
            (both, "line 5: found both *Arcs, which lead one way, and *Edges, which lead both ways"),
            ("*Vertices 3\n*Arcs\n1 4\n", "line 3: expected a vertex from 1 to 3, found 4"),
            ("*Vertices 3\n*Arcs\n1 2 x\n", "line 3: expected a finite number as weight, found \"x\""),
            ("*Vertices 3\n4 d\n", "line 2: expected a vertex from 1 to 3, found 4"),
            ("*Vertices 3\n1 \"a\n", "line 2: expected a quote's end on its line"),
            ("*Arcs\n1 2\n", "line 1: expected *Vertices in front of edges"),
            ("1 2\n", "line 1: expected *Vertices and their number, found \"1 2\""),
            ("*Vertices 2\n*Matrix\n0 1\n1 0\n", "line 2: found *Matrix, which is not read"),
            ("*Vertices 2\n*Arcs\n*Vertices 2\n", "line 3: found a second network"),
            (
                "*Vertices 2\n*Arcs :1 \"a\"\n1 2\n*Arcs :2 \"b\"\n1 2\n",
                "line 4: found edges of relation \":2\" after edges of \":1\"",
            ),
        ],
    );
    assert_eq!(read_text("a.net", both, &directed()).unwrap().pairs, [(1, 2), (2, 3)]);
}
