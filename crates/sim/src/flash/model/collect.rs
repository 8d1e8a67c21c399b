//! Garbage collection, refreshes and folding: valid units of a victim are moved, then it is erased.

use leadline_device::Nanos;

use super::FlashModel;
use super::destage::PER_DIE;
use crate::flash::die::{Work, WorkKind};
use crate::flash::events::Event;
use crate::flash::media::{NONE, Stream};

/// What a lane may do on its own.
#[derive(Debug, Clone, Default)]
pub(super) struct LaneClock {
    /// Programs of its own that the host's have paid for.
    tokens: f64,
    /// Whether the SLC cache is being folded.
    folding: bool,
    pace: Pace,
    /// Whether the host's writes wait for collection to catch up.
    behind: bool,
}

/// How far collection was, and how far the host, when either last began with a block.
#[derive(Debug, Clone, Copy)]
struct Pace {
    /// The block that the host writes, and the one that is collected.
    blocks: (u32, u32),
    /// Programs of collection until the host can have another block.
    owed: u32,
    /// Programs left in the host's.
    left: u32,
}

impl Default for Pace {
    fn default() -> Self {
        Pace { blocks: (NONE, NONE), owed: 0, left: 0 }
    }
}

/// Tokens that can be saved up: a pause of the host's writes does not pay for a burst of collection.
const MOST_TOKENS: f64 = 16.0;

impl LaneClock {
    pub(super) fn earn(&mut self, tokens: f64) {
        self.tokens = (self.tokens + tokens).min(MOST_TOKENS.max(tokens));
    }
}

impl FlashModel {
    /// Goes on collecting on a lane, as far as its dies and its tokens allow.
    pub(super) fn collect(&mut self, lane: u32, at: Nanos) {
        let folding = self.lanes[lane as usize].folding;
        while self.media.choose_victim(lane, folding) && self.may_move(lane) {
            let mut units = std::mem::take(&mut self.units);
            let layout = self.media.layout.clone();
            let mut ready = at;
            let (dies, times) = (&mut self.dies, &mut self.times);
            self.media.gather(lane, &mut units, |block, program| {
                let takes = times.read(program / layout.lane_dies, layout.is_slc(block));
                let die = layout.die_of(block, program);
                ready = ready.max(dies[die as usize].read(at, takes, times.suspend));
            });
            let moved = !units.is_empty();
            if moved {
                self.media.victim_mut(lane).expect("it has units").moving += 1;
                self.move_units(lane, WorkKind::Moved, &units, ready, at);
            }
            self.units = units;
            if !moved {
                self.erase_victim(lane, at);
                return;
            }
        }
    }

    /// Whether the host may write a program to a lane that has a block for it. Collection keeps pace with the
    /// host: the block for what comes after this one is to be free when this one is full. Were the host let
    /// run ahead to the end of its block, it would wait then until several others were collected, on all
    /// lanes at the same time, since they are written in turn. Where the description says what collection may
    /// do for each of the host's programs, that is its pace.
    pub(super) fn keeps_pace(&mut self, lane: u32) -> bool {
        let Some((block, left)) = self.media.host_block(lane) else { return true };
        let Some(owed) = self.owed(lane) else { return true };
        let clock = &mut self.lanes[lane as usize];
        let blocks = (block, self.media.victim_block(lane));
        if clock.pace.blocks != blocks {
            clock.pace = Pace { blocks, owed, left };
        }
        let pace = clock.pace;
        clock.behind = u64::from(owed) * u64::from(pace.left) > u64::from(pace.owed) * u64::from(left);
        !clock.behind
    }

    /// Programs that collection has to do on a lane so that the host need not wait; `None` where there are
    /// none, or where the description says what it may do.
    fn owed(&mut self, lane: u32) -> Option<u32> {
        let has_own_pace = self.spec.gc.tokens_per_write > 0.0;
        if has_own_pace { None } else { self.media.owed(lane).filter(|&owed| owed > 0) }
    }

    /// Whether the lane's victim may go on now. Where the host's writes depend on it, what is moved next is
    /// read while a die programs; else no more than the dies do anyway.
    fn may_move(&mut self, lane: u32) -> bool {
        let dies = self.media.layout.lane_dies;
        let most = if self.owed(lane).is_some() { u32::from(PER_DIE) * dies } else { dies };
        let Some(victim) = self.media.victim_mut(lane) else { return false };
        if victim.erasing > 0 || victim.moving >= most {
            return false;
        }
        let paced = self.spec.gc.tokens_per_write > 0.0
            && !self.media.is_short(lane)
            && self.destage.has_waiting(&self.buffer);
        !paced || self.lanes[lane as usize].tokens >= 1.0
    }

    /// Programs units that have been read by `ready` to the lane's block for what is moved.
    fn move_units(&mut self, lane: u32, kind: WorkKind, units: &[u32], ready: Nanos, at: Nanos) {
        let place = self.media.program(lane, Stream::Moved, units).expect("a free block is kept for this");
        let layout = &self.media.layout;
        // Out of one register and into another: the channel is charged now, so that what comes meanwhile is
        // not kept waiting for a transfer that has not begun.
        let transfer = self.times.transfer(units.len() as u32 * layout.unit_bytes);
        let channel = &mut self.channels[layout.channel_of(place.die) as usize];
        *channel = at.max(*channel) + 2 * transfer;
        let ready = (ready + 2 * transfer).max(*channel);
        let takes = self.times.program(place.program / layout.lane_dies, false);
        // What it did unasked, because there was nothing else to do or no choice, is no debt.
        let tokens = &mut self.lanes[lane as usize].tokens;
        *tokens = (*tokens - 1.0).max(0.0);
        self.work(place.die, Work { kind, ready, takes }, at);
    }

    /// All of the lane's victim has been dealt with: erases it, once the last of it is programmed.
    fn erase_victim(&mut self, lane: u32, at: Nanos) {
        let dies = self.media.layout.lane_dies;
        let Some(victim) = self.media.victim_mut(lane).filter(|victim| victim.moving == 0) else { return };
        victim.erasing = dies;
        let takes = self.times.erase;
        for die in lane * dies..(lane + 1) * dies {
            self.work(die, Work { kind: WorkKind::Erase, ready: at, takes }, at);
        }
    }

    /// Moved units are programmed.
    pub(super) fn moved(&mut self, lane: u32, at: Nanos) {
        let victim = self.media.victim_mut(lane).expect("it is erased only when all is moved");
        victim.moving = victim.moving.checked_sub(1).expect("one program of it was under way");
        self.collect(lane, at);
        if std::mem::take(&mut self.lanes[lane as usize].behind) {
            self.destage.reopen(lane);
            self.dispatch(at);
        }
    }

    /// The lane's victim is erased on one die.
    pub(super) fn erased(&mut self, lane: u32, at: Nanos) {
        let victim = self.media.victim_mut(lane).expect("it is erased on all dies first");
        victim.erasing = victim.erasing.checked_sub(1).expect("one erase of it was under way");
        if victim.erasing == 0 {
            self.media.erased(lane);
            self.destage.reopen(lane);
            self.collect(lane, at);
            self.dispatch(at);
        }
    }

    /// A block has been read too often: it, or `pages` of it from the one read on, are written elsewhere.
    pub(super) fn disturbed(&mut self, block: u32, program: u32, pages: u32, at: Nanos) {
        let lane = block / self.media.layout.lane_blocks();
        if pages == 0 {
            self.media.refresh(block);
            self.collect(lane, at);
            return;
        }
        let programs = self.media.layout.block_units / self.media.layout.program_units;
        for program in (program..programs).take(pages as usize) {
            let mut units = std::mem::take(&mut self.units);
            self.media.valid_units(block, program, &mut units);
            if !units.is_empty() && self.media.can_move(lane) {
                let layout = &self.media.layout;
                let die = layout.die_of(block, program);
                let takes = self.times.read(program / layout.lane_dies, layout.is_slc(block));
                let ready = self.dies[die as usize].read(at, takes, self.times.suspend);
                self.move_units(lane, WorkKind::Refreshed, &units, ready, at);
            }
            self.units = units;
        }
    }

    /// A request has arrived: the SLC cache is left alone until there is a pause.
    pub(super) fn host_is_active(&mut self, at: Nanos) {
        if self.media.layout.lane_slc == 0 {
            return;
        }
        self.last_arrival = at;
        if !self.idle_is_due {
            self.idle_is_due = true;
            self.lanes.iter_mut().for_each(|lane| lane.folding = false);
            self.events.add(at + self.times.idle, Event::Idle);
        }
    }

    /// The host may have been idle for long enough.
    pub(super) fn idle(&mut self, at: Nanos) {
        let since = if self.has_requests() { at } else { self.last_arrival };
        if since + self.times.idle > at {
            self.events.add(since + self.times.idle, Event::Idle);
            return;
        }
        self.idle_is_due = false;
        for lane in 0..self.media.layout.lanes {
            self.lanes[lane as usize].folding = true;
            self.collect(lane, at);
        }
    }
}
