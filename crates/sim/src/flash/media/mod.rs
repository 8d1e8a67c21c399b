//! What is where in the flash, and what it has been through: mapping, blocks, allocation, victims. Knows no
//! time.

mod blocks;
mod collecting;
mod fine;
mod initial;
mod mapping;
mod table;
#[cfg(test)]
mod tests;
mod victim;

use std::collections::VecDeque;

use leadline_device::Wear;

use self::blocks::Blocks;
pub(super) use self::collecting::Victim;
use self::fine::Fine;
pub(super) use self::fine::Sectors;
use self::initial::Initial;
use self::mapping::Mapping;
pub(super) use self::table::Table;
use self::victim::Victims;
use super::layout::Layout;
use super::spec::FlashSpec;

/// No block, no unit.
pub(super) const NONE: u32 = u32::MAX;

/// Whose data a program writes: each has an open block of its own, so that what lives long is kept apart from
/// what does not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stream {
    /// The host's.
    Host,
    /// Moved by collection, refreshes and folding.
    Moved,
}

/// Where a program went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) block: u32,
    /// Of the block's programs.
    pub(super) program: u32,
    pub(super) die: u32,
}

/// A block that is being written: the next of its programs.
#[derive(Debug, Clone, Copy)]
struct Open {
    block: u32,
    program: u32,
}

/// What allocates and collects on its own.
#[derive(Debug, Clone)]
struct Lane {
    free: VecDeque<u32>,
    slc_free: VecDeque<u32>,
    /// Full blocks of the SLC cache, oldest first.
    cached: VecDeque<u32>,
    host: Option<Open>,
    moved: Option<Open>,
    victim: Option<Victim>,
    /// Blocks to be collected whatever they hold: read too often, or worn too little.
    refresh: VecDeque<u32>,
    /// Whether the last victim was one of those.
    refreshed_last: bool,
    /// No block has been erased less often than this.
    least_erases: u32,
    /// Units programmed, modulo 2^32: the lane's clock.
    written: u32,
}

/// The flash without its timing.
#[derive(Debug, Clone)]
pub(super) struct Media {
    pub(super) layout: Layout,
    /// Parts of units that are mapped apart.
    pub(super) fine: Fine,
    initial: Initial,
    mapping: Mapping,
    blocks: Blocks,
    victims: Victims,
    lanes: Vec<Lane>,
    soft: u32,
    hard: u32,
    spread: u32,
    pub(super) wear: Wear,
    pub(super) operations: Operations,
}

/// Operations of the flash so far, each on all planes of a die.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Operations {
    /// Pages read from the array.
    pub reads: u64,
    /// Pages programmed.
    pub programs: u64,
    /// Blocks erased.
    pub erases: u64,
}

impl Operations {
    /// All of them.
    pub fn total(&self) -> u64 {
        self.reads + self.programs + self.erases
    }
}

impl Media {
    pub(super) fn new(spec: &FlashSpec, layout: Layout) -> Self {
        let initial = Initial::new(spec.state, &layout, spec.seed);
        let mut blocks = Blocks::new(layout.lanes, layout.lane_blocks(), layout.block_units);
        let mut victims = Victims::new(
            spec.gc.policy,
            spec.gc.window,
            layout.lanes,
            layout.lane_blocks(),
            layout.block_units,
        );
        let lanes = (0..layout.lanes)
            .map(|lane| {
                let first = lane * layout.lane_blocks();
                let mut filled = first;
                for valid in initial.valid_counts() {
                    let block = &mut blocks.all[filled as usize];
                    (block.valid, block.initial) = (valid, true);
                    // As long ago as if all had been written by the host.
                    blocks.close(filled, (filled - first) * layout.block_units);
                    victims.closed(lane, filled);
                    filled += 1;
                }
                let main_end = first + layout.lane_main;
                Lane {
                    free: (filled..main_end).collect(),
                    slc_free: (main_end..first + layout.lane_blocks()).collect(),
                    cached: VecDeque::with_capacity(layout.lane_slc as usize),
                    host: None,
                    moved: None,
                    victim: None,
                    refresh: VecDeque::new(),
                    refreshed_last: false,
                    least_erases: 0,
                    written: (filled - first).wrapping_mul(layout.block_units),
                }
            })
            .collect();
        let first_part = layout.lane_logical * layout.lanes;
        let block_bytes = u64::from(layout.block_units) * u64::from(layout.unit_bytes);
        let block_count = u64::from(layout.blocks());
        let rated_bytes = (block_count * block_bytes).saturating_mul(spec.wear.cycles.into());
        let wear = Wear { blocks: block_count, rated_bytes, ..Wear::default() };
        Media {
            initial,
            mapping: Mapping::new(first_part + layout.parts),
            fine: Fine::new(layout.parts, first_part),
            blocks,
            victims,
            lanes,
            soft: spec.gc.soft,
            hard: spec.gc.hard,
            spread: spec.wear.spread,
            wear,
            operations: Operations::default(),
            layout,
        }
    }

    /// The physical unit of a logical one; `None` where nothing was written.
    #[inline]
    pub(super) fn lookup(&self, unit: u32) -> Option<u32> {
        self.mapping.get(unit, &self.initial)
    }

    /// Whether what a unit is mapped to holds it.
    fn agrees_on(&self, unit: u32) -> bool {
        self.lookup(unit).is_none_or(|at| self.valid_unit(at) == Some(unit))
    }

    /// The die on which the lane's next program for the host would be; opens a block for it. `None` while
    /// there are too few free ones.
    #[inline]
    pub(super) fn next_host_die(&mut self, lane: u32) -> Option<u32> {
        let open = match self.lanes[lane as usize].host {
            Some(open) => open,
            None => self.open_for_host(lane)?,
        };
        Some(self.layout.die_of(open.block, open.program))
    }

    /// Free blocks of a lane that the host leaves alone. Folding takes a block and gives none back: one more
    /// is left for it.
    fn kept_from_host(&self, lane: u32) -> u32 {
        let victim = self.lanes[lane as usize].victim;
        self.hard + u32::from(victim.is_some_and(|victim| self.layout.is_slc(victim.block)))
    }

    /// The block of a lane that the host writes, and the programs left in it.
    pub(super) fn host_block(&self, lane: u32) -> Option<(u32, u32)> {
        let programs = self.layout.block_units / self.layout.program_units;
        self.lanes[lane as usize].host.map(|open| (open.block, programs - open.program))
    }

    fn open_for_host(&mut self, lane: u32) -> Option<Open> {
        let kept = self.kept_from_host(lane);
        let entry = &mut self.lanes[lane as usize];
        let block = match entry.slc_free.pop_front() {
            Some(block) => block,
            None if entry.free.len() as u32 > kept => self.take_free(lane, Stream::Host)?,
            None => return None,
        };
        self.blocks.open(block);
        let open = Open { block, program: 0 };
        self.lanes[lane as usize].host = Some(open);
        Some(open)
    }

    /// The next free block: the one that was erased first. With wear levelling the host, who will write again
    /// soon, gets the one erased least often, and what is moved, which has not been written for long, the one
    /// erased most often.
    fn take_free(&mut self, lane: u32, stream: Stream) -> Option<u32> {
        let free = &mut self.lanes[lane as usize].free;
        if self.spread == 0 {
            return free.pop_front();
        }
        let erases = |at: &usize| self.blocks.all[free[*at] as usize].erases;
        let at = match stream {
            Stream::Host => (0..free.len()).min_by_key(erases),
            Stream::Moved => (0..free.len()).rev().max_by_key(erases),
        };
        free.remove(at?)
    }

    /// Writes at most a program's units to the open block of a lane's stream; what is missing is padding.
    /// `None` where no block can be opened for it.
    pub(super) fn program(&mut self, lane: u32, stream: Stream, units: &[u32]) -> Option<Place> {
        let open = match (stream, self.lanes[lane as usize].host, self.lanes[lane as usize].moved) {
            (Stream::Host, Some(open), _) | (Stream::Moved, _, Some(open)) => open,
            (Stream::Host, None, _) => self.open_for_host(lane)?,
            (Stream::Moved, _, None) => {
                let block = self.take_free(lane, stream)?;
                self.blocks.open(block);
                Open { block, program: 0 }
            }
        };
        let Layout { program_units, block_units, .. } = self.layout;
        assert!(units.len() <= program_units as usize, "{} units in one program", units.len());
        let first = open.program * program_units;
        assert!(first + program_units <= block_units, "block {} is full", open.block);
        debug_assert_eq!(open.block / self.layout.lane_blocks(), lane, "each lane writes its own blocks");
        // One is enough to find out, and costs little beside the others.
        debug_assert!(units.first().is_none_or(|&unit| self.agrees_on(unit)), "{units:?} before");
        for (&unit, offset) in units.iter().zip(first..) {
            let at = open.block * block_units + offset;
            if let Some(before) = self.mapping.set(unit, Some(at), &self.initial) {
                self.invalidate(before);
            }
            self.blocks.write(open.block, offset, unit);
        }
        debug_assert!(units.first().is_none_or(|&unit| self.agrees_on(unit)), "{units:?} after");
        for offset in first + units.len() as u32..first + program_units {
            self.blocks.pad(open.block, offset);
        }
        self.wear.media_bytes += u64::from(program_units) * u64::from(self.layout.unit_bytes);
        self.operations.programs += 1;
        let entry = &mut self.lanes[lane as usize];
        entry.written = entry.written.wrapping_add(program_units);
        let place = Place {
            block: open.block,
            program: open.program,
            die: self.layout.die_of(open.block, open.program),
        };
        let open = Open { program: open.program + 1, ..open };
        let still_open = (open.program * program_units < block_units).then_some(open);
        match stream {
            Stream::Host => entry.host = still_open,
            Stream::Moved => entry.moved = still_open,
        }
        if still_open.is_none() {
            self.close(lane, open.block);
        }
        Some(place)
    }

    fn close(&mut self, lane: u32, block: u32) {
        let entry = &mut self.lanes[lane as usize];
        if self.layout.is_slc(block) {
            self.blocks.close_cached(block);
            entry.cached.push_back(block);
        } else {
            self.blocks.close(block, entry.written);
            self.victims.closed(lane, block);
        }
    }

    #[inline]
    fn invalidate(&mut self, at: u32) {
        let block = at / self.layout.block_units;
        let lane = block / self.layout.lane_blocks();
        self.blocks.invalidate(block, self.lanes[lane as usize].written);
    }

    /// A logical unit holds nothing any more.
    pub(super) fn trim(&mut self, unit: u32) {
        if let Some(before) = self.mapping.set(unit, None, &self.initial) {
            self.invalidate(before);
        }
    }

    /// Free blocks of a lane, those of the SLC cache left out.
    pub(super) fn free_blocks(&self, lane: u32) -> u32 {
        self.lanes[lane as usize].free.len() as u32
    }

    /// Whether the host must wait for collection on this lane.
    pub(super) fn is_short(&self, lane: u32) -> bool {
        self.free_blocks(lane) <= self.hard
    }

    /// Valid units of each block.
    #[cfg(test)]
    pub(super) fn valid_counts(&self) -> impl Iterator<Item = u32> {
        self.blocks.all.iter().map(|block| block.valid)
    }

    /// Bytes of memory it takes.
    pub(super) fn bytes(&self) -> usize {
        self.mapping.bytes() + self.blocks.bytes()
    }
}
