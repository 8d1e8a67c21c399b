//! Any question to any graph, after any changes.

use leadline_graph::Graph;
use proptest::prelude::*;

use super::{Change, Plain, check, options};

fn change() -> impl Strategy<Value = Change> {
    prop_oneof![
        4 => (0u64..44, 0u64..44, 1u32..9).prop_map(|(a, b, weight)| Change::Insert(a, b, weight)),
        2 => (0u64..40, 0u64..40).prop_map(|(a, b)| Change::Delete(a, b)),
        1 => (0u64..40).prop_map(Change::DeleteVertex),
    ]
}

prop_compose! {
    fn plain()(
        kind in prop::array::uniform5(any::<bool>()),
        pairs in prop::collection::vec((0u64..40, 0u64..40, 1u32..9), 0..120),
        hub in prop::option::of(0u64..40),
    ) -> Plain {
        let mut edges = pairs;
        // Its list has several blocks.
        let hub_edges = hub.into_iter().flat_map(|hub| {
            (0..2500).map(move |at| if at % 7 == 0 { (at, hub, 1) } else { (hub, at % 1800, 2) })
        });
        edges.extend(hub_edges);
        let vertices = edges.iter().flat_map(|edge| [edge.0, edge.1]).chain(0..40).collect();
        let [directed, weighted, strings, renumbered, compressed] = kind;
        Plain { directed, weighted, strings, renumbered, compressed, vertices, edges }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(if leadline_testing::exhaustive() { 400 } else { 24 }))]
    #[test]
    fn the_answers_are_those_of_lists_in_memory(
        mut plain in plain(),
        commits in prop::collection::vec(prop::collection::vec(change(), 1..25), 0..3),
        asked in prop::collection::vec(any::<prop::sample::Index>(), 1..12),
        hops in 0u32..4,
        little in prop::bool::ANY,
    ) {
        let folder = tempfile::tempdir().unwrap();
        let store = folder.path().join("g");
        plain.write(&store);
        for commit in 0..=commits.len() {
            if let Some(changes) = commit.checked_sub(1).map(|at| &commits[at]) {
                plain.change(&store, changes);
            }
            let all: Vec<u64> = plain.vertices.iter().copied().collect();
            if all.is_empty() {
                continue;
            }
            let mut asked: Vec<u64> = asked.iter().map(|index| *index.get(&all)).collect();
            // A hub's list comes in pieces.
            asked.push(plain.hub());
            asked.rotate_right(hops as usize % 2);
            let plenty = 64 << 20;
            let mut graph = Graph::open(&store, options(plenty)).unwrap();
            let of_changes = plenty - graph.options().memory;
            let memory = if little { of_changes + (300 << 10) } else { plenty };
            check(&plain, &mut graph, &asked, hops, memory);
        }
    }
}

#[test]
fn a_lighter_copy_that_an_update_adds_comes_first_whether_vertices_are_renumbered_or_not() {
    for kind in 0..4 {
        let folder = tempfile::tempdir().unwrap();
        let store = folder.path().join("g");
        let mut plain = Plain {
            directed: kind & 1 == 1,
            weighted: true,
            strings: false,
            renumbered: kind & 2 == 2,
            compressed: false,
            vertices: (0..4).collect(),
            edges: vec![(1, 2, 3), (1, 2, 5), (1, 0, 2), (1, 3, 2)],
        };
        plain.write(&store);
        plain.change(&store, &[Change::Insert(1, 2, 1), Change::Insert(1, 2, 4)]);
        let mut graph = Graph::open(&store, options(64 << 20)).unwrap();
        check(&plain, &mut graph, &[2, 1], 1, 64 << 20);
    }
}
