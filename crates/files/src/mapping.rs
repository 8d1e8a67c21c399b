//! Anonymous memory outside Rust's heap.
//!
//! The one place that maps and unmaps. A [`Mapping`] gives out no reference to its bytes: who may read and
//! write which of them is for its owner to arrange.
#![allow(unsafe_code)]

use std::io;
use std::ptr::NonNull;

use rustix::mm::{Advice, MapFlags, ProtFlags, madvise, mmap_anonymous, munmap};

/// Huge pages of the processor.
const HUGE_BYTES: usize = 2 << 20;

/// How memory is mapped: by default private, zeroed, aligned to a page of the processor, and backed by memory
/// only as it is touched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct MapOptions {
    populate: bool,
    unreserved: bool,
    huge_pages: bool,
}

impl MapOptions {
    /// The default.
    pub fn new() -> MapOptions {
        MapOptions::default()
    }

    /// Whether all of it is backed by memory at once, so that no later access waits for the kernel.
    #[must_use]
    pub fn populate(self, populate: bool) -> MapOptions {
        MapOptions { populate, ..self }
    }

    /// Whether more may be mapped than there is memory for (`MAP_NORESERVE`), where only a part will be
    /// touched.
    #[must_use]
    pub fn unreserved(self, unreserved: bool) -> MapOptions {
        MapOptions { unreserved, ..self }
    }

    /// Whether it is aligned to 2 MiB and made of huge pages, where the kernel permits those.
    #[must_use]
    pub fn huge_pages(self, huge_pages: bool) -> MapOptions {
        MapOptions { huge_pages, ..self }
    }

    /// Maps `bytes` of zeros.
    ///
    /// # Errors
    /// [`io::ErrorKind::InvalidInput`] for no bytes at all; the kernel's reason for not having that much.
    pub fn map(self, bytes: usize) -> io::Result<Mapping> {
        if bytes == 0 {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "no bytes to map"));
        }
        let too_much = || io::Error::from(io::ErrorKind::OutOfMemory);
        let extra = if self.huge_pages { HUGE_BYTES } else { 0 };
        let whole = bytes.checked_add(extra).filter(|&b| b <= isize::MAX as usize).ok_or_else(too_much)?;
        let mut flags = MapFlags::PRIVATE;
        flags.set(MapFlags::POPULATE, self.populate);
        flags.set(MapFlags::NORESERVE, self.unreserved);
        let access = ProtFlags::READ | ProtFlags::WRITE;
        // SAFETY: a new anonymous mapping at an address of the kernel's choice touches no memory that exists.
        let start = unsafe { mmap_anonymous(std::ptr::null_mut(), whole, access, flags) }?;
        let start = NonNull::new(start.cast::<u8>()).ok_or_else(too_much)?;
        if !self.huge_pages {
            return Ok(Mapping { start, whole, base: start, bytes });
        }
        let skip = start.as_ptr().align_offset(HUGE_BYTES);
        // SAFETY: HUGE_BYTES more than `bytes` are mapped and `skip` is less, so this and `bytes` after it
        // are inside.
        let base = unsafe { start.add(skip) };
        // SAFETY: advice on our own mapping changes no bytes. Where it is refused, pages are of the usual
        // size.
        let _ = unsafe { madvise(base.as_ptr().cast(), bytes, Advice::LinuxHugepage) };
        Ok(Mapping { start, whole, base, bytes })
    }
}

/// An empty vector with room for `capacity` items, made of huge pages where the kernel permits those: for
/// what is read at random, whose pages of the usual size would be looked up in memory again and again. A
/// vector of less than 2 MiB is an ordinary one.
pub fn huge_vec<T>(capacity: usize) -> Vec<T> {
    let mut items: Vec<T> = Vec::with_capacity(capacity);
    let room = items.spare_capacity_mut();
    let bytes = size_of_val(room);
    let start = room.as_mut_ptr().cast::<u8>();
    // Only whole huge pages: no more memory is taken than without.
    let skip = start.align_offset(HUGE_BYTES);
    let whole = bytes.saturating_sub(skip) / HUGE_BYTES * HUGE_BYTES;
    if whole > 0 {
        // SAFETY: `skip` and `whole` bytes lie within the vector's own memory. Advice on it changes no bytes;
        // where it is refused, pages are of the usual size.
        let _ = unsafe { madvise(start.add(skip).cast(), whole, Advice::LinuxHugepage) };
    }
    items
}

/// Anonymous memory, unmapped when it is dropped. Leaked ([`std::mem::forget`]), it stays mapped: for memory
/// that the kernel may still write to.
#[derive(Debug)]
pub struct Mapping {
    /// What was mapped, which begins at or before `base`.
    start: NonNull<u8>,
    whole: usize,
    base: NonNull<u8>,
    bytes: usize,
}

// SAFETY: a mapping owns its memory and neither reads nor writes it; unmapping is not bound to a thread.
unsafe impl Send for Mapping {}
// SAFETY: as above; `&Mapping` gives out an address, and whoever reads or writes there does so in an unsafe
// block.
unsafe impl Sync for Mapping {}

impl Mapping {
    /// The first byte. It and the [`Mapping::bytes`] - 1 after it are readable, writable and initialised as
    /// long as the mapping lives.
    #[inline]
    pub fn base(&self) -> NonNull<u8> {
        self.base
    }

    /// How many bytes there are, as asked for.
    #[inline]
    pub fn bytes(&self) -> usize {
        self.bytes
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: the mapping is ours alone, and whoever used its address promised not to after it. Unmapping
        // what was mapped can only fail for want of map entries, and then nothing is unmapped.
        let _ = unsafe { munmap(self.start.as_ptr().cast(), self.whole) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All bytes of a mapping.
    fn all(mapping: &mut Mapping) -> &mut [u8] {
        // SAFETY: the bytes are mapped and initialised, and `&mut` makes this the only access.
        unsafe { std::slice::from_raw_parts_mut(mapping.base().as_ptr(), mapping.bytes()) }
    }

    #[test]
    fn bytes_are_zero_writable_and_aligned_with_every_option() {
        for (populate, unreserved, huge_pages) in
            [(false, false, false), (true, false, false), (false, true, false), (false, false, true)]
        {
            let options = MapOptions::new().populate(populate).unreserved(unreserved).huge_pages(huge_pages);
            for bytes in [1, 4096, (3 << 20) + 5] {
                let mut mapping = options.map(bytes).unwrap();
                let align = if huge_pages { HUGE_BYTES } else { 4096 };
                assert_eq!(mapping.base().as_ptr() as usize % align, 0);
                assert_eq!(all(&mut mapping).len(), bytes);
                assert!(all(&mut mapping).iter().all(|byte| *byte == 0));
                all(&mut mapping).fill(7);
                assert!(all(&mut mapping).iter().all(|byte| *byte == 7));
            }
        }
    }

    #[test]
    fn vectors_of_every_size_have_the_room_that_was_asked_for() {
        for capacity in [0, 1, 511, (2 << 20) / 8, (7 << 20) / 8 + 3] {
            let mut items = huge_vec::<u64>(capacity);
            assert!(items.is_empty() && items.capacity() >= capacity);
            let before = items.as_ptr();
            items.extend(0..capacity as u64);
            assert_eq!(items.as_ptr(), before);
            assert!(items.iter().copied().eq(0..capacity as u64));
        }
        assert_eq!(huge_vec::<()>(5).len(), 0);
    }

    #[test]
    fn large_vectors_are_advised_to_be_of_huge_pages() {
        let items = huge_vec::<u8>(64 << 20);
        let start = items.as_ptr() as u64;
        let smaps = std::fs::read_to_string("/proc/self/smaps").unwrap();
        let mut within = false;
        let flags = smaps.lines().find(|line| {
            if let Some((low, high)) = line.split_whitespace().next().and_then(|word| word.split_once('-'))
                && let (Ok(low), Ok(high)) = (u64::from_str_radix(low, 16), u64::from_str_radix(high, 16))
            {
                within = low <= start + (32 << 20) && start + (32 << 20) < high;
            }
            within && line.starts_with("VmFlags:")
        });
        // A kernel without huge pages has no such flag, and refuses the advice.
        let has_them = std::path::Path::new("/sys/kernel/mm/transparent_hugepage").exists();
        assert_eq!(flags.unwrap().split_whitespace().any(|flag| flag == "hg"), has_them);
    }

    #[test]
    fn what_cannot_be_mapped_is_an_error() {
        for bytes in [0, usize::MAX, isize::MAX as usize] {
            assert!(MapOptions::new().map(bytes).is_err());
            assert!(MapOptions::new().huge_pages(true).map(bytes).is_err());
        }
    }

    #[test]
    fn dropping_unmaps_all_of_it() {
        for huge_pages in [false, true] {
            let mapping = MapOptions::new().huge_pages(huge_pages).unreserved(true).map(3 << 30).unwrap();
            let (start, whole) = (mapping.start.as_ptr() as u64, mapping.whole as u64);
            let overlaps = || mapped().into_iter().any(|(low, high)| low < start + whole && start < high);
            assert!(overlaps());
            drop(mapping);
            // Other tests of this process may map there anew, but none maps so much: some of it is free.
            let covered: u64 = mapped()
                .into_iter()
                .map(|(low, high)| high.min(start + whole).saturating_sub(low.max(start)))
                .sum();
            assert!(covered < whole / 2, "{covered} of {whole} bytes are still mapped");
        }
    }

    /// The address ranges of this process.
    fn mapped() -> Vec<(u64, u64)> {
        let maps = std::fs::read_to_string("/proc/self/maps").unwrap();
        let range = |line: &str| {
            let (low, high) = line.split_whitespace().next().unwrap().split_once('-').unwrap();
            (u64::from_str_radix(low, 16).unwrap(), u64::from_str_radix(high, 16).unwrap())
        };
        maps.lines().map(range).collect()
    }
}
