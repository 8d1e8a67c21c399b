//! METIS: both lists of an edge have it, once each and with one weight.

use leadline_graph_store::input::InputOptions;
use proptest::prelude::*;

use super::{directed, plain, read, read_text, refused, weighted};

#[test]
fn each_edge_is_given_once_and_as_its_entries_where_they_are_directed() {
    let found = read_text("a.graph", "4 3 1\n2 5 3 6\n1 5\n1 6 4 7\n3 7\n", &weighted()).unwrap();
    assert_eq!((found.pairs, found.weights), (vec![(1, 2), (1, 3), (3, 4)], vec![5.0, 6.0, 7.0]));
    assert!(found.declared.undirected);
    // A list of arcs in this form, with as many arcs as the header says.
    let found = read_text("a.graph", "3 3\n3 2\n3\n\n", &directed()).unwrap();
    assert_eq!((found.pairs, found.declared.undirected), (vec![(1, 3), (1, 2), (2, 3)], false));
}

#[test]
fn lists_that_do_not_agree_are_refused_with_the_line_and_the_vertices() {
    let one_sided = "line 3: vertex 2 lists 3 as its neighbour, and vertex 3 does not list 2";
    refused(
        "a.graph",
        &plain(),
        &[
            ("3 2\n2\n1 3\n\n", one_sided),
            // As many entries as there should be.
            ("4 2\n2\n1 3\n\n1\n", "as its neighbour, and vertex"),
            ("3 2\n2\n1 3 3\n2\n", "line 3: vertex 2 lists its neighbour 3 twice"),
            ("3 1\n2 2\n1\n\n", "line 2: vertex 1 lists its neighbour 2 twice"),
            (
                "% c\n3 3\n2\n1 3\n2\n",
                "expected each of 3 edges twice, as its header says, found 4 neighbours",
            ),
            ("3 1\n2\n1 3\n2\n", "expected each of 1 edges twice, as its header says, found 4 neighbours"),
            ("2 2\n1 1 1 2\n1\n", "line 2: vertex 1 lists itself as a neighbour too often"),
        ],
    );
    let unequal = "3 2 1\n2 5\n1 5 3 7\n2 6\n";
    refused(
        "a.graph",
        &weighted(),
        &[(
            unequal,
            "line 4: the edge between 3 and 2 weighs 6 here and 7 in line 3; where each list has the edges \
         that leave its vertex, read them as directed",
        )],
    );
    // Without weights that is no matter; as arcs both are right.
    assert_eq!(read_text("a.graph", unequal, &plain()).unwrap().pairs, [(1, 2), (2, 3)]);
    let arcs = InputOptions { weights: true, ..directed() };
    assert_eq!(read_text("a.graph", unequal, &arcs).unwrap().weights, [5.0, 5.0, 7.0, 6.0]);
    refused("a.graph", &directed(), &[("3 3\n2\n1 3 3\n\n", "line 3: vertex 2 lists its neighbour 3 twice")]);
}

#[test]
fn a_vertex_may_list_itself_once_or_twice_and_that_is_said() {
    for text in ["3 3\n1 2\n1 3\n2\n", "3 3\n1 2 1\n1 3\n2\n"] {
        let found = read_text("a.graph", text, &plain()).unwrap();
        assert_eq!(found.pairs, [(1, 1), (1, 2), (2, 3)], "{text}");
        assert_eq!(found.summary.notes, ["1 vertices list themselves, which METIS does not allow"]);
    }
}

#[test]
fn lists_in_any_order_need_a_bit_for_each_vertex_and_ascending_ones_nothing() {
    let small = InputOptions { memory: 1 << 10, ..plain() };
    let last = 100_000;
    let star = |hub: String| format!("{last} {}\n{hub}\n{}", last - 1, "1\n".repeat(last - 1));
    let ascending = star((2..=last).map(|vertex| format!("{vertex} ")).collect());
    let falling = star((2..=last).rev().map(|vertex| format!("{vertex} ")).collect());
    assert_eq!(read_text("a.graph", &ascending, &small).unwrap().pairs.len(), last - 1);
    assert_eq!(read_text("a.graph", &falling, &plain()).unwrap().pairs.len(), last - 1);
    refused(
        "a.graph",
        &small,
        &[(&falling, "line 2: expected the neighbours of vertex 1 in ascending order")],
    );
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 64,
        failure_persistence: None,
        rng_seed: prop::test_runner::RngSeed::Fixed(37),
        ..ProptestConfig::default()
    })]

    /// One entry removed, or another weight for it: the line of one of its two lists is named.
    #[test]
    fn one_wrong_entry_among_many_is_found(
        edges in prop::collection::btree_set((1u64..400, 1u64..400), 20..400),
        wrong: prop::sample::Index,
        removed: bool,
        packed: bool,
    ) {
        let edges: std::collections::BTreeSet<(u64, u64)> =
            edges.into_iter().filter(|(a, b)| a != b).map(|(a, b)| (a.min(b), a.max(b))).collect();
        let edges: Vec<(u64, u64)> = edges.into_iter().collect();
        let (from, to) = edges[wrong.index(edges.len())];
        let mut lists = vec![String::new(); 400];
        for (a, b) in &edges {
            lists[*b as usize] += &format!("{a} {} ", a + b);
            if (*a, *b) == (from, to) {
                lists[from as usize] += &if removed { String::new() } else { format!("{to} 1000 ") };
            } else {
                lists[*a as usize] += &format!("{b} {} ", a + b);
            }
        }
        let text = format!("399 {} 1\n{}\n", edges.len(), lists[1..].join("\n"));
        let (folder, path) = super::file("a.graph", &text);
        let path = if packed {
            let packed = folder.path().join("b.graph.zst");
            std::fs::write(&packed, zstd::encode_all(text.as_bytes(), 1).unwrap()).unwrap();
            packed
        } else {
            path
        };
        let error = read(&path, &weighted()).unwrap_err().to_string();
        let expected = if removed {
            format!("line {}: vertex {to} lists {from} as its neighbour, and vertex {from} does not", to + 1)
        } else {
            format!("line {}: the edge between {to} and {from} weighs {} here and 1000 in line \
                {}", to + 1, from + to, from + 1)
        };
        prop_assert!(error.contains(&expected), "{} {}", error, expected);
    }
}
