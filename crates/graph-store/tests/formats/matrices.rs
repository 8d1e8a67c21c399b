//! Matrix Market: every kind of matrix that its definition has.

use leadline_graph_store::input::InputOptions;

use super::{directed, plain, read_text, refused, weighted};

fn matrix(kind: &str, rest: &str) -> String {
    format!("%%MatrixMarket matrix {kind}\n% c\n{rest}")
}

fn bipartite() -> InputOptions {
    InputOptions { bipartite: true, ..plain() }
}

#[test]
fn a_skew_symmetric_matrix_has_both_edges_with_both_signs() {
    let text = matrix("coordinate real skew-symmetric", "3 3 2\n2 1 5\n3 1 -0.5\n");
    let found = read_text("a.mtx", &text, &weighted()).unwrap();
    assert_eq!(found.pairs, [(2, 1), (3, 1), (1, 2), (1, 3)]);
    assert_eq!(found.weights, [5.0, -0.5, -5.0, 0.5]);
    assert!(found.declared.directed && !found.declared.undirected);
    let found = read_text("a.mtx", &text, &plain()).unwrap();
    assert_eq!((found.pairs, found.declared.undirected), (vec![(2, 1), (3, 1)], true));
    let found = read_text("a.mtx", &text, &InputOptions { weights: true, ..directed() }).unwrap();
    assert_eq!((found.pairs.len(), found.declared.undirected), (2, false));
    let diagonal = matrix("coordinate real skew-symmetric", "3 3 1\n2 2 5\n");
    refused("a.mtx", &plain(), &[(&diagonal, "expected nothing on the diagonal")]);
}

#[test]
fn of_complex_values_the_real_part_is_the_weight_and_that_is_said() {
    let text = matrix("coordinate complex general", "2 2 2\n1 2 0.5 -1\n2 1 3 4\n");
    let found = read_text("a.mtx", &text, &weighted()).unwrap();
    assert_eq!((found.pairs, found.weights), (vec![(1, 2), (2, 1)], vec![0.5, 3.0]));
    assert_eq!(found.summary.notes, ["the weights are the real parts of its complex values"]);
    let found = read_text("a.mtx", &text, &plain()).unwrap();
    assert_eq!(found.summary.notes, ["its complex values were not kept"]);
    let text = matrix("coordinate complex hermitian", "2 2 2\n1 1 1 0\n2 1 3 4\n");
    let found = read_text("a.mtx", &text, &weighted()).unwrap();
    assert_eq!((found.pairs, found.weights), (vec![(1, 1), (2, 1)], vec![1.0, 3.0]));
    assert!(found.declared.undirected);
}

#[test]
fn entries_of_both_triangles_of_a_symmetric_matrix_are_refused() {
    let both = matrix("coordinate pattern symmetric", "3 3 3\n1 1\n2 1\n1 3\n");
    refused("a.mtx", &plain(), &[(&both, "one side of the diagonal")]);
    refused(
        "a.mtx",
        &plain(),
        &[(&both, "found (2, 1) and (1, 3); where all are listed, the matrix is general")],
    );
    let upper = matrix("coordinate pattern symmetric", "3 3 2\n1 2\n1 3\n");
    assert_eq!(read_text("a.mtx", upper, &plain()).unwrap().pairs, [(1, 2), (1, 3)]);
}

#[test]
fn what_is_not_0_in_a_dense_matrix_is_an_edge() {
    // Column by column.
    let text = matrix("array real general", "2 2\n0\n2.5\n-1 0.0\n");
    let found = read_text("a.mtx", &text, &weighted()).unwrap();
    assert_eq!((found.pairs, found.weights), (vec![(2, 1), (1, 2)], vec![2.5, -1.0]));
    assert_eq!(found.summary.notes, ["2 entries that are 0 are no edges"]);
    let text = matrix("array integer symmetric", "3 3\n0\n1\n2\n0\n3\n4\n");
    let found = read_text("a.mtx", &text, &weighted()).unwrap();
    assert_eq!(
        (found.pairs, found.weights),
        (vec![(2, 1), (3, 1), (3, 2), (3, 3)], vec![1.0, 2.0, 3.0, 4.0])
    );
    let text = matrix("array real skew-symmetric", "3 3\n1\n0\n3\n");
    assert_eq!(read_text("a.mtx", &text, &weighted()).unwrap().pairs, [(2, 1), (3, 2), (1, 2), (2, 3)]);
    let text = matrix("array complex general", "1 1\n0\n-1\n");
    assert_eq!(read_text("a.mtx", &text, &plain()).unwrap().pairs, [(1, 1)]);
    for (kind, rest, expected) in [
        ("array real general", "2 2\n1\n1\n1\n", "found the end before the entry of row 2 in column 2"),
        (
            "array real general",
            "2 2\n1\n1\n1\n1\n1\n",
            "line 8: expected the end after the entries of 2 rows",
        ),
        ("array real general", "2 2 4\n", "line 3: expected the numbers of rows and columns"),
        ("array real skew-symmetric", "2 2\n1\n1\n", "line 5: expected the end"),
    ] {
        refused("a.mtx", &plain(), &[(&matrix(kind, rest), expected)]);
    }
    let wide = matrix("array real general", "0 18446744073709551615\n");
    let error = read_text("a.mtx", wide, &bipartite()).unwrap_err().to_string();
    assert!(error.contains("vertices: a store holds at most"), "{error}");
}

#[test]
fn rows_and_columns_are_two_kinds_of_vertices_where_somebody_says_so() {
    let text = matrix("coordinate real general", "2 3 2\n1 3 0.5\n2 1 7\n");
    refused("a.mtx", &plain(), &[(&text, "line 3: expected a square matrix, as for graphs, found 2 rows")]);
    let found = read_text("a.mtx", &text, &InputOptions { weights: true, ..bipartite() }).unwrap();
    assert_eq!((found.pairs, found.weights), (vec![(1, 5), (2, 3)], vec![0.5, 7.0]));
    assert_eq!(found.declared.vertices, Some(5));
    assert!(found.summary.notes[0].contains("targets, 1 to 3 in the file, are those from 3 to 5"));
    let square = matrix("coordinate pattern general", "2 2 1\n1 1\n");
    assert_eq!(read_text("a.mtx", square, &bipartite()).unwrap().pairs, [(1, 3)]);
    let dense = matrix("array real general", "1 2\n1\n1\n");
    assert_eq!(read_text("a.mtx", dense, &bipartite()).unwrap().pairs, [(1, 2), (1, 3)]);
    let outside = matrix("coordinate pattern general", "2 3 1\n3 1\n");
    refused("a.mtx", &bipartite(), &[(&outside, "expected sources from 1 to 2 and targets from 1 to 3")]);
    let symmetric = matrix("coordinate pattern symmetric", "2 2 1\n2 1\n");
    refused("a.mtx", &bipartite(), &[(&symmetric, "the matrix is symmetric, so its rows and columns")]);
    refused("a.txt", &bipartite(), &[("1 2\n", "snap has no rows and columns")]);
}

#[test]
fn a_banner_without_a_size_is_a_comment_of_a_list_of_edges() {
    let text = "%%MatrixMarket matrix coordinate pattern symmetric\n%3 3 2\n3 1\n2 1\n";
    assert_eq!(read_text("a.edgelist", text, &plain()).unwrap().pairs, [(3, 1), (2, 1)]);
    refused(
        "a.mtx",
        &plain(),
        &[(text, "line 3: expected the numbers of rows, columns and entries, found \"3 1\"")],
    );
    let matrix = matrix("coordinate pattern general", "3 3 1\n3 1\n");
    assert_eq!(read_text("a.edgelist", matrix, &plain()).unwrap().summary.format, "mtx");
}

#[test]
fn ids_that_are_no_whole_numbers_are_not_said_to_be_names() {
    let text = matrix("coordinate pattern general", "2 2 1\n1.0 2.0\n");
    let error = super::refusal("a.mtx", text, &plain());
    assert!(error.ends_with("line 4: expected a source id, found \"1.0\""), "{error}");
}
