//! Which blocks are emptied and erased, and in what order: to make room, to refresh, to level wear, to fold.

use super::blocks::{BlockState, Blocks};
use super::{Media, NONE};
use crate::flash::layout::Layout;

/// A block whose valid units are being moved.
#[derive(Debug, Clone, Copy)]
pub(in crate::flash) struct Victim {
    pub(super) block: u32,
    /// Units before this one are dealt with.
    cursor: u32,
    /// Programs with units of it that are not done yet.
    pub(in crate::flash) moving: u32,
    /// Dies on which it is being erased.
    pub(in crate::flash) erasing: u32,
}

/// Units of a victim that are looked at together.
const LOOK_AHEAD: u32 = 64;

impl Media {
    pub(in crate::flash) fn victim_mut(&mut self, lane: u32) -> Option<&mut Victim> {
        self.lanes[lane as usize].victim.as_mut()
    }

    /// Chooses the lane's next victim where it has none and one is wanted: to be refreshed, to make free
    /// blocks, or with `fold` to empty the SLC cache. Whether there is a victim then.
    pub(in crate::flash) fn choose_victim(&mut self, lane: u32, fold: bool) -> bool {
        if self.lanes[lane as usize].victim.is_some() {
            return true;
        }
        let Some(block) = self.wanted_victim(lane, fold) else { return false };
        self.victims.chosen(lane, block);
        self.blocks.choose(block);
        self.lanes[lane as usize].victim = Some(Victim { block, cursor: 0, moving: 0, erasing: 0 });
        true
    }

    // There is always room for what is moved: a victim of collection has at most a block less one program,
    // and at least that is free in whole blocks and in the one that is open. One that is refreshed may have a
    // whole block, and gives it back; one that is folded gives none back, so that the host leaves one more.
    fn wanted_victim(&mut self, lane: u32, fold: bool) -> Option<u32> {
        let short = self.free_blocks(lane) < self.soft;
        // Neither waits for the other for ever.
        let refresh_first = !short || !self.lanes[lane as usize].refreshed_last;
        let refresh = if refresh_first { self.due_for_refresh(lane) } else { None };
        self.lanes[lane as usize].refreshed_last = refresh.is_some();
        refresh.or_else(|| match short {
            true => self.collectable(lane).or_else(|| self.due_for_refresh(lane)),
            false if fold => self.lanes[lane as usize].cached.pop_front(),
            false => None,
        })
    }

    /// Programs that collection has to do until the host can have another block of a lane: 0 where it can
    /// already, and `None` where collection gains nothing. What the victims after this one will hold is not
    /// known yet: as much as the best of now.
    pub(in crate::flash) fn owed(&mut self, lane: u32) -> Option<u32> {
        let Layout { program_units, block_units, .. } = self.layout;
        let programs = block_units / program_units;
        let entry = &self.lanes[lane as usize];
        let kept = self.kept_from_host(lane);
        let free = entry.free.len() as u32;
        if free > kept || !entry.slc_free.is_empty() {
            return Some(0);
        }
        let begun = entry.moved.map_or(0, |open| programs - open.program);
        // Free programs change by what a victim gains, whole blocks with each erase.
        let mut needed = (kept + 1 - free) * programs - begun;
        let mut moves = 0;
        if let Some(victim) = &entry.victim {
            moves = self.blocks.all[victim.block as usize].valid.div_ceil(program_units);
            if self.layout.is_slc(victim.block) || programs.saturating_sub(moves) >= needed {
                return Some(moves);
            }
            needed -= programs.saturating_sub(moves);
        }
        let fewest = self.blocks.fewest_valid(lane)?;
        let each = self.blocks.all[fewest as usize].valid.div_ceil(program_units);
        let gained = programs.checked_sub(each).filter(|&gained| gained > 0)?;
        Some(moves + needed.div_ceil(gained) * each)
    }

    /// The block of a lane that is being collected.
    pub(in crate::flash) fn victim_block(&self, lane: u32) -> u32 {
        self.lanes[lane as usize].victim.map_or(NONE, |victim| victim.block)
    }

    /// The block of a lane that collection empties next, where that gains anything.
    fn collectable(&mut self, lane: u32) -> Option<u32> {
        let now = self.lanes[lane as usize].written;
        // Of one that is all valid, or all but a part of a program, nothing would be gained. Where the policy
        // has no other, any that does gain is better than to wait for ever.
        let most = self.layout.block_units - self.layout.program_units;
        let gains = |blocks: &Blocks, block: &u32| blocks.all[*block as usize].valid <= most;
        let chosen = self.victims.next(lane, &mut self.blocks, now);
        chosen.filter(|block| gains(&self.blocks, block)).or_else(|| {
            let fewest = self.blocks.fewest_valid(lane)?;
            Some(fewest).filter(|block| gains(&self.blocks, block))
        })
    }

    /// A block of a lane that is to be refreshed, where there is room for what it holds.
    fn due_for_refresh(&mut self, lane: u32) -> Option<u32> {
        let entry = &mut self.lanes[lane as usize];
        let free = entry.free.len() as u32;
        for _ in 0..entry.refresh.len() {
            let block = entry.refresh.pop_front()?;
            let state = self.blocks.all[block as usize].state;
            let has_room = if state == BlockState::Cached { free >= self.soft } else { free >= 1 };
            match state {
                BlockState::Closed | BlockState::Cached if !has_room => entry.refresh.push_back(block),
                BlockState::Closed | BlockState::Cached => {
                    self.blocks.all[block as usize].refresh_is_due = false;
                    entry.cached.retain(|&cached| cached != block);
                    return Some(block);
                }
                // It has been erased meanwhile, or is about to be.
                _ => self.blocks.all[block as usize].refresh_is_due = false,
            }
        }
        None
    }

    /// The next valid units of the lane's victim, at most a program's, and the reads that get them: `read` is
    /// called with each (block, program). Empty at its end.
    pub(in crate::flash) fn gather(
        &mut self,
        lane: u32,
        units: &mut Vec<u32>,
        mut read: impl FnMut(u32, u32),
    ) {
        let Layout { program_units, block_units, .. } = self.layout;
        units.clear();
        let victim = &self.lanes[lane as usize].victim.expect("a victim was chosen");
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
        assert!(cursor < block_units || left == 0, "{left} units of block {block} are nowhere in it");
        self.victim_mut(lane).expect("it was there").cursor = cursor;
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

    /// Whether a program can be moved on a lane next to those of its victim.
    pub(in crate::flash) fn can_move(&self, lane: u32) -> bool {
        let lane = &self.lanes[lane as usize];
        lane.free.len() > 1 || (lane.moved.is_some() && !lane.free.is_empty())
    }

    /// The valid units of one program of a block.
    pub(in crate::flash) fn valid_units(&self, block: u32, program: u32, units: &mut Vec<u32>) {
        let Layout { program_units, block_units, .. } = self.layout;
        units.clear();
        let first = block * block_units + program * program_units;
        units.extend((first..first + program_units).filter_map(|at| self.valid_unit(at)));
    }

    /// What a physical unit holds, where that is valid.
    pub(in crate::flash) fn valid_unit(&self, at: u32) -> Option<u32> {
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
    pub(in crate::flash) fn erased(&mut self, lane: u32) {
        let Victim { block, moving, erasing, .. } =
            self.lanes[lane as usize].victim.take().expect("what is erased was chosen");
        assert_eq!((moving, erasing), (0, 0), "block {block} is still being moved or erased");
        self.blocks.erase(block);
        self.wear.erases += 1;
        self.operations.erases += u64::from(self.layout.lane_dies);
        let entry = &mut self.lanes[lane as usize];
        if self.layout.is_slc(block) {
            entry.slc_free.push_back(block);
        } else {
            entry.free.push_back(block);
        }
        debug_assert!(entry.free.len() as u32 <= self.layout.lane_main);
        debug_assert!(entry.slc_free.len() as u32 <= self.layout.lane_slc);
        self.level_wear(lane, block);
    }

    /// Puts the least worn block of a lane to use where `block` has been erased much more often.
    fn level_wear(&mut self, lane: u32, block: u32) {
        let erases = self.blocks.all[block as usize].erases;
        // Erases only grow: what was the least at the last look is at most what it is now.
        if self.spread == 0 || erases <= self.lanes[lane as usize].least_erases + self.spread {
            return;
        }
        let first = lane * self.layout.lane_blocks();
        let erases_of = |block: &u32| self.blocks.all[*block as usize].erases;
        let least = (first..first + self.layout.lane_main).map(|block| erases_of(&block)).min();
        self.lanes[lane as usize].least_erases = least.unwrap_or(0);
        let is_full = |block: &u32| self.blocks.all[*block as usize].state == BlockState::Closed;
        let full = (first..first + self.layout.lane_main).filter(is_full).min_by_key(erases_of);
        if let Some(least) = full.filter(|block| erases_of(block) + self.spread < erases) {
            self.refresh(least);
        }
    }

    /// Counts a read of a block. Whether it was the `limit`-th since the block was last refreshed.
    #[inline]
    pub(in crate::flash) fn count_read(&mut self, block: u32, limit: u32) -> bool {
        let reads = &mut self.blocks.all[block as usize].reads;
        *reads += 1;
        if *reads >= limit {
            *reads = 0;
            return true;
        }
        false
    }

    /// Has a block moved elsewhere when its lane has time.
    pub(in crate::flash) fn refresh(&mut self, block: u32) {
        let entry = &mut self.blocks.all[block as usize];
        if !std::mem::replace(&mut entry.refresh_is_due, true) {
            self.lanes[(block / self.layout.lane_blocks()) as usize].refresh.push_back(block);
        }
    }
}
