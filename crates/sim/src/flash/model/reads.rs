//! Reads: from the buffers, from what was read ahead, or from the dies.

use leadline_device::Nanos;

use super::{FlashModel, Part};
use crate::flash::check::SECTOR_BYTES;
use crate::flash::events::Event;
use crate::flash::media::{NONE, Sectors};

impl FlashModel {
    /// A read has reached the controller.
    pub(super) fn read(&mut self, index: u32, at: Nanos) {
        let request = self.requests[index];
        let (offset, len) = (request.request.offset, request.request.len);
        let (first, end) = self.units_of(offset, len);
        if !request.mapped && self.waits_for_mapping(index, first, end, at) {
            return;
        }
        let ahead = self.follow(first, end, at);
        let mut pages = Pages::default();
        let (hit, mut latest) = (at + self.times.hit, at);
        for unit in first..end {
            if self.buffer.holds(unit) || self.read_buffer.touch(unit) {
                latest = latest.max(hit);
                continue;
            }
            if let Some(ready) = self.read_ahead.as_ref().and_then(|ahead| ahead.ready(unit)) {
                latest = latest.max(hit).max(ready);
                continue;
            }
            for (place, bytes) in self.places_of(unit, offset, len).into_iter().flatten() {
                if let Some(page) = pages.next(self.program_of(place), bytes) {
                    self.sense(index, page, at);
                }
            }
            self.read_buffer.add(unit);
        }
        if let Some(page) = pages.last() {
            self.sense(index, page, at);
        }
        let entry = &mut self.requests[index];
        entry.latest = latest;
        if entry.parts == 0 {
            self.events.add(latest, Event::Gathered(index));
        }
        self.look_ahead(ahead, at);
    }

    /// Where what a read wants of a unit is in the flash, and how many bytes it is: in one place, or in two
    /// where a part is mapped apart. What was never written is answered by the controller.
    fn places_of(&self, unit: u32, offset: u64, len: u32) -> [Option<(u32, u32)>; 2] {
        let bytes = self.bytes_within(unit, offset, len);
        let Some((part, sectors)) = self.media.fine.part(unit) else {
            return [self.media.lookup(unit).map(|place| (place, bytes)), None];
        };
        let wanted = self.sectors_within(unit, offset, len);
        let place_of = |unit: u32, wanted: Sectors| {
            let place = self.media.lookup(unit).filter(|_| wanted != 0 && !self.buffer.holds(unit));
            place.map(|place| (place, bytes.min(wanted.count_ones() * SECTOR_BYTES)))
        };
        [place_of(unit, wanted & !sectors), place_of(part, wanted & sectors)]
    }

    /// The block of a physical unit, and the program in it.
    pub(super) fn program_of(&self, place: u32) -> (u32, u32) {
        let layout = &self.media.layout;
        (place / layout.block_units, place % layout.block_units / layout.program_units)
    }

    /// Bytes of a unit that a request is about.
    pub(super) fn bytes_within(&self, unit: u32, offset: u64, len: u32) -> u32 {
        let unit_bytes = u64::from(self.media.layout.unit_bytes);
        let begins = u64::from(unit) * unit_bytes;
        let (from, to) = (offset.max(begins), (offset + u64::from(len)).min(begins + unit_bytes));
        to.saturating_sub(from) as u32
    }

    /// Reads a page for a request, or for nobody.
    pub(super) fn sense(&mut self, request: u32, page: Page, at: Nanos) {
        let ends = self.sensed_at(page.block, page.program, at);
        let channel = self.media.layout.channel_of(self.media.layout.die_of(page.block, page.program));
        if request != NONE {
            self.requests[request].parts += 1;
        }
        let part = self.parts.insert(Part { request, channel, bytes: page.bytes });
        self.events.add(ends, Event::Sensed(part));
    }

    /// When a page that is wanted at `at` is in the register of its die.
    pub(super) fn sensed_at(&mut self, block: u32, program: u32, at: Nanos) -> Nanos {
        let layout = &self.media.layout;
        let die = layout.die_of(block, program);
        let takes = self.times.read(program / layout.lane_dies, layout.is_slc(block));
        let ends = self.dies[die as usize].read(at, takes, self.times.suspend);
        self.media.operations.reads += 1;
        if let Some(disturb) = &self.spec.disturb {
            let (limit, pages) = (disturb.reads, disturb.pages);
            if self.media.count_read(block, limit) {
                self.disturbed(block, program, pages, at);
            }
        }
        ends
    }

    /// A page is in the register of its die: it leaves over the channel.
    pub(super) fn sensed(&mut self, part: u32, at: Nanos) {
        let Part { request, channel, bytes } = self.parts.remove(part).expect("is under way");
        let free = &mut self.channels[channel as usize];
        *free = at.max(*free) + self.times.transfer(bytes);
        let done = *free;
        if request == NONE {
            return;
        }
        if let Some(latest) = self.part_done(request, done) {
            let write = self.requests[request].request.op == leadline_device::Op::Write;
            self.events.add(latest, if write { Event::Complete(request) } else { Event::Gathered(request) });
        }
    }

    /// Whether a request has to wait until its part of the mapping has been read; it then comes back.
    pub(super) fn waits_for_mapping(&mut self, index: u32, first: u32, end: u32, at: Nanos) -> bool {
        self.requests[index].mapped = true;
        let Some(mut cache) = self.map_cache.take() else { return false };
        let entries = self.media.layout.map_entries;
        let mut known = at;
        for map_unit in first / entries..=(end - 1) / entries {
            if !cache.touch(map_unit) {
                known = known.max(self.read_map(map_unit, at));
                if let Some((old, true)) = cache.add(map_unit) {
                    self.destage.add_map_unit(self.media.layout.first_map_unit + old);
                }
            }
        }
        self.map_cache = Some(cache);
        if known > at {
            self.events.add(known, Event::Reached(index));
        }
        known > at
    }

    /// When a unit of the mapping is in the controller.
    fn read_map(&mut self, map_unit: u32, at: Nanos) -> Nanos {
        let Some(place) = self.media.lookup(self.media.layout.first_map_unit + map_unit) else { return at };
        let (block, program) = self.program_of(place);
        let sensed = self.sensed_at(block, program, at);
        let channel = self.media.layout.channel_of(self.media.layout.die_of(block, program)) as usize;
        let transfer = self.times.transfer(self.media.layout.unit_bytes);
        self.channels[channel] = at.max(self.channels[channel]) + transfer;
        sensed.max(self.channels[channel]) + transfer
    }
}

/// A page to be read, and how much of it leaves the die.
#[derive(Debug, Clone, Copy)]
pub(super) struct Page {
    pub(super) block: u32,
    pub(super) program: u32,
    pub(super) bytes: u32,
}

/// Units in a row that are on the same page of a die's planes: read once.
#[derive(Default)]
pub(super) struct Pages {
    current: Option<Page>,
}

impl Pages {
    /// Adds a unit; gives the page before, where this one is on another.
    pub(super) fn next(&mut self, (block, program): (u32, u32), bytes: u32) -> Option<Page> {
        match &mut self.current {
            Some(page) if (page.block, page.program) == (block, program) => {
                page.bytes += bytes;
                None
            }
            current => current.replace(Page { block, program, bytes }),
        }
    }

    pub(super) fn last(self) -> Option<Page> {
        self.current
    }
}
