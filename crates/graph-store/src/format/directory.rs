//! Which block holds which vertices: the index that stays in memory, about 8 bytes per block.

use std::cmp::Ordering;
use std::ops::{Range, RangeInclusive};

use super::paged::PagedReader;
use super::{Direction, Vertex, block_layout, block_seed};
use crate::GraphError;

/// For each block, its first vertex; ascending. A hub's list runs over several blocks that begin with the
/// same vertex.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Directory {
    first: Vec<Vertex>,
    /// A bit per block: its first list began in the block before.
    continued: Vec<u64>,
    /// By the high bits of a vertex: a block at or before the one that holds it, where a search may begin.
    hints: Vec<u32>,
    hint_shift: u32,
    vertices: u64,
    /// The blocks that are in the store; behind them come those of vertices that only changes have.
    stored: u32,
    /// By block that is [`Directory::is_continued`], its first neighbour. Empty without changes.
    pieces: Vec<Vertex>,
    /// The last vertex with a list in the last stored block, if vertices that it has are gone.
    cut: Option<Vertex>,
    /// Whether a block's last lists may be left out, because they are empty.
    has_gaps: bool,
}

/// Vertices of a block that is not in the store.
const NEW_VERTICES: u64 = 256;

impl Directory {
    /// Bytes in memory of a directory of that many blocks.
    pub fn bytes_for(blocks: u64) -> u64 {
        blocks * 4 + blocks.div_ceil(64) * 8 + (blocks + 2) * 4
    }

    pub(crate) fn new(first: Vec<Vertex>, continued: Vec<u64>, vertices: u64) -> Directory {
        assert_eq!(continued.len(), first.len().div_ceil(64), "a bit for each block");
        let stored = first.len() as u32;
        let (hints, pieces) = (Vec::new(), Vec::new());
        let (cut, has_gaps) = (None, false);
        let mut directory =
            Directory { first, continued, hints, hint_shift: 0, vertices, stored, pieces, cut, has_gaps };
        directory.make_hints();
        directory
    }

    /// As [`super::StoreWriter`] wrote it: the first vertices, then the bits.
    pub(crate) fn read(
        mut pages: PagedReader<'_>,
        name: &str,
        blocks: u64,
        vertices: u64,
    ) -> Result<Directory, GraphError> {
        let bits = blocks.div_ceil(64);
        if pages.len() != blocks * 4 + bits * 8 {
            return Err(GraphError::damaged(name, "its directory is not as long as it has blocks".into()));
        }
        let mut raw = vec![0; (blocks * 4) as usize];
        pages.read(0, &mut raw)?;
        let first: Vec<u32> = raw.as_chunks().0.iter().map(|raw| u32::from_le_bytes(*raw)).collect();
        raw.resize((bits * 8) as usize, 0);
        pages.read(blocks * 4, &mut raw)?;
        let continued = raw.as_chunks().0.iter().map(|raw| u64::from_le_bytes(*raw)).collect();
        let directory = Directory::new(first, continued, vertices);
        if !directory.is_in_order() {
            return Err(GraphError::damaged(name, "its directory is not in order".into()));
        }
        Ok(directory)
    }

    /// The same where a block's last lists may be left out, because they are empty.
    pub(crate) fn with_gaps(self, has_gaps: bool) -> Directory {
        Directory { has_gaps, ..self }
    }

    /// Whether the blocks begin with vertices of the graph, from the first on, in ascending order.
    fn is_in_order(&self) -> bool {
        let in_range = self.first.last().is_none_or(|last| u64::from(*last) < self.vertices);
        let begins = self.first.first().is_none_or(|first| *first == 0);
        // Only a hub's list makes a block begin with the vertex of the one before.
        let rises = |block: u32| match block {
            0 => !self.is_continued(0),
            _ => match self.first_of(block).cmp(&self.first_of(block - 1)) {
                Ordering::Greater => true,
                Ordering::Equal => self.is_continued(block),
                Ordering::Less => false,
            },
        };
        in_range && begins && (0..self.blocks()).all(rises)
    }

    /// The directory of the same blocks after changes, of that many vertices: without blocks whose vertices
    /// are gone, and with some more for new ones. `pieces` has the first neighbour of each block that is
    /// [`Directory::is_continued`].
    pub(crate) fn changed(mut self, pieces: Vec<Vertex>, vertices: u64) -> Directory {
        let before = self.vertices;
        let kept = self.first.partition_point(|first| u64::from(*first) < vertices);
        if vertices < before && kept > 0 {
            self.cut = Some(self.last_of(kept as u32 - 1));
        }
        self.first.truncate(kept);
        self.stored = kept as u32;
        let new = (before..vertices).step_by(NEW_VERTICES as usize);
        self.first.extend(new.map(|first| first as Vertex));
        let blocks = self.first.len();
        self.continued.resize(blocks.div_ceil(64), 0);
        for block in kept..blocks {
            self.continued[block / 64] &= !(1 << (block % 64));
        }
        (self.pieces, self.vertices) = (pieces, vertices);
        self.pieces.resize(blocks, 0);
        self.make_hints();
        debug_assert!(self.is_in_order(), "changes leave the order as it was");
        self
    }

    /// Whether a block is in the store.
    #[inline]
    pub fn is_stored(&self, block: u32) -> bool {
        block < self.stored
    }

    /// Checks a block as it was read: its checksum, its head, and that it has the lists that the directory
    /// says. `vertices` is how many the store has without changes.
    ///
    /// # Errors
    /// What is wrong with the block.
    pub fn check_block(
        &self,
        direction: Direction,
        block: u32,
        bytes: &[u8],
        vertices: u64,
    ) -> Result<(), &'static str> {
        let head = block_layout::check(bytes, block_seed(direction, block), vertices)?;
        let (expected, found) = (self.stored_vertices_of(block), head.vertices());
        let ends = found.end() == expected.end() || self.has_gaps && found.end() < expected.end();
        match found.start() == expected.start() && ends {
            true => Ok(()),
            false => Err("is not where the directory says"),
        }
    }

    /// The vertices with a list in a block as it is in the store.
    #[inline]
    fn stored_vertices_of(&self, block: u32) -> RangeInclusive<Vertex> {
        let last = if block + 1 == self.stored { self.cut } else { None };
        self.first_of(block)..=last.unwrap_or_else(|| self.last_of(block))
    }

    /// Whether vertices of a block are gone.
    pub(crate) fn is_cut(&self, block: u32) -> bool {
        block + 1 == self.stored && self.cut.is_some()
    }

    /// Which entries are in a block: their vertices and neighbours, as the two halves of a number.
    pub(crate) fn keys_of(&self, block: u32) -> Range<u64> {
        let key = |vertex: Vertex, neighbour: Vertex| u64::from(vertex) << 32 | u64::from(neighbour);
        let start = if self.is_continued(block) { self.pieces[block as usize] } else { 0 };
        let last = self.last_of(block);
        let end = match self.continues(block) {
            true => key(last, self.pieces[block as usize + 1]),
            false => (u64::from(last) + 1) << 32,
        };
        let start = key(self.first_of(block), start);
        debug_assert!(start < end, "a block has room for an entry");
        start..end
    }

    /// The blocks that may have an entry, a vertex and a neighbour as in [`Directory::keys_of`], of a vertex
    /// of the graph: one, or several where a block begins with the entry. Parallel edges make it stand in the
    /// block before, too.
    pub(crate) fn blocks_of_key(&self, key: u64) -> RangeInclusive<u32> {
        let (vertex, neighbour) = ((key >> 32) as Vertex, key as Vertex);
        let (mut first, last) = (self.block_of(vertex), self.last_block_of(vertex));
        // Behind it none of the vertex's blocks begins with a neighbour before this one.
        let mut end = last + 1;
        while first + 1 < end {
            let middle = first + (end - first) / 2;
            if self.pieces[middle as usize] < neighbour { first = middle } else { end = middle }
        }
        let begins = |block: &u32| self.pieces[*block as usize] == neighbour;
        first..=(first + 1..=last).take_while(begins).last().unwrap_or(first)
    }

    /// Vertices of the graph.
    #[inline]
    pub fn vertices(&self) -> u64 {
        self.vertices
    }

    /// Blocks.
    #[inline]
    pub fn blocks(&self) -> u32 {
        self.first.len() as u32
    }

    /// Whether a block's first list began in the block before.
    #[inline]
    pub fn is_continued(&self, block: u32) -> bool {
        self.continued[block as usize / 64] >> (block % 64) & 1 == 1
    }

    /// Whether a block's last list goes on in the next block.
    #[inline]
    pub(crate) fn continues(&self, block: u32) -> bool {
        block + 1 < self.blocks() && self.is_continued(block + 1)
    }

    /// First and last vertex that have a list, or a piece of one, in a block.
    #[inline]
    pub fn vertices_of(&self, block: u32) -> RangeInclusive<Vertex> {
        self.first[block as usize]..=self.last_of(block)
    }

    /// First vertex of a block.
    #[inline]
    pub fn first_of(&self, block: u32) -> Vertex {
        self.first[block as usize]
    }

    /// Last vertex of a block.
    #[inline]
    pub fn last_of(&self, block: u32) -> Vertex {
        match self.first.get(block as usize + 1) {
            Some(next) if self.is_continued(block + 1) => *next,
            Some(next) => next - 1,
            None => (self.vertices - 1) as Vertex,
        }
    }

    /// The first block with a vertex's list or a piece of it. The remaining pieces follow it, each
    /// [`Directory::is_continued`].
    ///
    /// # Panics
    /// Where the graph has no such vertex.
    #[inline]
    pub fn block_of(&self, vertex: Vertex) -> u32 {
        let mut block = self.last_block_of(vertex);
        // A hub: back to where its list began.
        while self.first_of(block) == vertex && self.is_continued(block) {
            block -= 1;
        }
        debug_assert!(self.vertices_of(block).contains(&vertex));
        block
    }

    /// The last block with a piece of a vertex's list, or the one with all of it.
    ///
    /// # Panics
    /// Where the graph has no such vertex.
    #[inline]
    pub fn last_block_of(&self, vertex: Vertex) -> u32 {
        debug_assert!(u64::from(vertex) < self.vertices);
        let hint = (vertex >> self.hint_shift) as usize;
        let from = self.hints[hint] as usize;
        let to = self.hints.get(hint + 1).map_or(self.first.len() - 1, |next| *next as usize);
        let block = (from + self.first[from + 1..=to].partition_point(|first| *first <= vertex)) as u32;
        debug_assert!(self.vertices_of(block).contains(&vertex), "hints lead to block {block}");
        block
    }

    fn make_hints(&mut self) {
        let blocks = self.first.len() as u64;
        self.hint_shift = 0;
        while (self.vertices >> self.hint_shift) > blocks {
            self.hint_shift += 1;
        }
        let mut block = 0;
        let hints = (self.vertices >> self.hint_shift) + 1;
        self.hints = (0..hints)
            .map(|hint| {
                let vertex = hint << self.hint_shift;
                while self.first.get(block + 1).is_some_and(|first| u64::from(*first) <= vertex) {
                    block += 1;
                }
                block as u32
            })
            .collect();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Blocks: 0..=3; 4 and the hub 5 begins; 5; 5 ends, and 6..=9; 10.
    fn with_a_hub() -> Directory {
        Directory::new(vec![0, 4, 5, 5, 10], vec![0b01100], 11)
    }

    #[test]
    fn every_vertex_is_found_where_its_list_begins() {
        let blocks: Vec<u32> = (0..11).map(|vertex| with_a_hub().block_of(vertex)).collect();
        assert_eq!(blocks, [0, 0, 0, 0, 1, 1, 3, 3, 3, 3, 4]);
        assert_eq!(with_a_hub().last_block_of(5), 3);
        assert_eq!(with_a_hub().last_block_of(4), 1);
    }

    #[test]
    fn a_block_ends_where_the_next_begins_or_within_a_hub() {
        let ranges: Vec<_> = (0..5).map(|block| with_a_hub().vertices_of(block)).collect();
        assert_eq!(ranges, [0..=3, 4..=5, 5..=5, 5..=9, 10..=10]);
    }

    #[test]
    fn an_edge_is_in_the_blocks_that_begin_with_it_and_the_one_before() {
        let directory = with_a_hub().changed(vec![0, 0, 20, 40, 0], 11);
        let blocks = |vertex: u64, neighbour: u64| directory.blocks_of_key(vertex << 32 | neighbour);
        assert_eq!([blocks(5, 10), blocks(5, 20), blocks(5, 30)], [1..=1, 1..=2, 2..=2]);
        assert_eq!([blocks(5, 40), blocks(5, 41), blocks(7, 40)], [2..=3, 3..=3, 3..=3]);
        assert_eq!([blocks(4, 20), blocks(0, 0), blocks(10, 9)], [1..=1, 0..=0, 4..=4]);
    }

    #[test]
    fn many_blocks_behind_one_hint_are_searched() {
        let first: Vec<u32> = (0..1000).chain([1 << 30]).collect();
        let blocks = first.len();
        let directory = Directory::new(first, vec![0; blocks.div_ceil(64)], 1 << 31);
        assert_eq!(directory.block_of(777), 777);
        assert_eq!(directory.block_of(1 << 29), 999);
        assert_eq!(directory.block_of((1 << 31) - 1), 1000);
    }
}
