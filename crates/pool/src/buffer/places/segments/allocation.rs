//! Places are given to writes, in segments that are begun when those before are full.

use super::{Allocation, Segments, State, Writer};
use crate::buffer::places::layout::Place;
use crate::buffer::places::stamp::Ticket;

/// Segments that are announced at once.
const AHEAD: usize = 8;

/// Which of the segments that are open a writer writes.
fn open(writer: Writer) -> usize {
    usize::from(writer == Writer::Cleaning)
}

impl Segments {
    /// Places for consecutive writes of a writer.
    pub(crate) fn allocate(&mut self, count: usize, writer: Writer) -> Allocation {
        if self.owed.is_some() {
            return Allocation::Map;
        }
        let room = self.headroom + self.list_places() + count as u64;
        if writer == Writer::User && self.headroom > 0 && self.room().0 < room {
            return Allocation::Full;
        }
        if !self.has_places(count, writer) {
            return Allocation::Clean;
        }
        let size = self.layout.segment_pages as usize;
        let segments = count.saturating_sub(self.open_room(writer) as usize).div_ceil(size);
        if segments > 0 && writer == Writer::User && self.untidied == 0 && self.is_sparse() {
            return Allocation::Tidy;
        }
        let announced = self.announced.iter().filter(|number| self.free.contains(**number));
        if announced.take(segments).count() < segments {
            let lowest = self.free.iter().filter(|free| !self.announced.contains(free));
            return Allocation::Announce(lowest.take(segments.max(AHEAD)).collect());
        }
        Allocation::Tickets((0..count).map(|_| self.next(writer)).collect())
    }

    fn next(&mut self, writer: Writer) -> Ticket {
        let place = match self.open[open(writer)] {
            Some(place) => place,
            None => self.begin_lowest(writer),
        };
        self.writes += 1;
        self.version += 1;
        let ticket = Ticket { place, write: self.writes, version: self.version };
        self.in_flight.insert(place, ticket.write);
        let is_last = (place + 1).is_multiple_of(self.layout.segment_pages);
        self.open[open(writer)] = (!is_last).then_some(place + 1);
        let segment = self.of(place);
        segment.last_write = ticket.write;
        segment.in_flight += 1;
        if is_last {
            segment.state = State::Closed;
        }
        ticket
    }

    /// Begins the lowest segment that is free and announced; its first place.
    fn begin_lowest(&mut self, writer: Writer) -> Place {
        let lowest = self.announced.iter().copied().find(|number| self.free.contains(*number));
        let number = lowest.expect("an announced segment is free");
        self.begin(number, State::Open);
        self.untidied = self.untidied.saturating_sub(u32::from(writer == Writer::User));
        number * self.layout.segment_pages
    }

    /// Places left in the segment that a writer writes.
    pub(super) fn open_room(&self, writer: Writer) -> u64 {
        let size = self.layout.segment_pages;
        self.open[open(writer)].map_or(0, |next| (size - next % size).into())
    }

    /// Whether there are places for that many pages of a writer without cleaning.
    pub(crate) fn has_places(&self, pages: usize, writer: Writer) -> bool {
        let reserve = if writer == Writer::Cleaning { 0 } else { self.layout.reserve() };
        let free = u64::from(self.free.len().saturating_sub(reserve));
        self.open_room(writer) + free * u64::from(self.layout.segment_pages) >= pages as u64
    }
}
