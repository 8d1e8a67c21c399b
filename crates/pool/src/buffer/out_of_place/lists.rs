//! Lists of changes since the page map: written by checkpoints, read when a pool is opened.

use std::collections::HashMap;

use crate::buffer::checksum;
use crate::buffer::core::Core;
use crate::buffer::error::PoolError;
use crate::buffer::io_queue::IoQueueGuard;
use crate::buffer::places::Places;
use crate::buffer::places::layout::{Layout, Place};
use crate::buffer::places::record::{self, Change, ListAt};
use crate::buffer::places::segments::{Changes, Writer};
use crate::buffer::places::stamp::{self, RECORD};
use crate::buffer::places::superblock::Superblock;
use crate::policy::Page;

impl Core {
    /// Writes lists of changes to segments, each with the one before it: the last one.
    pub(super) fn write_lists(
        &self,
        io: &mut IoQueueGuard<'_>,
        places: &Places,
        changes: &Changes,
    ) -> Result<Option<ListAt>, PoolError> {
        let page_bytes = self.config.page_bytes;
        let change = |(page, (version, place)): (&Page, &(u64, Option<Place>))| Change {
            page: *page,
            version: *version,
            place: *place,
        };
        let mut changes: Vec<Change> = changes.iter().map(change).collect();
        changes.sort_unstable_by_key(|change| change.version);
        let mut newest = None;
        let mut before = places.superblock().superblock.list;
        for some in changes.chunks(record::most(page_bytes) * self.config.pages_at_once() as usize) {
            let lists: Vec<&[Change]> = some.chunks(record::most(page_bytes)).collect();
            let tickets = self.tickets(io, places, lists.len(), Writer::Checkpoint)?;
            let mut pages = Vec::with_capacity(lists.len());
            for (list, ticket) in lists.into_iter().zip(&tickets) {
                let mut bytes = record::encode(list, before, page_bytes);
                ticket.stamp(&mut bytes);
                checksum::seal(&mut bytes, RECORD);
                pages.push((places.layout.device_page(ticket.place), bytes));
                before = Some(ListAt { place: ticket.place, write: ticket.write });
            }
            newest = before;
            let written = self.write_pages(io, &pages);
            self.counters.map_writes.add(pages.len() as u64);
            let mut segments = places.segments();
            tickets.into_iter().for_each(|ticket| segments.recorded(ticket, written.is_ok()));
            drop(segments);
            written.map_err(|source| PoolError::PageMap { source: Box::new(source) })?;
        }
        Ok(newest)
    }

    /// What the lists say that a superblock leads to.
    ///
    /// # Errors
    /// [`PoolError::PageMapCorrupt`] where one is not what it was written as.
    pub(super) fn read_lists(
        &self,
        io: &mut IoQueueGuard<'_>,
        layout: &Layout,
        superblock: &Superblock,
    ) -> Result<Changes, PoolError> {
        let mut changes: Changes = HashMap::new();
        let (mut next, mut newer) = (superblock.list, u64::MAX);
        while let Some(ListAt { place, write }) = next {
            let at = layout.device_page(place);
            let corrupt = PoolError::PageMapCorrupt { at: at * u64::from(layout.page_bytes) };
            // Each is older than the one that names it, so this ends.
            if u64::from(place) >= layout.places() || write >= newer {
                return Err(corrupt);
            }
            let bytes = self.read_pages(io, &[at])?.pop().and_then(Result::ok);
            let is_it =
                |bytes: &Vec<u8>| checksum::verify(bytes, RECORD).is_ok() && stamp::is_write(bytes, write);
            let Some(bytes) = bytes.filter(is_it) else { return Err(corrupt) };
            let list = record::decode(&bytes);
            for Change { page, version, place } in list.changes {
                if page >= layout.pages || place.is_some_and(|place| u64::from(place) >= layout.places()) {
                    return Err(corrupt);
                }
                let known = changes.entry(page).or_insert((version, place));
                if version > known.0 {
                    *known = (version, place);
                }
            }
            (next, newer) = (list.before, write);
        }
        Ok(changes)
    }
}
