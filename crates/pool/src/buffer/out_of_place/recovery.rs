//! What a pool finds when it is opened: the page map in force, and in the segments that were written since,
//! pages and lists of discards, of which the newest versions count. With atomic checkpoints those count that
//! belong to the last one. Torn pages do not pass their checksums: the version before is in force. With
//! atomic checkpoints lists say which pages were durable: one that is not found is damaged, and its place
//! stays the page's, so that reading it is an error and no older version is taken for it. Before there were
//! lists, and for pages that cleaning has moved since, what a damaged page says of itself has to do.
//!
//! Before anything else is written then, a new page map is, so that what did not count never will. Until its
//! superblock is in force nothing else changes, and a crash finds the device as it was. Who only reads needs
//! no room for it.

use std::collections::HashMap;

use super::lists::changes_since_map;
use crate::buffer::checksum;
use crate::buffer::core::Core;
use crate::buffer::error::{PageOp, PoolError};
use crate::buffer::io_queue::IoQueueGuard;
use crate::buffer::places::layout::{Layout, Place, SUPERBLOCKS};
use crate::buffer::places::map::PlaceMap;
use crate::buffer::places::record::{self, List, ListAt};
use crate::buffer::places::segments::{Changes, Segments};
use crate::buffer::places::stamp::{Found, RECORD};
use crate::buffer::places::superblock::{Parsed, Superblock};
use crate::buffer::places::{InForce, OutOfPlace, Places};
use crate::config_error::ConfigError;
use crate::policy::Page;

/// Numbers of writes and versions that are left out after a crash: as a write that was lost may have had
/// them.
const GAP: u64 = 1 << 20;

/// Pages before the segments and in them that hold nothing on a new device.
const LOOKED_AT: u32 = 16;

/// What was written since the page map.
#[derive(Default)]
struct Since {
    /// The newest version of each page, the number of its write, and its place; none if it was discarded.
    newest: HashMap<Page, (u64, u64, Option<Place>)>,
    /// The newest version of each page among those that belong to the last atomic checkpoint and may be
    /// damaged.
    damaged: HashMap<Page, (u64, Place)>,
    /// Lists of changes by their places, with the number of the write.
    lists: HashMap<Place, (u64, List)>,
    /// The first place of each segment after the last page found in it.
    ends: Vec<Place>,
    writes: u64,
    version: u64,
    found: bool,
}

impl Core {
    /// Opens the device as one whose pages are written out of place, or makes it one if it holds nothing.
    pub(crate) fn open_places(
        &self,
        io: &mut IoQueueGuard<'_>,
        options: &OutOfPlace,
    ) -> Result<Places, PoolError> {
        let layout = Layout::new(self.capacity_bytes, self.config.page_bytes, options)?;
        let Some(in_force) = self.find_superblock(io, &layout)? else {
            return self.format(io, layout, options);
        };
        let layout = check(layout, &in_force.superblock, self.capacity_bytes)?;
        let map = PlaceMap::new(layout.pages);
        self.read_map(io, &layout, &in_force, &map)?;
        let mut since = self.read_segments(io, &layout, &in_force.superblock)?;
        let listed = changes_since_map(&mut since.lists, &layout, &in_force.superblock)?;
        since.expect(listed, in_force.superblock.list);
        self.take_in_damaged(io, &layout, &map, &mut since)?;
        if self.is_crowded(&layout, &map, &since) {
            self.prefer_places_before(io, &layout, &map, &mut since)?;
        }
        for (page, (_, _, place)) in &since.newest {
            map.set(*page, *place);
        }
        let found = since.found || in_force.superblock.atomic != options.atomic_checkpoints;
        let gap = if since.found { GAP } else { 0 };
        let numbers = (since.writes + gap, since.version + gap);
        let mut segments = Segments::new(layout, options, self.config.frames, numbers);
        map.iter().for_each(|(_, place)| segments.occupy(place));
        // Not where a page stays behind the end that was in the segment before it was last begun.
        let mut ends: HashMap<u32, Place> =
            since.ends.iter().map(|end| (layout.segment(*end), *end)).collect();
        for (_, place) in map.iter() {
            if ends.get(&layout.segment(place)).is_some_and(|end| place >= *end) {
                ends.remove(&layout.segment(place));
            }
        }
        for end in since.ends.iter().filter(|end| ends.contains_key(&layout.segment(**end))) {
            if segments.is_in_use(layout.segment(*end)) {
                segments.reopen(*end);
            }
        }
        if found {
            segments.owe_map();
        }
        Ok(Places::new(layout, map, segments, in_force, options.trim))
    }

    /// The superblock in force; `None` on a device that holds nothing.
    fn find_superblock(
        &self,
        io: &mut IoQueueGuard<'_>,
        layout: &Layout,
    ) -> Result<Option<InForce>, PoolError> {
        let page_bytes = u64::from(self.config.page_bytes);
        let pages = SUPERBLOCKS.map(|at| at / page_bytes);
        let mut parsed = Vec::new();
        let mut unreadable = None;
        for (at, bytes) in SUPERBLOCKS.into_iter().zip(self.read_pages(io, &pages)?) {
            parsed.push(bytes.map_or_else(
                |fault| {
                    let source = Box::new(fault.error(PageOp::Read, at / page_bytes, self.config.page_bytes));
                    unreadable = Some(PoolError::Superblock { at, source });
                    Parsed::Unknown
                },
                |bytes| Superblock::parse(&bytes, layout.segments),
            ));
        }
        let mut whole: Vec<(InForce, bool)> = Vec::new();
        for (turn, parsed) in parsed.iter().enumerate() {
            match parsed {
                Parsed::Whole { superblock, has_copy } => {
                    let superblock = superblock.clone();
                    whole.push((InForce { superblock, turn, doubtful: true }, *has_copy));
                }
                Parsed::OtherVersion(version) => {
                    return Err(ConfigError::PlacesVersion { version: *version }.into());
                }
                _ => {}
            }
        }
        let is_twice = matches!(&whole[..], [(a, _), (b, _)] if a.superblock == b.superblock);
        let newest = whole.into_iter().max_by_key(|(found, _)| found.superblock.number);
        match (newest, unreadable) {
            // The one that cannot be read may be newer than one without a copy.
            (Some((newest, _)), None) | (Some((newest, true)), Some(_)) => {
                return Ok(Some(InForce { doubtful: !is_twice, ..newest }));
            }
            (_, Some(unreadable)) => return Err(unreadable),
            (None, None) => {}
        }
        let looked_at = LOOKED_AT.min(layout.segment_pages);
        let mut pages: Vec<u64> = (0..looked_at).map(|place| layout.device_page(place)).collect();
        pages.push(layout.map_page(0, 0));
        let mut empty = matches!(parsed[0], Parsed::Zeros);
        for some in pages.chunks(self.config.pages_at_once() as usize) {
            let zeros = |bytes: &Result<Vec<u8>, _>| bytes.as_ref().is_ok_and(|b| b.iter().all(|b| *b == 0));
            empty &= self.read_pages(io, some)?.iter().all(zeros);
        }
        if empty { Ok(None) } else { Err(ConfigError::NotOutOfPlace.into()) }
    }

    /// Makes a device that holds nothing one of this kind.
    fn format(
        &self,
        io: &mut IoQueueGuard<'_>,
        layout: Layout,
        options: &OutOfPlace,
    ) -> Result<Places, PoolError> {
        if !self.writable {
            return Err(ConfigError::ReadOnlyDevice.into());
        }
        let superblock = Superblock {
            page_bytes: layout.page_bytes,
            segment_pages: layout.segment_pages,
            segments: layout.segments,
            pages: layout.pages,
            atomic: options.atomic_checkpoints,
            announced: Some([].into()),
            ..Superblock::default()
        };
        // First at the second place: as long as zeros are at the first, the device may be made anew.
        let mut in_force = InForce { superblock: superblock.clone(), turn: 0, doubtful: false };
        self.write_superblock(io, &mut in_force, superblock)?;
        let segments = Segments::new(layout, options, self.config.frames, (0, 0));
        Ok(Places::new(layout, PlaceMap::new(layout.pages), segments, in_force, options.trim))
    }

    fn read_map(
        &self,
        io: &mut IoQueueGuard<'_>,
        layout: &Layout,
        in_force: &InForce,
        map: &PlaceMap,
    ) -> Result<(), PoolError> {
        let superblock = &in_force.superblock;
        if superblock.map_entries > layout.pages {
            return Err(PoolError::PageMapCorrupt { at: SUPERBLOCKS[in_force.turn] });
        }
        let per_page = u64::from(layout.entries());
        let all: Vec<u64> = (0..superblock.map_entries.div_ceil(per_page)).collect();
        for some in all.chunks(self.config.pages_at_once() as usize) {
            let pages: Vec<u64> = some.iter().map(|i| layout.map_page(superblock.area, *i)).collect();
            for ((i, at), bytes) in some.iter().zip(&pages).zip(self.read_pages(io, &pages)?) {
                let number = super::superblocks::seal_number(superblock.map_number, *i);
                let whole = bytes.ok().filter(|bytes| checksum::verify(bytes, number).is_ok());
                let corrupt = PoolError::PageMapCorrupt { at: at * u64::from(layout.page_bytes) };
                let Some(bytes) = whole else { return Err(corrupt) };
                let first = i * per_page;
                let count = per_page.min(superblock.map_entries - first) as usize;
                let places =
                    bytes.chunks_exact(4).map(|place| place.try_into().map_or(0, Place::from_le_bytes));
                if !map.load(first, places.take(count), layout.places()) {
                    return Err(corrupt);
                }
            }
        }
        Ok(())
    }

    fn read_segments(
        &self,
        io: &mut IoQueueGuard<'_>,
        layout: &Layout,
        superblock: &Superblock,
    ) -> Result<Since, PoolError> {
        let mut since = Since { writes: superblock.writes, version: superblock.version, ..Since::default() };
        let all = || (0..layout.segments).collect();
        for segment in superblock.announced.clone().unwrap_or_else(all) {
            let mut end = None;
            let first = layout.device_page(layout.range(segment).start);
            let mut see = |page: u64, bytes: &[u8]| {
                let place = layout.range(segment).start + (page - first) as Place;
                if since.add(bytes, place, layout, superblock) {
                    end = Some(place + 1);
                }
            };
            self.read_neighbours(io, first..first + u64::from(layout.segment_pages), &mut see)?;
            since.ends.extend(end.filter(|end| !end.is_multiple_of(layout.segment_pages)));
        }
        Ok(since)
    }

    /// Damaged pages of which there is no whole version as new count all the same.
    fn take_in_damaged(
        &self,
        io: &mut IoQueueGuard<'_>,
        layout: &Layout,
        map: &PlaceMap,
        since: &mut Since,
    ) -> Result<(), PoolError> {
        for (page, (version, place)) in std::mem::take(&mut since.damaged) {
            if since.newest.get(&page).is_some_and(|newest| newest.0 >= version) {
                continue;
            }
            // Where it was moved from it may be whole.
            if let Some(before) = map.get(page) {
                let bytes = self.read_pages(io, &[layout.device_page(before)])?.pop().and_then(Result::ok);
                let found = bytes.and_then(|bytes| Found::in_bytes(&bytes));
                if found.is_some_and(|found| found.page == page && found.version >= version) {
                    continue;
                }
            }
            since.newest.insert(page, (version, 0, Some(place)));
        }
        Ok(())
    }

    /// Whether fewer segments would be free than cleaning needs.
    fn is_crowded(&self, layout: &Layout, map: &PlaceMap, since: &Since) -> bool {
        let before = map.iter().filter(|(page, _)| !since.newest.contains_key(page)).map(|(_, place)| place);
        let places = before.chain(since.newest.values().filter_map(|(_, _, place)| *place));
        let mut used: Vec<u32> = places.map(|place| layout.segment(place)).collect();
        used.sort_unstable();
        used.dedup();
        layout.segments - used.len() as u32 <= layout.reserve()
    }

    /// Pages that cleaning was moving stay where they were, where they are whole there: then what it had
    /// begun to write is free.
    fn prefer_places_before(
        &self,
        io: &mut IoQueueGuard<'_>,
        layout: &Layout,
        map: &PlaceMap,
        since: &mut Since,
    ) -> Result<(), PoolError> {
        let before: Vec<(Page, Place)> =
            since.newest.keys().filter_map(|page| Some((*page, map.get(*page)?))).collect();
        for some in before.chunks(self.config.pages_at_once() as usize) {
            let pages: Vec<u64> = some.iter().map(|(_, place)| layout.device_page(*place)).collect();
            for ((page, place), bytes) in some.iter().zip(self.read_pages(io, &pages)?) {
                let found = bytes.ok().and_then(|bytes| Found::in_bytes(&bytes));
                let newest = since.newest.get_mut(page).filter(|newest| newest.2.is_some());
                if let (Some(found), Some(newest)) = (found, newest)
                    && (found.page, found.version) == (*page, newest.0)
                {
                    newest.2 = Some(*place);
                }
            }
        }
        Ok(())
    }

    /// The page map as it was found, in force before anything else is written; nothing where another thread
    /// was faster.
    pub(super) fn write_first_map(
        &self,
        io: &mut IoQueueGuard<'_>,
        places: &Places,
    ) -> Result<(), PoolError> {
        let mut in_force = places.superblock();
        self.settle_superblock(io, &mut in_force)?;
        let (version, snapshot) = {
            let mut segments = places.segments();
            let Some(version) = segments.owed() else { return Ok(()) };
            (version, segments.snapshot(&places.map, false))
        };
        let written = self.next_map(io, places, &in_force.superblock, &snapshot).and_then(|next| {
            let next = Superblock { version, atomic: self.atomic(), ..next };
            self.write_superblock(io, &mut in_force, next)
        });
        places.segments().mapped(snapshot, written.is_ok());
        written
    }
}

impl Since {
    /// Takes in what is at a place; whether it was written since.
    fn add(&mut self, bytes: &[u8], place: Place, layout: &Layout, superblock: &Superblock) -> bool {
        let Some(Found { page, write, version }) = Found::in_bytes(bytes) else {
            return self.add_damaged(bytes, place, layout, superblock);
        };
        if write <= superblock.writes || page >= layout.pages && page != RECORD {
            return false;
        }
        self.found = true;
        self.writes = self.writes.max(write);
        self.version = self.version.max(version);
        let counts = |version: u64| !superblock.atomic || version <= superblock.version;
        let mut newer = |page: Page, version: u64, write: u64, place: Option<Place>| {
            let now = self.newest.entry(page).or_insert((version, write, place));
            // Of two places with the same version, the page was being moved from the older one.
            if counts(version) && (version > now.0 || version == now.0 && write < now.1) {
                *now = (version, write, place);
            }
        };
        if page != RECORD {
            if counts(version) {
                newer(page, version, write, Some(place));
            }
        } else {
            let list = record::decode(bytes);
            let discards = list.changes.iter().filter(|change| change.place.is_none());
            for discard in discards.filter(|d| counts(d.version) && d.page < layout.pages) {
                newer(discard.page, discard.version, write, None);
            }
            self.lists.insert(place, (write, list));
        }
        true
    }

    /// Takes in what lists say. All of it was durable: what is not found is damaged.
    fn expect(&mut self, listed: Changes, newest: Option<ListAt>) {
        self.found |= newest.is_some();
        self.writes = self.writes.max(newest.map_or(0, |list| list.write));
        for (page, (version, place)) in listed {
            self.version = self.version.max(version);
            if self.newest.get(&page).is_some_and(|newest| newest.0 >= version) {
                continue;
            }
            match place {
                Some(place) => self.missing(page, version, place),
                None => _ = self.newest.insert(page, (version, 0, None)),
            }
        }
    }

    /// Takes in a page that does not pass its checksum, if the last checkpoint made it durable. A page that a
    /// crash tore may end like a page that was there before, of which there is a newer version then.
    fn add_damaged(&mut self, bytes: &[u8], place: Place, layout: &Layout, superblock: &Superblock) -> bool {
        let Some(Found { page, write, version }) = Found::said_by(bytes) else { return false };
        let is_durable = superblock.atomic && write > superblock.writes && version <= superblock.version;
        if !is_durable || version > write || page >= layout.pages {
            return false;
        }
        self.missing(page, version, place);
        self.found = true;
        self.writes = self.writes.max(write);
        true
    }

    fn missing(&mut self, page: Page, version: u64, place: Place) {
        let newest = self.damaged.entry(page).or_insert((version, place));
        if version > newest.0 {
            *newest = (version, place);
        }
    }
}

/// The layout of a device that was opened before, or why it cannot be opened so.
fn check(layout: Layout, found: &Superblock, capacity_bytes: u64) -> Result<Layout, ConfigError> {
    let Layout { page_bytes, segment_pages, segments, .. } = layout;
    if found.page_bytes != page_bytes {
        return Err(ConfigError::OtherPageBytes { page_bytes, laid_out: found.page_bytes });
    }
    let bytes = |pages: u32| u64::from(pages) * u64::from(page_bytes);
    if found.segment_pages != segment_pages {
        let (asked, laid_out) = (bytes(segment_pages), bytes(found.segment_pages));
        return Err(ConfigError::OtherSegmentBytes { asked, laid_out });
    }
    if found.segments != segments {
        let laid_out = u64::from(found.segments) * bytes(segment_pages);
        return Err(ConfigError::OtherCapacity { capacity_bytes, laid_out });
    }
    Ok(layout.with_pages(found.pages))
}
