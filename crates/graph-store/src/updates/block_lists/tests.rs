use proptest::prelude::*;

use super::*;
use crate::format::block_layout::{self, Head};
use crate::format::{Decoder, Layout, list_code};
use crate::updates::block_rows::GroupRows;
use crate::updates::rows::{Change, Row, sort};

/// By vertex, its neighbours and their weights, ascending.
type Lists = Vec<Vec<(Vertex, f64)>>;

/// A block of lists from a vertex on, as it is in a store.
fn block_of(lists: &Lists, first: Vertex, layout: &Layout) -> Vec<u8> {
    let (mut data, mut ends) = (Vec::new(), Vec::new());
    for (owner, list) in (first..).zip(lists) {
        let (neighbours, weights) = (list.iter().map(|entry| entry.0), list.iter().map(|entry| entry.1));
        list_code::encode(layout, owner, neighbours, weights, &mut data);
        ends.push(data.len() as u16);
    }
    let head = Head { first, entries: lists.len() as u16, flags: CONTINUES, reserved: 0 };
    let mut block = Vec::new();
    block_layout::write(&mut block, 1 << 15, 0, head, &ends, &data);
    block
}

/// What changes make of lists.
fn changed(lists: &Lists, first: Vertex, rows: &[Row]) -> Lists {
    let mut lists = lists.clone();
    for row in rows {
        let list = &mut lists[(row.vertex() - first) as usize];
        match row.change() {
            Change::Remove => list.retain(|(neighbour, _)| *neighbour != row.neighbour()),
            Change::Add(weight) => {
                let at = list.partition_point(|(neighbour, _)| *neighbour <= row.neighbour());
                list.insert(at, (row.neighbour(), weight));
            }
        }
    }
    lists
}

/// Lists; of each row the vertex, the neighbour and what it does; the first vertex; whether lists are in the
/// byte code, and whether they are in the store; how weights are kept.
type Sample = (Lists, Vec<(u32, u32, u32)>, Vertex, bool, bool, Weights);

fn sample() -> impl Strategy<Value = Sample> {
    let neighbour = || prop_oneof![0u32..30, Just(1 << 20), 0u32..3000];
    let list = prop::collection::vec(neighbour(), 0..60);
    let lists = prop::collection::vec(list, 1..40).prop_map(|lists| {
        let sorted = |mut list: Vec<Vertex>| {
            list.sort_unstable();
            list.into_iter().enumerate().map(|(at, neighbour)| (neighbour, at as f64)).collect()
        };
        lists.into_iter().map(sorted).collect()
    });
    let rows = prop::collection::vec((0u32..40, neighbour(), 0u32..4), 0..150);
    let weights = prop_oneof![Just(Weights::None), Just(Weights::F32), Just(Weights::F64)];
    (lists, rows, 0u32..1000, any::<bool>(), any::<bool>(), weights)
}

proptest! {
    #[test]
    fn lists_and_blocks_are_what_changes_make_of_them(
        (lists, rows, first, compressed, is_stored, weights) in sample()
    ) {
        let count = lists.len() as u32;
        // A list without neighbours is one that only changes have.
        let lists = if is_stored { lists } else { vec![Vec::new(); count as usize] };
        let row = |(vertex, neighbour, kind): &(u32, u32, u32)| {
            // Some weights do not fit in four bytes.
            let weight = f64::from(*neighbour) + if *kind == 3 { 1e-12 } else { 0.0 };
            let change = if *kind == 0 { Change::Remove } else { Change::Add(weight) };
            Row::new(Row::key(first + vertex % count, *neighbour), change)
        };
        let mut rows: Vec<Row> = rows.iter().map(row).collect();
        sort(&mut rows);
        // Of one edge one removal.
        rows.dedup_by(|a, b| a.key == b.key && a.change() == Change::Remove);
        let expected = changed(&lists, first, &rows);
        let layout = Layout { block_bytes: 1 << 15, compressed, directed: true, weights, vertices: 1 << 30 };
        let bytes = block_of(&lists, first, &layout);
        let base = Block::new(&bytes, 7, compressed.then(Decoder::detect), weights);
        let mut group = GroupRows::default();
        group.begin(7);
        group.push(first..first + count, &rows, weights != Weights::None);
        let place = Place { number: 7, first, end: first + count, flags: CONTINUES };
        let found = BlockLists::new(is_stored.then_some(&base), group.of(7), place, weights);
        let (mut merger, mut list_merger) = (Merger::default(), ListMerger::default());
        let merged = found.merge(&mut merger);
        prop_assert_eq!((found.number(), found.vertices()), (7, first..first + count));
        prop_assert_eq!((merged.number(), merged.vertices()), (7, first..first + count));
        let (mut degrees, mut each) = (Vec::new(), Vec::new());
        found.each_degree(|vertex, degree| degrees.push((vertex, degree)));
        found.each_list(&mut list_merger, |vertex, list| {
            assert_eq!(list.count(), degrees[each.len()].1, "the list of {vertex}");
            each.push((vertex, match list {
                Neighbours::Changed(list) => list.to_vec(),
                Neighbours::Unchanged(groups) => {
                    groups.flat_map(|group| group.values.into_iter().take(group.len)).collect()
                }
            }));
        });
        prop_assert_eq!(each.len() as u32, count);
        let mut parts = Vec::new();
        found.each_part(&mut list_merger, |vertex, base, more| {
            let mut entries: Vec<(Vertex, f64)> = Vec::new();
            if let Some((block, place)) = base {
                let groups = block.groups_at(vertex, place);
                let mut of_weights = block.weights_at(place, groups.values());
                for group in groups {
                    let weights = of_weights.next_group();
                    entries.extend(group.values.into_iter().zip(weights).take(group.len));
                }
            }
            let of_more = |at| more.weights.get(at).copied().unwrap_or_default();
            entries.extend(more.neighbours.iter().enumerate().map(|(at, neighbour)| (*neighbour, of_more(at))));
            entries.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
            parts.push((vertex, entries));
        });
        for ((vertex, entries), part) in (first..).zip(&expected).zip(&parts) {
            let weight = |weight: f64| if weights == Weights::None { 0.0 } else { weight };
            let mut entries: Vec<_> = entries.iter().map(|entry| (entry.0, weight(entry.1))).collect();
            entries.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
            prop_assert_eq!(&(vertex, entries), part);
        }
        for (at, (vertex, expected)) in (first..).zip(&expected).enumerate() {
            let neighbours: Vec<Vertex> = expected.iter().map(|entry| entry.0).collect();
            let of_weights: Vec<f64> = expected.iter().map(|entry| entry.1).collect();
            let of_weights = if weights == Weights::None { &[] } else { &of_weights[..] };
            prop_assert_eq!(&each[at], &(vertex, neighbours.clone()));
            prop_assert_eq!(degrees[at], (vertex, neighbours.len()));
            for most in [1, 5, usize::MAX] {
                let (mut scanned, most) = (Vec::new(), most.min(neighbours.len()));
                let seen = found.scan(vertex, |neighbour| {
                    scanned.push(neighbour);
                    scanned.len() < most
                });
                prop_assert_eq!((seen, &scanned[..]), (most, &neighbours[..most]));
                scanned.clear();
                let seen = found.scan_unordered(vertex, |neighbour| {
                    scanned.push(neighbour);
                    scanned.len() < most
                });
                prop_assert_eq!((seen, scanned.len()), (most, most));
                if most == neighbours.len() {
                    scanned.sort_unstable();
                    prop_assert_eq!(&scanned, &neighbours);
                }
            }
            prop_assert_eq!(found.list(vertex, &mut list_merger).neighbours, &neighbours[..]);
            prop_assert_eq!(found.list(vertex, &mut list_merger).weights, of_weights);
            let mut scratch = Default::default();
            let in_block = merged.list(vertex, &mut scratch);
            prop_assert_eq!((in_block.neighbours, in_block.weights), (&neighbours[..], of_weights));
            prop_assert_eq!(found.is_piece(vertex), merged.is_piece(vertex));
        }
    }
}
