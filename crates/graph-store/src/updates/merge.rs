//! Lists with their changes: what visitors see of a list in place of what the base says.

use super::block_rows::ListRows;
use crate::format::block_layout::BlockInMemory;
use crate::format::{Block, Group, Groups, List, Scratch, Vertex, Weights};

/// A list is copied in pieces between its changes where it has that many neighbours for each of them.
const FEW: usize = 16;

/// Where a thread puts lists together; it keeps its buffers.
#[derive(Debug, Default)]
pub struct ListMerger {
    scratch: Scratch,
    neighbours: Vec<Vertex>,
    weights: Vec<f64>,
}

impl ListMerger {
    /// The neighbours of a vertex after changes. `base` is none where the base has no list of it.
    pub(super) fn neighbours(
        &mut self,
        base: Option<&Block<'_>>,
        vertex: Vertex,
        rows: ListRows<'_>,
    ) -> &[Vertex] {
        let ListMerger { scratch, neighbours, .. } = self;
        let list = base.map(|base| base.neighbours(vertex, scratch)).unwrap_or_default();
        if rows.neighbours.len() * FEW >= list.len() && rows.only_adds() {
            let count = list.len() + rows.neighbours.len();
            if neighbours.len() < count {
                neighbours.resize(count, 0);
            }
            merge_sorted(list, rows.neighbours, &mut neighbours[..count]);
            return &neighbours[..count];
        }
        neighbours.clear();
        collect(List { neighbours: list, weights: &[] }, rows, neighbours, None);
        neighbours
    }

    /// The list of a vertex after changes, with its weights.
    pub(super) fn list(&mut self, base: Option<&Block<'_>>, vertex: Vertex, rows: ListRows<'_>) -> List<'_> {
        let ListMerger { scratch, neighbours, weights } = self;
        let list = base.map(|base| base.list(vertex, scratch)).unwrap_or_default();
        neighbours.clear();
        weights.clear();
        let has_weights = !list.weights.is_empty() || !rows.weights.is_empty();
        collect(list, rows, neighbours, has_weights.then_some(&mut *weights));
        List { neighbours, weights }
    }
}

/// Two ascending lists as one. Which of both is next is not foreseen by any processor: no branch depends on
/// it.
fn merge_sorted(list: &[Vertex], rows: &[Vertex], to: &mut [Vertex]) {
    let (mut in_list, mut in_rows) = (0, 0);
    for place in to {
        let of_list = list.get(in_list).map_or(u64::MAX, |neighbour| u64::from(*neighbour));
        let of_rows = rows.get(in_rows).map_or(u64::MAX, |neighbour| u64::from(*neighbour));
        let is_of_list = of_list <= of_rows;
        *place = of_list.min(of_rows) as Vertex;
        (in_list, in_rows) = (in_list + usize::from(is_of_list), in_rows + usize::from(!is_of_list));
    }
}

/// A list and its weights, if they are wanted, after its changes.
fn collect(
    list: List<'_>,
    rows: ListRows<'_>,
    neighbours: &mut Vec<Vertex>,
    mut weights: Option<&mut Vec<f64>>,
) {
    let (mut at, mut row) = (0, 0);
    while let Some(neighbour) = rows.neighbours.get(row).copied() {
        let before = at + list.neighbours[at..].partition_point(|other| *other < neighbour);
        let after =
            before + list.neighbours[before..].iter().take_while(|other| **other == neighbour).count();
        let removed = rows.removes(row);
        row += usize::from(removed);
        let kept = if removed { before } else { after };
        let added = row..row + rows.neighbours[row..].iter().take_while(|other| **other == neighbour).count();
        neighbours.extend_from_slice(&list.neighbours[at..kept]);
        neighbours.extend_from_slice(&rows.neighbours[added.clone()]);
        if let Some(weights) = &mut weights {
            weights.extend_from_slice(&list.weights[at..kept]);
            weights.extend_from_slice(&rows.weights[added.clone()]);
        }
        (at, row) = (after, added.end);
    }
    neighbours.extend_from_slice(&list.neighbours[at..]);
    if let Some(weights) = weights {
        weights.extend_from_slice(&list.weights[at..]);
    }
}

/// The neighbours of a list after its changes, one after the other, for visitors that may not want all.
#[derive(Debug, Clone)]
pub(super) struct MergedNeighbours<'a> {
    groups: Groups<'a>,
    group: Group,
    /// The next of the group.
    at: usize,
    rows: ListRows<'a>,
    /// The next row.
    row: usize,
    /// What was removed last.
    removed: Option<Vertex>,
}

impl<'a> MergedNeighbours<'a> {
    pub(super) fn new(groups: Groups<'a>, rows: ListRows<'a>) -> MergedNeighbours<'a> {
        MergedNeighbours {
            groups,
            group: Group { values: [0; 4], len: 0 },
            at: 0,
            rows,
            row: 0,
            removed: None,
        }
    }
}

impl Iterator for MergedNeighbours<'_> {
    type Item = Vertex;

    #[inline]
    fn next(&mut self) -> Option<Vertex> {
        loop {
            if self.at == self.group.len
                && let Some(group) = self.groups.next()
            {
                (self.group, self.at) = (group, 0);
            }
            let of_base = self.group.values[..self.group.len].get(self.at).copied();
            if let Some(of_row) = self.rows.neighbours.get(self.row).copied()
                && of_base.is_none_or(|of_base| of_row <= of_base)
            {
                self.row += 1;
                if self.rows.removes(self.row - 1) {
                    self.removed = Some(of_row);
                    continue;
                }
                return Some(of_row);
            }
            self.at += usize::from(of_base.is_some());
            if of_base.is_none() || of_base != self.removed {
                return of_base;
            }
        }
    }
}

/// Where a thread makes blocks of lists with their changes; it keeps its buffers.
#[derive(Debug, Default)]
pub struct Merger {
    pub(super) block: BlockInMemory,
    pub(super) lists: ListMerger,
}

impl Merger {
    /// Writes the next list of the block as plain numbers: to write the byte code takes longer than most
    /// visits.
    pub(super) fn put(
        &mut self,
        base: Option<&Block<'_>>,
        vertex: Vertex,
        rows: ListRows<'_>,
        kept: Weights,
    ) {
        let Merger { block, lists } = self;
        if kept == Weights::None {
            put_neighbours(block, lists.neighbours(base, vertex, rows));
        } else {
            let List { neighbours, weights } = lists.list(base, vertex, rows);
            put_neighbours(block, neighbours);
            if kept == Weights::F32 {
                let places = block.more(weights.len()).iter_mut();
                places.zip(weights).for_each(|(place, weight)| *place = (*weight as f32).to_le_bytes());
            } else {
                let places = block.more(weights.len()).iter_mut();
                places.zip(weights).for_each(|(place, weight)| *place = weight.to_le_bytes());
            }
        }
        block.end_list();
    }
}

fn put_neighbours(block: &mut BlockInMemory, neighbours: &[Vertex]) {
    let places = block.more(neighbours.len()).iter_mut();
    places.zip(neighbours).for_each(|(place, neighbour)| *place = neighbour.to_le_bytes());
}
