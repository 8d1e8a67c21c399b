//! Which pages share a segment: those that are expected to be written again at about the same time.
//!
//! What is known of that is how long a page has lived: a page whose last version lived for a short time will
//! be written again soon, and one that cleaning finds alive after a long time will not be (Wang et al.,
//! "Separating Data via Block Invalidation Time Inference for Write Amplification Reduction in Log-Structured
//! Storage", FAST 2022). A time is counted in writes of users. When the last version of a page was written is
//! known of its segment only, as a mean; no memory is kept per page. Short is less than half as many writes
//! as there are pages: with three or four classes, or a number per page, simulated amplification under Zipf
//! 0.8 falls by another 1 to 7 %.

use super::super::layout::{Layout, Place};
use super::super::map::PlaceMap;
use super::{Segments, Subject, Writer};

/// Segments from which on there is room for more than two that are open.
const ENOUGH: u32 = 96;

/// One of the segments that are being written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stream {
    /// Written by users, and soon again.
    Hot,
    Cold,
    /// Moved, and written not long ago.
    MovedWarm,
    MovedCold,
}

/// The streams of a writer.
fn streams(writer: Writer) -> [Stream; 2] {
    match writer {
        Writer::Cleaning => [Stream::MovedCold, Stream::MovedWarm],
        Writer::User | Writer::Checkpoint => [Stream::Cold, Stream::Hot],
    }
}

/// The segments that are being written.
#[derive(Debug)]
pub(super) struct Open {
    /// The next place of each stream's segment, if that is not full.
    next: [Option<Place>; 4],
    segment_pages: u32,
    /// Whether hot and cold pages are told apart.
    is_divided: bool,
}

impl Open {
    pub(super) fn new(layout: &Layout) -> Open {
        let Layout { segments, segment_pages, .. } = *layout;
        Open { next: [None; 4], segment_pages, is_divided: segments >= ENOUGH }
    }

    /// Goes on with a segment; false where as many are open as may be.
    pub(super) fn reopen(&mut self, next: Place) -> bool {
        let streams = [Stream::Cold, Stream::MovedCold, Stream::Hot, Stream::MovedWarm];
        let may = streams.into_iter().take(if self.is_divided { 4 } else { 2 });
        let stream = may.into_iter().find(|stream| self.next(*stream).is_none());
        stream.inspect(|stream| self.next[*stream as usize] = Some(next)).is_some()
    }

    pub(super) fn next(&self, stream: Stream) -> Option<Place> {
        self.next[stream as usize]
    }

    /// A place of any stream of this writer.
    pub(super) fn any(&self, writer: Writer) -> Option<(Stream, Place)> {
        streams(writer).into_iter().find_map(|stream| Some((stream, self.next(stream)?)))
    }

    /// A place is taken; whether it is the last one of its segment.
    pub(super) fn advance(&mut self, stream: Stream, place: Place) -> bool {
        let is_last = (place + 1).is_multiple_of(self.segment_pages);
        self.next[stream as usize] = (!is_last).then_some(place + 1);
        is_last
    }

    fn rest(&self, stream: Stream) -> u32 {
        self.next(stream).map_or(0, |next| self.segment_pages - next % self.segment_pages)
    }

    /// Places in the open segments of a writer.
    pub(super) fn room(&self, writer: Writer) -> u64 {
        streams(writer).into_iter().map(|stream| u64::from(self.rest(stream))).sum()
    }

    /// Segments that must be begun for pages of these streams.
    pub(super) fn segments_for(&self, pages: &[Stream]) -> u32 {
        let all = [Stream::Hot, Stream::Cold, Stream::MovedWarm, Stream::MovedCold];
        let segments = |stream: &Stream| {
            let count = pages.iter().filter(|page| *page == stream).count() as u32;
            count.saturating_sub(self.rest(*stream)).div_ceil(self.segment_pages)
        };
        all.iter().map(segments).sum()
    }
}

impl Segments {
    /// Where a page goes.
    pub(super) fn stream(&self, subject: Subject, writer: Writer, map: &PlaceMap) -> Stream {
        let [cold, hot] = streams(writer);
        let written = match subject {
            _ if !self.open.is_divided => return cold,
            Subject::Record => return hot,
            Subject::Moving(version) => Some(version),
            Subject::Page(page) => map.get(page).and_then(|place| {
                let segment = self.table.get(self.layout.segment(place) as usize)?;
                segment.versions.checked_div(segment.written.into())
            }),
        };
        let is_young = |version| self.version.saturating_sub(version) < self.used / 2;
        if written.is_some_and(is_young) { hot } else { cold }
    }
}
