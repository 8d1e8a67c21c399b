//! Where files lie on the device: extents of whole blocks, so that distance and sequence mean something.
//!
//! A new file begins a mebibyte after the one before it, as far as there is space, and grows into the free
//! blocks behind its last one.

use std::collections::BTreeMap;

/// Files are laid out in blocks of this many bytes.
pub(crate) const BLOCK_BYTES: u64 = 4096;

/// Distance between the beginnings of new files.
const SPREAD_BYTES: u64 = 1 << 20;

/// Consecutive bytes on the device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Extent {
    pub(crate) offset: u64,
    pub(crate) len: u64,
}

/// The free space of the device.
#[derive(Debug)]
pub(crate) struct Allocator {
    capacity: u64,
    /// Offset and length of each free extent; no two touch.
    free: BTreeMap<u64, u64>,
    free_bytes: u64,
    /// Where the next new file begins.
    cursor: u64,
}

impl Allocator {
    /// A device of which nothing is used; its last incomplete block is not available.
    pub(crate) fn new(capacity: u64) -> Allocator {
        let capacity = capacity / BLOCK_BYTES * BLOCK_BYTES;
        let free = BTreeMap::from_iter((capacity > 0).then_some((0, capacity)));
        Allocator { capacity, free, free_bytes: capacity, cursor: 0 }
    }

    /// Bytes in all.
    pub(crate) fn capacity(&self) -> u64 {
        self.capacity
    }

    /// Bytes that no file has.
    pub(crate) fn free_bytes(&self) -> u64 {
        self.free_bytes
    }

    /// Where a file without blocks should begin.
    fn new_file(&mut self) -> u64 {
        let at = self.cursor;
        self.cursor = if at + SPREAD_BYTES < self.capacity { at + SPREAD_BYTES } else { 0 };
        at
    }

    /// Takes `len` bytes, a multiple of the block: from `goal` on as far as it is free, then wherever there
    /// is space. `None`, and nothing taken, where there is too little.
    fn take(&mut self, mut goal: u64, len: u64) -> Option<Vec<Extent>> {
        if len > self.free_bytes {
            return None;
        }
        let mut taken = Vec::new();
        let mut left = len;
        while left > 0 {
            let extent = self.take_one(goal, left)?;
            left -= extent.len;
            goal = extent.offset + extent.len;
            taken.push(extent);
        }
        self.free_bytes -= len;
        Some(taken)
    }

    /// The first free extent at or after `goal`, or else the first of all; at most `most` bytes of it.
    fn take_one(&mut self, goal: u64, most: u64) -> Option<Extent> {
        let around = self.free.range(..=goal).next_back().filter(|(start, len)| goal < *start + *len);
        let chosen = around.or_else(|| self.free.range(goal..).next()).or_else(|| self.free.iter().next());
        let (&start, &len) = chosen?;
        let offset = goal.clamp(start, start + len - 1);
        // Wrapped around: from the beginning of the extent.
        let offset = if goal >= start + len { start } else { offset };
        let taken = most.min(start + len - offset);
        self.free.remove(&start);
        if offset > start {
            self.free.insert(start, offset - start);
        }
        if offset + taken < start + len {
            self.free.insert(offset + taken, start + len - offset - taken);
        }
        Some(Extent { offset, len: taken })
    }

    /// Gives an extent back.
    fn give_back(&mut self, extent: Extent) {
        let Extent { mut offset, mut len } = extent;
        self.free_bytes += len;
        if let Some((&start, &before)) = self.free.range(..offset).next_back()
            && start + before == offset
        {
            self.free.remove(&start);
            (offset, len) = (start, len + before);
        }
        if let Some(after) = self.free.remove(&(offset + len)) {
            len += after;
        }
        self.free.insert(offset, len);
    }
}

/// The blocks of one file: offset in the file, and where that is on the device.
#[derive(Debug, Default)]
pub(crate) struct FileMap {
    extents: BTreeMap<u64, Extent>,
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
            let goal = match before {
                Some((_, extent)) => extent.offset + extent.len,
                None => allocator.new_file(),
            };
            let Some(taken) = allocator.take(goal, hole_end - at) else { return false };
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
        let mut allocator = Allocator::new(1 << 30);
        let mut file = FileMap::default();
        for i in 0..100 {
            assert!(file.fill(&mut allocator, i * 10_000, 10_000));
        }
        assert_eq!(file.extents().count(), 1);
        assert_eq!(file.bytes(), 1_000_000u64.next_multiple_of(BLOCK_BYTES));
    }

    #[test]
    fn a_full_device_refuses_and_what_is_given_back_can_be_taken() {
        let mut allocator = Allocator::new(10 * BLOCK_BYTES + 5);
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
        fn blocks_have_one_owner(steps in prop::collection::vec((0..4usize, any::<bool>(), 0..60u64, 1..20u64), 1..60)) {
            let mut allocator = Allocator::new(64 * BLOCK_BYTES);
            let mut files: Vec<FileMap> = (0..4).map(|_| FileMap::default()).collect();
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
                owned.extend(allocator.free.iter().map(|(&offset, &len)| Extent { offset, len }));
                owned.sort_by_key(|extent| extent.offset);
                let mut at = 0;
                for extent in owned {
                    prop_assert_eq!(extent.offset, at);
                    at += extent.len;
                }
                prop_assert_eq!(at, 64 * BLOCK_BYTES);
                let used: u64 = files.iter().map(FileMap::bytes).sum();
                prop_assert_eq!(used + allocator.free_bytes(), 64 * BLOCK_BYTES);
            }
        }
    }
}
