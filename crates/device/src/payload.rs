//! What is written: data that no drive can compress and that never repeats, as fast as memory takes it.

/// Bytes of the smallest unit a drive could compare or compress; no two of them are ever the same.
const SECTOR_BYTES: usize = 512;

/// 64-bit words in the pool.
const POOL_WORDS: usize = 2048;

/// Words of a sector.
const SECTOR_WORDS: usize = SECTOR_BYTES / 8;

/// A source of incompressible data that never repeats.
///
/// Each sector of 512 bytes is a window into a pool of random words, every word of it xored with a key made
/// for this sector alone. Keys are a bijection of a 64-bit counter, so that two sectors of one payload taken
/// from the same window always differ, and two windows of a random pool differ by more than a constant. One
/// xor per word is all the work: 113 to 150 ns for 4 KiB where measured.
///
/// Payloads of the same seed are the same: give each writer a seed of its own.
#[derive(Debug, Clone)]
pub struct Payload {
    pool: Box<[u64; POOL_WORDS]>,
    counter: u64,
}

impl Payload {
    /// A payload of its own for each seed.
    pub fn new(seed: u64) -> Self {
        let mut random = fastrand::Rng::with_seed(mix(seed));
        let mut pool = Box::new([0; POOL_WORDS]);
        pool.fill_with(|| random.u64(..));
        Payload { pool, counter: mix(!seed) }
    }

    /// Fills the buffer with data that no earlier fill gave.
    pub fn fill(&mut self, buffer: &mut [u8]) {
        let mut sectors = buffer.chunks_exact_mut(SECTOR_BYTES);
        for sector in &mut sectors {
            let (window, key) = self.next_sector();
            for (bytes, word) in sector.chunks_exact_mut(8).zip(window) {
                bytes.copy_from_slice(&(word ^ key).to_le_bytes());
            }
        }
        let rest = sectors.into_remainder();
        if !rest.is_empty() {
            let mut sector = [0; SECTOR_BYTES];
            self.fill(&mut sector);
            rest.copy_from_slice(&sector[..rest.len()]);
        }
    }

    /// The next sector's words and the key to xor them with.
    #[inline]
    fn next_sector(&mut self) -> (&[u64; SECTOR_WORDS], u64) {
        self.counter = self.counter.wrapping_add(1);
        let key = mix(self.counter);
        // The key's top bits choose the window; the multiplication maps them onto 0..=POOL_WORDS -
        // SECTOR_WORDS.
        let windows = (POOL_WORDS - SECTOR_WORDS + 1) as u64;
        let start = (((key >> 32) * windows) >> 32) as usize;
        let window = self.pool[start..].first_chunk().expect("the window ends inside the pool");
        (window, key)
    }
}

/// A bijection of 64 bits that leaves no pattern (the finaliser of splitmix64).
#[inline]
pub(crate) fn mix(mut x: u64) -> u64 {
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

#[cfg(test)]
mod tests {
    use std::collections::{HashMap, HashSet};

    use super::*;

    #[test]
    fn no_sector_is_given_twice() {
        let mut seen = HashSet::new();
        for seed in 0..4 {
            let mut payload = Payload::new(seed);
            let mut buffer = vec![0; 8192];
            for _ in 0..2000 {
                payload.fill(&mut buffer);
                for sector in buffer.chunks_exact(SECTOR_BYTES) {
                    assert!(seen.insert(<[u8; 16]>::try_from(&sector[..16]).unwrap()));
                }
            }
        }
        assert_eq!(seen.len(), 4 * 2000 * 16);
    }

    #[test]
    fn bytes_are_as_many_as_random_ones_of_each_kind() {
        let mut buffer = vec![0; 1 << 20];
        Payload::new(1).fill(&mut buffer);
        let mut counts = [0u32; 256];
        buffer.iter().for_each(|byte| counts[*byte as usize] += 1);
        let entropy: f64 =
            counts.iter().map(|n| f64::from(*n) / buffer.len() as f64).map(|p| -p * p.log2()).sum();
        assert!(entropy > 7.999, "{entropy} bits a byte");
    }

    /// What a compressor of the LZ family lives on: the share of positions whose next 6 bytes were seen
    /// before.
    #[test]
    fn a_mebibyte_holds_no_string_twice() {
        let mut buffer = vec![0; 1 << 20];
        Payload::new(2).fill(&mut buffer);
        let mut seen: HashMap<[u8; 6], usize> = HashMap::with_capacity(buffer.len());
        let repeats = buffer.windows(6).enumerate();
        let repeats =
            repeats.filter(|(at, six)| seen.insert((*six).try_into().unwrap(), *at).is_some()).count();
        // Random data repeats n^2 / 2^49 times: 0.002 here.
        assert!(repeats < 3, "{repeats} strings of 6 bytes came twice");
    }

    #[test]
    fn lengths_that_are_no_sectors_are_filled_to_the_end() {
        for len in [0, 1, 7, 511, 513, 1000] {
            let mut buffer = vec![0; len];
            let mut payload = Payload::new(3);
            payload.fill(&mut buffer);
            let zeros = buffer.iter().filter(|byte| **byte == 0).count();
            assert!(zeros <= 1 + len / 40, "{zeros} zeros in {len} bytes");
        }
    }

    #[test]
    fn seeds_give_payloads_of_their_own_and_the_same_again() {
        let fill = |seed| {
            let mut buffer = [0; 64];
            Payload::new(seed).fill(&mut buffer);
            buffer
        };
        assert_eq!(fill(5), fill(5));
        assert_ne!(fill(5), fill(6));
    }
}
