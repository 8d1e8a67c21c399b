//! Checkpoints and page maps: what they release, and what they must know.

use std::collections::BTreeSet;

use super::{Pending, Segment, Segments, Snapshot, State};
use crate::buffer::places::map::PlaceMap;

impl Segments {
    /// What was found when the pool was opened is not on the device as a page map.
    pub(crate) fn owe_map(&mut self) {
        self.owed = Some(self.version);
    }

    /// The version up to which that page map has all pages, as long as it is not on the device.
    pub(crate) fn owed(&self) -> Option<u64> {
        self.owed
    }

    /// What a checkpoint that begins now releases.
    pub(crate) fn begin_checkpoint(&mut self) -> Pending {
        self.kept.begin();
        Pending { discards: std::mem::take(&mut self.discards) }
    }

    /// That checkpoint is over.
    pub(crate) fn end_checkpoint(&mut self, pending: Pending, ok: bool) {
        if !ok {
            self.discards.extend(pending.discards);
            return;
        }
        self.kept.end().into_iter().for_each(|place| self.release(place));
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
            let Segment { state, last_write, .. } =
                self.table.get(**segment as usize).copied().unwrap_or_default();
            matches!(state, State::Free | State::Open) || last_write > writes
        };
        let announced: BTreeSet<u32> = self.announced.iter().filter(since).copied().collect();
        let before = std::mem::replace(&mut self.announced, announced.clone());
        let mut entries = map.entries();
        self.discarded.iter().for_each(|(page, place)| entries[*page as usize] = *place);
        Snapshot { entries, writes, announced, before }
    }

    /// That page map is in force, or could not be written.
    pub(crate) fn mapped(&mut self, snapshot: Snapshot, ok: bool) {
        if !ok {
            self.announced.extend(snapshot.before);
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

    pub(crate) fn has_records(&self) -> bool {
        !self.records.is_empty()
    }
}
