//! From the write buffer to the dies.

use std::collections::VecDeque;

use leadline_device::Nanos;

use super::FlashModel;
use crate::flash::buffer::WriteBuffer;
use crate::flash::die::{Work, WorkKind};
use crate::flash::events::Event;
use crate::flash::layout::Layout;
use crate::flash::media::{NONE, Stream};
use crate::flash::spec::{Allocation, FlashSpec};

/// Programs for the host, and of collection, that a die has at a time: one under way, and one whose data is
/// on its way.
pub(super) const PER_DIE: u8 = 2;

/// A flush that waits.
#[derive(Debug, Clone, Copy)]
pub(super) struct Flush {
    pub(super) request: u32,
    /// It waits for units that came before this one.
    pub(super) sequence: u64,
    /// How many of them are not programmed.
    pub(super) left: u32,
}

/// What waits for the dies, and which of them have time.
pub(super) struct Destage {
    layout: Layout,
    allocation: Allocation,
    /// Writes that are not all in the buffer yet.
    pub(super) waiting: VecDeque<u32>,
    pub(super) flushes: Vec<Flush>,
    /// Units of the mapping to be written with the next program of each queue.
    map_units: Vec<Vec<u32>>,
    /// Programs for the host on each die.
    pending: Vec<u8>,
    /// Lanes that may have time and space for a program, a bit each.
    open: Vec<u64>,
    next_lane: u32,
    /// Lanes without a free block for the host of which no block was worth collecting: something in them must
    /// become invalid first.
    starved: Vec<u32>,
    /// Units that a request waits for until they are programmed.
    pub(super) awaited: u32,
    /// Scratch: requests that a program completes.
    freed: Vec<(u32, u64)>,
}

impl Destage {
    pub(super) fn new(spec: &FlashSpec, layout: &Layout) -> Self {
        let mut open = vec![0; layout.lanes.div_ceil(64) as usize];
        for lane in 0..layout.lanes {
            open[lane as usize / 64] |= 1 << (lane % 64);
        }
        let queues = if spec.allocation == Allocation::Static { layout.lanes } else { 1 };
        Destage {
            layout: layout.clone(),
            allocation: spec.allocation,
            waiting: VecDeque::with_capacity(256),
            flushes: Vec::new(),
            map_units: vec![Vec::new(); queues as usize],
            pending: vec![0; layout.dies() as usize],
            open,
            next_lane: 0,
            starved: Vec::new(),
            awaited: 0,
            freed: Vec::with_capacity(layout.program_units as usize),
        }
    }

    /// Queues of the write buffer.
    pub(super) fn queues(&self) -> u32 {
        self.map_units.len() as u32
    }

    /// The queue that a unit waits in.
    #[inline]
    pub(super) fn queue_of(&self, unit: u32) -> u32 {
        if self.allocation == Allocation::Static { self.layout.lane_of_unit(unit) } else { 0 }
    }

    /// Whether anything of the host's waits to be programmed.
    pub(super) fn has_waiting(&self, buffer: &WriteBuffer) -> bool {
        !self.waiting.is_empty() || (0..self.queues()).any(|queue| buffer.waiting(queue) > 0)
    }

    /// A unit of the mapping is to be written.
    pub(super) fn add_map_unit(&mut self, unit: u32) {
        let queue = self.queue_of(unit);
        self.map_units[queue as usize].push(unit);
    }

    fn queue_of_lane(&self, lane: u32) -> u32 {
        if self.allocation == Allocation::Static { lane } else { 0 }
    }

    /// A lane may have time or space again.
    pub(super) fn reopen(&mut self, lane: u32) {
        self.open[lane as usize / 64] |= 1 << (lane % 64);
    }

    /// What has become invalid may make lanes worth collecting that were not.
    fn reopen_starved(&mut self) {
        while let Some(lane) = self.starved.pop() {
            self.reopen(lane);
        }
    }

    fn close(&mut self, lane: u32) {
        self.open[lane as usize / 64] &= !(1 << (lane % 64));
    }

    /// The first lane at or after `from` that may have time and space.
    fn next_open(&self, from: u32) -> Option<u32> {
        let mut word = from as usize / 64;
        let mut bits = *self.open.get(word)? & (u64::MAX << (from % 64));
        while bits == 0 {
            word += 1;
            bits = *self.open.get(word)?;
        }
        Some(word as u32 * 64 + bits.trailing_zeros())
    }
}

impl FlashModel {
    /// Sends programs to all lanes that have time, while there is something to program.
    pub(super) fn dispatch(&mut self, at: Nanos) {
        self.destage.reopen_starved();
        if self.destage.allocation == Allocation::Static {
            let mut lane = 0;
            while let Some(open) = self.destage.next_open(lane) {
                lane = if self.program_next(open, at) { open } else { open + 1 };
            }
            return;
        }
        // Round about, so that all lanes are written alike.
        while self.has_program(0) {
            let from = self.destage.next_lane;
            let Some(lane) = self.destage.next_open(from).or_else(|| self.destage.next_open(0)) else {
                return;
            };
            if self.program_next(lane, at) {
                self.destage.next_lane = (lane + 1) % self.media.layout.lanes;
            }
        }
    }

    /// Whether there is enough in a queue for a program, or less and something waits for it.
    fn has_program(&self, queue: u32) -> bool {
        let maps = self.destage.map_units[queue as usize].len() as u32;
        let whole = self.buffer.waiting(queue) + maps >= self.media.layout.program_units;
        // A full buffer of which nothing is on its way would never empty.
        let stuck = || self.buffer.is_full() && self.destage.pending.iter().all(|&pending| pending == 0);
        whole || (self.buffer.has_waiting(queue) && (self.is_draining() || stuck()))
    }

    /// Whether something waits until all that is in the buffer is programmed.
    fn is_draining(&self) -> bool {
        !self.destage.flushes.is_empty() || self.destage.awaited > 0
    }

    /// Sends a lane the next program, where it has time and space and there is one.
    fn program_next(&mut self, lane: u32, at: Nanos) -> bool {
        let queue = self.destage.queue_of_lane(lane);
        let next = self.media.next_host_die(lane);
        let has_time = |die: &u32| self.destage.pending[*die as usize] < PER_DIE;
        let Some(die) = next.filter(has_time) else {
            self.destage.close(lane); // until a program or an erase on it is done
            self.collect(lane, at);
            if next.is_none() && self.media.victim_mut(lane).is_none() {
                self.destage.starved.push(lane);
            }
            return false;
        };
        if !self.has_program(queue) {
            return false;
        }
        if !self.keeps_pace(lane) {
            self.destage.close(lane); // until something of its victim is moved
            self.collect(lane, at);
            return false;
        }
        let mut units = std::mem::take(&mut self.units);
        let map_units = &mut self.destage.map_units[queue as usize];
        let maps = map_units.len().min(self.media.layout.program_units as usize);
        let chain = self.buffer.take(queue, self.media.layout.program_units - maps as u32, &mut units);
        units.extend(map_units.drain(map_units.len() - maps..));
        if units.is_empty() {
            // All were trimmed.
            self.units = units;
            self.programmed(chain, at);
            self.admit_waiting(at);
            return true;
        }
        let place = self.media.program(lane, Stream::Host, &units).expect("a block is open");
        self.units = units;
        let layout = &self.media.layout;
        let channel = &mut self.channels[layout.channel_of(die) as usize];
        *channel = at.max(*channel) + self.times.transfer(layout.program_units * layout.unit_bytes);
        let takes = self.times.program(place.program / layout.lane_dies, layout.is_slc(place.block));
        let work = Work { kind: WorkKind::Host(chain), ready: *channel, takes };
        self.destage.pending[die as usize] += 1;
        self.lanes[lane as usize].earn(self.spec.gc.tokens_per_write);
        self.work(die, work, at);
        self.collect(lane, at);
        true
    }

    /// Gives a die something to do.
    pub(super) fn work(&mut self, die: u32, work: Work, at: Nanos) {
        if let Some(ends) = self.dies[die as usize].add(work, at) {
            self.events.add(ends, Event::Worked(die));
        }
    }

    /// A program or erase on a die may have ended.
    pub(super) fn worked(&mut self, die: u32, at: Nanos) {
        let kind = match self.dies[die as usize].finish(at) {
            None => return,
            Some(Err(later)) => return self.events.add(later, Event::Worked(die)),
            Some(Ok(kind)) => kind,
        };
        if let Some(ends) = self.dies[die as usize].next(at) {
            self.events.add(ends, Event::Worked(die));
        }
        let lane = die / self.media.layout.lane_dies;
        match kind {
            WorkKind::Host(chain) => {
                self.destage.pending[die as usize] -= 1;
                self.destage.reopen(lane);
                self.programmed(chain, at);
                self.admit_waiting(at);
                self.dispatch(at);
            }
            WorkKind::Moved => self.moved(lane, at),
            // It took space that collection may have to make good.
            WorkKind::Refreshed => self.collect(lane, at),
            WorkKind::Erase => self.erased(lane, at),
        }
    }

    /// Units of the buffer are programmed: whoever waited for them goes on.
    fn programmed(&mut self, chain: u32, at: Nanos) {
        let mut freed = std::mem::take(&mut self.destage.freed);
        self.buffer.programmed(chain, |waiter, sequence| freed.push((waiter, sequence)));
        for (waiter, sequence) in freed.drain(..) {
            if waiter != NONE {
                self.destage.awaited -= 1;
                if let Some(latest) = self.part_done(waiter, at) {
                    self.events.add(latest, Event::Complete(waiter));
                }
            }
            for flush in self.destage.flushes.iter_mut().filter(|flush| sequence < flush.sequence) {
                flush.left -= 1;
            }
        }
        self.destage.freed = freed;
        let (done, events) = (at + self.times.flush, &mut self.events);
        self.destage.flushes.retain(|flush| {
            if flush.left == 0 {
                events.add(done, Event::Complete(flush.request));
            }
            flush.left > 0
        });
    }
}
