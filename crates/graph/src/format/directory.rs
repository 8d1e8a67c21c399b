//! Which block holds which vertices: the index that stays in memory, about 8 bytes per block.

use std::cmp::Ordering;
use std::ops::RangeInclusive;

use super::{Vertex, paged::PagedReader};
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
}

impl Directory {
    /// Bytes in memory of a directory of so many blocks.
    pub(crate) fn bytes_for(blocks: u64) -> u64 {
        blocks * 4 + blocks.div_ceil(64) * 8 + (blocks + 2) * 4
    }

    pub(crate) fn new(first: Vec<Vertex>, continued: Vec<u64>, vertices: u64) -> Directory {
        let mut directory = Directory { first, continued, hints: Vec::new(), hint_shift: 0, vertices };
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
        let in_range = first.last().is_none_or(|last| u64::from(*last) < vertices);
        let begins = first.first().is_none_or(|first| *first == 0);
        let directory = Directory::new(first, continued, vertices);
        // Only a hub's list makes a block begin with the vertex of the one before.
        let rises = |block: u32| match block {
            0 => !directory.is_continued(0),
            _ => match directory.first_of(block).cmp(&directory.first_of(block - 1)) {
                Ordering::Greater => true,
                Ordering::Equal => directory.is_continued(block),
                Ordering::Less => false,
            },
        };
        if !in_range || !begins || !(0..directory.blocks()).all(rises) {
            return Err(GraphError::damaged(name, "its directory is not in order".into()));
        }
        Ok(directory)
    }

    /// Blocks.
    pub fn blocks(&self) -> u32 {
        self.first.len() as u32
    }

    /// Whether a block's first list began in the block before.
    pub fn is_continued(&self, block: u32) -> bool {
        self.continued[block as usize / 64] >> (block % 64) & 1 == 1
    }

    /// First and last vertex that have a list, or a piece of one, in a block.
    pub fn vertices_of(&self, block: u32) -> RangeInclusive<Vertex> {
        self.first[block as usize]..=self.last_of(block)
    }

    /// First vertex of a block.
    #[inline]
    pub fn first_of(&self, block: u32) -> Vertex {
        self.first[block as usize]
    }

    #[inline]
    pub(crate) fn last_of(&self, block: u32) -> Vertex {
        match self.first.get(block as usize + 1) {
            Some(next) if self.is_continued(block + 1) => *next,
            Some(next) => next - 1,
            None => (self.vertices - 1) as Vertex,
        }
    }

    /// The first block with a vertex's list or a piece of it. The others follow it, each
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
        (from + self.first[from + 1..=to].partition_point(|first| *first <= vertex)) as u32
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
    fn many_blocks_behind_one_hint_are_searched() {
        let first: Vec<u32> = (0..1000).chain([1 << 30]).collect();
        let blocks = first.len();
        let directory = Directory::new(first, vec![0; blocks.div_ceil(64)], 1 << 31);
        assert_eq!(directory.block_of(777), 777);
        assert_eq!(directory.block_of(1 << 29), 999);
        assert_eq!(directory.block_of((1 << 31) - 1), 1000);
    }
}
