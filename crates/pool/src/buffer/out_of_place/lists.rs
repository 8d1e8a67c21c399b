//! Lists of changes since the page map: written by checkpoints, read when a pool is opened.

use std::collections::HashMap;

use crate::buffer::checksum;
use crate::buffer::core::Core;
use crate::buffer::error::PoolError;
use crate::buffer::io_queue::IoQueueGuard;
use crate::buffer::places::Places;
use crate::buffer::places::layout::{Layout, Place};
use crate::buffer::places::record::{self, Change, List, ListAt};
use crate::buffer::places::segments::{Changes, Writer};
use crate::buffer::places::stamp::RECORD;
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
}

/// What the lists say that a superblock leads to, of those that were found in segments, each by its place
/// with the number of its write.
///
/// # Errors
/// [`PoolError::PageMapCorrupt`] where one is not what it was written as.
pub(super) fn changes_since_map(
    found: &mut HashMap<Place, (u64, List)>,
    layout: &Layout,
    superblock: &Superblock,
) -> Result<Changes, PoolError> {
    let mut changes = Changes::new();
    let mut next = superblock.list;
    while let Some(ListAt { place, write }) = next {
        let at = layout.device_page(place) * u64::from(layout.page_bytes);
        let corrupt = PoolError::PageMapCorrupt { at };
        // Each is looked at once, so this ends.
        let list = found.remove(&place).filter(|found| found.0 == write);
        let Some((_, list)) = list else { return Err(corrupt) };
        for Change { page, version, place } in list.changes {
            if page >= layout.pages || place.is_some_and(|place| u64::from(place) >= layout.places()) {
                return Err(corrupt);
            }
            let known = changes.entry(page).or_insert((version, place));
            if version > known.0 {
                *known = (version, place);
            }
        }
        next = list.before;
    }
    Ok(changes)
}
