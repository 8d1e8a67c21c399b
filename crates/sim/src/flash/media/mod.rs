//! What is where in the flash, and what it has been through: mapping, blocks, allocation, victims. Knows no
//! time.

mod blocks;
mod initial;
mod mapping;
mod table;
mod victim;

use std::collections::VecDeque;

use leadline_device::Wear;

use self::blocks::{BlockState, Blocks};
use self::initial::Initial;
use self::mapping::Mapping;
pub(super) use self::table::Table;
use self::victim::Victims;
use super::layout::Layout;
use super::spec::FlashSpec;

/// No block, no unit.
pub(super) const NONE: u32 = u32::MAX;

/// Units of a victim that are looked at together.
const LOOK_AHEAD: u32 = 64;

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

/// A block whose valid units are being moved.
#[derive(Debug, Clone, Copy)]
pub(super) struct Victim {
    pub(super) block: u32,
    /// Units before this one are dealt with.
    cursor: u32,
    /// Programs with units of it that are not done yet.
    pub(super) moving: u32,
    /// Dies on which it is being erased.
    pub(super) erasing: u32,
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
    /// Units programmed, modulo 2^32: the lane's clock.
    written: u32,
}

/// The flash without its timing.
#[derive(Debug, Clone)]
pub(super) struct Media {
    pub(super) layout: Layout,
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
                    written: (filled - first).wrapping_mul(layout.block_units),
                }
            })
            .collect();
        let units = layout.lane_logical * layout.lanes;
        let block_bytes = u64::from(layout.block_units) * u64::from(layout.unit_bytes);
        let block_count = u64::from(layout.blocks());
        let rated_bytes = (block_count * block_bytes).saturating_mul(spec.wear.cycles.into());
        let wear = Wear { blocks: block_count, rated_bytes, ..Wear::default() };
        Media {
            initial,
            mapping: Mapping::new(units),
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

    /// The die on which the lane's next program for the host would be; opens a block for it. `None` while there
    /// are too few free ones.
    #[inline]
    pub(super) fn next_host_die(&mut self, lane: u32) -> Option<u32> {
        let open = match self.lanes[lane as usize].host {
            Some(open) => open,
            None => self.open_for_host(lane)?,
        };
        Some(self.layout.die_of(open.block, open.program))
    }

    fn open_for_host(&mut self, lane: u32) -> Option<Open> {
        let entry = &mut self.lanes[lane as usize];
        let block = match entry.slc_free.pop_front() {
            Some(block) => block,
            None if entry.free.len() as u32 > self.hard => self.take_free(lane)?,
            None => return None,
        };
        self.blocks.open(block);
        let open = Open { block, program: 0 };
        self.lanes[lane as usize].host = Some(open);
        Some(open)
    }

    /// The next free block: the one that was erased first, or with wear levelling least often.
    fn take_free(&mut self, lane: u32) -> Option<u32> {
        let free = &mut self.lanes[lane as usize].free;
        if self.spread == 0 {
            return free.pop_front();
        }
        let erases = |block: &u32| self.blocks.all[*block as usize].erases;
        let (at, _) = free.iter().enumerate().min_by_key(|(_, block)| erases(block))?;
        free.remove(at)
    }

    /// Writes at most a program's units to the open block of a lane's stream; what is missing is padding.
    /// `None` where no block can be opened for it.
    pub(super) fn program(&mut self, lane: u32, stream: Stream, units: &[u32]) -> Option<Place> {
        let open = match (stream, self.lanes[lane as usize].host, self.lanes[lane as usize].moved) {
            (Stream::Host, Some(open), _) | (Stream::Moved, _, Some(open)) => open,
            (Stream::Host, None, _) => self.open_for_host(lane)?,
            (Stream::Moved, _, None) => {
                let block = self.take_free(lane)?;
                self.blocks.open(block);
                Open { block, program: 0 }
            }
        };
        let Layout { program_units, block_units, .. } = self.layout;
        let first = open.program * program_units;
        for (&unit, offset) in units.iter().zip(first..) {
            let at = open.block * block_units + offset;
            if let Some(before) = self.mapping.set(unit, Some(at), &self.initial) {
                self.invalidate(before);
            }
            self.blocks.write(open.block, offset, unit);
        }
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

    pub(super) fn victim_mut(&mut self, lane: u32) -> Option<&mut Victim> {
        self.lanes[lane as usize].victim.as_mut()
    }

    /// Chooses the lane's next victim where it has none and one is wanted: to be refreshed, to make free blocks,
    /// or with `fold` to empty the SLC cache. Whether there is a victim then.
    pub(super) fn choose_victim(&mut self, lane: u32, fold: bool) -> bool {
        if self.lanes[lane as usize].victim.is_some() {
            return true;
        }
        let Some(block) = self.wanted_victim(lane, fold) else { return false };
        self.victims.chosen(lane, block);
        self.blocks.choose(block);
        self.lanes[lane as usize].victim = Some(Victim { block, cursor: 0, moving: 0, erasing: 0 });
        true
    }

    fn wanted_victim(&mut self, lane: u32, fold: bool) -> Option<u32> {
        let now = self.lanes[lane as usize].written;
        let entry = &mut self.lanes[lane as usize];
        // Moving a block that is all valid needs a free one and gives one back.
        let has_room = !entry.free.is_empty();
        if (entry.free.len() as u32) < self.soft {
            let victim = self.victims.next(lane, &mut self.blocks, now);
            // One that is all valid, or all but padding, would gain nothing.
            let gains = |&block: &u32| {
                self.blocks.all[block as usize].valid + self.layout.program_units <= self.layout.block_units
            };
            return victim.filter(gains);
        }
        while let Some(block) = entry.refresh.pop_front() {
            if has_room
                && matches!(self.blocks.all[block as usize].state, BlockState::Closed | BlockState::Cached)
            {
                entry.cached.retain(|&cached| cached != block);
                return Some(block);
            }
        }
        if fold && has_room { entry.cached.pop_front() } else { None }
    }

    /// The next valid units of the lane's victim, at most a program's, and the reads that get them: `read` is
    /// called with each (block, program). Empty at its end.
    pub(super) fn gather(&mut self, lane: u32, units: &mut Vec<u32>, mut read: impl FnMut(u32, u32)) {
        let Layout { program_units, block_units, .. } = self.layout;
        units.clear();
        let Some(victim) = &self.lanes[lane as usize].victim else { return };
        let Victim { block, mut cursor, .. } = *victim;
        let mut left = self.blocks.all[block as usize].valid;
        let ahead = LOOK_AHEAD.max(program_units);
        if cursor % ahead < program_units && left > 0 {
            self.look_ahead(block, cursor, ahead);
        }
        let mut last_read = NONE;
        let mut initial =
            self.blocks.all[block as usize].initial.then(|| self.initial.contents(block, cursor));
        while cursor < block_units && units.len() < program_units as usize && left > 0 {
            let offset = cursor;
            cursor += 1;
            let valid = match &mut initial {
                Some(contents) => contents.next().flatten().filter(|&unit| !self.mapping.touched(unit)),
                None => self.written_unit(block, offset),
            };
            let Some(unit) = valid else { continue };
            left -= 1;
            units.push(unit);
            let program = offset / program_units;
            if program != last_read {
                last_read = program;
                self.operations.reads += 1;
                read(block, program);
            }
        }
        if let Some(victim) = self.victim_mut(lane) {
            victim.cursor = cursor;
        }
    }

    /// Brings the mapping of the units that follow into the processor's cache: looked at together, they are
    /// waited for together.
    fn look_ahead(&self, block: u32, cursor: u32, units: u32) {
        if self.blocks.all[block as usize].initial {
            return;
        }
        let end = (cursor + units).min(self.layout.block_units);
        let valid = (cursor..end).filter(|&offset| self.written_unit(block, offset).is_some()).count();
        std::hint::black_box(valid);
    }

    /// Whether there is a block for what is moved on a lane.
    pub(super) fn can_move(&self, lane: u32) -> bool {
        let lane = &self.lanes[lane as usize];
        lane.moved.is_some() || lane.free.len() > 1
    }

    /// The valid units of one program of a block.
    pub(super) fn valid_units(&self, block: u32, program: u32, units: &mut Vec<u32>) {
        let Layout { program_units, block_units, .. } = self.layout;
        units.clear();
        let first = block * block_units + program * program_units;
        units.extend((first..first + program_units).filter_map(|at| self.valid_unit(at)));
    }

    /// What a physical unit holds, where that is valid.
    fn valid_unit(&self, at: u32) -> Option<u32> {
        let block = at / self.layout.block_units;
        if self.blocks.all[block as usize].initial {
            return self.initial.content(at).filter(|&unit| !self.mapping.touched(unit));
        }
        self.written_unit(block, at % self.layout.block_units)
    }

    /// The same of a block that was written since the start.
    #[inline]
    fn written_unit(&self, block: u32, offset: u32) -> Option<u32> {
        let (unit, at) = (self.blocks.content(block, offset), block * self.layout.block_units + offset);
        Some(unit).filter(|&unit| unit != NONE && self.mapping.is_at(unit, at))
    }

    /// The lane's victim is erased on all dies.
    pub(super) fn erased(&mut self, lane: u32) {
        let Some(victim) = self.lanes[lane as usize].victim.take() else { return };
        let block = victim.block;
        self.blocks.erase(block);
        self.wear.erases += 1;
        self.operations.erases += u64::from(self.layout.lane_dies);
        let entry = &mut self.lanes[lane as usize];
        if self.layout.is_slc(block) {
            entry.slc_free.push_back(block);
        } else {
            entry.free.push_back(block);
        }
        self.level_wear(lane, block);
    }

    /// Puts the least worn block of a lane to use where `block` has been erased much more often.
    fn level_wear(&mut self, lane: u32, block: u32) {
        let erases = self.blocks.all[block as usize].erases;
        // Looked at now and then: it takes a look at every block.
        if self.spread == 0 || !erases.is_multiple_of((self.spread / 2).max(1)) {
            return;
        }
        let first = lane * self.layout.lane_blocks();
        let full = (first..first + self.layout.lane_main)
            .filter(|&block| self.blocks.all[block as usize].state == BlockState::Closed);
        let Some(least) = full.min_by_key(|&block| self.blocks.all[block as usize].erases) else { return };
        let entry = &mut self.lanes[lane as usize];
        if self.blocks.all[least as usize].erases + self.spread < erases && !entry.refresh.contains(&least) {
            entry.refresh.push_back(least);
        }
    }

    /// Counts a read of a block. Whether it was the `limit`-th since the block was last refreshed.
    #[inline]
    pub(super) fn count_read(&mut self, block: u32, limit: u32) -> bool {
        let reads = &mut self.blocks.all[block as usize].reads;
        *reads += 1;
        if *reads >= limit {
            *reads = 0;
            return true;
        }
        false
    }

    /// Has a block moved elsewhere when its lane has time.
    pub(super) fn refresh(&mut self, block: u32) {
        let lane = block / self.layout.lane_blocks();
        self.lanes[lane as usize].refresh.push_back(block);
    }

    /// Bytes of memory it takes.
    pub(super) fn bytes(&self) -> usize {
        self.mapping.bytes() + self.blocks.bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SPEC: &str = "kind = \"flash\"\ncapacity = \"1G\"\nover_provisioning = 0.1\n\
                        [geometry]\nchannels = 2\ndies_per_channel = 1\npages_per_block = 64\n\
                        page_bytes = 4096\n\
                        [timing]\nread_us = 1\nprogram_us = 1\nerase_us = 1\nbus_mb_per_s = 1000\n";

    fn media(state: &str) -> Media {
        let spec = FlashSpec::parse(&SPEC.replacen("[geo", &format!("state = \"{state}\"\n[geo"), 1), "test")
            .unwrap();
        let layout = Layout::new(&spec).unwrap();
        Media::new(&spec, layout)
    }

    /// Writes one unit on the lane that it is on, and collects until there are enough free blocks.
    fn write(media: &mut Media, unit: u32) {
        let lane = media.layout.lane_of_unit(unit);
        while media.is_short(lane) || media.free_blocks(lane) < media.soft {
            assert!(media.choose_victim(lane, false));
            let mut units = Vec::new();
            media.gather(lane, &mut units, |_, _| ());
            match units.is_empty() {
                true => media.erased(lane),
                false => assert!(media.program(lane, Stream::Moved, &units).is_some()),
            }
        }
        media.program(lane, Stream::Host, &[unit]).unwrap();
    }

    fn valid_counts(media: &Media) -> Vec<u32> {
        let full = media.blocks.all.iter().filter(|block| block.state == BlockState::Closed);
        let mut counts: Vec<u32> = full.map(|block| block.valid).collect();
        counts.sort_unstable();
        counts
    }

    /// The largest distance between two empirical distributions (Kolmogorov and Smirnov).
    fn distance(a: &[u32], b: &[u32]) -> f64 {
        let share = |of: &[u32], value: u32| of.partition_point(|&x| x <= value) as f64 / of.len() as f64;
        a.iter().chain(b).map(|&value| (share(a, value) - share(b, value)).abs()).fold(0.0, f64::max)
    }

    #[test]
    fn what_is_computed_is_consistent_both_ways() {
        for state in ["steady", "filled"] {
            let media = media(state);
            let mut valid = 0;
            for at in 0..media.layout.blocks() * media.layout.block_units {
                let block = &media.blocks.all[(at / media.layout.block_units) as usize];
                let Some(unit) = Some(at).filter(|_| block.initial).and_then(|at| media.valid_unit(at))
                else {
                    continue;
                };
                assert_eq!(media.lookup(unit), Some(at), "{state}, unit {unit}");
                valid += 1;
            }
            assert_eq!(valid, media.layout.lane_logical * media.layout.lanes, "each unit is somewhere");
        }
        assert!((0..1000).all(|unit| media("fresh").lookup(unit).is_none()));
    }

    #[test]
    fn the_computed_steady_state_is_that_after_a_long_time() {
        let (computed, mut simulated) = (media("steady"), media("filled"));
        let units = simulated.layout.lane_logical * simulated.layout.lanes;
        let mut random = fastrand::Rng::with_seed(1);
        for _ in 0..4 * units {
            write(&mut simulated, random.u32(..units));
        }
        let (a, b) = (valid_counts(&computed), valid_counts(&simulated));
        // Critical value for 1 % at these sizes.
        let critical = 1.63 * ((a.len() + b.len()) as f64 / (a.len() * b.len()) as f64).sqrt();
        let found = distance(&a, &b);
        println!("distance {found:.4}, critical {critical:.4}");
        assert!(found < critical, "{found} is not below {critical}");
        // A state that only looks similar is told apart.
        let fuller: Vec<u32> = a.iter().map(|&count| (count + 4).min(64)).collect();
        assert!(distance(&fuller, &b) > critical);
    }
}
