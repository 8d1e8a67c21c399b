//! What a medium holds: a sparse array of bytes that knows, sector by sector, which write they are of.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

/// Bytes that a power cut leaves whole or not at all.
pub(super) const SECTOR_BYTES: usize = 512;

/// Bytes kept together.
const PAGE_BYTES: usize = 4096;

/// Contents of a medium; zeros where nothing was written. A clone shares its pages until one of the two
/// writes.
#[derive(Clone, Default)]
pub(super) struct Image {
    pages: HashMap<u64, Arc<Page>>,
}

#[derive(Clone)]
struct Page {
    bytes: [u8; PAGE_BYTES],
    /// Sequence number of the write that each sector is of; 0 where there was none.
    versions: [u64; PAGE_BYTES / SECTOR_BYTES],
}

impl Page {
    const EMPTY: Page = Page { bytes: [0; PAGE_BYTES], versions: [0; PAGE_BYTES / SECTOR_BYTES] };
}

/// A sector's page, its place in the page, and its first byte there.
fn place(sector: u64) -> (u64, usize, usize) {
    let per_page = (PAGE_BYTES / SECTOR_BYTES) as u64;
    let within = (sector % per_page) as usize;
    (sector / per_page, within, within * SECTOR_BYTES)
}

impl Image {
    /// Fills the buffer with what lies from `offset` on, both in whole sectors.
    pub(super) fn read(&self, offset: u64, buffer: &mut [u8]) {
        let first = offset / SECTOR_BYTES as u64;
        for (sector, bytes) in (first..).zip(buffer.chunks_exact_mut(SECTOR_BYTES)) {
            let (page, _, at) = place(sector);
            match self.pages.get(&page) {
                Some(page) => bytes.copy_from_slice(&page.bytes[at..at + SECTOR_BYTES]),
                None => bytes.fill(0),
            }
        }
    }

    /// The parts of a range whose pages were written, in order; two that touch are one.
    pub(super) fn written(&self, start: u64, end: u64) -> Vec<Range<u64>> {
        let page_bytes = PAGE_BYTES as u64;
        let pages = start / page_bytes..end.div_ceil(page_bytes);
        let mut parts: Vec<Range<u64>> = Vec::new();
        for page in pages.filter(|page| self.pages.contains_key(page)) {
            let part = start.max(page * page_bytes)..end.min((page + 1) * page_bytes);
            match parts.last_mut() {
                Some(last) if last.end == part.start => last.end = part.end,
                _ => parts.push(part),
            }
        }
        parts
    }

    /// Writes one sector as of write `version`, unless it already is of a later one.
    pub(super) fn write_sector(&mut self, sector: u64, version: u64, bytes: &[u8]) {
        let (page, within, at) = place(sector);
        let page = self.pages.entry(page).or_insert_with(|| Arc::new(Page::EMPTY));
        if page.versions[within] <= version {
            let page = Arc::make_mut(page);
            page.bytes[at..at + SECTOR_BYTES].copy_from_slice(bytes);
            page.versions[within] = version;
        }
    }

    /// Changes one byte; the sector stays of the write it is of.
    pub(super) fn tamper(&mut self, offset: u64, change: impl Fn(&mut u8)) {
        let (page, at) = (offset / PAGE_BYTES as u64, (offset % PAGE_BYTES as u64) as usize);
        let page = self.pages.entry(page).or_insert_with(|| Arc::new(Page::EMPTY));
        change(&mut Arc::make_mut(page).bytes[at]);
    }

    /// Which write a sector is of.
    pub(super) fn version(&self, sector: u64) -> u64 {
        let (page, within, _) = place(sector);
        self.pages.get(&page).map_or(0, |page| page.versions[within])
    }

    /// Memory that the contents take, in bytes.
    pub(super) fn bytes(&self) -> u64 {
        self.pages.len() as u64 * PAGE_BYTES as u64
    }
}
