//! How much room there is, and which segment is cleaned next.

use super::{Segment, Segments, State, Writer, stream};

impl Segments {
    /// Whether users may write a whole segment more.
    pub(crate) fn is_roomy(&self) -> bool {
        self.free.len() > self.layout.reserve() as usize
    }

    /// Whether the segments that were written have a greater share of places that are not needed than the
    /// device is to have in all. It may be a file that is much larger than what is in it, and takes room from
    /// others as it is written.
    pub(crate) fn is_sparse(&self) -> bool {
        let written = self.layout.segments as usize - self.free.len();
        let places = written as u64 * u64::from(self.layout.segment_pages);
        let wanted = self.used as f64 * self.layout.places() as f64 / self.layout.pages.max(1) as f64;
        let begun = u64::from(self.layout.reserve() + 2) * u64::from(self.layout.segment_pages);
        places > wanted as u64 + begun
    }

    /// What there was to tidy was tidied, until another segment is begun.
    pub(crate) fn end_tidying(&mut self) {
        self.tidied = true;
    }

    /// The segment whose cleaning pays most, of those whose pages find room elsewhere: free places gained,
    /// times the time since it was last written, per place read and written (Rosenblum and Ousterhout, "The
    /// Design and Implementation of a Log-Structured File System", 1992, §3.5).
    pub(crate) fn victim(&mut self) -> Option<u32> {
        let size = self.layout.segment_pages;
        let open = self.open[stream(Writer::Cleaning)].map_or(0, |next| size - next % size);
        let room = (open as usize).saturating_add(self.free.len() * size as usize);
        let value = |segment: &Segment| {
            let (live, age) = (f64::from(segment.used), (self.writes - segment.last_write) as f64);
            (f64::from(size) - live) * (age + 1.0) / (f64::from(size) + live)
        };
        let may = |segment: &Segment| {
            let Segment { state, used, records, in_flight, cleaned, .. } = *segment;
            state == State::Closed && !cleaned && records + in_flight == 0 && used < size
        };
        let fits = |segment: &Segment| segment.used as usize <= room;
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
        (all.saturating_sub(self.used + reserve), self.kept.len() as u64)
    }
}
