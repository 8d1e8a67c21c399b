//! Where each page is: 4 bytes per page, in parts that are made when a page in them is first written.
//!
//! Read without a lock; changed under the lock of the segments only. Release and acquire: whoever finds a new
//! place finds it written.

use std::sync::OnceLock;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicU32, AtomicU64};

use super::layout::Place;
use crate::policy::Page;

/// Pages in a part.
const PART: usize = 1 << 14;

/// No place: the page was never written, or was discarded.
const NONE: Place = Place::MAX;

type Part = Box<[AtomicU32]>;

/// Pages to places.
#[derive(Debug)]
pub(crate) struct PlaceMap {
    parts: Box<[OnceLock<Part>]>,
    /// Pages from here on have no place.
    end: AtomicU64,
}

impl PlaceMap {
    pub(crate) fn new(pages: Page) -> PlaceMap {
        let parts = (pages as usize).div_ceil(PART);
        PlaceMap { parts: (0..parts).map(|_| OnceLock::new()).collect(), end: AtomicU64::new(0) }
    }

    /// Where the page is.
    #[inline]
    pub(crate) fn get(&self, page: Page) -> Option<Place> {
        let part = self.parts.get(page as usize / PART)?.get()?;
        Some(part[page as usize % PART].load(Acquire)).filter(|place| *place != NONE)
    }

    /// Where the page is from now on; where it was. Under the lock of the segments.
    pub(crate) fn set(&self, page: Page, place: Option<Place>) -> Option<Place> {
        let none = || (0..PART).map(|_| AtomicU32::new(NONE)).collect();
        let part = match (place, self.parts[page as usize / PART].get()) {
            (None, None) => return None,
            (_, Some(part)) => part,
            (Some(_), None) => self.parts[page as usize / PART].get_or_init(none),
        };
        if place.is_some() {
            self.end.fetch_max(page + 1, Relaxed);
        }
        let entry = &part[page as usize % PART];
        let before = entry.load(Relaxed);
        entry.store(place.unwrap_or(NONE), Release);
        (before != NONE).then_some(before)
    }

    /// Pages from here on have no place.
    pub(crate) fn end(&self) -> Page {
        self.end.load(Relaxed)
    }

    /// All pages that have a place.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (Page, Place)> {
        (0..self.end.load(Relaxed)).filter_map(|page| Some((page, self.get(page)?)))
    }

    /// The entries as they are now, without those at the end that have no place. Under the lock of the
    /// segments.
    pub(crate) fn entries(&self) -> Vec<Place> {
        (0..self.end.load(Relaxed)).map(|page| self.get(page).unwrap_or(NONE)).collect()
    }

    /// Takes in entries of consecutive pages from `first` on; false where one is `places` or more.
    pub(crate) fn load(&self, first: Page, entries: impl Iterator<Item = Place>, places: u64) -> bool {
        (first..).zip(entries).filter(|(_, place)| *place != NONE).all(|(page, place)| {
            let is_place = u64::from(place) < places;
            if is_place {
                self.set(page, Some(place));
            }
            is_place
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_that_is_no_place_of_the_device_is_refused() {
        let map = PlaceMap::new(100);
        assert!(map.load(7, [3, NONE, 59].into_iter(), 60));
        assert_eq!((map.get(7), map.get(8), map.get(9)), (Some(3), None, Some(59)));
        assert!(!map.load(20, [4, 60].into_iter(), 60));
    }
}
