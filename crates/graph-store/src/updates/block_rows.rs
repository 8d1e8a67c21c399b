//! The changes of blocks' lists, by vertex and in few bytes, so that whoever reads the blocks again need not
//! read and decode them again.

use std::ops::Range;

use super::rows::{Change, Row, fits_in_four_bytes};
use crate::format::Vertex;

/// The changes of a group: of some blocks that follow one another, which are read and decoded together.
#[derive(Debug, Clone, Default)]
pub struct GroupRows {
    /// The first block.
    first: u32,
    /// By block, where its numbers begin, and in the end how many there are.
    starts: Vec<u32>,
    /// Of each block that has changes, one behind the other: [`HEAD`] numbers (its first vertex, words of
    /// bits, lists with changes, rows, rows of the blocks before, and [`flags`]); a bit per vertex: its list
    /// has changes; for each word of them, how many are set in those before; the neighbour of each row; for
    /// each list with changes, where its rows end; a bit per row that is set if it removes, if any does.
    numbers: Vec<u32>,
    /// By row, if edges have weights.
    weights: Vec<f64>,
}

/// Numbers in front of a block's.
const HEAD: usize = 6;

/// What is said of a block in one number.
mod flags {
    /// Some row removes.
    pub(super) const REMOVES: u32 = 1;
    /// Some weight does not fit in four bytes.
    pub(super) const WIDE: u32 = 2;
}

impl GroupRows {
    /// Bytes in memory in addition to neighbours and weights, of each block with as many lists as most have.
    pub(crate) const BYTES_PER_BLOCK: u64 = 4 * (HEAD as u64 + 1) + 32;

    /// Forgets all, and begins with the changes of a block and the blocks after it.
    pub(crate) fn begin(&mut self, first: u32) {
        self.first = first;
        self.starts.clear();
        self.starts.push(0);
        self.numbers.clear();
        self.weights.clear();
    }

    /// Adds the changes of the lists of the next block: of some vertices, sorted by key and all of these.
    pub(crate) fn push(&mut self, vertices: Range<Vertex>, rows: &[Row], is_weighted: bool) {
        if let Some(first) = rows.first() {
            let start = self.numbers.len();
            let words = vertices.len().div_ceil(32);
            // Each row may be of another list.
            self.numbers.resize(start + HEAD + 2 * words + 2 * rows.len(), 0);
            let (head, rest) = self.numbers[start..].split_at_mut(HEAD);
            let (bits, rest) = rest.split_at_mut(words);
            let (before, rest) = rest.split_at_mut(words);
            let (neighbours, ends) = rest.split_at_mut(rows.len());
            let (mut list, mut vertex, mut removes) = (0, first.vertex(), false);
            for (at, (row, neighbour)) in rows.iter().zip(neighbours).enumerate() {
                // Whether a list goes on is not foreseen by any processor: no branch depends on it.
                list += usize::from(row.vertex() != vertex);
                vertex = row.vertex();
                ends[list] = at as u32 + 1;
                *neighbour = row.neighbour();
                let bit = vertex - vertices.start;
                bits[bit as usize / 32] |= 1 << (bit % 32);
                removes |= row.change() == Change::Remove;
            }
            let mut set = 0;
            for (before, bits) in before.iter_mut().zip(&*bits) {
                *before = set;
                set += bits.count_ones();
            }
            let is_wide = is_weighted && !rows.iter().all(|row| fits_in_four_bytes(*row));
            let said = if removes { flags::REMOVES } else { 0 } | if is_wide { flags::WIDE } else { 0 };
            let lists = list + 1;
            let of_head = [vertices.start, words as u32, lists as u32, rows.len() as u32];
            head[..4].copy_from_slice(&of_head);
            head[4..].copy_from_slice(&[self.weights.len() as u32, said]);
            let end = start + HEAD + 2 * words + rows.len() + lists;
            self.numbers.truncate(end);
            if removes {
                self.numbers.resize(end + rows.len().div_ceil(32), 0);
                for (at, row) in rows.iter().enumerate() {
                    self.numbers[end + at / 32] |= u32::from(row.change() == Change::Remove) << (at % 32);
                }
            }
            if is_weighted {
                let weight = |row: &Row| if let Change::Add(weight) = row.change() { weight } else { 0.0 };
                self.weights.extend(rows.iter().map(weight));
            }
        }
        self.starts.push(self.numbers.len() as u32);
    }

    /// Whether the changes of a block are among them.
    pub(crate) fn has(&self, block: u32) -> bool {
        block >= self.first && ((block - self.first) as usize) + 1 < self.starts.len()
    }

    /// Bytes in memory of a copy.
    pub fn bytes(&self) -> u64 {
        (size_of_val(&*self.starts) + size_of_val(&*self.numbers) + size_of_val(&*self.weights)) as u64
    }

    /// The changes of a block.
    ///
    /// # Panics
    /// Where it is not of the group.
    #[inline]
    pub fn of(&self, block: u32) -> BlockRows<'_> {
        let at = (block - self.first) as usize;
        let numbers = &self.numbers[self.starts[at] as usize..self.starts[at + 1] as usize];
        let Some((head, numbers)) = numbers.split_first_chunk::<HEAD>() else { return BlockRows::default() };
        let [first, words, lists, rows, weights, flags] = *head;
        let weights = match self.weights.is_empty() {
            true => &[],
            false => &self.weights[weights as usize..(weights + rows) as usize],
        };
        BlockRows { first, words, lists, rows, flags, numbers, weights }
    }
}

/// The changes of a block's lists.
#[derive(Debug, Clone, Copy, Default)]
pub struct BlockRows<'a> {
    first: Vertex,
    words: u32,
    lists: u32,
    rows: u32,
    flags: u32,
    numbers: &'a [u32],
    weights: &'a [f64],
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

impl<'a> BlockRows<'a> {
    /// Whether no list has changes.
    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.rows == 0
    }

    /// Whether four bytes hold all weights that are added.
    pub(crate) fn is_narrow(&self) -> bool {
        self.flags & flags::WIDE == 0
    }

    /// The changes of a vertex's list.
    #[inline]
    pub(crate) fn of(&self, vertex: Vertex) -> ListRows<'a> {
        let at = (vertex - self.first) as usize;
        let (word, bit) = (at / 32, at % 32);
        if self.is_empty() || self.numbers[word] >> bit & 1 == 0 {
            return ListRows::default();
        }
        let below = self.numbers[word] & ((1 << bit) - 1);
        self.list((self.numbers[self.words as usize + word] + below.count_ones()) as usize)
    }

    /// The vertices whose lists have changes, ascending, with these.
    pub(crate) fn each(self) -> impl Iterator<Item = (Vertex, ListRows<'a>)> {
        let vertices =
            self.numbers[..self.words as usize].iter().enumerate().flat_map(move |(word, bits)| {
                let mut bits = *bits;
                std::iter::from_fn(move || {
                    let bit = (bits != 0).then(|| bits.trailing_zeros())?;
                    bits &= bits - 1;
                    Some(self.first + 32 * word as Vertex + bit)
                })
            });
        vertices.enumerate().map(move |(list, vertex)| (vertex, self.list(list)))
    }

    /// The changes of a list, by its place among those that have some.
    #[inline]
    fn list(&self, list: usize) -> ListRows<'a> {
        let (words, lists, rows) = (self.words as usize, self.lists as usize, self.rows as usize);
        let (neighbours, rest) = self.numbers[2 * words..].split_at(rows);
        let (ends, removes) = rest.split_at(lists);
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
            blocks in prop::collection::vec(
                prop::collection::vec((0u32..100, any::<u32>(), 0u8..4), 0..200), 1..4),
            first in 0u32..1000,
            is_weighted in any::<bool>(),
        ) {
            let row = |(vertex, neighbour, kind): &(u32, u32, u8)| {
                let change = if *kind == 0 { Change::Remove } else { Change::Add(f64::from(*kind)) };
                Row::new(Row::key(first + vertex, *neighbour), change)
            };
            let mut group = GroupRows::default();
            // What was there before is forgotten.
            group.begin(1);
            group.push(first..first + 100, &[row(&(1, 2, 0))], is_weighted);
            group.begin(7);
            let mut of_blocks = Vec::new();
            for keys in &blocks {
                let mut rows: Vec<Row> = keys.iter().map(row).collect();
                super::super::rows::sort(&mut rows);
                group.push(first..first + 100, &rows, is_weighted);
                of_blocks.push(rows);
            }
            prop_assert!(!group.has(6) && group.has(7) && !group.has(7 + blocks.len() as u32));
            let told = |list: ListRows<'_>| -> Vec<(u32, Option<f64>)> {
                let weight = |at: usize| if is_weighted { list.weights[at] } else { 0.0 };
                (list.neighbours.iter().enumerate())
                    .map(|(at, neighbour)| (*neighbour, (!list.removes(at)).then(|| weight(at))))
                    .collect()
            };
            for (block, rows) in (7..).zip(&of_blocks) {
                let block = group.of(block);
                prop_assert_eq!(block.is_empty(), rows.is_empty());
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
                    let in_each =
                        each.iter().find(|(other, _)| *other == vertex).map(|(_, list)| list.clone());
                    prop_assert_eq!(in_each.unwrap_or_default(), expected);
                }
            }
        }
    }
}
