//! Changes of edges, sorted: what a commit, the log as a whole, or a sorted run says about the entries of
//! lists.

use std::cmp::Ordering;
use std::ops::Range;

use rayon::prelude::*;

use crate::format::Vertex;

/// The weight of a row that removes. No edge has it: weights that are not numbers are refused.
const REMOVES: u64 = f64::NAN.to_bits() ^ 1;

/// One change of one list. Rows are sorted by key; of one key the row that removes comes first.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Row {
    /// The vertex whose list it is, in the high half, and the neighbour.
    pub(crate) key: u64,
    weight: f64,
}

/// What a row says about the copies of an edge that older rows and the base have.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Change {
    /// They are gone.
    Remove,
    /// There is one more, of this weight.
    Add(f64),
}

impl Row {
    /// The first key of a vertex's list.
    pub(crate) fn key(vertex: Vertex, neighbour: Vertex) -> u64 {
        u64::from(vertex) << 32 | u64::from(neighbour)
    }

    pub(crate) fn new(key: u64, change: Change) -> Row {
        let weight = match change {
            Change::Remove => f64::from_bits(REMOVES),
            Change::Add(weight) => weight,
        };
        Row { key, weight }
    }

    pub(crate) fn vertex(self) -> Vertex {
        (self.key >> 32) as Vertex
    }

    pub(crate) fn neighbour(self) -> Vertex {
        self.key as Vertex
    }

    pub(crate) fn change(self) -> Change {
        match self.weight.to_bits() {
            REMOVES => Change::Remove,
            _ => Change::Add(self.weight),
        }
    }

    /// The same change of the list of the other end.
    pub(crate) fn turned(self) -> Row {
        Row { key: self.key.rotate_left(32), ..self }
    }
}

/// Whether a row adds no weight that 4 bytes cannot hold.
pub(crate) fn fits_in_four_bytes(row: Row) -> bool {
    match row.change() {
        Change::Add(weight) => f64::from(weight as f32).to_bits() == weight.to_bits(),
        Change::Remove => true,
    }
}

/// The order of rows: copies that are added to one edge by their weights.
pub(crate) fn order(a: &Row, b: &Row) -> Ordering {
    let adds = |row: &Row| row.change() != Change::Remove;
    a.key.cmp(&b.key).then_with(|| adds(a).cmp(&adds(b)).then(a.weight.total_cmp(&b.weight)))
}

/// Sorts rows. Most keys are there once, so that nothing but keys is compared.
pub(crate) fn sort(rows: &mut [Row]) {
    sort_by(rows, |a, b| a.key.cmp(&b.key));
    for same in rows.chunk_by_mut(|a, b| a.key == b.key).filter(|same| same.len() > 1) {
        same.sort_unstable_by(order);
    }
}

/// Sorts; by all threads where that is worth waking them.
pub(crate) fn sort_by<T: Send>(items: &mut [T], order: impl Fn(&T, &T) -> Ordering + Sync) {
    const MANY: usize = 1 << 15;
    if items.len() < MANY { items.sort_unstable_by(order) } else { items.par_sort_unstable_by(order) }
}

/// The rows of a range of keys.
pub(crate) fn within(rows: &[Row], keys: Range<u64>) -> &[Row] {
    let start = rows.partition_point(|row| row.key < keys.start);
    let end = start + rows[start..].partition_point(|row| row.key < keys.end);
    &rows[start..end]
}

/// The same, for ranges that mostly ascend: `near` is where the rows of the one before ended.
pub(crate) fn within_near<'r>(rows: &'r [Row], keys: Range<u64>, near: &mut usize) -> &'r [Row] {
    let start = match rows[..*near].last() {
        Some(row) if row.key >= keys.start => rows.partition_point(|row| row.key < keys.start),
        _ => *near + ahead(&rows[*near..], keys.start),
    };
    *near = start + ahead(&rows[start..], keys.end);
    &rows[start..*near]
}

/// How many rows are before a key, where it is likely that they are few.
pub(crate) fn ahead(rows: &[Row], key: u64) -> usize {
    let (mut from, mut step) = (0, 1);
    while rows.get(from + step - 1).is_some_and(|row| row.key < key) {
        (from, step) = (from + step, 2 * step);
    }
    let rest = &rows[from..rows.len().min(from + step)];
    from + rest.partition_point(|row| row.key < key)
}

/// Puts layers of rows together: `rows` has those of each layer sorted, one layer after the other, the oldest
/// first; `starts` says where each begins. What is left says the same about the base as all of them did.
pub(crate) fn compose(rows: &mut Vec<Row>, starts: &[usize]) {
    let ends = starts.iter().skip(1).copied().chain([rows.len()]);
    if starts.iter().zip(ends).filter(|(start, end)| *start < end).count() < 2 {
        // One layer says it all.
        return;
    }
    // Stable: rows of one key stay in the order of their layers, and a layer's removal before its additions.
    rows.sort_by_key(|row| row.key);
    let (mut from, mut to) = (0, 0);
    while from < rows.len() {
        let key = rows[from].key;
        let end = from + rows[from..].iter().take_while(|row| row.key == key).count();
        // A removal takes with it whatever older layers said.
        let last = (from..end).rev().find(|at| rows[*at].change() == Change::Remove).unwrap_or(from);
        rows.copy_within(last..end, to);
        to += end - last;
        from = end;
    }
    rows.truncate(to);
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    /// By key, whether older copies go, and the weights that are added.
    type Effect = BTreeMap<u64, (bool, Vec<u64>)>;

    fn apply(effect: &mut Effect, layer: &[Row]) {
        for row in layer {
            let (removed, added) = effect.entry(row.key).or_default();
            match row.change() {
                Change::Remove => (*removed, *added) = (true, Vec::new()),
                Change::Add(weight) => added.push(weight.to_bits()),
            }
        }
    }

    proptest! {
        #[test]
        fn layers_come_to_what_they_say_one_after_the_other(
            layers in prop::collection::vec(prop::collection::vec((0u64..6, 0u8..3), 0..8), 0..6)
        ) {
            let (mut rows, mut starts, mut expected) = (Vec::new(), Vec::new(), Effect::new());
            for (number, layer) in layers.iter().enumerate() {
                let row = |(at, (key, kind)): (usize, &(u64, u8))| {
                    let weight = (number * 10 + at) as f64;
                    Row::new(*key, if *kind == 0 { Change::Remove } else { Change::Add(weight) })
                };
                let mut layer: Vec<Row> = layer.iter().enumerate().map(row).collect();
                sort(&mut layer);
                apply(&mut expected, &layer);
                starts.push(rows.len());
                rows.extend(layer);
            }
            compose(&mut rows, &starts);
            prop_assert!(rows.is_sorted_by(|a, b| order(a, b).is_le()));
            let mut found = Effect::new();
            apply(&mut found, &rows);
            prop_assert_eq!(found, expected);
        }
    }

    #[test]
    fn the_rows_of_a_range_are_those_whose_keys_are_in_it() {
        let rows: Vec<Row> = [3, 5, 5, 9].map(|key| Row::new(key, Change::Add(0.0))).into();
        let keys = |range| within(&rows, range).iter().map(|row| row.key).collect::<Vec<_>>();
        assert_eq!((keys(0..10), keys(4..9), keys(6..9)), (vec![3, 5, 5, 9], vec![5, 5], vec![]));
        let mut near = 0;
        for range in [0..10, 4..9, 6..9, 0..4, 5..6, 9..20, 3..3] {
            let expected = within(&rows, range.clone()).iter().map(|row| row.key);
            assert!(expected.eq(within_near(&rows, range, &mut near).iter().map(|row| row.key)));
        }
        assert_eq!(Row::new(Row::key(7, 2), Change::Remove).turned().key, Row::key(2, 7));
    }
}
