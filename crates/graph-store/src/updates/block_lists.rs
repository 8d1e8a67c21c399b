//! The lists of a block after changes, each put together when it is asked for: a search wants few of them.

use std::ops::Range;

use super::block_rows::{BlockRows, ListRows};
use super::merge::{ListMerger, MergedNeighbours, Merger};
use crate::format::block_layout::{CONTINUED, CONTINUES};
use crate::format::{Block, Decoder, Directory, Groups, List, Vertex, Weights};

/// Which lists a block has after its changes.
#[derive(Debug, Clone, Copy)]
pub struct Place {
    pub(super) number: u32,
    first: Vertex,
    end: Vertex,
    /// Whether the first list began in the block before, and the last goes on in the next: as in a head.
    flags: u8,
}

impl Place {
    /// What a directory says of a block.
    pub fn of(directory: &Directory, number: u32) -> Place {
        let flag = |set: bool, flag: u8| if set { flag } else { 0 };
        let flags =
            flag(directory.is_continued(number), CONTINUED) | flag(directory.continues(number), CONTINUES);
        Place { number, first: directory.first_of(number), end: directory.last_of(number) + 1, flags }
    }

    pub(super) fn vertices(self) -> Range<Vertex> {
        self.first..self.end
    }

    /// A block that was put together in memory.
    pub(super) fn block(self, bytes: &[u8], decoder: Option<Decoder>, weights: Weights) -> Block<'_> {
        Block::in_memory(bytes, self.number, self.vertices(), self.flags, decoder, weights)
    }
}

/// The lists of a block after changes.
#[derive(Debug, Clone, Copy)]
pub struct BlockLists<'a> {
    /// None where the store has no lists of these vertices.
    base: Option<Block<'a>>,
    /// None where no list has changes.
    changed: Option<Changed<'a>>,
}

/// What makes a block other than it was.
#[derive(Debug, Clone, Copy)]
struct Changed<'a> {
    rows: BlockRows<'a>,
    place: Place,
    /// How the base keeps weights.
    weights: Weights,
}

/// The neighbours of a vertex.
#[derive(Debug, Clone)]
pub enum Neighbours<'a> {
    /// As the base has them.
    Unchanged(Groups<'a>),
    /// After changes.
    Changed(&'a [Vertex]),
}

impl Neighbours<'_> {
    /// How many they are, where none was taken yet.
    #[inline]
    pub fn count(&self) -> usize {
        match self {
            Neighbours::Unchanged(groups) => groups.values(),
            Neighbours::Changed(list) => list.len(),
        }
    }
}

impl<'a> BlockLists<'a> {
    /// Of a block without changes.
    #[inline]
    pub fn unchanged(block: &Block<'a>) -> BlockLists<'a> {
        BlockLists { base: Some(*block), changed: None }
    }

    pub(super) fn new(
        base: Option<&Block<'a>>,
        rows: BlockRows<'a>,
        place: Place,
        weights: Weights,
    ) -> BlockLists<'a> {
        BlockLists { base: base.copied(), changed: Some(Changed { rows, place, weights }) }
    }

    /// The block, if no list has changes.
    #[inline]
    pub fn as_block(&self) -> Option<&Block<'a>> {
        if self.changed.is_none() { self.base.as_ref() } else { None }
    }

    /// The block's place among the blocks of its direction, as the directory has it.
    #[inline]
    pub fn number(&self) -> u32 {
        let place = self.changed.map(|changed| changed.place.number);
        place.or(self.base.map(|base| base.number())).unwrap_or_default()
    }

    /// The vertices with a list here, pieces included.
    #[inline]
    pub fn vertices(&self) -> Range<Vertex> {
        match (&self.changed, &self.base) {
            (Some(changed), _) => changed.place.vertices(),
            (None, Some(base)) => base.vertices(),
            (None, None) => 0..0,
        }
    }

    /// As [`Block::is_piece`].
    #[inline]
    pub fn is_piece(&self, vertex: Vertex) -> bool {
        match (&self.changed, &self.base) {
            (Some(Changed { place, .. }), _) => {
                vertex == place.first && place.flags & CONTINUED != 0
                    || vertex + 1 == place.end && place.flags & CONTINUES != 0
            }
            (None, base) => base.is_some_and(|base| base.is_piece(vertex)),
        }
    }

    /// As [`Block::scan`].
    ///
    /// # Panics
    /// As [`Block::scan`].
    #[inline]
    pub fn scan(&self, vertex: Vertex, mut each: impl FnMut(Vertex) -> bool) -> usize {
        if let Some(changed) = &self.changed {
            let rows = changed.rows.of(vertex);
            if !rows.neighbours.is_empty() || self.base.is_none() {
                return self.scan_changed(vertex, rows, &mut each);
            }
        }
        self.base.as_ref().map_or(0, |base| base.scan(vertex, each))
    }

    /// As [`BlockLists::scan`], in another order where changes only add neighbours: these come last, and
    /// nothing is merged.
    ///
    /// # Panics
    /// As [`Block::scan`].
    #[inline]
    pub fn scan_unordered(&self, vertex: Vertex, mut each: impl FnMut(Vertex) -> bool) -> usize {
        let Some(changed) = &self.changed else {
            return self.base.as_ref().map_or(0, |base| base.scan(vertex, each));
        };
        let rows = changed.rows.of(vertex);
        if !rows.only_adds() {
            return self.scan_changed(vertex, rows, &mut each);
        }
        let mut wants_more = true;
        let mut see = |neighbour| {
            wants_more = each(neighbour);
            wants_more
        };
        let mut seen = self.base.as_ref().map_or(0, |base| base.scan(vertex, &mut see));
        for neighbour in rows.neighbours {
            if !wants_more {
                break;
            }
            seen += 1;
            wants_more = each(*neighbour);
        }
        seen
    }

    fn scan_changed(
        &self,
        vertex: Vertex,
        rows: ListRows<'_>,
        mut each: impl FnMut(Vertex) -> bool,
    ) -> usize {
        let mut seen = 0;
        for neighbour in self.merging(vertex, rows) {
            seen += 1;
            if !each(neighbour) {
                break;
            }
        }
        seen
    }

    /// The neighbours of a vertex with the changes of its list.
    fn merging<'s>(&'s self, vertex: Vertex, rows: ListRows<'s>) -> MergedNeighbours<'s> {
        let base = self.base.as_ref();
        MergedNeighbours::new(base.map_or(Groups::plain(&[]), |base| base.groups(vertex)), rows)
    }

    /// A vertex's list, with its weights.
    ///
    /// # Panics
    /// Where the vertex is not of this block.
    pub fn list<'m>(&self, vertex: Vertex, merger: &'m mut ListMerger) -> List<'m> {
        let rows = self.changed.map(|changed| changed.rows.of(vertex)).unwrap_or_default();
        merger.list(self.base.as_ref(), vertex, rows)
    }

    /// Calls `each` with every vertex, ascending, and how many neighbours it has here.
    pub fn each_degree(&self, mut each: impl FnMut(Vertex, usize)) {
        self.each_place(|vertex, place, rows| {
            let base = self.base.as_ref();
            let of_base = || base.zip(place).map_or(0, |(base, place)| base.degree_at(place));
            let degree = match rows {
                Some(rows) if !rows.only_adds() => self.merging(vertex, rows).count(),
                Some(rows) => of_base() + rows.neighbours.len(),
                None => of_base(),
            };
            each(vertex, degree);
        });
    }

    /// Calls `each` with every vertex, ascending, and its neighbours here.
    pub fn each_list(&self, merger: &mut ListMerger, mut each: impl FnMut(Vertex, Neighbours<'_>)) {
        self.each_place(|vertex, place, rows| match rows {
            Some(rows) => {
                let list = merger.neighbours(self.base.as_ref(), vertex, rows);
                each(vertex, Neighbours::Changed(list));
            }
            None => {
                let base = self.base.as_ref().zip(place);
                let groups = base.map(|(base, place)| base.groups_at(vertex, place));
                each(vertex, Neighbours::Unchanged(groups.unwrap_or(Groups::plain(&[]))));
            }
        });
    }

    /// Calls `each` with every vertex, ascending, and its list in two parts, each ascending: a list of a
    /// block by its place there ([`Block::groups_at`]), and neighbours with their weights.
    pub fn each_part(
        &self,
        merger: &mut ListMerger,
        mut each: impl FnMut(Vertex, Option<(&Block<'_>, (usize, usize))>, List<'_>),
    ) {
        let base = self.base.as_ref();
        self.each_place(|vertex, place, rows| match rows {
            Some(rows) if !rows.only_adds() => each(vertex, None, merger.list(base, vertex, rows)),
            rows => {
                let ListRows { neighbours, weights, .. } = rows.unwrap_or_default();
                each(vertex, base.zip(place), List { neighbours, weights });
            }
        });
    }

    /// Calls `each` with every vertex, ascending, the place of its list in the base, and its changes.
    #[inline]
    fn each_place(&self, mut each: impl FnMut(Vertex, Option<(usize, usize)>, Option<ListRows<'_>>)) {
        let Some(changed) = &self.changed else {
            let Some(base) = &self.base else { return };
            return base.places().for_each(|(vertex, place)| each(vertex, Some(place), None));
        };
        let mut rows = changed.rows.each().peekable();
        let mut places = self.base.iter().flat_map(Block::places);
        for vertex in changed.place.vertices() {
            let rows = rows.next_if(|(of, _)| *of == vertex).map(|(_, rows)| rows);
            each(vertex, places.next().map(|(_, place)| place), rows);
        }
    }

    /// The block with its changes. Lists without changes stay as they are; lists with changes are plain
    /// numbers.
    pub fn merge<'m>(&self, merger: &'m mut Merger) -> Block<'m>
    where
        'a: 'm,
    {
        let Some(Changed { rows, place, weights }) = self.changed else {
            // Without changes there is a base.
            return self.base.unwrap_or_else(|| unreachable!("a block that neither has"));
        };
        let weights = match weights {
            Weights::F32 if !rows.is_narrow() => Weights::F64,
            weights => weights,
        };
        let vertices = place.vertices();
        merger.block.begin(vertices.len());
        // Lists can be copied unless their weights become wider.
        let copied = self.base.filter(|base| base.weights() == weights);
        let mut next = vertices.start;
        for (vertex, rows) in rows.each() {
            self.unchanged_lists(copied.as_ref(), next..vertex, merger, weights);
            merger.put(self.base.as_ref(), vertex, rows, weights);
            next = vertex + 1;
        }
        self.unchanged_lists(copied.as_ref(), next..vertices.end, merger, weights);
        place.block(merger.block.finish(), copied.and_then(|base| base.decoder()), weights)
    }

    /// Writes lists that have no changes.
    fn unchanged_lists(
        &self,
        copied: Option<&Block<'_>>,
        vertices: Range<Vertex>,
        merger: &mut Merger,
        weights: Weights,
    ) {
        match copied {
            Some(base) => base.copy_lists(vertices, &mut merger.block),
            None => vertices
                .for_each(|vertex| merger.put(self.base.as_ref(), vertex, ListRows::default(), weights)),
        }
    }
}

#[cfg(test)]
mod tests;
