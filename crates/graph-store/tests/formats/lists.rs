//! Lists of neighbours, NCOL, DIMACS and KONECT.

use leadline_graph_store::input::{Comment, Delimiter, IdMode, InputOptions, TextOptions};

use super::{directed, edges, plain, read_text, refused, weighted};

fn with_format(name: &str) -> InputOptions {
    InputOptions { format: Some(name.parse().unwrap()), ..plain() }
}

#[test]
fn adjacency_lists_of_networkx_have_all_edges_and_lonely_vertices() {
    let found = read_text("a.adjlist", "#a.py\n# GMT Thu\n\n1 2 3\n2 3\n3\n4\n", &plain()).unwrap();
    assert_eq!(found.pairs, [(1, 2), (1, 3), (2, 3)]);
    assert_eq!((found.vertices, found.strings), (vec![3, 4], None));
    assert_eq!((found.summary.lines_skipped.comments, found.summary.lines_skipped.blank), (2, 1));
    let found = read_text("a.txt", "ann bob cy\nbob\n", &with_format("adjlist")).unwrap();
    assert_eq!(found.named().1, edges(&[("ann", "bob"), ("ann", "cy")]));
    let text = TextOptions { delimiter: Some(Delimiter::Byte(b';')), ..TextOptions::default() };
    let found =
        read_text("a.csv", "New York; Boston;Rome\nRome\n", &InputOptions { text, ..with_format("adjlist") });
    assert_eq!(found.unwrap().named().1, edges(&[("New York", "Boston"), ("New York", "Rome")]));
    // A list longer than any buffer.
    let hub: String = (0..200_000).map(|vertex| format!(" {vertex}")).collect();
    assert_eq!(read_text("a.adjlist", format!("7{hub}\n8 7"), &plain()).unwrap().pairs.len(), 200_001);
}

#[test]
fn a_name_that_begins_as_comments_do_is_refused_until_somebody_decides() {
    refused(
        "a.adjlist",
        &plain(),
        &[
            ("#rust go\n", "line 1: \"#rust\" may be a comment, or a name that begins with #"),
            ("go c\nc #rust\n", "line 2: \"#rust\" may be a comment"),
            ("1 2\n1 x\n", "line 2: expected a neighbour's id, found \"x\"; where ids are names"),
        ],
    );
    let none = TextOptions { comment: Some(Comment::None), ..TextOptions::default() };
    let found = read_text("a.adjlist", "#rust go\n", &InputOptions { text: none, ..plain() }).unwrap();
    assert_eq!(found.named().1, edges(&[("#rust", "go")]));
    // Numbers leave no doubt.
    assert_eq!(read_text("a.adjlist", "1 2 #3\n4 5\n", &plain()).unwrap().pairs, [(1, 2), (4, 5)]);
}

#[test]
fn counted_lists_must_have_as_many_neighbours_as_they_say() {
    let found = read_text("a.txt", "0 2 1 2\n1 0\n2 1 0\n", &with_format("graphchi")).unwrap();
    assert_eq!((found.pairs, found.vertices), (vec![(0, 1), (0, 2), (2, 0)], vec![1]));
    refused(
        "a.graphchi",
        &plain(),
        &[
            ("0 2 1\n", "line 1: expected 2 neighbours, as it says, found 1"),
            ("0 1 1 2\n", "line 1: expected the end of the line after 1 neighbours, as it says, found \"2\""),
            ("0 1 1\n7\n", "line 2: expected the number of neighbours after the vertex"),
            ("a 1 b\n", "line 1: expected a vertex id, found \"a\""),
        ],
    );
    let names = InputOptions { ids: IdMode::Strings, ..plain() };
    refused("a.graphchi", &names, &[("0 1 1\n", "graphchi has ids that are numbers")]);
}

#[test]
fn ragged_lines_are_refused_with_both_formats_that_have_them() {
    refused("a.txt", &plain(), &[("0 1 2\n1 2\n", "say format adjlist or format graphchi")]);
}

#[test]
fn multiline_lists_have_attributes() {
    let text = "# x\n1 2\n2 {'weight': 0.5, 'c': 'x y'}\n3 {'weight': 2}\n2 0\n3 0\n";
    let found = read_text("a.multiline_adjlist", text, &weighted()).unwrap();
    assert_eq!((found.pairs, found.weights), (vec![(1, 2), (1, 3)], vec![0.5, 2.0]));
    assert_eq!(found.vertices, [2, 3]);
    let found = read_text("a.multiline_adjlist", text, &plain()).unwrap();
    assert_eq!(found.summary.notes, ["its weights were not kept"]);
    refused(
        "a.multiline_adjlist",
        &weighted(),
        &[
            ("1 1\n2 {}\n", "line 2: expected a 'weight' among its attributes, found none"),
            ("1 2\n2 {'weight': 1}\n", "expected 1 more neighbours of its last vertex, found the end"),
            ("1 2 3\n", "line 1: expected the end of the line"),
            ("1 1\n2 3\n", "line 2: expected attributes {...} after \"2\", found \"3\""),
        ],
    );
}

#[test]
fn names_of_ncol_are_no_header() {
    let found = read_text("a.ncol", "source target 2\na b 1.5\n", &weighted()).unwrap();
    assert_eq!(
        (found.named().1, found.weights),
        (edges(&[("source", "target"), ("a", "b")]), vec![2.0, 1.5])
    );
}

#[test]
fn dimacs_is_told_by_its_lines_whatever_it_is_called() {
    let arcs = "c a road\np sp 4 3\na 1 2 7\na 2 1 7\na 3 1 0.5\n";
    let found = read_text("a.txt", arcs, &weighted()).unwrap();
    assert_eq!((found.pairs, found.weights), (vec![(1, 2), (2, 1), (3, 1)], vec![7.0, 7.0, 0.5]));
    assert_eq!((found.declared.vertices, found.declared.undirected), (Some(4), false));
    assert_eq!(found.summary.format, "dimacs");
    let edges = "p edge 4 2\ne 1 2\ne 4 1\n";
    let found = read_text("a.csv", edges, &plain()).unwrap();
    assert_eq!((found.pairs, found.declared.undirected), (vec![(1, 2), (4, 1)], true));
    assert!(!read_text("a.col", edges, &directed()).unwrap().declared.undirected);
    let flow = "c f\nc\np max 3 1\nn 1 s\nn 3 t\na 1 3 9\n";
    let found = read_text("a.max", flow, &plain()).unwrap();
    assert_eq!(found.pairs, [(1, 3)]);
    assert_eq!(found.summary.notes, ["its weights were not kept", "2 lines n, of vertices, were not read"]);
    assert_eq!(read_text("a.gr", "p tw 3 2\n1 2\n2 3\n", &plain()).unwrap().pairs, [(1, 2), (2, 3)]);
}

#[test]
fn dimacs_must_keep_what_its_header_says() {
    refused(
        "a.gr",
        &plain(),
        &[
            ("p sp 4 3\na 1 2 7\n", "expected 3 edges, as the line p says, found 1; it was cut off"),
            ("p edge 4 1\ne 1 2\ne 2 3\n", "line 3: expected 1 edges, as the line p says, found more"),
            ("p edge 4 1\ne 1 5\n", "line 2: expected a target id from 1 to 4, found 5"),
            ("p sp 4 1\na 1 2\n", "line 2: expected a weight, found the end of the line"),
            ("p edge 4 1\na 1 2\n", "line 2: expected a line e with an edge, found \"a 1 2\""),
            ("p cnf 4 1\n", "line 1: expected p and one of sp, max, edge"),
            ("1 2\n", "line 1: expected a line p, found \"1 2\""),
        ],
    );
    refused("a.col", &weighted(), &[("p edge 2 1\ne 1 2\n", "has no weights as dimacs")]);
}

#[test]
fn konect_says_its_direction_and_numbers_both_sides() {
    let found =
        read_text("out.web", "% asym positive\n% 3 4 4\n1\t2\t5 100\n4 1 2 101\n", &weighted()).unwrap();
    assert_eq!((found.pairs, found.weights), (vec![(1, 2), (4, 1)], vec![5.0, 2.0]));
    assert_eq!((found.declared.undirected, found.declared.vertices), (false, Some(4)));
    assert_eq!(found.summary.columns_ignored, ["time"]);
    let found = read_text("a.txt", "% sym unweighted \n1 2\n", &plain()).unwrap();
    assert!(found.declared.undirected && found.summary.format == "konect");
    let bipartite = "% bip unweighted\n% 3 2 3\n1 1\n2 3\n1 3\n";
    let found = read_text("out.moreno_crime", bipartite, &plain()).unwrap();
    assert_eq!(found.pairs, [(1, 3), (2, 5), (1, 5)]);
    assert_eq!((found.declared.vertices, found.declared.undirected), (Some(5), true));
    assert!(found.summary.notes[0].contains("targets, 1 to 3 in the file, are those from 3 to 5"));
    refused(
        "out.x",
        &plain(),
        &[
            ("1 2\n", "line 1: expected % sym, % asym or % bip and the kind of weights, found \"1 2\""),
            ("% bip positive\n1 1\n", "line 2: expected % EDGES LEFT RIGHT"),
            (
                "% bip positive\n% 1 2 5\n3 1\n",
                "expected sources from 1 to 2 and targets from 1 to 5, found 3 and 1",
            ),
            ("% asym weighted\n% 1 4 4\n1 5\n", "line 3: expected ids from 1 to 4, found 1 and 5"),
            ("% asym weighted\n1.0 5\n", "line 2: expected a source id, found \"1.0\""),
        ],
    );
    // Found by fuzzing: numbers of the right side went beyond 2^64.
    let error =
        read_text("out.x", "% bip unweighted\n% 2 18446744073709551615 9\n1 1\n", &plain()).unwrap_err();
    assert!(error.to_string().contains("vertices: a store holds at most"), "{error}");
    refused("out.x", &weighted(), &[("% sym unweighted\n1 2 3\n", "has no weights as konect")]);
    let bipartite = InputOptions { bipartite: true, ..plain() };
    refused("out.x", &bipartite, &[("% asym weighted\n1 5\n", "is not bipartite, as its first line says")]);
}
