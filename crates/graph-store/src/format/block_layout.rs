//! Where the parts of a block lie. Nothing else knows.
//!
//! | bytes | contents |
//! | --- | --- |
//! | 0..8 | checksum of all bytes after it |
//! | 8..12 | first vertex |
//! | 12..14 | number of entries |
//! | 14 | flags: [`CONTINUED`], [`CONTINUES`] |
//! | 15 | 0 |
//! | 16.. | for each entry, where its bytes end: 2 bytes, counted from the block's first byte |
//! | then | the entries, back to back |
//! | then | zeros to the end of the block, at least [`SLACK`](super::code::SLACK) |

use std::ops::RangeInclusive;

use super::checksum;
use super::code::SLACK;

/// The first list began in the block before.
pub(crate) const CONTINUED: u8 = 1;

/// The last list goes on in the next block.
pub(crate) const CONTINUES: u8 = 2;

/// Bytes of the checksum.
const CHECKSUM: usize = 8;

/// Bytes in front of the table of ends.
const TABLE: usize = 16;

/// What is in front of the table of ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Head {
    /// First vertex with a list in the block.
    pub(crate) first: u32,
    /// How many consecutive vertices have an entry.
    pub(crate) entries: u16,
    /// [`CONTINUED`] and [`CONTINUES`].
    pub(crate) flags: u8,
    /// Always 0.
    pub(crate) reserved: u8,
}

impl Head {
    /// The vertices with an entry, of a head that [`check`] let through.
    #[inline]
    pub(crate) fn vertices(&self) -> RangeInclusive<u32> {
        self.first..=self.first + (u32::from(self.entries) - 1)
    }

    /// The head of a block of at least 16 bytes.
    #[inline]
    pub(crate) fn read(block: &[u8]) -> Head {
        Head {
            first: u32::from_le_bytes([block[8], block[9], block[10], block[11]]),
            entries: u16::from_le_bytes([block[12], block[13]]),
            flags: block[14],
            reserved: block[15],
        }
    }
}

/// Where the first entry begins in a block of that many.
#[inline]
pub(crate) fn entries_start(entries: usize) -> usize {
    TABLE + 2 * entries
}

/// Where an entry of a block ends.
///
/// # Panics
/// If the table has no such entry.
pub(crate) fn entry_end(block: &[u8], entry: usize) -> usize {
    usize::from(u16::from_le_bytes([block[TABLE + 2 * entry], block[TABLE + 2 * entry + 1]]))
}

/// First byte of an entry and the one after its last, both within the block. Inlined always: it is part of
/// every loop over lists.
#[inline(always)]
pub(crate) fn entry(block: &[u8], entries: usize, entry: usize) -> (usize, usize) {
    // The end of the entry before stands in front of its own.
    let ends = &block[TABLE - 2 + 2 * entry..][..4];
    let most = block.len() - SLACK;
    let end_of = |raw: &[u8]| usize::from(u16::from_le_bytes([raw[0], raw[1]])).min(most);
    let start = if entry == 0 { entries_start(entries) } else { end_of(ends) };
    (start, end_of(&ends[2..]))
}

/// As [`entry`], for all entries in order: quicker than to look up each. What ends with [`PLAIN`] is so.
#[inline]
pub(crate) fn all_entries(
    block: &[u8],
    entries: usize,
    width: Width,
) -> impl Iterator<Item = (usize, usize)> + '_ {
    let most = block.len() - SLACK;
    let bytes = width.bytes();
    let ends = block[TABLE..][..bytes * entries].chunks_exact(bytes);
    let mut start = TABLE + bytes * entries;
    ends.map(move |end| {
        let end = width.read(end);
        let behind = (end & !PLAIN).min(most);
        (std::mem::replace(&mut start, behind), behind | end & PLAIN)
    })
}

/// Set in the end of a list that is plain numbers, in a block with [`Width::Four`] whose other lists are in
/// the byte code. No block has as many bytes.
pub(crate) const PLAIN: usize = 1 << 31;

/// How wide the numbers of the table of ends are. Blocks of a store have 2 bytes. Those into which changes
/// were merged are larger than that can say; they exist in memory only.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Width {
    Two,
    Four,
}

impl Width {
    #[inline]
    fn bytes(self) -> usize {
        match self {
            Width::Two => 2,
            Width::Four => 4,
        }
    }

    #[inline]
    fn read(self, raw: &[u8]) -> usize {
        match self {
            Width::Two => usize::from(u16::from_le_bytes([raw[0], raw[1]])),
            Width::Four => u32::from_le_bytes([raw[0], raw[1], raw[2], raw[3]]) as usize,
        }
    }
}

/// As [`entry`], in a block with [`Width::Four`]. What ends with [`PLAIN`] is so.
#[inline]
pub(crate) fn entry_of_four(block: &[u8], entries: usize, entry: usize) -> (usize, usize) {
    let ends = &block[TABLE..][..4 * entries];
    let start =
        if entry == 0 { TABLE + 4 * entries } else { Width::Four.read(&ends[4 * entry - 4..]) & !PLAIN };
    (start, Width::Four.read(&ends[4 * entry..]))
}

/// A block with [`Width::Four`] in the making, of any size: it has a table and lists, but neither checksum
/// nor head.
#[derive(Debug, Default)]
pub(crate) struct BlockInMemory {
    bytes: Vec<u8>,
    /// Lists that it will have.
    begun: usize,
    /// Lists that have ended.
    lists: usize,
}

impl BlockInMemory {
    /// Begins one with that many lists.
    pub(crate) fn begin(&mut self, lists: usize) {
        self.bytes.clear();
        self.bytes.resize(TABLE + 4 * lists, 0);
        (self.begun, self.lists) = (lists, 0);
    }

    /// That many more numbers of the list that comes next.
    pub(crate) fn more<const N: usize>(&mut self, count: usize) -> &mut [[u8; N]] {
        let start = self.bytes.len();
        self.bytes.resize(start + N * count, 0);
        self.bytes[start..].as_chunks_mut().0
    }

    /// The list is whole, and plain numbers.
    pub(crate) fn end_list(&mut self) {
        self.end(self.bytes.len() | PLAIN);
    }

    /// Lists of another block as they are: its bytes from where the first begins, and where each ends.
    pub(crate) fn copy(&mut self, block: &[u8], start: usize, ends: impl Iterator<Item = usize>) {
        let (base, mut last) = (self.bytes.len(), start);
        for end in ends {
            self.end(base + (end - start));
            last = end;
        }
        self.bytes.extend_from_slice(&block[start..last]);
    }

    fn end(&mut self, end: usize) {
        debug_assert!(self.lists < self.begun, "the table has no place for its end");
        let place = TABLE + 4 * self.lists;
        self.bytes[place..place + 4].copy_from_slice(&(end as u32).to_le_bytes());
        self.lists += 1;
    }

    /// All of it, once all lists have ended.
    pub(crate) fn finish(&mut self) -> &[u8] {
        assert_eq!(self.lists, self.begun, "each list has an end");
        self.bytes.resize(self.bytes.len() + SLACK, 0);
        &self.bytes
    }
}

/// Bytes that one more entry may take in a block that has `entries` of `data_bytes` together.
pub(crate) fn room(block_bytes: usize, entries: usize, data_bytes: usize) -> usize {
    block_bytes.saturating_sub(entries_start(entries + 1) + data_bytes + SLACK)
}

/// Makes `block` the block of these entries; `ends` count from the first byte of `data`.
pub(crate) fn write(
    block: &mut Vec<u8>,
    block_bytes: usize,
    seed: u64,
    head: Head,
    ends: &[u16],
    data: &[u8],
) {
    let base = entries_start(ends.len()) as u16;
    block.clear();
    block.resize(CHECKSUM, 0);
    block.extend_from_slice(&head.first.to_le_bytes());
    block.extend_from_slice(&head.entries.to_le_bytes());
    block.extend_from_slice(&[head.flags, head.reserved]);
    block.extend(ends.iter().flat_map(|end| (base + end).to_le_bytes()));
    block.extend_from_slice(data);
    // To make it shorter would cut lists off, under a checksum that is right.
    assert!(block.len() + SLACK <= block_bytes, "{} bytes in a block of {block_bytes}", block.len());
    block.resize(block_bytes, 0);
    let sum = checksum(&block[CHECKSUM..], seed);
    block[..CHECKSUM].copy_from_slice(&sum.to_le_bytes());
}

/// Checks a block's checksum and its head, so that what the head says can be relied on.
///
/// # Errors
/// What is wrong with the block.
pub(crate) fn check(block: &[u8], seed: u64, vertices: u64) -> Result<Head, &'static str> {
    if !is_sound(block, seed) {
        return Err("fails its checksum");
    }
    let head = Head::read(block);
    let entries = usize::from(head.entries);
    if entries == 0
        || head.flags & !(CONTINUED | CONTINUES) != 0
        || head.reserved != 0
        || entries_start(entries) + SLACK > block.len()
    {
        return Err("has a head that no import writes");
    }
    if u64::from(head.first) + entries as u64 > vertices {
        return Err("has lists of vertices that do not exist");
    }
    Ok(head)
}

/// Checks a block's checksum.
pub(crate) fn is_sound(block: &[u8], seed: u64) -> bool {
    match block.split_first_chunk::<CHECKSUM>() {
        Some((sum, rest)) => u64::from_le_bytes(*sum) == checksum(rest, seed),
        None => false,
    }
}
