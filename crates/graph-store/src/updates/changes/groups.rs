//! Groups: blocks that follow one another, whose changes are read and decoded together.

use std::ops::Range;

use super::{Layer, SideChanges};
use crate::GraphError;
use crate::format::{Directory, Weights};
use crate::updates::block_lists::Place;
use crate::updates::block_rows::GroupRows;
use crate::updates::rows::{Change, Row, ahead, compose, within_near};
use crate::updates::run::Window;

/// Bytes of rows, as runs have them, that the blocks of a group have together, about.
const GROUP_BYTES: u64 = 32 << 10;

/// Most blocks of a group, a power of two.
const MOST_OF_GROUP: u32 = 256;

/// A group is no larger than one of as many parts of all blocks, so that threads find enough of them.
const LEAST_GROUPS: u32 = 32;

/// Blocks of a group, of a graph of that many blocks with that many bytes of rows.
pub(super) fn of(row_bytes: u64, blocks: u32) -> u32 {
    let of_group = (u64::from(blocks) * GROUP_BYTES / row_bytes.max(1)).min((blocks / LEAST_GROUPS).into());
    1 << of_group.clamp(1, MOST_OF_GROUP.into()).ilog2()
}

/// Groups of which a thread needs the changes at a time that asks for that many blocks in any order.
pub(super) fn at_once(blocks: u32, group: u32) -> u32 {
    1 + blocks.div_ceil(group)
}

/// What a thread has read of runs, and the groups that it decoded last.
#[derive(Debug, Default)]
pub struct ReadRows {
    rows: Vec<Row>,
    starts: Vec<usize>,
    /// By layer that is a run.
    pub(super) windows: Vec<Window>,
    /// By layer in memory, where the rows ended that were asked for last.
    ends: Vec<usize>,
    pub(super) groups: Vec<GroupRows>,
    /// Which of them was decoded last.
    last: usize,
    /// Blocks that may be asked for in any order.
    at_once: u32,
    /// Blocks that the thread goes through, counted from the first of all: runs are read no further than to
    /// the next multiple.
    chunk: u32,
}

impl ReadRows {
    /// For a thread that goes through `chunk` blocks, and asks for `at_once` of them in any order.
    pub fn new(chunk: u32, at_once: u32) -> ReadRows {
        ReadRows { chunk, at_once, ..ReadRows::default() }
    }
}

impl SideChanges {
    /// How many blocks a group has; each group begins at a multiple of it.
    pub fn of_group(&self) -> u32 {
        self.group
    }

    /// The number of a block's group among the groups of both directions.
    #[inline]
    pub fn group_of(&self, number: u32) -> u32 {
        self.groups_before + number / self.group
    }

    /// How many groups there are, or somewhat more.
    pub(super) fn groups(&self) -> u32 {
        (self.touched.len() as u32 * 64).div_ceil(self.group)
    }

    /// The changes of a block's group, and whether they were not at hand.
    ///
    /// # Errors
    /// Of reading a run.
    pub fn rows<'r>(
        &self,
        read: &'r mut ReadRows,
        directory: &Directory,
        number: u32,
    ) -> Result<(&'r GroupRows, bool), GraphError> {
        let found = read.groups.iter().position(|group| group.has(number));
        let at = match found {
            Some(at) => at,
            None => {
                let first = number / self.group * self.group;
                let blocks = first..directory.blocks().min(first + self.group);
                let chunk = read.chunk.max(self.group);
                let reach = (number / chunk + 1).saturating_mul(chunk).min(directory.blocks());
                self.decode(read, directory, blocks, reach, at_once(read.at_once, self.group))?;
                read.last
            }
        };
        Ok((&read.groups[at], found.is_none()))
    }

    /// Decodes the changes of some blocks, instead of those that were decoded first of as many as are kept.
    /// Runs are read no further than to the block before `reach`.
    pub(super) fn decode(
        &self,
        read: &mut ReadRows,
        directory: &Directory,
        blocks: Range<u32>,
        reach: u32,
        most: u32,
    ) -> Result<(), GraphError> {
        let ReadRows { rows, starts, windows, ends, groups, last, .. } = read;
        rows.clear();
        starts.clear();
        windows.resize_with(self.layers.len(), Window::default);
        ends.resize(self.layers.len(), 0);
        let keys = directory.keys_of(blocks.start).start..wanted(directory, blocks.end - 1).end;
        let reach = wanted(directory, reach - 1).end;
        for ((layer, window), end) in self.layers.iter().zip(windows).zip(ends) {
            starts.push(rows.len());
            match layer {
                Layer::Memory(layer) => rows.extend_from_slice(within_near(layer, keys.clone(), end)),
                Layer::Run(run) => {
                    window.expect(reach);
                    run.rows(keys.clone(), window, rows)?;
                }
            }
        }
        compose(rows, starts);
        if groups.len() < most as usize {
            groups.push(GroupRows::default());
            *last = groups.len() - 1;
        } else {
            *last = (*last + 1) % groups.len();
        }
        let group = &mut groups[*last];
        group.begin(blocks.start);
        let mut from = 0;
        for block in blocks {
            if !self.touches(block) {
                group.push(0..0, &[], false);
                continue;
            }
            let end = directory.keys_of(block).end;
            let behind = from + ahead(&rows[from..], end);
            // Copies of the edge with which the next block begins may stand at the end of this one: they are
            // removed in both, and added in the next.
            let is_removal = |row: &Row| row.key == end && row.change() == Change::Remove;
            let removes = directory.continues(block) && rows.get(behind).is_some_and(is_removal);
            let of_block = &rows[from..behind + usize::from(removes)];
            group.push(Place::of(directory, block).vertices(), of_block, self.weights != Weights::None);
            from = behind;
        }
        Ok(())
    }
}

/// The keys of rows that may change a block: copies of the edge with which the next block begins may stand at
/// its end.
fn wanted(directory: &Directory, number: u32) -> Range<u64> {
    let keys = directory.keys_of(number);
    keys.start..keys.end + u64::from(directory.continues(number))
}
