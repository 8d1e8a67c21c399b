//! Read-ahead: what follows a sequence of reads is read before it is asked for.

use leadline_device::Nanos;

use super::layout::Layout;
use super::media::{NONE, Table};
use super::model::FlashModel;
use super::reads::{Page, Pages};
use super::spec::ReadAheadSpec;

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
        let ring = 2 * spec.streams as usize * depth as usize;
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

    /// A read of `first..end`. The units to be read ahead of it; none where it follows no other read.
    fn follow(&mut self, first: u32, end: u32) -> std::ops::Range<u32> {
        let last = self.streams.len() - 1;
        let Some(at) = self.streams.iter().position(|stream| stream.next == first) else {
            // A new sequence perhaps, in place of the one that was used longest ago.
            self.streams[0] = Stream { next: end, fetched: end };
            self.streams.rotate_left(1);
            return 0..0;
        };
        let stream = &mut self.streams[at];
        let from = stream.fetched.max(end);
        *stream = Stream { next: end, fetched: end.saturating_add(self.depth) };
        let wanted = from..stream.fetched;
        self.streams[at..=last].rotate_left(1);
        wanted
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
    /// Reads ahead of a read of `first..end`, as far as dies have time: what would have to wait is dropped.
    pub(super) fn look_ahead(&mut self, first: u32, end: u32, at: Nanos) {
        let Some(mut ahead) = self.read_ahead.take() else { return };
        let wanted = ahead.follow(first, end);
        let most = self.media.layout.host_units as u32;
        let mut pages = Pages::default();
        let (first, end) = (wanted.start.min(most), wanted.end.min(most));
        // Of the page that is being put together.
        let mut begins = first;
        for unit in first..end {
            let place = self.media.lookup(unit).filter(|_| !self.buffer.holds(unit));
            let Some(place) = place else { continue };
            if let Some(page) = pages.next(self.program_of(place), self.media.layout.unit_bytes) {
                self.fetch(&mut ahead, page, begins..unit, at);
                begins = unit;
            }
        }
        if let Some(page) = pages.last() {
            self.fetch(&mut ahead, page, begins..end, at);
        }
        self.read_ahead = Some(ahead);
    }

    fn fetch(&mut self, ahead: &mut ReadAhead, page: Page, units: std::ops::Range<u32>, at: Nanos) {
        let die = self.media.layout.die_of(page.block, page.program);
        let channel = self.media.layout.channel_of(die) as usize;
        if self.dies[die as usize].is_busy(at) || self.channels[channel] > at {
            return;
        }
        let sensed = self.sensed_at(page.block, page.program, at);
        let transfer = self.times.transfer(page.bytes);
        self.channels[channel] = at + transfer;
        for unit in units {
            ahead.keep(unit, sensed + transfer);
        }
    }
}
