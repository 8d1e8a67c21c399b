//! What was on the device before the last write to each sector: what a stale read brings to light.

use std::collections::HashMap;

use super::rule::SECTOR_BYTES;

/// The version before the last one of every sector that was written.
#[derive(Debug, Default)]
pub(super) struct History {
    sectors: HashMap<u64, Box<[u8]>>,
}

impl History {
    /// Notes what a write to `offset` is about to replace, in whole sectors.
    pub(super) fn note(&mut self, offset: u64, old: &[u8]) {
        let first = offset / u64::from(SECTOR_BYTES);
        for (sector, bytes) in (first..).zip(old.chunks_exact(SECTOR_BYTES as usize)) {
            self.sectors.insert(sector, bytes.into());
        }
    }

    /// Turns what was read at `offset` back to what was there before.
    pub(super) fn turn_back(&self, offset: u64, read: &mut [u8]) {
        let first = offset / u64::from(SECTOR_BYTES);
        for (sector, bytes) in (first..).zip(read.chunks_exact_mut(SECTOR_BYTES as usize)) {
            if let Some(old) = self.sectors.get(&sector) {
                bytes.copy_from_slice(old);
            }
        }
    }
}
