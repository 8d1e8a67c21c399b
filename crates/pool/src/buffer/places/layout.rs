//! Where everything is on the device.
//!
//! ```text
//! 0          superblock 0, of 4 KiB
//! 64 KiB     superblock 1: they are written in turn, and are found whatever the size of a page
//! 128 KiB    page map 0
//!            page map 1, written in turn too
//!            segments, from a multiple of their size on
//! ```

use super::options::OutOfPlace;
use crate::config_error::ConfigError;
use crate::policy::Page;

/// Where the superblocks are, in bytes.
pub(crate) const SUPERBLOCKS: [u64; 2] = [0, 65_536];

/// Bytes before the page maps.
const MAPS_AT: u64 = 131_072;

/// A page within the segments, by its number from the first segment's beginning.
pub(crate) type Place = u32;

/// Where everything is, in pages of the device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Layout {
    pub(crate) page_bytes: u32,
    pub(crate) segment_pages: u32,
    pub(crate) segments: u32,
    /// Pages that users may ask for.
    pub(crate) pages: Page,
    /// Pages of a page map.
    map_pages: u64,
    /// The first segment's first page.
    first: u64,
}

impl Layout {
    /// For a device of this size.
    pub(crate) fn new(
        capacity_bytes: u64,
        page_bytes: u32,
        options: &OutOfPlace,
    ) -> Result<Layout, ConfigError> {
        let OutOfPlace { segment_bytes, spare, .. } = *options;
        if segment_bytes % page_bytes != 0 || segment_bytes / page_bytes < 4 {
            return Err(ConfigError::SegmentBytes { segment_bytes, page_bytes });
        }
        if !(0.02..=0.9).contains(&spare) {
            return Err(ConfigError::Spare { spare });
        }
        let (page, segment_pages) = (u64::from(page_bytes), segment_bytes / page_bytes);
        let all = (capacity_bytes / page).min(u64::from(u32::MAX) - 1);
        let map_pages = all.div_ceil(u64::from(entries(page_bytes)));
        let first = (MAPS_AT / page + 2 * map_pages).next_multiple_of(u64::from(segment_pages));
        let segments = (all.saturating_sub(first) / u64::from(segment_pages)) as u32;
        let mut layout = Layout { page_bytes, segment_pages, segments, pages: 0, map_pages, first };
        // Two segments are being written, and the cleaner's are never the users'.
        let usable = u64::from(segments.saturating_sub(layout.reserve() + 2)) * u64::from(segment_pages);
        layout.pages = (usable as f64 * (1.0 - spare)) as u64;
        if layout.pages == 0 {
            return Err(ConfigError::TooFewSegments { capacity_bytes, segment_bytes });
        }
        Ok(layout)
    }

    /// With as many pages as the device was made with.
    pub(crate) fn with_pages(self, pages: Page) -> Layout {
        Layout { pages: pages.min(self.places()), ..self }
    }

    /// Free segments that only cleaning may take.
    pub(crate) fn reserve(&self) -> u32 {
        2 + (self.segments / 128).min(6)
    }

    /// Places in all segments.
    pub(crate) fn places(&self) -> u64 {
        u64::from(self.segments) * u64::from(self.segment_pages)
    }

    pub(crate) fn segment(&self, place: Place) -> u32 {
        place / self.segment_pages
    }

    /// The places of a segment.
    pub(crate) fn range(&self, segment: u32) -> std::ops::Range<Place> {
        segment * self.segment_pages..(segment + 1) * self.segment_pages
    }

    /// The page of the device at a place.
    pub(crate) fn device_page(&self, place: Place) -> u64 {
        self.first + u64::from(place)
    }

    /// The page of the device that has part `i` of a page map.
    pub(crate) fn map_page(&self, area: u32, i: u64) -> u64 {
        assert!(i < self.map_pages && area < 2, "a page map has no part {i}");
        MAPS_AT / u64::from(self.page_bytes) + u64::from(area) * self.map_pages + i
    }

    /// Entries in a page of a page map.
    pub(crate) fn entries(&self) -> u32 {
        entries(self.page_bytes)
    }
}

fn entries(page_bytes: u32) -> u32 {
    (page_bytes - crate::buffer::checksum::TRAILER as u32) / 4
}
