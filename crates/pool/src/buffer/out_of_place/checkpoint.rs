//! A checkpoint: lists of what changed, a flush, and then the superblock if it says anything new.
//!
//! With atomic checkpoints the superblock names the version up to which pages count, and is written after the
//! flush has made all of them durable: a crash before leaves the last checkpoint in force. The page map is
//! written when it adds one or two per cent to the pages that were written since it was last, or when
//! the pool is closed.

use crate::buffer::core::Core;
use crate::buffer::error::PoolError;
use crate::buffer::io_queue::IoQueueGuard;
use crate::buffer::places::Places;
use crate::buffer::places::record::ListAt;
use crate::buffer::places::segments::Snapshot;
use crate::buffer::places::superblock::Superblock;

/// Segments that are written at least between two page maps.
const SEGMENTS: u64 = 8;

/// Pages that are written at least between two page maps, for each page of a map.
const PAGES: u64 = 64;

/// What a checkpoint does with the page map.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MapWrite {
    No,
    Yes,
    /// Nothing is to be written soon: who opens the pool need not look at free segments.
    AtRest,
}

impl Core {
    /// Makes durable what was written and discarded.
    pub(crate) fn commit(&self, io: &mut IoQueueGuard<'_>, places: &Places) -> Result<(), PoolError> {
        let layout = &places.layout;
        let due = (SEGMENTS * u64::from(layout.segment_pages))
            .max(PAGES * places.map.end().div_ceil(layout.entries().into()));
        let is_due = {
            let segments = places.segments();
            segments.unmapped() >= due || segments.is_full_of_lists()
        };
        let map = if is_due { MapWrite::Yes } else { MapWrite::No };
        self.write_checkpoint(io, places, map)
    }

    /// Makes durable what was written and discarded, and writes the page map, so that opening the pool again
    /// reads nothing else.
    pub(crate) fn commit_map(&self, io: &mut IoQueueGuard<'_>, places: &Places) -> Result<(), PoolError> {
        let map = if places.segments().is_at_rest() { MapWrite::No } else { MapWrite::AtRest };
        self.write_checkpoint(io, places, map)
    }

    fn write_checkpoint(
        &self,
        io: &mut IoQueueGuard<'_>,
        places: &Places,
        map: MapWrite,
    ) -> Result<(), PoolError> {
        let _one = places.checkpoint();
        let failures = self.durability.failures();
        let changes = places.segments().begin_checkpoint(map != MapWrite::No);
        let done = self
            .write_lists(io, places, &changes)
            .and_then(|list| {
                if places.segments().owed().is_some() {
                    // Nothing was written since the pool was opened, and the superblock stays as it is.
                    return self.sync(io);
                }
                // A page map must know of each move, or come before it.
                let _no_moves = (map != MapWrite::No).then(|| places.cleaning());
                self.make_durable(io, places, map, list)
            })
            .and_then(|()| self.no_flush_failed_since(failures));
        places.segments().end_checkpoint(changes, done.is_ok());
        done
    }

    /// Flushes the device, and writes the page map or the superblock where that says anything new. The newest
    /// list is the one of this checkpoint, if it has any.
    pub(super) fn make_durable(
        &self,
        io: &mut IoQueueGuard<'_>,
        places: &Places,
        map: MapWrite,
        list: Option<ListAt>,
    ) -> Result<(), PoolError> {
        let mut in_force = places.superblock();
        if map != MapWrite::No {
            self.settle_superblock(io, &mut in_force)?;
        }
        let (version, snapshot) = {
            let mut segments = places.segments();
            let may = map != MapWrite::No && segments.can_map();
            (segments.commit(), may.then(|| segments.snapshot(&places.map, map == MapWrite::AtRest)))
        };
        let synced = self.sync(io);
        if let Some(snapshot) = snapshot {
            let next = synced.and_then(|()| self.next_map(io, places, &in_force.superblock, &snapshot));
            let next = next.map(|next| Superblock { version, ..next });
            let written = next.and_then(|next| self.write_superblock(io, &mut in_force, next));
            places.segments().mapped(snapshot, written.is_ok());
            return written;
        }
        synced?;
        if !self.atomic() || version == in_force.superblock.version {
            return Ok(());
        }
        let list = list.or(in_force.superblock.list);
        let next = Superblock { version, list, ..in_force.superblock.clone() };
        self.write_superblock(io, &mut in_force, next)
    }

    /// Writes a page map; the superblock that puts it in force.
    pub(super) fn next_map(
        &self,
        io: &mut IoQueueGuard<'_>,
        places: &Places,
        current: &Superblock,
        snapshot: &Snapshot,
    ) -> Result<Superblock, PoolError> {
        let (area, map_number) = (1 - current.area, current.map_number + 1);
        self.write_map(io, places, (area, map_number), &snapshot.entries)?;
        self.sync(io)?;
        let announced = Some(snapshot.announced.clone());
        let (map_entries, writes) = (snapshot.entries.len() as u64, snapshot.writes);
        Ok(Superblock { area, map_number, map_entries, writes, announced, list: None, ..current.clone() })
    }
}
