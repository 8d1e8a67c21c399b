//! How much room there is, and which segment is cleaned next.

use super::{Segment, Segments, State, Writer};

/// Segments that users begin before it is looked again whether some should be tidied.
const BETWEEN_TIDYING: u32 = 4;

/// Places for each that is needed, on a device that is larger than what it holds.
const ROOM: f64 = 1.5;

impl Segments {
    /// Whether the segments that were written take more room than they should. The device may be a file that
    /// is much larger than what is in it, and takes room from others as it is written.
    pub(crate) fn is_sparse(&self) -> bool {
        let written = self.layout.segments - self.free.len();
        let places = u64::from(written) * u64::from(self.layout.segment_pages);
        let when_full = self.layout.places() as f64 / self.layout.pages.max(1) as f64;
        let wanted = self.used as f64 * when_full.max(ROOM);
        let begun = u64::from(self.layout.reserve() + 2) * u64::from(self.layout.segment_pages);
        self.is_bounded && places > wanted as u64 + begun
    }

    /// What there was to tidy was tidied, until some more segments are begun.
    pub(crate) fn end_tidying(&mut self) {
        self.untidied = BETWEEN_TIDYING;
    }

    /// The segment whose cleaning pays most, of those whose pages find room elsewhere, where `others` are on
    /// their way there already: free places gained, times the root of the time since it was last written, per
    /// place read and written. The rule of Rosenblum and Ousterhout ("The Design and Implementation of a
    /// Log-Structured File System", 1992, §3.5) is without the root; with it cleaning moves 0 to 3 % less
    /// under Zipf 0.8.
    pub(crate) fn victim(&mut self, others: u32) -> Option<u32> {
        let size = self.layout.segment_pages;
        let room = self.open_room(Writer::Cleaning) + u64::from(self.free.len()) * u64::from(size);
        let value = |segment: &Segment| {
            let (live, age) = (f64::from(segment.used), (self.writes - segment.last_write) as f64);
            (f64::from(size) - live) * (age + 1.0).sqrt() / (f64::from(size) + live)
        };
        let may = |segment: &Segment| {
            let Segment { state, used, records, in_flight, cleaned, .. } = *segment;
            state == State::Closed && !cleaned && records + in_flight == 0 && used < size
        };
        let fits = |segment: &Segment| u64::from(segment.used + others) <= room;
        let candidates = self.table.iter().enumerate().filter(|(_, segment)| may(segment) && fits(segment));
        let best = candidates.max_by(|a, b| value(a.1).total_cmp(&value(b.1)))?.0;
        self.table[best].cleaned = true;
        Some(best as u32)
    }

    /// Places that are needed now.
    pub(crate) fn used(&self) -> u64 {
        self.used
    }

    /// Whether places are about to be released: writes and flushes of other threads are under way.
    pub(crate) fn is_changing(&self) -> bool {
        self.syncs > 0 || !self.in_flight.is_empty() || !self.unsynced.superseded.is_empty()
    }

    /// It could not be cleaned, and may be chosen again.
    pub(crate) fn spare_victim(&mut self, segment: u32) {
        self.table[segment as usize].cleaned = false;
    }

    /// Pages that may be written before cleaning finds nothing more, and places kept for a checkpoint.
    pub(crate) fn room(&self) -> (u64, u64) {
        let all = self.layout.places();
        let reserve = u64::from(self.layout.reserve() + 1) * u64::from(self.layout.segment_pages);
        (all.saturating_sub(self.used + reserve), self.kept.len())
    }
}
