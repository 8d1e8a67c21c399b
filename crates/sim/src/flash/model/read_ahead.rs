//! Read-ahead: what follows a sequence of reads is read before it is asked for.

use std::ops::Range;

use leadline_device::Nanos;

use super::FlashModel;
use crate::flash::layout::Layout;
use crate::flash::media::{NONE, Table};
use crate::flash::spec::ReadAheadSpec;

/// The sequences that are followed, and what was read ahead of them.
pub(super) struct ReadAhead {
    /// Used longest ago first.
    streams: Vec<Stream>,
    /// Units ahead of a sequence.
    depth: u32,
    /// Units read ahead with the time at which they are in the controller; the oldest is overwritten.
    ring: Vec<(u32, Nanos)>,
    places: Table,
    next: usize,
}

/// A sequence of reads.
#[derive(Debug, Clone, Copy)]
struct Stream {
    /// The unit with which it would go on.
    next: u32,
    /// Units before this one have been asked of the flash.
    fetched: u32,
}

impl ReadAhead {
    pub(super) fn new(spec: &ReadAheadSpec, layout: &Layout) -> Self {
        let depth = (spec.bytes / u64::from(layout.unit_bytes)) as u32;
        // The last page may reach beyond the depth.
        let ring = 2 * spec.streams as usize * (depth + layout.program_units) as usize;
        ReadAhead {
            streams: vec![Stream { next: NONE, fetched: NONE }; spec.streams as usize],
            depth,
            ring: vec![(NONE, 0); ring],
            places: Table::new(ring),
            next: 0,
        }
    }

    /// When a unit that was read ahead is in the controller.
    pub(super) fn ready(&self, unit: u32) -> Option<Nanos> {
        self.places.get(unit).map(|place| self.ring[place as usize].1)
    }

    /// The units that may be read ahead of a read of `first..end`; none where it follows no other one.
    fn follow(&mut self, first: u32, end: u32) -> Range<u32> {
        let Some(at) = self.streams.iter().position(|stream| stream.next == first) else {
            // A new sequence perhaps, in place of the one that was used longest ago. What was read ahead of
            // that one goes with it.
            let Stream { next, fetched } = self.streams[0];
            (next..fetched).for_each(|unit| self.forget(unit));
            self.streams[0] = Stream { next: end, fetched: end };
            self.streams.rotate_left(1);
            return 0..0;
        };
        let stream = &mut self.streams[at];
        *stream = Stream { next: end, fetched: stream.fetched.max(end) };
        let wanted = stream.fetched..end.saturating_add(self.depth);
        self.streams[at..].rotate_left(1);
        wanted
    }

    /// The sequence that was followed last has been read ahead up to a unit.
    fn has_fetched(&mut self, until: u32) {
        if let Some(stream) = self.streams.last_mut() {
            stream.fetched = until;
        }
    }

    /// A unit has been written or trimmed.
    pub(super) fn forget(&mut self, unit: u32) {
        self.places.remove(unit);
    }

    fn keep(&mut self, unit: u32, ready: Nanos) {
        let old = std::mem::replace(&mut self.ring[self.next], (unit, ready)).0;
        if old != NONE && self.places.get(old) == Some(self.next as u32) {
            self.places.remove(old);
        }
        self.places.insert(unit, self.next as u32);
        self.next = (self.next + 1) % self.ring.len();
    }
}

impl FlashModel {
    /// A read of `first..end`. Where it follows another one, the pages that it needs are read whole for those
    /// that will follow it; gives the units that may be read ahead then.
    pub(super) fn follow(&mut self, first: u32, end: u32, at: Nanos) -> Range<u32> {
        let Some(mut ahead) = self.read_ahead.take() else { return 0..0 };
        let wanted = ahead.follow(first, end);
        let mut unit = if wanted.is_empty() { end } else { first };
        while unit < end {
            let known = ahead.ready(unit).is_some() || self.read_buffer.holds(unit);
            match self.page_ahead(unit).filter(|_| !known) {
                Some(page) => unit = self.fetch(&mut ahead, page, unit, at),
                None => unit += 1,
            }
        }
        let rest = wanted.start.max(unit)..wanted.end;
        if !wanted.is_empty() {
            ahead.has_fetched(rest.start);
        }
        self.read_ahead = Some(ahead);
        rest
    }

    /// Reads units ahead, whole pages, as far as dies have time: nothing waits for them, and what would have
    /// to is tried again with the next read of the sequence.
    pub(super) fn look_ahead(&mut self, wanted: Range<u32>, at: Nanos) {
        if wanted.is_empty() {
            return;
        }
        let Some(mut ahead) = self.read_ahead.take() else { return };
        let (mut unit, until) = (wanted.start, wanted.end.min(self.media.layout.host_units as u32));
        while unit < until {
            match self.page_ahead(unit) {
                Some(page) if !self.has_time(page, at) => break,
                Some(page) => unit = self.fetch(&mut ahead, page, unit, at),
                None => unit += 1,
            }
        }
        ahead.has_fetched(unit);
        self.read_ahead = Some(ahead);
    }

    /// The block and program that a unit is to be read from; `None` where it need not be read.
    fn page_ahead(&self, unit: u32) -> Option<(u32, u32)> {
        if self.buffer.holds(unit) || self.media.fine.part(unit).is_some() {
            return None;
        }
        let place = self.media.lookup(unit)?;
        Some(self.program_of(place))
    }

    /// Whether a page can be read without anything in its way: its die, and its channel by when it is there.
    fn has_time(&self, (block, program): (u32, u32), at: Nanos) -> bool {
        let die = self.media.layout.die_of(block, program);
        let channel = self.channels[self.media.layout.channel_of(die) as usize];
        !self.dies[die as usize].is_busy(at) && channel <= at + self.times.shortest_read()
    }

    /// Reads a page from a unit on, as far as those that follow it are on it; gives the one after them.
    fn fetch(&mut self, ahead: &mut ReadAhead, page: (u32, u32), first: u32, at: Nanos) -> u32 {
        let most = self.media.layout.host_units as u32;
        let end = (first + 1..most).find(|&unit| self.page_ahead(unit) != Some(page)).unwrap_or(most);
        let sensed = self.sensed_at(page.0, page.1, at);
        let transfer = self.times.transfer((end - first) * self.media.layout.unit_bytes);
        let die = self.media.layout.die_of(page.0, page.1);
        let channel = &mut self.channels[self.media.layout.channel_of(die) as usize];
        // Charged now, so that what comes meanwhile is not kept waiting for a transfer that has not begun.
        *channel = at.max(*channel) + transfer;
        let ready = (*channel).max(sensed + transfer);
        (first..end).for_each(|unit| ahead.keep(unit, ready));
        end
    }
}
