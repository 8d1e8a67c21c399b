//! The free blocks of a part of the device.

use std::collections::BTreeMap;

use crate::extent::Extent;

/// Distance between the beginnings of new files, each at a multiple of it: file systems align what is large,
/// so that a page of a database is in one block of a cache below.
const SPREAD_BYTES: u64 = 1 << 20;

/// That many free extents are looked at for one that holds such a multiple.
const MOST_LOOKED_AT: usize = 256;

/// The free space of a part of the device.
#[derive(Debug)]
pub(crate) struct Free {
    start: u64,
    len: u64,
    /// Offset and length of each free extent; no two touch.
    free: BTreeMap<u64, u64>,
    free_bytes: u64,
    /// Where the next new file begins.
    cursor: u64,
}

impl Free {
    /// A part of which nothing is used: that many bytes, whole blocks, from `start` on.
    pub(crate) fn new(start: u64, len: u64) -> Free {
        let free = BTreeMap::from_iter((len > 0).then_some((start, len)));
        Free { start, len, free, free_bytes: len, cursor: start }
    }

    /// Where it begins.
    pub(crate) fn start(&self) -> u64 {
        self.start
    }

    /// Bytes in all.
    pub(crate) fn len(&self) -> u64 {
        self.len
    }

    /// What is free, in order.
    #[cfg(test)]
    pub(crate) fn extents(&self) -> impl Iterator<Item = Extent> + '_ {
        self.free.iter().map(|(&offset, &len)| Extent { offset, len })
    }

    /// Bytes that no file has.
    pub(crate) fn free_bytes(&self) -> u64 {
        self.free_bytes
    }

    /// Where a file without blocks should begin.
    fn new_file(&mut self) -> u64 {
        let aligned = self.aligned(self.cursor).or_else(|| self.aligned(self.start));
        let at = aligned.unwrap_or(self.cursor);
        let next = at + SPREAD_BYTES;
        self.cursor = if next < self.start + self.len { next } else { self.start };
        at
    }

    /// The first free multiple of [`SPREAD_BYTES`] from `from` on.
    fn aligned(&self, from: u64) -> Option<u64> {
        let around = self.free.range(..=from).next_back();
        let extents = around.into_iter().chain(self.free.range(from + 1..)).take(MOST_LOOKED_AT);
        extents
            .map(|(&start, &len)| (start.max(from).next_multiple_of(SPREAD_BYTES), start + len))
            .find(|(at, end)| at < end)
            .map(|(at, _)| at)
    }

    /// Takes `len` bytes, a multiple of the block and no more than are free: from `last` on, or where a new
    /// file begins, as far as that is free, then wherever there is space.
    pub(crate) fn take(&mut self, last: Option<u64>, len: u64, taken: &mut Vec<Extent>) {
        let mut goal = last.unwrap_or_else(|| self.new_file());
        let mut left = len;
        while left > 0
            && let Some(extent) = self.take_one(goal, left)
        {
            left -= extent.len;
            goal = extent.offset + extent.len;
            taken.push(extent);
        }
        self.free_bytes -= len - left;
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
    pub(crate) fn give_back(&mut self, extent: Extent) {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn new_files_begin_at_a_multiple_of_the_spread_while_one_is_free() {
        let mut free = Free::new(0, 4 * SPREAD_BYTES);
        let mut begin = |len| {
            let mut taken = Vec::new();
            free.take(None, len, &mut taken);
            taken[0].offset
        };
        // The second file would begin within the first, the third right behind the second.
        assert_eq!([begin(SPREAD_BYTES + 4096), begin(4096), begin(4096)], [0, 2 << 20, 3 << 20]);
        // No multiple is free any more: anywhere.
        assert!(begin(4096) % SPREAD_BYTES != 0);
    }
}
