//! A block: lists of consecutive vertices, read in place.

use super::block_layout::{BlockInMemory, CONTINUED, CONTINUES, Head, PLAIN, Width};
use super::code::{self, Decoder, Groups};
use super::{Vertex, Weights, block_layout};

/// A block whose checksum was right.
#[derive(Debug, Clone, Copy)]
pub struct Block<'a> {
    bytes: &'a [u8],
    number: u32,
    first: Vertex,
    entries: u32,
    flags: u8,
    /// None where all lists are plain numbers.
    decoder: Option<Decoder>,
    weights: Weights,
    width: Width,
}

/// A vertex's list, or the piece of it that one block holds.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct List<'a> {
    /// Ascending; repeats where the graph has parallel edges.
    pub neighbours: &'a [Vertex],
    /// One per neighbour; empty where the graph has none.
    pub weights: &'a [f64],
}

/// The weights of a list, in the order of its neighbours.
#[derive(Debug, Clone)]
pub struct GroupWeights<'a> {
    raw: &'a [u8],
    kept: Weights,
}

impl GroupWeights<'_> {
    /// Bytes of the next group; zeros where there are no more.
    #[inline]
    pub fn next_group(&mut self) -> [f64; 4] {
        let (here, rest) = self.raw.split_at(self.raw.len().min(4 * self.kept.bytes()));
        self.raw = rest;
        let mut weights = [0.0; 4];
        match self.kept {
            Weights::None => {}
            Weights::F32 => {
                for (weight, raw) in weights.iter_mut().zip(here.as_chunks().0) {
                    *weight = f32::from_le_bytes(*raw).into();
                }
            }
            Weights::F64 => {
                for (weight, raw) in weights.iter_mut().zip(here.as_chunks().0) {
                    *weight = f64::from_le_bytes(*raw);
                }
            }
        }
        weights
    }
}

/// Where [`Block::list`] puts what it decodes; a worker keeps one.
#[derive(Debug, Default)]
pub struct Scratch {
    /// Of the longest list so far; the last one is in front.
    neighbours: Vec<Vertex>,
    weights: Vec<f64>,
}

impl Scratch {
    /// Most bytes that it takes for blocks of a size.
    pub fn most_bytes(block_bytes: u32) -> u64 {
        // A value takes at least 5/4 bytes of the block.
        u64::from(block_bytes) * (4 + 8)
    }
}

impl<'a> Block<'a> {
    /// `bytes` is one whole block whose checksum is right, and `number` is its place among the blocks of its
    /// direction.
    #[inline]
    pub fn new(bytes: &'a [u8], number: u32, decoder: Option<Decoder>, weights: Weights) -> Block<'a> {
        let Head { first, entries, flags, .. } = Head::read(bytes);
        let (entries, width) = (u32::from(entries), Width::Two);
        Block { bytes, number, first, entries, flags, decoder, weights, width }
    }

    /// What changes made of a block, by [`block_layout::BlockInMemory`]: lists of a range of vertices, plain
    /// where they have changes, with `flags` as in a head.
    pub(crate) fn in_memory(
        bytes: &'a [u8],
        number: u32,
        vertices: std::ops::Range<Vertex>,
        flags: u8,
        decoder: Option<Decoder>,
        weights: Weights,
    ) -> Block<'a> {
        let (first, entries, width) = (vertices.start, vertices.end - vertices.start, Width::Four);
        Block { bytes, number, first, entries, flags, decoder, weights, width }
    }

    /// What decodes its lists.
    #[inline]
    pub(crate) fn decoder(&self) -> Option<Decoder> {
        self.decoder
    }

    /// How its weights are kept.
    #[inline]
    pub(crate) fn weights(&self) -> Weights {
        self.weights
    }

    /// All its bytes.
    #[inline]
    pub(crate) fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// How its first and last lists go on: as in a head.
    #[inline]
    pub(crate) fn flags(&self) -> u8 {
        self.flags
    }

    /// The block's place among the blocks of its direction, as the directory has it.
    #[inline]
    pub fn number(&self) -> u32 {
        self.number
    }

    /// First vertex of the block.
    #[inline]
    pub fn first(&self) -> Vertex {
        self.first
    }

    /// One past the last vertex.
    #[inline]
    pub fn end(&self) -> Vertex {
        self.first + self.entries
    }

    /// The vertices with a list here, pieces included.
    #[inline]
    pub fn vertices(&self) -> std::ops::Range<Vertex> {
        self.first..self.end()
    }

    /// Whether the list here is only a piece of the vertex's: a hub's.
    #[inline]
    pub fn is_piece(&self, vertex: Vertex) -> bool {
        vertex == self.first && self.flags & CONTINUED != 0 || self.continues(vertex)
    }

    /// Whether a vertex's list goes on in the next block.
    #[inline]
    pub fn continues(&self, vertex: Vertex) -> bool {
        self.flags & CONTINUES != 0 && vertex + 1 == self.end()
    }

    /// Calls `each` with the neighbours here of a vertex of the block, ascending, until it returns false.
    /// Returns how many were given to it.
    ///
    /// # Panics
    /// Where the vertex is not of this block.
    #[inline]
    pub fn scan(&self, vertex: Vertex, mut each: impl FnMut(Vertex) -> bool) -> usize {
        let mut seen = 0;
        for group in self.groups(vertex) {
            for (i, neighbour) in group.values[..group.len].iter().enumerate() {
                if !each(*neighbour) {
                    return seen + i + 1;
                }
            }
            seen += group.len;
        }
        seen
    }

    /// The neighbours here of a vertex of the block, ascending, four at a time: the fastest way.
    ///
    /// # Panics
    /// Where the vertex is not of this block.
    #[inline(always)]
    pub fn groups(&self, vertex: Vertex) -> Groups<'a> {
        self.groups_at(vertex, self.place(vertex))
    }

    /// All vertices with a list here, ascending, and the places of their lists, which only this block
    /// understands: quicker than to look up each.
    #[inline]
    pub fn places(&self) -> impl Iterator<Item = (Vertex, (usize, usize))> {
        self.vertices().zip(block_layout::all_entries(self.bytes, self.entries as usize, self.width))
    }

    /// As [`Block::groups`], of a list whose place is known. Inlined always: what it returns is taken apart
    /// into registers by the loop over it.
    #[inline(always)]
    pub fn groups_at(&self, vertex: Vertex, (start, end): (usize, usize)) -> Groups<'a> {
        if start >= end & !PLAIN {
            return Groups::plain(&[]);
        }
        let Some(decoder) = self.decoder_of(end) else {
            let (stride, end) = (4 + self.weights.bytes(), end & !PLAIN);
            return Groups::plain(&self.bytes[start..start + (end - start) / stride * 4]);
        };
        let (count, used) = code::count(&self.bytes[start..]).unwrap_or_default();
        decoder.groups(vertex, count, &self.bytes[start + used..])
    }

    /// The weights of a list whose place is known, four at a time as its groups are; `count` is how many
    /// neighbours it has.
    #[inline]
    pub fn weights_at(&self, (start, end): (usize, usize), count: usize) -> GroupWeights<'a> {
        let end = end & !PLAIN;
        let first = end.saturating_sub(count * self.weights.bytes());
        GroupWeights { raw: &self.bytes[first.max(start.min(end))..end], kept: self.weights }
    }

    /// A list whose place is known, as it is in blocks of the store; none where changes made it plain
    /// numbers.
    #[inline]
    pub(crate) fn coded_at(&self, (start, end): (usize, usize)) -> Option<&'a [u8]> {
        (end & PLAIN == 0).then(|| &self.bytes[start.min(end)..end])
    }

    /// How many neighbours of a vertex are here.
    #[inline]
    pub fn degree(&self, vertex: Vertex) -> usize {
        self.degree_at(self.place(vertex))
    }

    /// As [`Block::degree`], of a list whose place is known.
    #[inline]
    pub fn degree_at(&self, (start, end): (usize, usize)) -> usize {
        if start >= end & !PLAIN {
            0
        } else if self.decoder_of(end).is_some() {
            code::count(&self.bytes[start..]).map_or(0, |(count, _)| count)
        } else {
            ((end & !PLAIN) - start) / (4 + self.weights.bytes())
        }
    }

    /// A vertex's list here, with its weights, decoded into `scratch`.
    ///
    /// # Panics
    /// Where the vertex is not of this block.
    #[inline]
    pub fn list<'s>(&self, vertex: Vertex, scratch: &'s mut Scratch) -> List<'s> {
        let count = self.neighbours(vertex, scratch).len();
        let end = self.place(vertex).1 & !PLAIN;
        scratch.weights.clear();
        let weights = &self.bytes[end.saturating_sub(count * self.weights.bytes())..end];
        match self.weights {
            Weights::None => {}
            Weights::F32 => scratch
                .weights
                .extend(weights.as_chunks().0.iter().map(|raw| f64::from(f32::from_le_bytes(*raw)))),
            Weights::F64 => {
                scratch.weights.extend(weights.as_chunks().0.iter().map(|raw| f64::from_le_bytes(*raw)));
            }
        }
        List { neighbours: &scratch.neighbours[..count], weights: &scratch.weights }
    }

    /// The neighbours of [`Block::list`] alone.
    #[inline]
    pub(crate) fn neighbours<'s>(&self, vertex: Vertex, scratch: &'s mut Scratch) -> &'s [Vertex] {
        let groups = self.groups(vertex);
        // Whole groups are stored, the last one too.
        let whole = groups.values().next_multiple_of(4);
        if scratch.neighbours.len() < whole {
            scratch.neighbours.resize(whole, 0);
        }
        let mut count = 0;
        for (group, place) in groups.zip(scratch.neighbours.as_chunks_mut().0) {
            *place = group.values;
            count += group.len;
        }
        &scratch.neighbours[..count]
    }

    /// Copies the lists of some vertices of the block, as they are, to the end of one in the making.
    pub(crate) fn copy_lists(&self, vertices: std::ops::Range<Vertex>, to: &mut BlockInMemory) {
        if let Some(first) = vertices.clone().next() {
            let (start, _) = self.place(first);
            to.copy(self.bytes, start, vertices.map(|vertex| self.place(vertex).1));
        }
    }

    /// Edges of all lists here.
    #[inline]
    pub fn edges(&self) -> usize {
        self.vertices().map(|vertex| self.degree(vertex)).sum()
    }

    /// What decodes a list that ends there.
    #[inline(always)]
    fn decoder_of(&self, end: usize) -> Option<Decoder> {
        if end & PLAIN == 0 { self.decoder } else { None }
    }

    /// First byte of an entry and the one behind its last. Inlined always: it is part of every loop over
    /// lists.
    #[inline(always)]
    fn place(&self, vertex: Vertex) -> (usize, usize) {
        let entry = (vertex - self.first) as usize;
        assert!(entry < self.entries as usize, "vertex {vertex} is not of this block");
        match self.width {
            Width::Two => block_layout::entry(self.bytes, self.entries as usize, entry),
            Width::Four => block_layout::entry_of_four(self.bytes, self.entries as usize, entry),
        }
    }
}
