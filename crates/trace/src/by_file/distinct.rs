//! Distinct pages of a file: a bitmap where there are pages, nothing where there are none.

use crate::reuse::{PageMap, place};

/// Pages of a chunk of the bitmap.
const CHUNK_PAGES: u64 = 512;

type Chunk = [u64; (CHUNK_PAGES / 64) as usize];

/// Which chunks are kept: all of them, or those of which a hash begins with that many zeros.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Sample {
    zeros: u32,
}

impl Sample {
    /// Half as many chunks from here on.
    pub(super) fn halve(&mut self) {
        self.zeros += 1;
    }

    pub(super) fn is_exact(self) -> bool {
        self.zeros == 0
    }

    fn has(self, chunk: u64) -> bool {
        self.is_exact() || place(chunk).leading_zeros() >= self.zeros
    }
}

/// The pages of one file that were accessed.
#[derive(Debug, Default)]
pub(super) struct Distinct {
    chunks: PageMap<Chunk>,
}

impl Distinct {
    /// `count` pages from `first` on were accessed. Says how many chunks were added.
    #[inline]
    pub(super) fn add(&mut self, first: u64, count: u64, sample: Sample) -> usize {
        let before = self.chunks.len();
        let (mut page, last) = (first, first.saturating_add(count - 1));
        loop {
            let chunk = page / CHUNK_PAGES;
            let end = (chunk * CHUNK_PAGES).saturating_add(CHUNK_PAGES - 1).min(last);
            if sample.has(chunk) {
                let bits = self.chunks.entry(chunk).or_default();
                for bit in page % CHUNK_PAGES..=end % CHUNK_PAGES {
                    bits[(bit / 64) as usize] |= 1 << (bit % 64);
                }
            }
            if end == last {
                return self.chunks.len() - before;
            }
            page = end + 1;
        }
    }

    /// Forgets the chunks that are not in the sample any more; says how many are left.
    pub(super) fn thin(&mut self, sample: Sample) -> usize {
        self.chunks.retain(|&chunk, _| sample.has(chunk));
        self.chunks.shrink_to_fit();
        self.chunks.len()
    }

    /// How many; those of the sample, scaled up, where there is one.
    pub(super) fn count(&self, sample: Sample) -> u64 {
        let found: u64 = self.chunks.values().flatten().map(|bits| u64::from(bits.count_ones())).sum();
        found.saturating_mul(1 << sample.zeros.min(63))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_page_counts_once_wherever_it_is() {
        let mut pages = Distinct::default();
        let sample = Sample::default();
        for (first, count) in [(0, 1), (0, 1), (510, 4), (511, 2), (u64::MAX - 1, 2), (5000, 2000)] {
            pages.add(first, count, sample);
        }
        assert_eq!(pages.count(sample), 1 + 4 + 2 + 2000);
    }

    #[test]
    fn a_sample_stands_for_all() {
        let (mut pages, mut sample) = (Distinct::default(), Sample::default());
        sample.halve();
        sample.halve();
        for i in 0..40_000 {
            pages.add(i * 1_000_000, 1, sample);
        }
        let found = pages.count(sample) as f64;
        assert!((38_000.0..42_000.0).contains(&found), "{found}");
        sample.halve();
        let left = pages.thin(sample);
        assert!((4_600..5_400).contains(&left), "{left}");
    }
}
