//! What `read-disturb` reads between two reads of its page, to push that out of the drive's buffer.

use crate::load::Region;

/// Bytes per request: some of a drive's pages, so that it takes few requests, and each is a jump all the
/// same.
pub(super) const EVICTED_BLOCK: u32 = 64 << 10;

/// Bytes between two reads of the page where the drive's buffer is not known, or has none: the paper's.
const USUAL_BYTES: u64 = 20 << 20;

/// Otherwise that many times the buffer, likewise.
const TIMES_BUFFER: u64 = 2;

/// The second half of the region in random order, over and over: each place is read again as late as
/// possible, and none is near the page, which is the region's first.
pub(super) struct EvictingReads {
    places: Vec<u64>,
    next: usize,
    /// Requests between two reads of the page.
    each: usize,
}

impl EvictingReads {
    /// Of a drive with a buffer of that many bytes; `None`: not known.
    pub(super) fn new(region: Region, buffer: Option<u64>, random: &mut fastrand::Rng) -> EvictingReads {
        let block = u64::from(EVICTED_BLOCK);
        let wanted = match buffer {
            None | Some(0) => USUAL_BYTES,
            Some(bytes) => TIMES_BUFFER * bytes,
        };
        // Where half of the region is too little: from its beginning on, but for the page's own block.
        let first = (region.len / 2).min(region.len.saturating_sub(wanted)).div_ceil(block).max(1);
        let mut places: Vec<u64> =
            (first..region.len / block).map(|place| region.start + place * block).collect();
        random.shuffle(&mut places);
        let each = (wanted.div_ceil(block) as usize).min(places.len());
        EvictingReads { places, next: 0, each }
    }

    /// Where to read before the next read of the page.
    pub(super) fn next(&mut self) -> impl Iterator<Item = u64> {
        let (count, first) = (self.places.len(), self.next);
        self.next = (first + self.each) % count.max(1);
        (first..first + self.each).map(move |i| self.places[i % count])
    }

    /// Requests between two reads of the page.
    pub(super) fn requests(&self) -> u64 {
        self.each as u64
    }

    /// Bytes between two reads of the page.
    pub(super) fn bytes(&self) -> u64 {
        self.each as u64 * u64::from(EVICTED_BLOCK)
    }

    /// What the region is too small for.
    pub(super) fn note(&self, buffer: Option<u64>) -> Option<String> {
        let small = buffer.is_some_and(|buffer| self.bytes() < buffer);
        let note =
            "the region is no larger than the drive's buffer: other reads cannot push the page out of it";
        small.then(|| note.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn others(len: u64, buffer: Option<u64>) -> EvictingReads {
        EvictingReads::new(Region { start: 1 << 20, len }, buffer, &mut fastrand::Rng::with_seed(1))
    }

    #[test]
    fn twice_the_buffer_is_read_far_from_the_page_and_every_place_before_one_comes_again() {
        let mut of = others(1 << 30, Some(8 << 20));
        assert_eq!((of.bytes(), of.requests()), (16 << 20, 256));
        let mut seen: Vec<u64> = (0..32).flat_map(|_| of.next().collect::<Vec<_>>()).collect();
        assert_eq!(seen.len(), 32 * 256);
        let far = (1 << 20) + (1 << 29)..(1 << 20) + (1 << 30);
        assert!(seen.iter().all(|place| far.contains(place)));
        assert!(!seen.is_sorted());
        seen.sort_unstable();
        seen.dedup();
        assert_eq!(seen.len(), 32 * 256, "half a gigabyte in blocks of 64K, each once");
        assert_eq!(others(1 << 30, None).bytes(), 20 << 20);
        assert_eq!(others(1 << 30, Some(0)).bytes(), 20 << 20);
        assert_eq!(of.note(Some(8 << 20)), None);
    }

    #[test]
    fn a_small_region_is_read_whole_but_for_the_page_and_that_is_said_where_it_is_too_little() {
        let mut of = others(1 << 20, Some(8 << 20));
        let mut places: Vec<u64> = of.next().collect();
        places.sort_unstable();
        assert_eq!(places, (1..16).map(|i| (1 << 20) + (i << 16)).collect::<Vec<u64>>());
        assert!(
            of.note(Some(8 << 20)).is_some_and(|note| note.contains("no larger than the drive's buffer"))
        );
        assert_eq!(others(24 << 20, Some(8 << 20)).note(Some(8 << 20)), None);
    }
}
