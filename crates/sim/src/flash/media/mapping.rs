//! Where each logical unit is now: only what was touched since the start takes memory.

use super::initial::Initial;
use super::table::Table;

/// Entry of a unit that is where it was at the start, or never was. As 0, so that fresh memory needs no
/// writing.
const UNTOUCHED: u32 = 0;

/// Entry of a unit that was trimmed.
const UNMAPPED: u32 = u32::MAX;

/// From logical to physical units. Other entries are the physical unit + 1.
#[derive(Debug, Clone)]
pub(super) struct Mapping {
    store: Store,
    units: u32,
}

#[derive(Debug, Clone)]
enum Store {
    /// While few were touched.
    Sparse(Table),
    /// From when that would take more than an entry for every unit.
    Dense(Vec<u32>),
}

impl Mapping {
    pub(super) fn new(units: u32) -> Self {
        // A small drive is whole in the cache anyway.
        let dense = units <= 1 << 16;
        let store = if dense {
            Store::Dense(vec![UNTOUCHED; units as usize])
        } else {
            Store::Sparse(Table::new(1 << 10))
        };
        Mapping { store, units }
    }

    #[inline]
    fn entry(&self, unit: u32) -> u32 {
        match &self.store {
            Store::Dense(entries) => entries[unit as usize],
            Store::Sparse(table) => table.get(unit).unwrap_or(UNTOUCHED),
        }
    }

    /// Whether a unit may be elsewhere than at the start.
    #[inline]
    pub(super) fn touched(&self, unit: u32) -> bool {
        self.entry(unit) != UNTOUCHED
    }

    #[inline]
    pub(super) fn get(&self, unit: u32, initial: &Initial) -> Option<u32> {
        match self.entry(unit) {
            UNTOUCHED => initial.place(unit),
            UNMAPPED => None,
            at => Some(at - 1),
        }
    }

    /// Whether a unit that was touched is at `at`.
    #[inline]
    pub(super) fn is_at(&self, unit: u32, at: u32) -> bool {
        self.entry(unit) == at + 1
    }

    /// Moves a unit, or unmaps it with `None`; gives where it was.
    #[inline]
    pub(super) fn set(&mut self, unit: u32, at: Option<u32>, initial: &Initial) -> Option<u32> {
        let entry = at.map_or(UNMAPPED, |at| at + 1);
        let before = match &mut self.store {
            Store::Dense(entries) => std::mem::replace(&mut entries[unit as usize], entry),
            Store::Sparse(table) => {
                let before = table.insert(unit, entry).unwrap_or(UNTOUCHED);
                if table.bytes() >= self.units as usize * size_of::<u32>() {
                    self.make_dense();
                }
                before
            }
        };
        match before {
            UNTOUCHED => initial.place(unit),
            UNMAPPED => None,
            at => Some(at - 1),
        }
    }

    #[cold]
    fn make_dense(&mut self) {
        if let Store::Sparse(table) = &self.store {
            let mut entries = vec![UNTOUCHED; self.units as usize];
            table.iter().for_each(|(unit, entry)| entries[unit as usize] = entry);
            self.store = Store::Dense(entries);
        }
    }

    /// Bytes it takes.
    pub(super) fn bytes(&self) -> usize {
        match &self.store {
            Store::Sparse(table) => table.bytes(),
            Store::Dense(entries) => entries.len() * size_of::<u32>(),
        }
    }
}
