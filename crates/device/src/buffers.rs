//! The buffers of a queue pair: one page-aligned arena outside Rust's heap, cut into slots.
//!
//! Outside the heap, because the kernel reads and writes it while a request is in flight and may go on doing
//! so after the queue pair was given up: such an arena is leaked, never reused.

use std::ops::Range;

use leadline_files::{MapOptions, Mapping};

use crate::{DeviceError, Geometry, QueueShape, Request, RequestError};

/// Bytes of a page; every arena starts on one.
pub(crate) const PAGE_BYTES: usize = 4096;

/// Most bytes the kernel takes as one registered buffer.
const CHUNK_BYTES: usize = 1 << 30;

/// The buffers of a shape, back to back, first those of `buffer_bytes`, which are in memory already, then the
/// large ones, which take memory when they are first used; zeroed.
///
/// With sizes that are multiples of the device's block, every buffer is aligned to that block (up to a page),
/// which is what O_DIRECT asks for.
#[derive(Debug)]
pub(crate) struct Arena {
    memory: Mapping,
    shape: QueueShape,
    /// Slots in a registered chunk: as many whole buffers as fit, at least one.
    slots_per_chunk: u32,
}

impl Arena {
    /// Maps the buffers of a shape.
    ///
    /// # Errors
    /// [`DeviceError`] when they are more than the address space or the memory holds.
    pub(crate) fn new(shape: QueueShape) -> Result<Arena, DeviceError> {
        Arena::chunked(shape, CHUNK_BYTES)
    }

    /// The same, to be registered in chunks of at most `chunk_bytes` or one buffer.
    pub(crate) fn chunked(shape: QueueShape, chunk_bytes: usize) -> Result<Arena, DeviceError> {
        let QueueShape { slots, buffer_bytes, large_slots, large_bytes, .. } = shape;
        let what = || match large_slots {
            0 => format!("mapping {slots} buffers of {buffer_bytes} bytes"),
            _ => format!(
                "mapping {slots} buffers of {buffer_bytes} bytes and {large_slots} of {large_bytes} bytes"
            ),
        };
        let product = |slots: u32, bytes: u32| (slots as usize).checked_mul(bytes as usize);
        let small = product(slots, buffer_bytes);
        let bytes = small
            .and_then(|bytes| bytes.checked_add(product(large_slots, large_bytes)?))
            .and_then(|bytes| bytes.checked_next_multiple_of(PAGE_BYTES))
            .filter(|bytes| *bytes > 0 && *bytes <= isize::MAX as usize)
            .ok_or_else(|| DeviceError::Unsupported(format!("{}: not a size that can be mapped", what())))?;
        let memory = MapOptions::new().populate(large_slots == 0).map(bytes);
        let memory = memory.map_err(|error| DeviceError::io(what(), error))?;
        debug_assert_eq!(memory.base().as_ptr() as usize % PAGE_BYTES, 0);
        let fit = u32::try_from(chunk_bytes / (buffer_bytes as usize).max(1)).unwrap_or(u32::MAX);
        let mut arena = Arena { memory, shape, slots_per_chunk: fit.clamp(1, slots.max(1)) };
        if large_slots > 0 {
            (0..slots).for_each(|slot| arena.buffer(slot).fill(0));
        }
        Ok(arena)
    }

    /// A slot's first byte.
    ///
    /// # Panics
    /// If there is no such slot.
    #[inline]
    pub(crate) fn pointer(&self, slot: u32) -> *mut u8 {
        let QueueShape { slots, buffer_bytes, large_bytes, .. } = self.shape;
        assert!(slot < self.shape.all_slots(), "slot {slot} of {} does not exist", self.shape.all_slots());
        let small = slot.min(slots) as usize * buffer_bytes as usize;
        let large = slot.saturating_sub(slots) as usize * large_bytes as usize;
        // SAFETY: the slot exists, so the offset is inside the mapping, which is at most isize::MAX bytes
        // long.
        unsafe { self.memory.base().as_ptr().add(small + large) }
    }

    /// A slot's buffer.
    #[inline]
    pub(crate) fn buffer(&mut self, slot: u32) -> &mut [u8] {
        // SAFETY: `&mut self` is the only way in here; the queue pair refuses slots that are in flight.
        unsafe { self.shared_buffer(slot) }
    }

    /// A slot's buffer, for the thread that does its request.
    ///
    /// # Safety
    /// Nobody else, kernel or thread, uses this slot as long as the slice lives.
    #[inline]
    #[expect(clippy::mut_from_ref, reason = "the slots are disjoint and the caller has this one alone")]
    pub(crate) unsafe fn shared_buffer(&self, slot: u32) -> &mut [u8] {
        // SAFETY: `pointer` checked the slot, the mapping is initialised (zeroed) and lives as long as
        // `self`; the caller promises that nobody else uses the slot.
        unsafe { std::slice::from_raw_parts_mut(self.pointer(slot), self.shape.bytes_of(slot) as usize) }
    }

    /// All but the large buffers cut into chunks of whole buffers, for registration. To register large ones
    /// would take their memory at once, and saves little where a request moves many pages.
    pub(crate) fn chunks(&self) -> Vec<libc::iovec> {
        let chunk = |slots: Range<u32>| libc::iovec {
            iov_base: self.pointer(slots.start).cast(),
            iov_len: slots.map(|slot| self.shape.bytes_of(slot) as usize).sum(),
        };
        self.chunk_slots().map(chunk).collect()
    }

    /// The chunk of a slot, in the order of [`Arena::chunks`]; none of a large one.
    #[inline]
    pub(crate) fn chunk_of(&self, slot: u32) -> Option<u16> {
        (slot < self.shape.slots).then(|| (slot / self.slots_per_chunk) as u16)
    }

    /// The slots of each chunk.
    fn chunk_slots(&self) -> impl Iterator<Item = Range<u32>> {
        let (slots, fit) = (self.shape.slots, self.slots_per_chunk);
        (0..slots).step_by(fit as usize).map(move |first| first..slots.min(first.saturating_add(fit)))
    }
}

/// Which slots are in flight, and the rules every backend applies before it takes a request.
#[derive(Debug)]
pub(crate) struct InFlight {
    busy: Vec<bool>,
    count: u32,
}

impl InFlight {
    pub(crate) fn new(shape: QueueShape) -> Self {
        InFlight { busy: vec![false; shape.all_slots() as usize], count: 0 }
    }

    /// Requests in flight.
    #[inline]
    pub(crate) fn count(&self) -> u32 {
        self.count
    }

    /// Checks a request and counts it in.
    #[inline]
    pub(crate) fn admit(
        &mut self,
        request: &Request,
        geometry: &Geometry,
        shape: &QueueShape,
    ) -> Result<(), RequestError> {
        request.validate(geometry, shape)?;
        let refuse = |reason| Err(RequestError { request: *request, reason });
        if self.busy[request.slot as usize] {
            return refuse("its slot is in flight");
        }
        if self.count >= shape.depth {
            return refuse("the queue pair is full: as many requests as its depth are in flight");
        }
        self.busy[request.slot as usize] = true;
        self.count += 1;
        Ok(())
    }

    /// Counts a completed request out; false if it was not in flight.
    #[inline]
    pub(crate) fn complete(&mut self, slot: u32) -> bool {
        match self.busy.get_mut(slot as usize) {
            Some(busy) if *busy => {
                *busy = false;
                self.count -= 1;
                true
            }
            _ => false,
        }
    }

    /// Panics where a buffer must not be touched.
    #[inline]
    pub(crate) fn assert_idle(&self, slot: u32) {
        assert!((slot as usize) < self.busy.len(), "slot {slot} of {} does not exist", self.busy.len());
        assert!(!self.busy[slot as usize], "slot {slot} is in flight: its buffer is the device's");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buffers_are_zeroed_aligned_and_disjoint() {
        let mut arena = Arena::new(QueueShape::new(5, 4096)).unwrap();
        for slot in 0..5 {
            assert_eq!(arena.pointer(slot) as usize % 4096, 0);
            assert!(arena.buffer(slot).iter().all(|byte| *byte == 0));
            arena.buffer(slot).fill(slot as u8 + 1);
        }
        for slot in 0..5 {
            assert_eq!(arena.buffer(slot).len(), 4096);
            assert!(arena.buffer(slot).iter().all(|byte| *byte == slot as u8 + 1));
        }
    }

    #[test]
    fn last_byte_of_the_last_slot_is_mapped_also_when_slots_do_not_fill_pages() {
        let mut arena = Arena::new(QueueShape::new(3, 512)).unwrap();
        arena.buffer(2)[511] = 7;
        assert_eq!(arena.buffer(2)[511], 7);
    }

    #[test]
    fn chunks_cover_every_slot_once_and_none_is_longer_than_a_gibibyte() {
        // Buffers of 700 MiB: one per chunk. Nothing is touched, so only address space is used.
        for (slots, buffer_bytes) in [(3u32, 700u32 << 20), (5, 512 << 20), (7, 4096)] {
            let bytes = slots as usize * buffer_bytes as usize;
            let memory = MapOptions::new().unreserved(true).map(bytes).unwrap();
            let shape = QueueShape::new(1, buffer_bytes).slots(slots);
            let arena =
                Arena { memory, shape, slots_per_chunk: (CHUNK_BYTES as u32 / buffer_bytes).min(slots) };
            let chunks = arena.chunks();
            let first = arena.pointer(0) as usize;
            let mut next = first;
            for chunk in &chunks {
                assert_eq!(chunk.iov_base as usize, next);
                assert!(chunk.iov_len <= CHUNK_BYTES && chunk.iov_len % buffer_bytes as usize == 0);
                next += chunk.iov_len;
            }
            assert_eq!(next - first, bytes);
        }
    }

    #[test]
    fn what_cannot_be_mapped_is_an_error() {
        assert!(Arena::new(QueueShape::new(1, u32::MAX).slots(u32::MAX)).is_err());
        assert!(Arena::new(QueueShape::new(1, 4096).slots(0)).is_err());
    }
}
