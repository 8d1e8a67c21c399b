//! Places are given to writes, in segments that are begun when those before are full.

use super::stream::Stream;
use super::{Allocation, Segments, State, Subject, Writer};
use crate::buffer::places::layout::Place;
use crate::buffer::places::map::PlaceMap;
use crate::buffer::places::stamp::Ticket;

/// Segments that are announced at once.
const AHEAD: usize = 8;

impl Segments {
    /// Places for consecutive writes of a writer.
    pub(crate) fn allocate(&mut self, subjects: &[Subject], writer: Writer, map: &PlaceMap) -> Allocation {
        if self.owed.is_some() {
            return Allocation::Map;
        }
        let streams: Vec<Stream> =
            subjects.iter().map(|subject| self.stream(*subject, writer, map)).collect();
        let room = self.headroom + streams.len() as u64;
        if writer == Writer::User && self.headroom > 0 && self.room().0 < room {
            return Allocation::Full;
        }
        if !self.has_places(streams.len(), writer) {
            return Allocation::Clean;
        }
        // Where too few are free for all streams, some pages go to the segment of another.
        let segments = self.open.segments_for(&streams).min(self.may_begin(writer));
        if segments > 0 && writer == Writer::User && self.untidied == 0 && self.is_sparse() {
            return Allocation::Tidy;
        }
        let announced = self.announced.iter().filter(|number| self.free.contains(**number));
        if (announced.take(segments as usize).count() as u32) < segments {
            let lowest = self.free.iter().filter(|free| !self.announced.contains(free));
            return Allocation::Announce(lowest.take((segments as usize).max(AHEAD)).collect());
        }
        let mut beginnable = segments;
        Allocation::Tickets(
            streams.into_iter().map(|stream| self.next(stream, writer, &mut beginnable)).collect(),
        )
    }

    fn next(&mut self, stream: Stream, writer: Writer, beginnable: &mut u32) -> Ticket {
        let (stream, place) = match self.open.next(stream) {
            Some(place) => (stream, place),
            None if *beginnable > 0 => {
                *beginnable -= 1;
                (stream, self.begin_lowest(writer))
            }
            None => self.open.any(writer).expect("there was room for all"),
        };
        self.writes += 1;
        // What moves keeps its version.
        self.version += u64::from(writer != Writer::Cleaning);
        let ticket = Ticket { place, write: self.writes, version: self.version };
        self.in_flight.insert(place, ticket.write);
        let is_last = self.open.advance(stream, place);
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

    /// Segments that a writer may begin.
    fn may_begin(&self, writer: Writer) -> u32 {
        let reserve = if writer == Writer::Cleaning { 0 } else { self.layout.reserve() };
        self.free.len().saturating_sub(reserve)
    }

    /// Whether there are places for that many pages of a writer without cleaning.
    pub(crate) fn has_places(&self, pages: usize, writer: Writer) -> bool {
        let begun = u64::from(self.may_begin(writer)) * u64::from(self.layout.segment_pages);
        self.open.room(writer) + begun >= pages as u64
    }
}
