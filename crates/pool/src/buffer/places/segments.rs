//! The segments: which are free, which are being written, and which places in them are needed.
//!
//! A place is needed as long as its page is there, and longer where a crash might bring the page back:
//!
//! - A place whose page was written elsewhere is needed until the device has been flushed, or with atomic
//!   checkpoints until the next one is complete, if the last one had it.
//! - A place whose page cleaning has moved is needed until the device has been flushed.
//! - A place whose page was discarded is needed until a list of discards that names it is durable.
//!
//! Users write to one segment, and cleaning to another: what it moves has not been changed for some time. Two
//! segments each, for pages that live long and others, were tried: where a pool holds the most popular pages
//! in memory, as any does, cleaning moves 2 % less under Zipf 0.8; and a drive that writes segments in turn
//! into one block of its own must move up to a third more itself.
//!
//! A segment in which no place is needed is trimmed and free again. If a flush fails, what it was to release
//! is needed until the next complete checkpoint, and what was moved is where it was.

mod allocation;
mod checkpoint;
mod choice;
mod free;
mod kept;

use std::collections::{BTreeSet, HashMap};

use self::free::FreeSegments;
use self::kept::{Bits, Kept, Release};

use super::layout::{Layout, Place};
use super::map::PlaceMap;
use super::options::OutOfPlace;
use super::stamp::Ticket;
use crate::policy::Page;

/// For whom places are allocated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Writer {
    User,
    Cleaning,
    /// What is dirty when a checkpoint begins: in the segment that users' writes go to.
    Checkpoint,
}

/// What came of asking for places.
#[derive(Debug)]
pub(crate) enum Allocation {
    Tickets(Vec<Ticket>),
    /// These segments must be named in a superblock first.
    Announce(Vec<u32>),
    /// Too few are free.
    Clean,
    /// The page map that the pool was opened with must be written first.
    Map,
    /// Segments that are written already hold so little that some should be cleaned before another is begun.
    Tidy,
    /// The rest is for the next checkpoint.
    Full,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum State {
    #[default]
    Free,
    Open,
    Closed,
    /// Nothing in it is needed; not trimmed yet.
    Dead,
}

#[derive(Debug, Clone, Copy, Default)]
struct Segment {
    state: State,
    /// Places that are needed.
    used: u32,
    /// Of them, lists of changes since the page map.
    records: u32,
    in_flight: u32,
    /// Cleaning has moved what it could.
    cleaned: bool,
    last_write: u64,
}

/// A page that was moved.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Moved {
    pub(crate) page: Page,
    pub(crate) from: Place,
    pub(crate) to: Place,
    pub(crate) version: u64,
}

/// Places that the next flush of the device releases.
#[derive(Debug, Default)]
pub(crate) struct Unsynced {
    superseded: Vec<Place>,
    moved: Vec<Moved>,
}

/// What changed in the page map, for the lists of a checkpoint. A page that changed again since is in here as
/// it was last.
pub(crate) type Changes = HashMap<Page, (u64, Option<Place>)>;

/// The page map at one moment.
#[derive(Debug)]
pub(crate) struct Snapshot {
    pub(crate) entries: Vec<Place>,
    /// It knows of all writes up to this number.
    pub(crate) writes: u64,
    /// Segments that may be written, or were in part, after it.
    pub(crate) announced: BTreeSet<u32>,
    /// What no list has yet, and the map does.
    changes: Changes,
}

/// All segments of a device.
#[derive(Debug)]
pub(crate) struct Segments {
    layout: Layout,
    atomic: bool,
    /// Whether a device that is larger than what it holds is used in part only.
    is_bounded: bool,
    /// Of the segments that were ever written.
    table: Vec<Segment>,
    free: FreeSegments,
    dead: Vec<u32>,
    /// Named in the superblock.
    announced: BTreeSet<u32>,
    /// The next place of the segment that each writer writes, if that is not full.
    open: [Option<Place>; 2],
    writes: u64,
    version: u64,
    in_flight: HashMap<Place, u64>,
    /// The number of the last write that moved a page.
    last_move: u64,
    unsynced: Unsynced,
    /// Flushes under way that will release places.
    syncs: u32,
    /// What changed since the page map and the lists on the device: discards, and with atomic checkpoints
    /// where pages are.
    changes: Changes,
    kept: Kept,
    /// Places that are left to checkpoints.
    headroom: u64,
    /// Pages written since the last checkpoint, where checkpoints are atomic.
    changed: Bits,
    records: Vec<(Place, u64)>,
    used: u64,
    /// Segments that users may begin before it is looked whether some should be tidied.
    untidied: u32,
    /// The number of the last write that the page map on the device knows of.
    mapped: u64,
    /// Where the page map that the pool was opened with is not on the device yet, before which nothing is
    /// written: the version up to which it has all pages.
    owed: Option<u64>,
    /// Where pages were that were discarded since: that page map has them.
    discarded: Vec<(Page, Place)>,
}

impl Segments {
    /// All free. `numbers` are the highest numbers of a write and of a version so far.
    pub(crate) fn new(layout: Layout, options: &OutOfPlace, frames: u32, numbers: (u64, u64)) -> Segments {
        let atomic = options.atomic_checkpoints;
        let spare = layout.places().saturating_sub(layout.pages);
        let headroom = if atomic { u64::from(frames).min(spare / 4) } else { 0 };
        Segments {
            layout,
            atomic,
            is_bounded: options.trim,
            table: Vec::new(),
            free: FreeSegments::new(layout.segments),
            dead: Vec::new(),
            announced: BTreeSet::new(),
            open: [None; 2],
            writes: numbers.0,
            version: numbers.1,
            in_flight: HashMap::new(),
            last_move: 0,
            unsynced: Unsynced::default(),
            syncs: 0,
            changes: Changes::new(),
            kept: Kept::default(),
            headroom,
            changed: Bits::default(),
            records: Vec::new(),
            used: 0,
            untidied: 0,
            mapped: numbers.0,
            owed: None,
            discarded: Vec::new(),
        }
    }

    fn of(&mut self, place: Place) -> &mut Segment {
        &mut self.table[(place / self.layout.segment_pages) as usize]
    }

    /// A place that holds a page when the pool is opened.
    pub(crate) fn occupy(&mut self, place: Place) {
        let number = self.layout.segment(place);
        self.begin(number, State::Closed);
        self.of(place).used += 1;
        self.used += 1;
    }

    /// A segment is not free any more, if it was.
    fn begin(&mut self, number: u32, state: State) {
        if self.free.take(number) {
            if self.table.len() <= number as usize {
                self.table.resize(number as usize + 1, Segment::default());
            }
            self.table[number as usize] = Segment { state, ..Segment::default() };
        }
    }

    /// Goes on writing a segment that was not full when the pool was left.
    pub(crate) fn reopen(&mut self, next: Place) {
        if let Some(open) = self.open.iter_mut().find(|open| open.is_none()) {
            *open = Some(next);
            self.of(next).state = State::Open;
            self.announced.insert(self.layout.segment(next));
        }
    }

    pub(crate) fn is_in_use(&self, segment: u32) -> bool {
        self.table.get(segment as usize).is_some_and(|segment| segment.used > 0)
    }

    /// A write is over; one that failed leaves the page where it was.
    pub(crate) fn written(&mut self, page: Page, ticket: Ticket, ok: bool, map: &PlaceMap) {
        let Ticket { place, version, .. } = ticket;
        self.landed(place, ok);
        if ok {
            if self.atomic {
                self.changes.insert(page, (version, Some(place)));
            }
            let before = map.set(page, Some(place));
            let is_first = self.atomic && self.changed.insert(page as u32);
            match before {
                Some(before) if is_first => self.keep(before),
                Some(before) if self.atomic => self.release(before),
                Some(before) => self.unsynced.superseded.push(before),
                None => {}
            }
        }
    }

    /// The write of a page that moves is over.
    pub(crate) fn moved(&mut self, moved: Moved, ok: bool, map: &PlaceMap) {
        let Moved { page, from, to, version } = moved;
        self.last_move = self.last_move.max(self.in_flight.get(&to).copied().unwrap_or(0));
        let is_live = map.get(page) == Some(from);
        let moves = ok && self.is_needed(page, from, map);
        self.landed(to, moves);
        if !moves {
            return;
        }
        if is_live {
            map.set(page, Some(to));
            if self.atomic {
                self.changes.insert(page, (version, Some(to)));
            }
        } else if let Some(release) = self.kept.remove(from) {
            self.kept.insert(to, release);
        }
        self.unsynced.moved.push(moved);
    }

    /// Whether the page at a place must move before its segment is used again.
    pub(crate) fn is_needed(&self, page: Page, place: Place, map: &PlaceMap) -> bool {
        map.get(page) == Some(place) || self.kept.contains(place)
    }

    /// The write of a list of changes is over.
    pub(crate) fn recorded(&mut self, ticket: Ticket, ok: bool) {
        self.landed(ticket.place, ok);
        if ok {
            self.of(ticket.place).records += 1;
            self.records.push((ticket.place, ticket.write));
        }
    }

    fn landed(&mut self, place: Place, needed: bool) {
        assert!(self.in_flight.remove(&place).is_some(), "no write of place {place} is in flight");
        let segment = self.of(place);
        segment.in_flight -= 1;
        segment.used += u32::from(needed);
        self.used += u64::from(needed);
        self.settle(place);
    }

    /// A place is no longer needed.
    fn release(&mut self, place: Place) {
        let segment = self.of(place);
        assert!(segment.used > 0, "place {place} is not needed already");
        segment.used -= 1;
        self.used -= 1;
        self.settle(place);
    }

    /// The segment of a place is dead if nothing in it is needed.
    fn settle(&mut self, place: Place) {
        let segment = self.of(place);
        if segment.state == State::Closed && segment.used == 0 && segment.in_flight == 0 {
            segment.state = State::Dead;
            self.dead.push(self.layout.segment(place));
        }
    }

    /// Only a checkpoint releases the place.
    fn keep(&mut self, place: Place) {
        if !self.kept.insert(place, Release::Next) {
            self.release(place);
        }
    }

    /// A page that is no longer needed.
    pub(crate) fn discard(&mut self, page: Page, map: &PlaceMap) {
        if let Some(before) = map.set(page, None) {
            self.version += 1;
            self.changes.insert(page, (self.version, None));
            if self.owed.is_some() {
                self.discarded.push((page, before));
            }
            self.keep(before);
        }
    }

    /// What a flush that begins now releases.
    pub(crate) fn begin_sync(&mut self) -> Unsynced {
        self.syncs += 1;
        std::mem::take(&mut self.unsynced)
    }

    /// That flush is over.
    pub(crate) fn end_sync(&mut self, unsynced: Unsynced, ok: bool, map: &PlaceMap) {
        self.syncs -= 1;
        let Unsynced { superseded, moved } = unsynced;
        for place in superseded {
            if ok { self.release(place) } else { self.keep(place) }
        }
        for Moved { page, from, to, .. } in moved {
            if ok {
                self.release(from);
            } else if map.get(page) == Some(to) {
                map.set(page, Some(from));
                self.release(to);
            } else if let Some(release) = self.kept.remove(to) {
                self.kept.insert(from, release);
                self.release(to);
            } else {
                self.keep(from);
            }
        }
        if !ok {
            self.table.iter_mut().for_each(|segment| segment.cleaned = false);
        }
    }

    pub(crate) fn announced(&self) -> &BTreeSet<u32> {
        &self.announced
    }

    /// The superblock names these segments too.
    pub(crate) fn announce(&mut self, segments: Vec<u32>) {
        self.announced.extend(segments);
    }

    /// Dead segments, to be trimmed.
    pub(crate) fn take_dead(&mut self) -> Vec<u32> {
        std::mem::take(&mut self.dead)
    }

    /// They are free.
    pub(crate) fn recycle(&mut self, dead: Vec<u32>) {
        for segment in dead {
            self.table[segment as usize] = Segment::default();
            self.free.put(segment);
        }
    }
}
