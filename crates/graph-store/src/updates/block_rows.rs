//! The changes of a block's lists, by vertex and in few bytes, so that whoever reads the block again need not
//! read and decode them again.

use std::ops::Range;

use super::rows::{Change, Row, fits_in_four_bytes};
use crate::format::Vertex;

/// The changes of a block's lists.
#[derive(Debug, Default)]
pub struct BlockRows {
    first: Vertex,
    /// Words of a bit per vertex: its list has changes.
    words: u32,
    /// Lists with changes.
    lists: u32,
    rows: u32,
    /// Whether four bytes hold all weights that are added.
    is_narrow: bool,
    /// One behind the other: the bits; for each word of them, how many are set in those before; for each list
    /// with changes, where its rows end; the neighbour of each row; a bit per row that is set if it removes,
    /// if any does.
    numbers: Box<[u32]>,
    /// By row, if edges have weights.
    weights: Box<[f64]>,
}

/// The changes of a list, ascending; of one neighbour the removal comes first.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct ListRows<'a> {
    pub(crate) neighbours: &'a [Vertex],
    /// One per neighbour, if edges have weights.
    pub(crate) weights: &'a [f64],
    /// A bit per row of the block, and the first of the list's; empty where nothing is removed.
    removes: &'a [u32],
    from: usize,
}

impl ListRows<'_> {
    /// Whether a row takes away what copies of the edge there are; it adds one else.
    #[inline]
    pub(crate) fn removes(&self, row: usize) -> bool {
        let at = self.from + row;
        !self.removes.is_empty() && self.removes[at / 32] >> (at % 32) & 1 == 1
    }

    /// Whether all rows add.
    #[inline]
    pub(crate) fn only_adds(&self) -> bool {
        self.removes.is_empty() || (0..self.neighbours.len()).all(|row| !self.removes(row))
    }
}

impl BlockRows {
    /// Bytes in memory in addition to neighbours and weights, for as many lists as a block has mostly.
    pub(crate) const LEAST_BYTES: u64 = size_of::<BlockRows>() as u64 + 32;

    /// The changes of the lists of some vertices, sorted by key and all of these.
    pub(crate) fn new(vertices: Range<Vertex>, rows: &[Row], is_weighted: bool) -> BlockRows {
        if rows.is_empty() {
            return BlockRows::default();
        }
        let words = vertices.len().div_ceil(32);
        let lists = rows.chunk_by(|a, b| a.vertex() == b.vertex()).count();
        let has_removals = rows.iter().any(|row| row.change() == Change::Remove);
        let of_removals = if has_removals { rows.len().div_ceil(32) } else { 0 };
        let mut numbers = vec![0; 2 * words + lists + rows.len() + of_removals].into_boxed_slice();
        let (bits, rest) = numbers.split_at_mut(words);
        let (before, rest) = rest.split_at_mut(words);
        let (ends, rest) = rest.split_at_mut(lists);
        let (neighbours, removes) = rest.split_at_mut(rows.len());
        let mut end = 0;
        for (place, list) in ends.iter_mut().zip(rows.chunk_by(|a, b| a.vertex() == b.vertex())) {
            let at = (list[0].vertex() - vertices.start) as usize;
            bits[at / 32] |= 1 << (at % 32);
            end += list.len() as u32;
            *place = end;
        }
        let mut set = 0;
        for (before, bits) in before.iter_mut().zip(&*bits) {
            *before = set;
            set += bits.count_ones();
        }
        neighbours.iter_mut().zip(rows).for_each(|(place, row)| *place = row.neighbour());
        if has_removals {
            for (at, row) in rows.iter().enumerate() {
                removes[at / 32] |= u32::from(row.change() == Change::Remove) << (at % 32);
            }
        }
        let weight = |row: &Row| if let Change::Add(weight) = row.change() { weight } else { 0.0 };
        BlockRows {
            first: vertices.start,
            words: words as u32,
            lists: lists as u32,
            rows: rows.len() as u32,
            is_narrow: !is_weighted || rows.iter().all(|row| fits_in_four_bytes(*row)),
            weights: if is_weighted { rows.iter().map(weight).collect() } else { Box::default() },
            numbers,
        }
    }

    /// Whether no list has changes.
    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.rows == 0
    }

    /// Whether four bytes hold all weights that are added.
    pub(crate) fn is_narrow(&self) -> bool {
        self.is_narrow
    }

    /// Bytes in memory.
    pub(crate) fn bytes(&self) -> u64 {
        (size_of::<BlockRows>() + size_of_val(&*self.numbers) + size_of_val(&*self.weights)) as u64
    }

    /// The changes of a vertex's list.
    #[inline]
    pub(crate) fn of(&self, vertex: Vertex) -> ListRows<'_> {
        let at = (vertex - self.first) as usize;
        let (word, bit) = (at / 32, at % 32);
        if self.is_empty() || self.numbers[word] >> bit & 1 == 0 {
            return ListRows::default();
        }
        let below = self.numbers[word] & ((1 << bit) - 1);
        self.list((self.numbers[self.words as usize + word] + below.count_ones()) as usize)
    }

    /// The vertices whose lists have changes, ascending, with these.
    pub(crate) fn each(&self) -> impl Iterator<Item = (Vertex, ListRows<'_>)> {
        let vertices =
            self.numbers[..self.words as usize].iter().enumerate().flat_map(move |(word, bits)| {
                let mut bits = *bits;
                std::iter::from_fn(move || {
                    let bit = (bits != 0).then(|| bits.trailing_zeros())?;
                    bits &= bits - 1;
                    Some(self.first + 32 * word as Vertex + bit)
                })
            });
        vertices.enumerate().map(|(list, vertex)| (vertex, self.list(list)))
    }

    /// The changes of a list, by its place among those that have some.
    #[inline]
    fn list(&self, list: usize) -> ListRows<'_> {
        let (words, lists, rows) = (self.words as usize, self.lists as usize, self.rows as usize);
        let (ends, rest) = self.numbers[2 * words..].split_at(lists);
        let (neighbours, removes) = rest.split_at(rows);
        let from = if list == 0 { 0 } else { ends[list - 1] as usize };
        let end = ends[list] as usize;
        let weights = if self.weights.is_empty() { &[] } else { &self.weights[from..end] };
        ListRows { neighbours: &neighbours[from..end], weights, removes, from }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_rows_of_each_list_are_those_of_its_vertex(
            keys in prop::collection::vec((0u32..100, any::<u32>(), 0u8..4), 0..200),
            first in 0u32..1000,
            is_weighted in any::<bool>(),
        ) {
            let row = |(vertex, neighbour, kind): &(u32, u32, u8)| {
                let change = if *kind == 0 { Change::Remove } else { Change::Add(f64::from(*kind)) };
                Row::new(Row::key(first + vertex, *neighbour), change)
            };
            let mut rows: Vec<Row> = keys.iter().map(row).collect();
            super::super::rows::sort(&mut rows);
            let block = BlockRows::new(first..first + 100, &rows, is_weighted);
            let told = |list: ListRows<'_>| -> Vec<(u32, Option<f64>)> {
                let weight = |at: usize| if is_weighted { list.weights[at] } else { 0.0 };
                (list.neighbours.iter().enumerate())
                    .map(|(at, neighbour)| (*neighbour, (!list.removes(at)).then(|| weight(at))))
                    .collect()
            };
            let each: Vec<_> = block.each().map(|(vertex, list)| (vertex, told(list))).collect();
            prop_assert!(each.iter().all(|(_, list)| !list.is_empty()));
            prop_assert!(each.is_sorted_by(|a, b| a.0 < b.0));
            for vertex in first..first + 100 {
                let said = |row: &Row| match row.change() {
                    Change::Remove => (row.neighbour(), None),
                    Change::Add(weight) => (row.neighbour(), Some(if is_weighted { weight } else { 0.0 })),
                };
                let expected: Vec<_> =
                    rows.iter().filter(|row| row.vertex() == vertex).map(said).collect();
                let only_adds = expected.iter().all(|(_, weight)| weight.is_some());
                prop_assert_eq!(block.of(vertex).only_adds(), only_adds);
                prop_assert_eq!(&told(block.of(vertex)), &expected);
                let in_each = each.iter().find(|(other, _)| *other == vertex).map(|(_, list)| list.clone());
                prop_assert_eq!(in_each.unwrap_or_default(), expected);
            }
        }
    }
}
