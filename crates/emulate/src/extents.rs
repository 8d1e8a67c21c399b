//! Where files are on the device: extents of whole blocks, so that distance and sequence mean something.
//!
//! A new file begins at a multiple of a mebibyte behind the beginning of the one before it, as far as there
//! is space, and grows into the free blocks behind its last one.

use std::collections::BTreeMap;

use crate::extent::Extent;
use crate::free::Free;

/// Files are laid out in blocks of this many bytes.
pub(crate) const BLOCK_BYTES: u64 = 4096;

/// The part of the device that a file's blocks are to be taken from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Zone {
    /// All of a device that has no other.
    Slow,
    /// The part behind the border, as long as there is room.
    Fast,
}

/// The free space of the device.
#[derive(Debug)]
pub(crate) struct Allocator {
    slow: Free,
    fast: Free,
    /// Bytes given on the slow part to files that belong on the fast one.
    spilled_bytes: u64,
}

impl Allocator {
    /// A device of which nothing is used: a slow part and behind it a fast one, which may be nothing. The
    /// last incomplete block of each is not available.
    pub(crate) fn new(slow_bytes: u64, fast_bytes: u64) -> Allocator {
        let whole = |bytes: u64| bytes / BLOCK_BYTES * BLOCK_BYTES;
        let border = slow_bytes;
        Allocator {
            slow: Free::new(0, whole(slow_bytes)),
            fast: Free::new(border, whole(fast_bytes)),
            spilled_bytes: 0,
        }
    }

    /// Bytes in all.
    pub(crate) fn capacity(&self) -> u64 {
        self.slow.len() + self.fast.len()
    }

    /// Bytes that no file has.
    pub(crate) fn free_bytes(&self) -> u64 {
        self.slow.free_bytes() + self.fast.free_bytes()
    }

    /// Of the fast part: bytes that files have there, and bytes of files that had no room there.
    pub(crate) fn fast_used_and_spilled(&self) -> (u64, u64) {
        (self.fast.len() - self.fast.free_bytes(), self.spilled_bytes)
    }

    /// Takes `len` bytes, a multiple of the block: behind `last` as far as that is free, or where a new file
    /// begins, then wherever there is space. `None`, and nothing taken, where there is too little.
    fn take(&mut self, zone: Zone, last: Option<u64>, len: u64) -> Option<Vec<Extent>> {
        let fast_len = if zone == Zone::Fast { len.min(self.fast.free_bytes()) } else { 0 };
        if len - fast_len > self.slow.free_bytes() {
            return None;
        }
        let mut taken = Vec::new();
        if fast_len > 0 {
            self.fast.take(last, fast_len, &mut taken);
        }
        if len > fast_len {
            self.slow.take(last, len - fast_len, &mut taken);
            self.spilled_bytes += if zone == Zone::Fast { len - fast_len } else { 0 };
        }
        Some(taken)
    }

    /// Gives an extent back.
    fn give_back(&mut self, extent: Extent) {
        // Of a file on both parts, blocks on both sides of the border may be one extent.
        let border = self.fast.start().clamp(extent.offset, extent.offset + extent.len);
        let slow = Extent { len: border - extent.offset, ..extent };
        let fast = Extent { offset: border, len: extent.len - slow.len };
        for (part, extent) in [(&mut self.slow, slow), (&mut self.fast, fast)] {
            if extent.len > 0 {
                part.give_back(extent);
            }
        }
    }
}

/// The blocks of one file: offset in the file, and where that is on the device.
#[derive(Debug, Default)]
pub(crate) struct FileMap {
    extents: BTreeMap<u64, Extent>,
    /// Where new blocks are to lie; `None` before that was decided.
    pub(crate) zone: Option<Zone>,
}

impl FileMap {
    /// Gives blocks to the part of the file that has none; false where the device is full.
    pub(crate) fn fill(&mut self, allocator: &mut Allocator, offset: u64, len: u64) -> bool {
        let end = offset.saturating_add(len).next_multiple_of(BLOCK_BYTES);
        let mut at = offset / BLOCK_BYTES * BLOCK_BYTES;
        while at < end {
            let before = self.extents.range(..=at).next_back().map(|(&start, &extent)| (start, extent));
            if let Some((start, extent)) = before
                && at < start + extent.len
            {
                at = start + extent.len;
                continue;
            }
            let hole_end = self.extents.range(at..).next().map_or(end, |(&next, _)| next.min(end));
            let last = before.map(|(_, extent)| extent.offset + extent.len);
            let zone = self.zone.unwrap_or(Zone::Slow);
            let Some(taken) = allocator.take(zone, last, hole_end - at) else { return false };
            for extent in taken {
                self.insert(at, extent);
                at += extent.len;
            }
        }
        true
    }

    fn insert(&mut self, at: u64, extent: Extent) {
        if let Some((&start, before)) = self.extents.range_mut(..at).next_back()
            && start + before.len == at
            && before.offset + before.len == extent.offset
        {
            before.len += extent.len;
        } else {
            self.extents.insert(at, extent);
        }
    }

    /// Takes the whole blocks away that lie within the part of the file: where they were.
    pub(crate) fn clear(&mut self, allocator: &mut Allocator, offset: u64, end: u64) -> Vec<Extent> {
        let first = offset.next_multiple_of(BLOCK_BYTES);
        let end = if end == u64::MAX { end } else { end / BLOCK_BYTES * BLOCK_BYTES };
        let mut freed = Vec::new();
        if first >= end {
            return freed;
        }
        let start = self.extents.range(..=first).next_back().map_or(first, |(&start, _)| start);
        let touched: Vec<(u64, Extent)> =
            self.extents.range(start..end).map(|(&at, &extent)| (at, extent)).collect();
        for (at, extent) in touched {
            let (from, to) = (at.max(first), (at + extent.len).min(end));
            if from >= to {
                continue;
            }
            self.extents.remove(&at);
            if at < from {
                self.extents.insert(at, Extent { offset: extent.offset, len: from - at });
            }
            if to < at + extent.len {
                let rest = Extent { offset: extent.offset + (to - at), len: at + extent.len - to };
                self.extents.insert(to, rest);
            }
            let part = Extent { offset: extent.offset + (from - at), len: to - from };
            allocator.give_back(part);
            freed.push(part);
        }
        freed
    }

    /// Where a part of the file lies; holes are left out.
    pub(crate) fn locate(&self, offset: u64, len: u64) -> Vec<Extent> {
        let end = offset.saturating_add(len);
        let start = self.extents.range(..=offset).next_back().map_or(offset, |(&start, _)| start);
        let mut parts = Vec::new();
        for (&at, extent) in self.extents.range(start..end) {
            let (from, to) = (at.max(offset), (at + extent.len).min(end));
            if from < to {
                parts.push(Extent { offset: extent.offset + (from - at), len: to - from });
            }
        }
        parts
    }

    /// The first byte from `offset` on that has a block.
    pub(crate) fn data_from(&self, offset: u64) -> Option<u64> {
        match self.hole_from(offset) > offset {
            true => Some(offset),
            false => self.extents.range(offset..).next().map(|(&at, _)| at),
        }
    }

    /// The first byte from `offset` on that has none.
    pub(crate) fn hole_from(&self, offset: u64) -> u64 {
        let mut at = offset;
        while let Some((&start, extent)) = self.extents.range(..=at).next_back()
            && at < start + extent.len
        {
            at = start + extent.len;
        }
        at
    }

    /// Bytes of its blocks.
    pub(crate) fn bytes(&self) -> u64 {
        self.extents.values().map(|extent| extent.len).sum()
    }

    /// Offset in the file, and where that lies, in order.
    pub(crate) fn extents(&self) -> impl Iterator<Item = (u64, Extent)> + '_ {
        self.extents.iter().map(|(&at, &extent)| (at, extent))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_file_that_grows_alone_is_one_extent() {
        let mut allocator = Allocator::new(1 << 30, 0);
        let mut file = FileMap::default();
        for i in 0..100 {
            assert!(file.fill(&mut allocator, i * 10_000, 10_000));
        }
        assert_eq!(file.extents().count(), 1);
        assert_eq!(file.bytes(), 1_000_000u64.next_multiple_of(BLOCK_BYTES));
    }

    #[test]
    fn a_file_that_belongs_on_the_fast_part_is_there_as_far_as_there_is_room() {
        let mut allocator = Allocator::new(100 * BLOCK_BYTES, 10 * BLOCK_BYTES);
        let mut fast = FileMap { zone: Some(Zone::Fast), ..FileMap::default() };
        let mut slow = FileMap { zone: Some(Zone::Slow), ..FileMap::default() };
        assert!(slow.fill(&mut allocator, 0, 40 * BLOCK_BYTES));
        assert!(fast.fill(&mut allocator, 0, 8 * BLOCK_BYTES));
        let extent = |offset, len| Extent { offset: offset * BLOCK_BYTES, len: len * BLOCK_BYTES };
        assert_eq!(fast.locate(0, 8 * BLOCK_BYTES), [extent(100, 8)]);
        assert_eq!(allocator.fast_used_and_spilled(), (8 * BLOCK_BYTES, 0));
        assert!(fast.fill(&mut allocator, 8 * BLOCK_BYTES, 5 * BLOCK_BYTES));
        assert_eq!(fast.locate(0, 10 * BLOCK_BYTES), [extent(100, 10)]);
        assert!(
            fast.locate(10 * BLOCK_BYTES, 3 * BLOCK_BYTES).iter().all(|e| e.offset < extent(100, 0).offset)
        );
        assert_eq!(allocator.fast_used_and_spilled(), (10 * BLOCK_BYTES, 3 * BLOCK_BYTES));
        // A file that does not belong there gets nothing of it, even where it is all that is left.
        fast.clear(&mut allocator, 0, u64::MAX);
        assert!(!slow.fill(&mut allocator, 40 * BLOCK_BYTES, 61 * BLOCK_BYTES));
        assert!(slow.fill(&mut allocator, 40 * BLOCK_BYTES, 60 * BLOCK_BYTES));
        assert_eq!(allocator.free_bytes(), 10 * BLOCK_BYTES);
    }

    #[test]
    fn data_and_holes_are_found_from_anywhere() {
        let mut allocator = Allocator::new(100 * BLOCK_BYTES, 0);
        let mut file = FileMap::default();
        assert_eq!((file.data_from(0), file.hole_from(7)), (None, 7));
        // Out of order, so that the middle is in two extents on the device.
        for block in [3, 2, 10] {
            assert!(file.fill(&mut allocator, block * BLOCK_BYTES, BLOCK_BYTES));
        }
        let at = |block: u64| block * BLOCK_BYTES;
        assert_eq!(
            [0, at(2), at(3) + 5].map(|from| file.data_from(from)),
            [at(2), at(2), at(3) + 5].map(Some)
        );
        assert_eq!([at(4), at(11)].map(|from| file.data_from(from)), [Some(at(10)), None]);
        assert_eq!([0, at(2), at(3) + 5, at(10)].map(|from| file.hole_from(from)), [0, at(4), at(4), at(11)]);
    }

    #[test]
    fn a_full_device_refuses_and_what_is_given_back_can_be_taken() {
        let mut allocator = Allocator::new(10 * BLOCK_BYTES + 5, 0);
        let (mut one, mut two) = (FileMap::default(), FileMap::default());
        assert!(one.fill(&mut allocator, 0, 8 * BLOCK_BYTES));
        assert!(!two.fill(&mut allocator, 0, 3 * BLOCK_BYTES));
        one.clear(&mut allocator, BLOCK_BYTES + 1, u64::MAX);
        assert_eq!(one.bytes(), 2 * BLOCK_BYTES);
        assert!(two.fill(&mut allocator, 0, 8 * BLOCK_BYTES));
        assert_eq!(allocator.free_bytes(), 0);
    }

    proptest! {
        /// No block belongs to two files, none is lost, and a file has what it was given.
        #[test]
        fn blocks_have_one_owner(
            steps in prop::collection::vec((0..4usize, any::<bool>(), 0..60u64, 1..20u64), 1..60),
            fast_blocks in prop_oneof![Just(0u64), 1..64u64],
        ) {
            let slow_blocks = 64 - fast_blocks;
            let mut allocator = Allocator::new(slow_blocks * BLOCK_BYTES, fast_blocks * BLOCK_BYTES);
            let zone = |file| Some(if file % 2 == 0 { Zone::Slow } else { Zone::Fast });
            let mut files: Vec<FileMap> =
                (0..4).map(|file| FileMap { zone: zone(file), ..FileMap::default() }).collect();
            for (file, fill, from, count) in steps {
                let (at, len) = (from * BLOCK_BYTES, count * BLOCK_BYTES);
                if fill {
                    let full = !files[file].fill(&mut allocator, at, len);
                    let located: u64 = files[file].locate(at, len).iter().map(|e| e.len).sum();
                    prop_assert!(full || located == len);
                } else {
                    let before = files[file].locate(at, len);
                    prop_assert_eq!(files[file].clear(&mut allocator, at, at + len), before);
                    prop_assert!(files[file].locate(at, len).is_empty());
                }
                let mut owned: Vec<Extent> = files.iter().flat_map(|f| f.extents().map(|(_, e)| e)).collect();
                owned.extend(allocator.slow.extents().chain(allocator.fast.extents()));
                owned.sort_by_key(|extent| extent.offset);
                let mut at = 0;
                for extent in owned {
                    prop_assert_eq!(extent.offset, at);
                    at += extent.len;
                }
                prop_assert_eq!(at, 64 * BLOCK_BYTES);
                for extent in files.iter().step_by(2).flat_map(|f| f.extents().map(|(_, extent)| extent)) {
                    prop_assert!(extent.offset + extent.len <= slow_blocks * BLOCK_BYTES);
                }
                let used: u64 = files.iter().map(FileMap::bytes).sum();
                prop_assert_eq!(used + allocator.free_bytes(), 64 * BLOCK_BYTES);
            }
        }
    }
}
