//! Writes of parts of units: with a read of the rest, or mapped apart from it.

use leadline_device::Nanos;

use super::FlashModel;
use super::reads::Page;
use crate::flash::buffer::Admitted;
use crate::flash::check::SECTOR_BYTES;
use crate::flash::media::{NONE, Sectors};

/// How a unit that is written, or a part of it, enters the buffer.
#[derive(Debug, Clone, Copy)]
pub(super) struct Entry {
    /// What enters it: the unit itself, or that of its part.
    pub(super) unit: u32,
    /// What must be read first, a physical unit.
    pub(super) read: Option<u32>,
    part: PartThen,
}

/// What becomes of the part that is mapped apart.
#[derive(Debug, Clone, Copy)]
enum PartThen {
    /// There is none, and there will be none.
    None,
    /// The unit is whole again.
    Dropped,
    /// It has these sectors.
    Has(Sectors),
}

impl FlashModel {
    /// How a write of `offset` and `len` to a unit enters the buffer; `None` while there is no room for what
    /// has to be made whole first.
    pub(super) fn entry_for(&mut self, unit: u32, offset: u64, len: u32, at: Nanos) -> Option<Entry> {
        let whole = |read, part| Some(Entry { unit, read, part });
        if self.bytes_within(unit, offset, len) == self.media.layout.unit_bytes {
            return whole(None, PartThen::Dropped);
        }
        if self.buffer.holds(unit) {
            return whole(None, PartThen::None); // all of it is there
        }
        let Some(rest) = self.media.lookup(unit) else { return whole(None, PartThen::None) };
        if !self.media.fine.is_used() {
            return whole(Some(rest), PartThen::None);
        }
        let written = self.sectors_within(unit, offset, len);
        let Some((part, before)) = self.media.fine.part(unit) else {
            while let Some(oldest) = self.media.fine.oldest() {
                if !self.make_whole(oldest, at) {
                    return None;
                }
            }
            if self.buffer.is_full() {
                return None;
            }
            let unit = self.media.fine.set(unit, written);
            return Some(Entry { unit, read: None, part: PartThen::Has(written) });
        };
        // What was in the part and is not written now is still needed.
        let needed = before & !written != 0 && !self.buffer.holds(part);
        let read = if needed { self.media.lookup(part) } else { None };
        if before | written == self.all_sectors() {
            return whole(read, PartThen::Dropped);
        }
        Some(Entry { unit: part, read, part: PartThen::Has(before | written) })
    }

    /// A write to a unit has entered the buffer.
    pub(super) fn has_entered(&mut self, unit: u32, entry: Entry) {
        match entry.part {
            PartThen::None => {}
            PartThen::Dropped => self.drop_part(unit),
            PartThen::Has(sectors) => {
                self.media.fine.set(unit, sectors);
            }
        }
    }

    /// A unit has no part of its own any more.
    pub(super) fn drop_part(&mut self, unit: u32) {
        if let Some(part) = self.media.fine.remove(unit) {
            self.buffer.trim(part, self.destage.queue_of(part));
            self.media.trim(part);
        }
    }

    /// Reads both places of a unit and writes it whole; nobody waits for that. `false` while there is no room
    /// in the buffer.
    fn make_whole(&mut self, unit: u32, at: Nanos) -> bool {
        if self.buffer.admit(unit, self.destage.queue_of(unit), NONE) == Admitted::Full {
            return false;
        }
        let part = self.media.fine.part(unit).map(|(part, _)| part).filter(|&part| !self.buffer.holds(part));
        let places = [Some(unit), part].map(|unit| unit.and_then(|unit| self.media.lookup(unit)));
        for place in places.into_iter().flatten() {
            let (block, program) = self.program_of(place);
            self.sense(NONE, Page { block, program, bytes: self.media.layout.unit_bytes }, at);
        }
        self.drop_part(unit);
        true
    }

    fn all_sectors(&self) -> Sectors {
        Sectors::MAX >> (Sectors::BITS - self.media.layout.unit_bytes / SECTOR_BYTES)
    }

    /// Sectors of a unit that a request is about.
    pub(super) fn sectors_within(&self, unit: u32, offset: u64, len: u32) -> Sectors {
        let (unit_bytes, sector) = (u64::from(self.media.layout.unit_bytes), u64::from(SECTOR_BYTES));
        let begins = u64::from(unit) * unit_bytes;
        let first = offset.saturating_sub(begins) / sector;
        let end = (offset + u64::from(len) - begins).min(unit_bytes).div_ceil(sector);
        let below = |bits: u64| if bits >= 64 { Sectors::MAX } else { (1 << bits) - 1 };
        below(end) & !below(first)
    }
}
