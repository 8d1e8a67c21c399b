//! A checkpoint: lists of discards, a flush, and then the superblock if it says anything new.
//!
//! With atomic checkpoints the superblock names the version up to which pages count, and is written after the
//! flush has made all of them durable: a crash before leaves the last checkpoint in force. The page map is
//! written when it adds one or two per cent to the pages that were written since it was last, or when
//! the pool is closed.

use crate::buffer::checksum;
use crate::buffer::core::Core;
use crate::buffer::error::PoolError;
use crate::buffer::io_queue::IoQueueGuard;
use crate::buffer::places::Places;
use crate::buffer::places::record::{self, Discard};
use crate::buffer::places::segments::{Snapshot, Writer};
use crate::buffer::places::stamp::RECORD;
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
        let map = if places.segments().unmapped() >= due { MapWrite::Yes } else { MapWrite::No };
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
        let pending = places.segments().begin_checkpoint();
        let done = self
            .write_discards(io, places, &pending.discards)
            .and_then(|()| {
                if places.segments().owed().is_some() {
                    // Nothing was written since the pool was opened, and the superblock stays as it is.
                    return self.sync(io);
                }
                // A page map must know of each move, or come before it.
                let _no_moves = (map != MapWrite::No).then(|| places.cleaning());
                self.make_durable(io, places, map)
            })
            .and_then(|()| self.no_flush_failed_since(failures));
        places.segments().end_checkpoint(pending, done.is_ok());
        done
    }

    /// Flushes the device, and writes the page map or the superblock where that says anything new.
    pub(super) fn make_durable(
        &self,
        io: &mut IoQueueGuard<'_>,
        places: &Places,
        map: MapWrite,
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
        let next = Superblock { version, ..in_force.superblock.clone() };
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
        Ok(Superblock { area, map_number, map_entries, writes, announced, ..current.clone() })
    }

    /// Writes lists of discards to segments.
    fn write_discards(
        &self,
        io: &mut IoQueueGuard<'_>,
        places: &Places,
        discards: &[Discard],
    ) -> Result<(), PoolError> {
        let page_bytes = self.config.page_bytes;
        for list in discards.chunks(record::most(page_bytes)) {
            for ticket in self.tickets(io, places, 1, Writer::Checkpoint)? {
                let mut bytes = record::encode(list, page_bytes);
                ticket.stamp(&mut bytes);
                checksum::seal(&mut bytes, RECORD);
                let written = self.write_pages(io, &[(places.layout.device_page(ticket.place), bytes)]);
                self.counters.map_writes.add(1);
                places.segments().recorded(ticket, written.is_ok());
                written.map_err(|source| PoolError::PageMap { source: Box::new(source) })?;
            }
        }
        Ok(())
    }
}
