//! The segments: which are free, which are being written, and which places in them are needed.
//!
//! A place is needed as long as its page is there, and longer where a crash might bring the page back:
//!
//! - A place whose page was written elsewhere is needed until the device has been flushed, or with atomic
//!   checkpoints until the next one is complete, if the last one had it.
//! - A place whose page cleaning has moved is needed until the device has been flushed.
//! - A place whose page was discarded is needed until a list of discards that names it is durable.
//!
//! A segment in which no place is needed is trimmed and free again. If a flush fails, what it was to release
//! is needed until the next complete checkpoint, and what was moved is where it was.

mod choice;

use std::collections::{BTreeSet, HashMap, HashSet};

use super::layout::{Layout, Place};
use super::map::PlaceMap;
use super::record::Discard;
use super::stamp::Ticket;
use crate::policy::Page;

/// Segments that are announced at once.
const AHEAD: usize = 8;

/// For whom places are allocated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Writer {
    User,
    Cleaning,
    /// What is dirty when a checkpoint begins: in the segment that users' writes go to.
    Checkpoint,
}

/// Which of the segments that are open a writer writes.
fn stream(writer: Writer) -> usize {
    usize::from(writer == Writer::Cleaning)
}

/// What came of asking for places.
#[derive(Debug)]
pub(crate) enum Allocation {
    Tickets(Vec<Ticket>),
    /// These segments must be named in a superblock first.
    Announce(Vec<u32>),
    /// Too few are free.
    Clean,
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
    /// Of them, lists of discards that the page map does not know of.
    records: u32,
    in_flight: u32,
    /// Cleaning has moved what it could.
    cleaned: bool,
    last_write: u64,
}

/// A page that was moved.
#[derive(Debug, Clone, Copy)]
struct Move {
    page: Page,
    from: Place,
    to: Place,
}

/// Places that the next flush of the device releases.
#[derive(Debug, Default)]
pub(crate) struct Unsynced {
    superseded: Vec<Place>,
    moved: Vec<Move>,
}

/// What a complete checkpoint releases and makes durable.
#[derive(Debug, Default)]
pub(crate) struct Pending {
    pub(crate) discards: Vec<Discard>,
    /// Places that were kept up to this checkpoint are released.
    number: u64,
}

/// The page map at one moment.
#[derive(Debug)]
pub(crate) struct Snapshot {
    pub(crate) entries: Vec<Place>,
    /// It knows of all writes up to this number.
    pub(crate) writes: u64,
    /// Segments that may be written, or were in part, after it.
    pub(crate) announced: BTreeSet<u32>,
    /// Segments that the superblock named until now.
    before: BTreeSet<u32>,
}

/// All segments of a device.
#[derive(Debug)]
pub(crate) struct Segments {
    layout: Layout,
    atomic: bool,
    table: Vec<Segment>,
    free: BTreeSet<u32>,
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
    discards: Vec<Discard>,
    /// Places that only a checkpoint releases, and its number.
    kept: HashMap<Place, u64>,
    /// The number of the next checkpoint.
    checkpoint: u64,
    /// Places that are left to checkpoints.
    headroom: u64,
    /// Pages written since the last checkpoint, where checkpoints are atomic.
    changed: HashSet<u32>,
    records: Vec<(Place, u64)>,
    used: u64,
    /// Segments were tidied since the last one was begun.
    tidied: bool,
    /// The number of the last write that the page map on the device knows of.
    mapped: u64,
}

impl Segments {
    /// All free. `numbers` are the highest numbers of a write and of a version so far.
    pub(crate) fn new(layout: Layout, atomic: bool, frames: u32, numbers: (u64, u64)) -> Segments {
        let spare = layout.places().saturating_sub(layout.pages);
        let headroom = if atomic { u64::from(frames).min(spare / 4) } else { 0 };
        Segments {
            layout,
            atomic,
            table: vec![Segment::default(); layout.segments as usize],
            free: (0..layout.segments).collect(),
            dead: Vec::new(),
            announced: BTreeSet::new(),
            open: [None; 2],
            writes: numbers.0,
            version: numbers.1,
            in_flight: HashMap::new(),
            last_move: 0,
            unsynced: Unsynced::default(),
            syncs: 0,
            discards: Vec::new(),
            kept: HashMap::new(),
            checkpoint: 0,
            headroom,
            changed: HashSet::new(),
            records: Vec::new(),
            used: 0,
            tidied: false,
            mapped: numbers.0,
        }
    }

    fn of(&mut self, place: Place) -> &mut Segment {
        &mut self.table[(place / self.layout.segment_pages) as usize]
    }

    /// A place that holds a page when the pool is opened.
    pub(crate) fn occupy(&mut self, place: Place) {
        let segment = self.layout.segment(place);
        self.free.remove(&segment);
        self.of(place).used += 1;
        self.of(place).state = State::Closed;
        self.used += 1;
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
        self.table[segment as usize].used > 0
    }

    /// Places for consecutive writes of a writer.
    pub(crate) fn allocate(&mut self, count: usize, writer: Writer) -> Allocation {
        let size = self.layout.segment_pages;
        let rest = |next: Place| (size - next % size) as usize;
        let open = self.open[stream(writer)].map_or(0, rest);
        let segments = count.saturating_sub(open).div_ceil(size as usize);
        if writer == Writer::User && self.headroom > 0 && self.room().0 < self.headroom + count as u64 {
            return Allocation::Full;
        }
        let reserve = if writer == Writer::Cleaning { 0 } else { self.layout.reserve() as usize };
        if segments > 0 && self.free.len() < segments + reserve {
            return Allocation::Clean;
        }
        if segments > 0 && writer == Writer::User && !self.tidied && self.is_sparse() {
            return Allocation::Tidy;
        }
        if self.free.iter().filter(|free| self.announced.contains(free)).take(segments).count() < segments {
            let lowest = self.free.iter().copied().filter(|free| !self.announced.contains(free));
            return Allocation::Announce(lowest.take(segments.max(AHEAD)).collect());
        }
        Allocation::Tickets((0..count).map(|_| self.next(writer)).collect())
    }

    fn next(&mut self, writer: Writer) -> Ticket {
        let place = match self.open[stream(writer)] {
            Some(place) => place,
            None => {
                let lowest = self.free.iter().copied().find(|free| self.announced.contains(free));
                let segment = lowest.expect("an announced segment is free");
                self.free.remove(&segment);
                self.tidied = false;
                self.table[segment as usize] = Segment { state: State::Open, ..Segment::default() };
                segment * self.layout.segment_pages
            }
        };
        self.writes += 1;
        self.version += 1;
        let ticket = Ticket { place, write: self.writes, version: self.version };
        self.in_flight.insert(place, ticket.write);
        let last = (place + 1).is_multiple_of(self.layout.segment_pages);
        self.open[stream(writer)] = (!last).then_some(place + 1);
        let segment = self.of(place);
        segment.last_write = ticket.write;
        segment.in_flight += 1;
        if last {
            segment.state = State::Closed;
        }
        ticket
    }

    /// A write is over; one that failed leaves the page where it was.
    pub(crate) fn written(&mut self, page: Page, place: Place, ok: bool, map: &PlaceMap) {
        self.landed(place, ok);
        if ok {
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
    pub(crate) fn moved(&mut self, page: Page, from: Place, to: Place, ok: bool, map: &PlaceMap) {
        self.last_move = self.last_move.max(self.in_flight.get(&to).copied().unwrap_or(0));
        let kept = self.kept.get(&from).copied();
        let is_live = map.get(page) == Some(from);
        let moves = ok && (is_live || kept.is_some());
        self.landed(to, moves);
        if !moves {
            return;
        }
        if is_live {
            map.set(page, Some(to));
        } else if let Some(checkpoint) = kept {
            self.kept.remove(&from);
            self.kept.insert(to, checkpoint);
        }
        self.unsynced.moved.push(Move { page, from, to });
    }

    /// Whether the page at a place must move before its segment is used again.
    pub(crate) fn is_needed(&self, page: Page, place: Place, map: &PlaceMap) -> bool {
        map.get(page) == Some(place) || self.kept.contains_key(&place)
    }

    /// The write of a list of discards is over.
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
        self.kept.insert(place, self.checkpoint);
    }

    /// A page that is no longer needed.
    pub(crate) fn discard(&mut self, page: Page, map: &PlaceMap) {
        if let Some(before) = map.set(page, None) {
            self.version += 1;
            self.discards.push(Discard { page, version: self.version });
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
        for Move { page, from, to } in moved {
            if ok {
                self.release(from);
            } else if map.get(page) == Some(to) {
                map.set(page, Some(from));
                self.release(to);
            } else if let Some(checkpoint) = self.kept.remove(&to) {
                self.kept.insert(from, checkpoint);
                self.release(to);
            } else {
                self.keep(from);
            }
        }
        if !ok {
            self.table.iter_mut().for_each(|segment| segment.cleaned = false);
        }
    }

    /// What a checkpoint that begins now releases.
    pub(crate) fn begin_checkpoint(&mut self) -> Pending {
        let pending = Pending { discards: std::mem::take(&mut self.discards), number: self.checkpoint };
        self.checkpoint += 1;
        pending
    }

    /// That checkpoint is over.
    pub(crate) fn end_checkpoint(&mut self, pending: Pending, ok: bool) {
        if !ok {
            self.discards.extend(pending.discards);
            return;
        }
        let (released, kept): (HashMap<_, _>, _) =
            std::mem::take(&mut self.kept).into_iter().partition(|(_, number)| *number <= pending.number);
        self.kept = kept;
        released.into_keys().for_each(|place| self.release(place));
    }

    /// All versions so far belong to the checkpoint that is under way.
    pub(crate) fn commit(&mut self) -> u64 {
        self.changed.clear();
        self.version
    }

    /// Whether a page map may be made now. Not while a write is in flight that is older than a move: the map
    /// would know only of writes before both, and the moved page could pass for newer than what it knows of.
    pub(crate) fn can_map(&self) -> bool {
        self.in_flight.values().all(|write| *write > self.last_move)
    }

    /// The page map, to be written to the device. Only segments that its superblock will name are written
    /// from now on.
    pub(crate) fn snapshot(&mut self, map: &PlaceMap) -> Snapshot {
        let writes = self.in_flight.values().min().map_or(self.writes, |write| write - 1);
        let since = |segment: &&u32| {
            let Segment { state, last_write, .. } = self.table[**segment as usize];
            matches!(state, State::Free | State::Open) || last_write > writes
        };
        let announced: BTreeSet<u32> = self.announced.iter().filter(since).copied().collect();
        let before = std::mem::replace(&mut self.announced, announced.clone());
        Snapshot { entries: map.entries(), writes, announced, before }
    }

    /// That page map is in force, or could not be written.
    pub(crate) fn mapped(&mut self, snapshot: Snapshot, ok: bool) {
        if !ok {
            self.announced.extend(snapshot.before);
            return;
        }
        self.mapped = snapshot.writes;
        for (place, write) in std::mem::take(&mut self.records) {
            if write <= self.mapped {
                self.of(place).records -= 1;
                self.release(place);
            } else {
                self.records.push((place, write));
            }
        }
    }

    /// Writes that the page map on the device does not know of.
    pub(crate) fn unmapped(&self) -> u64 {
        self.writes - self.mapped
    }

    pub(crate) fn has_records(&self) -> bool {
        !self.records.is_empty()
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
            self.free.insert(segment);
        }
    }
}
