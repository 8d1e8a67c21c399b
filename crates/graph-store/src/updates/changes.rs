//! The changes of a graph that a reader sees: layers of rows over the lists of the base, from the oldest to
//! the newest.

mod groups;

use std::sync::Arc;

use super::block_lists::{BlockLists, Place};
use super::block_rows::{BlockRows, GroupRows};
use super::merge::Merger;
use super::rows::{Change, Row};
use super::run::{Cursor, RunSide, SortedRows, Window, merge_rows};
use super::vertices::IdChanges;
use crate::GraphError;
use crate::format::{Block, Direction, Directory, Vertex, Weights};

pub use groups::ReadRows;

/// Changes of edges and of ids.
#[derive(Debug)]
pub struct Changes {
    forward: SideChanges,
    /// Of a directed graph with reverse lists.
    reverse: Option<SideChanges>,
    ids: Option<IdChanges>,
    /// By layer that is a run, the version up to its last row.
    run_versions: Vec<u64>,
}

/// Changes of the lists of one direction.
#[derive(Debug)]
pub struct SideChanges {
    layers: Vec<Layer>,
    /// A bit per block: it has changes.
    touched: Vec<u64>,
    /// How the base keeps weights.
    weights: Weights,
    /// Blocks of a group.
    group: u32,
    /// Groups of both directions before the first.
    groups_before: u32,
}

/// Rows of one age.
#[derive(Debug, Clone)]
pub(crate) enum Layer {
    Memory(Arc<[Row]>),
    Run(Arc<RunSide>),
}

impl Layer {
    fn rows(&self) -> Box<dyn SortedRows + '_> {
        match self {
            Layer::Memory(rows) => Box::new(&rows[..]),
            Layer::Run(run) => Box::new(Cursor::new(run)),
        }
    }

    /// Bytes of its rows as runs have them, about.
    fn coded_bytes(&self) -> u64 {
        match self {
            Layer::Memory(rows) => 3 * rows.len() as u64,
            Layer::Run(run) => run.row_bytes(),
        }
    }

    fn each_row(&self, mut each: impl FnMut(Row)) -> Result<(), GraphError> {
        match self {
            Layer::Memory(rows) => rows.iter().copied().for_each(&mut each),
            Layer::Run(run) => {
                let mut cursor = Cursor::new(run);
                while let Some(row) = cursor.peek()? {
                    each(row);
                    cursor.step();
                }
            }
        }
        Ok(())
    }
}

/// The buffers of a thread that goes through all blocks.
#[derive(Debug, Default)]
pub(crate) struct Merging {
    read: ReadRows,
    merger: Merger,
}

impl Merging {
    /// Reads of runs since this was asked last.
    pub(crate) fn take_reads(&mut self) -> u64 {
        self.read.windows.iter_mut().map(Window::take_reads).sum()
    }
}

impl Changes {
    pub(crate) fn new(
        forward: SideChanges,
        mut reverse: Option<SideChanges>,
        ids: Option<IdChanges>,
        run_versions: Vec<u64>,
    ) -> Changes {
        if let Some(reverse) = &mut reverse {
            reverse.groups_before = forward.groups();
        }
        Changes { forward, reverse, ids, run_versions }
    }

    /// Calls `each` with the ends of the edges that were added or removed after a version, and maybe of some
    /// before, and whether the edge is there now; of an undirected graph from both ends. They ascend. What an
    /// edge was at that version is not known: it may have been there, or not, or had other copies.
    ///
    /// # Errors
    /// Of reading a run.
    pub fn changed_since(
        &self,
        version: u64,
        mut each: impl FnMut(Vertex, Vertex, bool),
    ) -> Result<(), GraphError> {
        let layers = self.forward.layers.iter().enumerate();
        let since = layers.filter(|(at, _)| self.run_versions.get(*at).is_none_or(|last| *last > version));
        let rows: Vec<Box<dyn SortedRows + '_>> = since.map(|(_, layer)| layer.rows()).collect();
        merge_rows(rows, |rows| {
            // Of what is left of an edge's rows, a removal is the first.
            let (first, last) = (rows[0], rows[rows.len() - 1]);
            each(first.vertex(), first.neighbour(), last.change() != Change::Remove);
            Ok(())
        })
    }

    /// Of the lists of a direction; an undirected graph has one set of lists for both.
    #[inline]
    pub fn side(&self, direction: Direction) -> &SideChanges {
        match (direction, &self.reverse) {
            (Direction::Reverse, Some(reverse)) => reverse,
            _ => &self.forward,
        }
    }

    /// Of ids, if any were added or removed.
    #[inline]
    pub fn ids(&self) -> Option<&IdChanges> {
        self.ids.as_ref()
    }

    /// Bytes in memory, with the buffers of that many threads.
    pub fn bytes(&self, threads: u64) -> u64 {
        let sides = [Some(&self.forward), self.reverse.as_ref()];
        let of_sides: u64 = sides.into_iter().flatten().map(|side| side.bytes(threads)).sum();
        of_sides + self.ids.as_ref().map_or(0, IdChanges::bytes)
    }

    /// Groups of blocks of both directions, and about how many bytes the changes of all take in memory.
    pub fn groups(&self) -> (u32, u64) {
        let sides = [Some(&self.forward), self.reverse.as_ref()].into_iter().flatten();
        sides.fold((0, 0), |(groups, bytes), side| (groups + side.groups(), bytes + side.bytes_by_block()))
    }

    /// About how many bytes a thread keeps of what it decoded, if it asks for that many blocks in any order.
    pub fn bytes_at_once(&self, blocks: u32) -> u64 {
        let sides = [Some(&self.forward), self.reverse.as_ref()].into_iter().flatten();
        let of_side = |side: &SideChanges| {
            let groups = u64::from(groups::at_once(blocks, side.group));
            groups * (side.bytes_by_block() / u64::from(side.groups().max(1)))
        };
        sides.map(of_side).max().unwrap_or(0)
    }
}

impl SideChanges {
    /// Layers over the blocks of a directory that was [`Directory::changed`].
    pub(crate) fn new(layers: Vec<Layer>, directory: &Directory, weights: Weights) -> SideChanges {
        let mut touched = vec![0u64; directory.blocks().div_ceil(64) as usize];
        let mut touch = |block: u32| touched[block as usize / 64] |= 1 << (block % 64);
        for block in 0..directory.blocks() {
            if !directory.is_stored(block) || directory.is_cut(block) {
                touch(block);
            }
        }
        for layer in &layers {
            match layer {
                Layer::Memory(rows) => each_block_of(rows, directory, &mut touch),
                // Which blocks a run has no rows of is known once they are looked for.
                Layer::Run(run) => {
                    let first = run.first();
                    let all = 0..directory.blocks();
                    all.filter(|block| first.is_some_and(|first| first <= directory.keys_of(*block).end))
                        .for_each(&mut touch);
                }
            }
        }
        let group = groups::of(layers.iter().map(Layer::coded_bytes).sum(), directory.blocks());
        SideChanges { layers, touched, weights, group, groups_before: 0 }
    }

    /// Whether a block has changes.
    #[inline]
    pub fn touches(&self, block: u32) -> bool {
        self.touched[block as usize / 64] >> (block % 64) & 1 == 1
    }

    /// The lists of a block after changes; `base` is none where it is not in the store.
    pub fn lists<'a>(
        &self,
        rows: BlockRows<'a>,
        directory: &Directory,
        number: u32,
        base: Option<&Block<'a>>,
    ) -> BlockLists<'a> {
        match base {
            Some(base) if rows.is_empty() && !directory.is_cut(number) => BlockLists::unchanged(base),
            _ => BlockLists::new(base, rows, Place::of(directory, number), self.weights),
        }
    }

    /// A block as changes made it; `base` is none where it is not in the store.
    ///
    /// # Errors
    /// Of reading a run.
    pub(crate) fn merge<'m>(
        &self,
        merging: &'m mut Merging,
        directory: &Directory,
        number: u32,
        base: Option<&Block<'m>>,
    ) -> Result<Block<'m>, GraphError> {
        let Merging { read, merger } = merging;
        // Nobody asks for a block again, but for all after it.
        self.decode(read, directory, number..number + 1, directory.blocks(), 1)?;
        Ok(self.lists(read.groups[0].of(number), directory, number, base).merge(merger))
    }

    /// How many layers are read from files.
    pub(crate) fn runs(&self) -> u64 {
        self.layers.iter().filter(|layer| matches!(layer, Layer::Run(_))).count() as u64
    }

    /// All rows, layer by layer.
    ///
    /// # Errors
    /// Of reading a run.
    pub(crate) fn each_row(&self, mut each: impl FnMut(Row)) -> Result<(), GraphError> {
        self.layers.iter().try_for_each(|layer| layer.each_row(&mut each))
    }

    /// Bytes of the changes of all blocks in memory, about.
    fn bytes_by_block(&self) -> u64 {
        let of_layer = |layer: &Layer| match layer {
            // Next to its neighbour a row has a weight at most, or is the last of its list.
            Layer::Memory(rows) => 12 * rows.len() as u64,
            // Runs have the same numbers in half as many bytes.
            Layer::Run(run) => 2 * run.row_bytes(),
        };
        let blocks: u32 = self.touched.iter().map(|word| word.count_ones()).sum();
        self.layers.iter().map(of_layer).sum::<u64>() + u64::from(blocks) * GroupRows::BYTES_PER_BLOCK
    }

    fn bytes(&self, threads: u64) -> u64 {
        let of_layer = |layer: &Layer| match layer {
            Layer::Memory(rows) => size_of_val(&rows[..]) as u64,
            Layer::Run(run) => run.index_bytes() + threads * Window::BYTES,
        };
        // What a thread merges is a block and its changes; lists are decoded meanwhile.
        self.layers.iter().map(of_layer).sum::<u64>()
            + size_of_val(&self.touched[..]) as u64
            + threads * (384 << 10)
    }
}

/// Calls `each` with the blocks whose lists some rows change, ascending. Most commits have rows for few of
/// the blocks, which are looked for from each to the next.
fn each_block_of(rows: &[Row], directory: &Directory, mut each: impl FnMut(u32)) {
    // Copies of the edge with which the next block begins may stand at the end of a block.
    let is_past =
        |block: u32, key: u64| directory.keys_of(block).end + u64::from(directory.continues(block)) <= key;
    let (mut rest, mut block) = (rows, 0);
    while let Some(Row { key, .. }) = rest.first() {
        let (mut end, mut step) = (block, 1);
        while end < directory.blocks() && is_past(end, *key) {
            (block, end, step) = (end + 1, end.saturating_add(step), step.saturating_mul(2));
        }
        let mut end = end.min(directory.blocks());
        while block < end {
            let middle = block + (end - block) / 2;
            if is_past(middle, *key) { block = middle + 1 } else { end = middle }
        }
        if block == directory.blocks() {
            return;
        }
        each(block);
        rest = &rest[rest.partition_point(|row| row.key < directory.keys_of(block).end)..];
        block += 1;
    }
}
