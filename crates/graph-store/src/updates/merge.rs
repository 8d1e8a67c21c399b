//! A block with its changes: what visitors see of a list in place of what the base says.

use std::ops::Range;

use super::rows::{Change, Row};
use crate::format::block_layout::{BlockInMemory, CONTINUED, CONTINUES};
use crate::format::{Block, Directory, Scratch, Vertex, Weights};

/// Which lists a block has after its changes.
#[derive(Debug, Clone)]
pub struct Place {
    pub(crate) number: u32,
    pub(crate) vertices: Range<Vertex>,
    /// Whether the first list began in the block before, and the last goes on in the next: as in a head.
    pub(crate) flags: u8,
}

impl Place {
    /// What a directory says of a block.
    pub fn of(directory: &Directory, number: u32) -> Place {
        let vertices = directory.first_of(number)..directory.last_of(number) + 1;
        let flag = |set: bool, flag: u8| if set { flag } else { 0 };
        let flags =
            flag(directory.is_continued(number), CONTINUED) | flag(directory.continues(number), CONTINUES);
        Place { number, vertices, flags }
    }
}

/// A list is copied in pieces between its changes where it has that many neighbours for each of them.
const FEW: usize = 16;

/// Where a thread merges; it keeps its buffers.
#[derive(Debug, Default)]
pub(crate) struct Merger {
    block: BlockInMemory,
    scratch: Scratch,
    neighbours: Vec<Vertex>,
    weights: Vec<f64>,
}

impl Merger {
    /// The lists of a block with the changes that `rows` say, sorted, all of vertices at `place`. `base` is
    /// none where the base has no lists of these vertices. Lists without changes stay as they are; the others
    /// are plain numbers: to write the byte code takes longer than most visits.
    pub(crate) fn merge<'m>(
        &'m mut self,
        base: Option<&Block<'_>>,
        rows: &[Row],
        place: Place,
        weights: Weights,
    ) -> Block<'m> {
        let weights = widened(weights, rows);
        self.block.begin(place.vertices.len());
        // Lists can be copied unless their weights become wider.
        let copied = base.filter(|base| base.weights() == weights);
        let (mut rest, mut vertex) = (rows, place.vertices.start);
        while vertex < place.vertices.end {
            let next = rest.first().map_or(place.vertices.end, |row| row.vertex().min(place.vertices.end));
            if let Some(base) = copied
                && vertex < next
            {
                base.copy_lists(vertex..next, &mut self.block);
                vertex = next;
                continue;
            }
            let own = rest.iter().take_while(|row| row.vertex() == vertex).count();
            let (mine, others) = rest.split_at(own);
            rest = others;
            match base {
                Some(base) if weights == Weights::None && self.add(base, vertex, mine) => {}
                _ => {
                    self.collect(base, vertex, mine);
                    self.put(weights);
                }
            }
            self.block.end_list();
            vertex += 1;
        }
        let decoder = copied.and_then(Block::decoder);
        let bytes = self.block.finish();
        Block::in_memory(bytes, place.number, place.vertices, place.flags, decoder, weights)
    }

    /// A list without weights and many neighbours that are added; false, and nothing is done, where there are
    /// few of them or some are removed.
    fn add(&mut self, base: &Block<'_>, vertex: Vertex, rows: &[Row]) -> bool {
        let list = base.list(vertex, &mut self.scratch).neighbours;
        if rows.len() * FEW < list.len() || rows.iter().any(|row| row.change() == Change::Remove) {
            return false;
        }
        // Which of both is next is not foreseen by any processor: no branch depends on it.
        let (mut in_list, mut in_rows) = (0, 0);
        for place in self.block.more(list.len() + rows.len()) {
            let of_list = list.get(in_list).map_or(u64::MAX, |neighbour| u64::from(*neighbour));
            let of_rows = rows.get(in_rows).map_or(u64::MAX, |row| u64::from(row.neighbour()));
            let is_of_list = of_list <= of_rows;
            *place = (of_list.min(of_rows) as Vertex).to_le_bytes();
            (in_list, in_rows) = (in_list + usize::from(is_of_list), in_rows + usize::from(!is_of_list));
        }
        true
    }

    /// A list and its weights after its changes.
    fn collect(&mut self, base: Option<&Block<'_>>, vertex: Vertex, rows: &[Row]) {
        let Merger { scratch, neighbours, weights, .. } = self;
        neighbours.clear();
        weights.clear();
        let list = base.map(|base| base.list(vertex, scratch)).unwrap_or_default();
        let is_weighted = !list.weights.is_empty() || list.neighbours.is_empty();
        let mut at = 0;
        for of_one in rows.chunk_by(|a, b| a.key == b.key) {
            let neighbour = of_one[0].neighbour();
            let removed = of_one[0].change() == Change::Remove;
            let before = at + list.neighbours[at..].partition_point(|other| *other < neighbour);
            let after =
                before + list.neighbours[before..].iter().take_while(|other| **other == neighbour).count();
            let kept = if removed { before } else { after };
            neighbours.extend_from_slice(&list.neighbours[at..kept]);
            if is_weighted {
                weights.extend_from_slice(list.weights.get(at..kept).unwrap_or_default());
            }
            at = after;
            for row in of_one {
                if let Change::Add(weight) = row.change() {
                    neighbours.push(neighbour);
                    if is_weighted {
                        weights.push(weight);
                    }
                }
            }
        }
        neighbours.extend_from_slice(&list.neighbours[at..]);
        weights.extend_from_slice(list.weights.get(at..).unwrap_or_default());
    }

    /// Writes what was collected.
    fn put(&mut self, weights: Weights) {
        let places = self.block.more(self.neighbours.len());
        places
            .iter_mut()
            .zip(&self.neighbours)
            .for_each(|(place, neighbour)| *place = neighbour.to_le_bytes());
        match weights {
            Weights::None => {}
            Weights::F32 => {
                let places = self.block.more(self.weights.len());
                places.iter_mut().zip(&self.weights).for_each(|(place, weight)| {
                    *place = (*weight as f32).to_le_bytes();
                });
            }
            Weights::F64 => {
                let places = self.block.more(self.weights.len());
                places
                    .iter_mut()
                    .zip(&self.weights)
                    .for_each(|(place, weight)| *place = weight.to_le_bytes());
            }
        }
    }
}

/// Weights of 8 bytes where those of 4 cannot hold one that is added.
fn widened(weights: Weights, rows: &[Row]) -> Weights {
    if weights == Weights::F32 && !rows.iter().all(|row| fits_in_four_bytes(*row)) {
        Weights::F64
    } else {
        weights
    }
}

/// Whether a row adds no weight that 4 bytes cannot hold.
pub(crate) fn fits_in_four_bytes(row: Row) -> bool {
    match row.change() {
        Change::Add(weight) => f64::from(weight as f32).to_bits() == weight.to_bits(),
        Change::Remove => true,
    }
}
