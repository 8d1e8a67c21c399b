//! The superblock: which page map is in force, and where pages may be that it does not know of.
//!
//! ```text
//!     0   8 bytes  "LLPLACES"
//!     8   4        version of the format, 2
//!    12   4        bytes of a page
//!    16   4        pages of a segment
//!    20   4        segments
//!    24   8        pages that users may ask for
//!    32   4        1: checkpoints are atomic
//!    36   4        page map in force, 0 or 1
//!    40   8        number of this superblock, from 1: of two that are whole, the higher one is in force
//!    48   8        number of the page map; 0: no page has a place
//!    56   8        entries of the page map
//!    64   8        the page map knows of all writes up to this number
//!    72   8        version up to which pages count where checkpoints are atomic
//!    80   4        ranges of segments that were or may be written since, m; 2^32 - 1: any segment
//!    84   4        place of the newest list of changes since the page map, and
//!    88   8        the number of its write; 0: there is none
//!    96   8 m      each range: first segment, segments
//!  4092   4        CRC-32 of the bytes before
//! ```
//!
//! Version 1 has no lists, and its ranges from byte 88 on. The two of its superblocks were written in turn;
//! the same one is at both places now before anything is acknowledged, so one that is damaged costs nothing.
//!
//! A segment is named here before it is written, so that opening reads no other segments. The list costs one
//! two durable writes of 4 KiB for every few segments.

use std::collections::BTreeSet;

use super::record::ListAt;
use super::stamp::NUMBERS;
use crate::policy::Page;

const MAGIC: &[u8; 8] = b"LLPLACES";
const VERSION: u32 = 2;
const RANGES_AT: usize = 96;
/// In version 1.
const RANGES_AT_1: usize = 88;
const SUM_AT: usize = 4092;
const ANY: u32 = u32::MAX;

/// Bytes of a superblock.
pub(crate) const SUPERBLOCK: usize = 4096;

/// What a superblock says.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Superblock {
    pub(crate) page_bytes: u32,
    pub(crate) segment_pages: u32,
    pub(crate) segments: u32,
    pub(crate) pages: Page,
    pub(crate) atomic: bool,
    pub(crate) area: u32,
    pub(crate) number: u64,
    pub(crate) map_number: u64,
    pub(crate) map_entries: u64,
    pub(crate) writes: u64,
    pub(crate) version: u64,
    /// The newest list of changes since the page map.
    pub(crate) list: Option<ListAt>,
    /// Segments that may have been written since; `None`: any.
    pub(crate) announced: Option<BTreeSet<u32>>,
}

/// What is where a superblock should be.
pub(crate) enum Parsed {
    Zeros,
    Unknown,
    OtherVersion(u32),
    /// Whether the other place has a copy of it, or an older one that nobody was told of.
    Whole {
        superblock: Superblock,
        has_copy: bool,
    },
}

impl Superblock {
    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut ranges: Vec<(u32, u32)> = Vec::new();
        for segment in self.announced.iter().flatten() {
            match ranges.last_mut() {
                Some((first, count)) if *first + *count == *segment => *count += 1,
                _ => ranges.push((*segment, 1)),
            }
        }
        let any = self.announced.is_none() || ranges.len() > (SUM_AT - RANGES_AT) / 8;
        let count = if any { ANY } else { ranges.len() as u32 };
        let mut bytes = MAGIC.to_vec();
        let mut put = |number: u64, len: usize| bytes.extend_from_slice(&number.to_le_bytes()[..len]);
        for number in [VERSION, self.page_bytes, self.segment_pages, self.segments] {
            put(number.into(), 4);
        }
        put(self.pages, 8);
        put(self.atomic.into(), 4);
        put(self.area.into(), 4);
        for number in [self.number, self.map_number, self.map_entries, self.writes, self.version] {
            put(number, 8);
        }
        put(count.into(), 4);
        put(self.list.map_or(0, |list| list.place.into()), 4);
        put(self.list.map_or(0, |list| list.write), 8);
        for (first, count) in ranges.into_iter().take(if any { 0 } else { usize::MAX }) {
            put(first.into(), 4);
            put(count.into(), 4);
        }
        bytes.resize(SUM_AT, 0);
        let sum = crc32fast::hash(&bytes);
        bytes.extend_from_slice(&sum.to_le_bytes());
        bytes
    }

    /// What the first 4 KiB of `bytes` are, on a device with room for that many segments.
    pub(crate) fn parse(bytes: &[u8], most_segments: u32) -> Parsed {
        let bytes = &bytes[..SUPERBLOCK.min(bytes.len())];
        if bytes.iter().all(|byte| *byte == 0) {
            return Parsed::Zeros;
        }
        let small = |at: usize| bytes[at..at + 4].try_into().map_or(0, u32::from_le_bytes);
        let large = |at: usize| bytes[at..at + 8].try_into().map_or(0, u64::from_le_bytes);
        if bytes.len() < SUPERBLOCK || !bytes.starts_with(MAGIC) {
            return Parsed::Unknown;
        }
        if small(SUM_AT) != crc32fast::hash(&bytes[..SUM_AT]) {
            return Parsed::Unknown;
        }
        let ranges_at = match small(8) {
            VERSION => RANGES_AT,
            1 => RANGES_AT_1,
            other => return Parsed::OtherVersion(other),
        };
        let (segments, count) = (small(20), small(80));
        let mut end = 0;
        let ranges = (0..count as usize).take((SUM_AT - ranges_at) / 8).flat_map(|i| {
            let (first, count) = (small(ranges_at + 8 * i), small(ranges_at + 8 * i + 4));
            // They ascend.
            let range = first.max(end)..first.saturating_add(count).min(segments).min(most_segments);
            end = range.end.max(end);
            range
        });
        let has_copy = small(8) == VERSION;
        let list = ListAt { place: small(84), write: if has_copy { large(88) } else { 0 } };
        if [40, 48, 64, 72].into_iter().any(|at| large(at) >= NUMBERS) || list.write >= NUMBERS {
            return Parsed::Unknown;
        }
        let superblock = Superblock {
            page_bytes: small(12),
            segment_pages: small(16),
            segments,
            pages: large(24),
            atomic: small(32) & 1 != 0,
            area: small(36) & 1,
            number: large(40),
            map_number: large(48),
            map_entries: large(56),
            writes: large(64),
            version: large(72),
            list: (list.write > 0).then_some(list),
            announced: (count != ANY).then(|| ranges.collect()),
        };
        Parsed::Whole { superblock, has_copy }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn superblock() -> Superblock {
        let (page_bytes, segment_pages, segments, pages) = (4096, 16, 1 << 30, 500);
        let announced = Some([1, 2, 40].into());
        Superblock { page_bytes, segment_pages, segments, pages, announced, ..Superblock::default() }
    }

    fn seal(bytes: &mut [u8]) {
        let sum = crc32fast::hash(&bytes[..SUM_AT]);
        bytes[SUM_AT..].copy_from_slice(&sum.to_le_bytes());
    }

    #[test]
    fn only_segments_of_the_device_are_looked_at_and_each_once() {
        let mut bytes = superblock().encode();
        let ranges = |bytes: &[u8]| match Superblock::parse(bytes, 60) {
            Parsed::Whole { superblock, .. } => superblock.announced.unwrap().into_iter().collect::<Vec<_>>(),
            _ => panic!("it is whole"),
        };
        assert_eq!(ranges(&bytes), [1, 2, 40]);
        // The second range goes to the end of a device that is said to be much larger.
        bytes[RANGES_AT + 12..RANGES_AT + 16].copy_from_slice(&u32::MAX.to_le_bytes());
        seal(&mut bytes);
        assert_eq!(ranges(&bytes), [1, 2].into_iter().chain(40..60).collect::<Vec<_>>());
    }

    #[test]
    fn numbers_to_which_nothing_can_be_added_are_none_of_a_superblock() {
        for at in [40, 48, 64, 72, 88] {
            let mut bytes = superblock().encode();
            bytes[at..at + 8].copy_from_slice(&(u64::MAX - 1).to_le_bytes());
            seal(&mut bytes);
            assert!(matches!(Superblock::parse(&bytes, 60), Parsed::Unknown), "{at}");
        }
    }
}
