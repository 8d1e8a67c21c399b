//! Page 0: what of an index is not in its nodes, as of the last checkpoint.
//!
//! | bytes | content, little endian |
//! | --- | --- |
//! | 0..8 | `LLINDEX` and a zero |
//! | 8..12 | version of the format, 1 |
//! | 16..24, 24 | page and level of the root |
//! | 32..40 | entries |
//! | 40..48 | bytes of keys and values |
//! | 48..56 | version that changes are stamped with |
//! | 56..64 | position in the log from which on records are not in the nodes yet |
//! | 64..72 | first page that was never used |
//! | 72..80 | ranges of free pages on this page |
//! | 80..88 | first page of further ranges; 0: there are none |
//! | 88.. | the ranges: first page, how many |
//!
//! A page of further ranges has the number of its ranges (8), the next such page (8), and ranges.

use std::collections::BTreeMap;

use leadline_pool::Pool;

use crate::IndexError;
use crate::node::{LEVELS, Page};
use crate::tree::{Root, TreeState};

/// The page that it is in.
pub(crate) const META_PAGE: Page = 0;
const MAGIC: &[u8; 8] = b"LLINDEX\0";
const FORMAT: u32 = 1;
/// Versions and positions in the log are smaller, so that what is added to them does not overflow.
const NUMBERS: u64 = 1 << 62;
/// Where ranges begin on page 0, and on the others.
const RANGES: [usize; 2] = [88, 16];
const RANGE: usize = 16;

/// What page 0 says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Meta {
    pub(crate) tree: TreeState,
    pub(crate) version: u64,
    pub(crate) log: u64,
    pub(crate) next: Page,
    pub(crate) free: BTreeMap<Page, u64>,
    /// Pages that ranges are on, besides page 0.
    pub(crate) pages: Vec<Page>,
}

impl Meta {
    /// Pages that ranges take in addition to page 0.
    pub(crate) fn more_pages(ranges: usize, page_len: usize) -> u64 {
        let rest = ranges.saturating_sub((page_len - RANGES[0]) / RANGE);
        rest.div_ceil((page_len - RANGES[1]) / RANGE) as u64
    }

    /// Writes it to the pool; there are as many pages as [`Meta::more_pages`] says.
    pub(crate) fn write(&self, pool: &Pool) -> Result<(), IndexError> {
        let mut ranges = self.free.iter();
        let mut pages = self.pages.iter().copied();
        let mut next = pages.next();
        let mut page = pool.create(META_PAGE)?;
        page[..8].copy_from_slice(MAGIC);
        page[8..12].copy_from_slice(&FORMAT.to_le_bytes());
        let TreeState { root, entries, bytes } = self.tree;
        let level = u64::from(root.level);
        for (at, value) in
            [root.page, level, entries, bytes, self.version, self.log, self.next].into_iter().enumerate()
        {
            put(&mut page, 16 + 8 * at, value);
        }
        let count = put_ranges(&mut page[RANGES[0]..], &mut ranges);
        put(&mut page, 72, count);
        put(&mut page, 80, next.unwrap_or(0));
        while let Some(at) = next {
            next = pages.next();
            let mut page = pool.create(at)?;
            let count = put_ranges(&mut page[RANGES[1]..], &mut ranges);
            put(&mut page, 0, count);
            put(&mut page, 8, next.unwrap_or(0));
        }
        assert!(ranges.next().is_none(), "there are too few pages for the ranges of free pages");
        Ok(())
    }

    /// Reads it; none where nothing was ever written.
    pub(crate) fn read(pool: &Pool) -> Result<Option<Meta>, IndexError> {
        let page = pool.read(META_PAGE)?;
        let damaged = |what| IndexError::Damaged { page: META_PAGE, what };
        if page.iter().all(|byte| *byte == 0) {
            return Ok(None);
        }
        if !page.starts_with(MAGIC) {
            return Err(damaged("it does not begin as the first page of an index"));
        }
        let format = page[8..].first_chunk().map_or(0, |bytes| u32::from_le_bytes(*bytes));
        if format != FORMAT {
            return Err(damaged("its format is one that this version does not know"));
        }
        let [root, level, entries, bytes, version, log, next, count, more] =
            [16, 24, 32, 40, 48, 56, 64, 72, 80].map(|at| get(&page, at));
        if level >= u64::from(LEVELS) || next > pool.pages() || root == 0 || root >= next {
            return Err(damaged("the root is not among the pages"));
        }
        if version.max(log) >= NUMBERS {
            return Err(damaged("its version or its position in the log is one that no index reaches"));
        }
        let tree = TreeState { root: Root { page: root, level: level as u8 }, entries, bytes };
        let mut meta = Meta { tree, version, log, next, free: BTreeMap::new(), pages: Vec::new() };
        meta.add_ranges(META_PAGE, &page[RANGES[0]..], count)?;
        drop(page);
        let mut at = more;
        while at != 0 {
            if at >= next || meta.pages.len() as u64 >= next {
                return Err(damaged("the pages of free ranges lead to nowhere"));
            }
            let page = pool.read(at)?;
            meta.pages.push(at);
            meta.add_ranges(at, &page[RANGES[1]..], get(&page, 0))?;
            at = get(&page, 8);
        }
        Ok(Some(meta))
    }

    fn add_ranges(&mut self, page: Page, bytes: &[u8], count: u64) -> Result<(), IndexError> {
        let all = bytes.as_chunks::<RANGE>().0.iter().take(usize::try_from(count).unwrap_or(usize::MAX));
        for range in all {
            let (first, pages) = (get(range, 0), get(range, 8));
            let end = first.checked_add(pages).filter(|end| *end <= self.next);
            let before = self.free.last_key_value().map_or(1, |(first, pages)| first + pages);
            if end.is_none() || pages == 0 || first < before {
                return Err(IndexError::Damaged { page, what: "ranges of free pages overlap" });
            }
            self.free.insert(first, pages);
        }
        Ok(())
    }
}

/// Writes as many ranges as there is room for; how many.
fn put_ranges<'r>(bytes: &mut [u8], ranges: &mut impl Iterator<Item = (&'r Page, &'r u64)>) -> u64 {
    let mut count = 0;
    for room in bytes.as_chunks_mut::<RANGE>().0 {
        let Some((first, pages)) = ranges.next() else { break };
        put(room, 0, *first);
        put(room, 8, *pages);
        count += 1;
    }
    count
}

fn put(bytes: &mut [u8], at: usize, value: u64) {
    bytes[at..at + 8].copy_from_slice(&value.to_le_bytes());
}

fn get(bytes: &[u8], at: usize) -> u64 {
    bytes[at..].first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use leadline_device::MemoryDevice;
    use leadline_pool::PoolConfig;

    use super::*;

    #[test]
    fn what_was_written_is_read_however_many_ranges_are_free() {
        for ranges in [0u64, 1, 250, 251, 700] {
            let device = Arc::new(MemoryDevice::new(64 << 20, 4096));
            let pool = Pool::open(device, PoolConfig::new(4096, 64)).unwrap();
            assert_eq!(Meta::read(&pool).unwrap(), None);
            let pages = Meta::more_pages(ranges as usize, pool.page_len());
            let meta = Meta {
                tree: TreeState { root: Root { page: 7, level: 3 }, entries: 9, bytes: 10 },
                version: 11,
                log: 12,
                next: 5000,
                free: (0..ranges).map(|at| (10 + 5 * at, 1 + at % 4)).collect(),
                pages: (4000..4000 + pages).collect(),
            };
            meta.write(&pool).unwrap();
            assert_eq!(Meta::read(&pool).unwrap(), Some(meta));
        }
    }

    #[test]
    fn numbers_to_which_nothing_can_be_added_are_refused() {
        let device = Arc::new(MemoryDevice::new(64 << 20, 4096));
        let pool = Pool::open(device, PoolConfig::new(4096, 64)).unwrap();
        for (version, log) in [(u64::MAX, 12), (11, u64::MAX - 4000)] {
            let tree = TreeState { root: Root { page: 7, level: 0 }, entries: 9, bytes: 10 };
            let (free, pages) = (BTreeMap::new(), Vec::new());
            Meta { tree, version, log, next: 50, free, pages }.write(&pool).unwrap();
            let refused = Meta::read(&pool);
            assert!(matches!(refused, Err(IndexError::Damaged { page: META_PAGE, .. })), "{refused:?}");
        }
    }
}
