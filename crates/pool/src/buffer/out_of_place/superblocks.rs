//! Superblocks: each is durable at both of its places, one after the other, before anything depends on it. So
//! where one is torn or damaged, the other has all that was acknowledged.

use leadline_device::Request;

use crate::buffer::checksum;
use crate::buffer::core::Core;
use crate::buffer::error::{Fault, PageOp, PoolError};
use crate::buffer::io_queue::IoQueueGuard;
use crate::buffer::places::layout::{Place, SUPERBLOCKS};
use crate::buffer::places::superblock::Superblock;
use crate::buffer::places::{InForce, Places};

/// The number under which part `i` of a page map is sealed: an older map in the same place does not pass.
pub(super) fn seal_number(map_number: u64, i: u64) -> u64 {
    map_number << 32 | i
}

impl Core {
    /// Puts a superblock in force, first where the one in force is not.
    pub(super) fn write_superblock(
        &self,
        io: &mut IoQueueGuard<'_>,
        in_force: &mut InForce,
        mut next: Superblock,
    ) -> Result<(), PoolError> {
        next.number = in_force.superblock.number + 1;
        let mut bytes = next.encode();
        bytes.resize(self.config.page_bytes as usize, 0);
        let (first, second) = (1 - in_force.turn, in_force.turn);
        in_force.doubtful = true;
        self.write_superblock_at(io, first, &bytes)?;
        (in_force.superblock, in_force.turn) = (next, first);
        self.write_superblock_at(io, second, &bytes)?;
        in_force.doubtful = false;
        Ok(())
    }

    fn write_superblock_at(
        &self,
        io: &mut IoQueueGuard<'_>,
        turn: usize,
        bytes: &[u8],
    ) -> Result<(), PoolError> {
        let page_bytes = self.config.page_bytes;
        let write = |slot| Request { durable: true, ..Request::write(slot, SUPERBLOCKS[turn], page_bytes) };
        let result = self.request(io, Some(bytes), write)?;
        self.counters.map_writes.add(1);
        if let Some(fault) = Fault::of(result, page_bytes) {
            let page = SUPERBLOCKS[turn] / u64::from(page_bytes);
            return Err(PoolError::PageMap {
                source: Box::new(fault.error(PageOp::Write, page, page_bytes)),
            });
        }
        Ok(())
    }

    /// Where a superblock may be on the device that could not be written: puts the one in force at both
    /// places, so that no other names the page map that is to be written over.
    pub(super) fn settle_superblock(
        &self,
        io: &mut IoQueueGuard<'_>,
        in_force: &mut InForce,
    ) -> Result<(), PoolError> {
        if in_force.doubtful {
            let again = in_force.superblock.clone();
            self.write_superblock(io, in_force, again)?;
        }
        Ok(())
    }

    /// Names segments in a superblock that are to be written next.
    pub(super) fn announce(
        &self,
        io: &mut IoQueueGuard<'_>,
        places: &Places,
        segments: Vec<u32>,
    ) -> Result<(), PoolError> {
        let mut in_force = places.superblock();
        // The one in force may name more, where a page map could not be written after it.
        let mut announced = in_force.superblock.announced.clone().unwrap_or_default();
        announced.extend(places.segments().announced().iter().chain(&segments));
        let next = Superblock { announced: Some(announced), ..in_force.superblock.clone() };
        self.write_superblock(io, &mut in_force, next)?;
        places.segments().announce(segments);
        Ok(())
    }

    /// Writes a page map where the one in force is not.
    pub(super) fn write_map(
        &self,
        io: &mut IoQueueGuard<'_>,
        places: &Places,
        (area, map_number): (u32, u64),
        entries: &[Place],
    ) -> Result<(), PoolError> {
        let per_page = places.layout.entries() as usize;
        let part = |(i, part): (usize, &[Place])| {
            let mut bytes: Vec<u8> = part.iter().flat_map(|place| place.to_le_bytes()).collect();
            bytes.resize(self.config.page_bytes as usize, 0);
            checksum::seal(&mut bytes, seal_number(map_number, i as u64));
            (places.layout.map_page(area, i as u64), bytes)
        };
        let mut parts = entries.chunks(per_page).enumerate().map(part);
        loop {
            let some: Vec<_> = parts.by_ref().take(self.config.pages_at_once() as usize).collect();
            if some.is_empty() {
                return Ok(());
            }
            self.counters.map_writes.add(some.len() as u64);
            self.write_pages(io, &some).map_err(|source| PoolError::PageMap { source: Box::new(source) })?;
        }
    }
}
