//! Checkpoints and page maps: what they release, and what they must know.

use std::collections::BTreeSet;

use super::{Changes, Segment, Segments, Snapshot, State};
use crate::buffer::places::map::PlaceMap;
use crate::buffer::places::record;

/// One segment of that many may hold lists before a page map is written.
const SEGMENTS_PER_LIST: u32 = 16;

impl Segments {
    /// What was found when the pool was opened is not on the device as a page map.
    pub(crate) fn owe_map(&mut self) {
        self.owed = Some(self.version);
    }

    /// The version up to which that page map has all pages, as long as it is not on the device.
    pub(crate) fn owed(&self) -> Option<u64> {
        self.owed
    }

    /// A checkpoint begins; what its lists are to say. One that writes the page map lists discards only: a
    /// write that is in flight may be older than theirs.
    pub(crate) fn begin_checkpoint(&mut self, has_map: bool) -> Changes {
        self.kept.begin();
        if has_map {
            return self.changes.extract_if(|_, (_, place)| place.is_none()).collect();
        }
        std::mem::take(&mut self.changes)
    }

    /// That checkpoint is over.
    pub(crate) fn end_checkpoint(&mut self, listed: Changes, ok: bool) {
        if !ok {
            self.bring_back(listed);
            return;
        }
        self.kept.end().into_iter().for_each(|place| self.release(place));
    }

    /// Changes that are not on the device after all; where a page changed again, that counts.
    fn bring_back(&mut self, changes: Changes) {
        for (page, change) in changes {
            self.changes.entry(page).or_insert(change);
        }
    }

    /// Places that the lists of a checkpoint take at most, besides the pages that it writes itself.
    pub(super) fn list_places(&self) -> u64 {
        let changes = self.changes.len() as u64 + self.headroom;
        if self.atomic { 1 + changes / record::most(self.layout.page_bytes) as u64 } else { 0 }
    }

    /// Whether lists keep more segments from being used again than a page map is worth.
    pub(crate) fn is_full_of_lists(&self) -> bool {
        let mut segments: Vec<u32> = self.records.iter().map(|(at, _)| self.layout.segment(*at)).collect();
        segments.dedup();
        segments.len() as u32 > 1 + (self.layout.segments - self.free.len()) / SEGMENTS_PER_LIST
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
    /// from now on. Who opens the device reads these: `at_rest`, free ones are not among them.
    pub(crate) fn snapshot(&mut self, map: &PlaceMap, at_rest: bool) -> Snapshot {
        let writes = self.in_flight.values().min().map_or(self.writes, |write| write - 1);
        let since = |segment: &&u32| {
            let Segment { state, last_write, .. } =
                self.table.get(**segment as usize).copied().unwrap_or_default();
            state == State::Open || state == State::Free && !at_rest || last_write > writes
        };
        let announced: BTreeSet<u32> = self.announced.iter().filter(since).copied().collect();
        self.announced.clone_from(&announced);
        let mut entries = map.entries();
        self.discarded.iter().for_each(|(page, place)| entries[*page as usize] = *place);
        let changes = self.changes.extract_if(|_, (_, place)| place.is_some()).collect();
        Snapshot { entries, writes, announced, changes }
    }

    /// That page map is in force, or could not be written: then its superblock may be on the device all the
    /// same, and the segments that only the one before names stay unannounced.
    pub(crate) fn mapped(&mut self, snapshot: Snapshot, ok: bool) {
        if !ok {
            self.bring_back(snapshot.changes);
            return;
        }
        self.mapped = snapshot.writes;
        self.owed = None;
        self.discarded = Vec::new();
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

    /// Whether the page map on the device knows of all writes, and no free segment is announced.
    pub(crate) fn is_at_rest(&self) -> bool {
        self.unmapped() == 0 && !self.announced.iter().any(|segment| self.free.contains(*segment))
    }

    pub(crate) fn has_records(&self) -> bool {
        !self.records.is_empty()
    }
}
