//! Which keys may be among many, in about two bytes each: whoever looks for one that is not there reads
//! nothing.

use super::key_map::mix;

/// Words of 8 bytes of a line of the processor's cache.
const WORDS: usize = 8;

/// Keys of a line: 16 bits for each, with which one in a thousand of other keys seems to be there.
const KEYS: u64 = 32;

/// By word of a line, an odd number from the digits of pi.
const SALTS: [u32; WORDS] =
    [0x243f_6a89, 0x85a3_08d3, 0x1319_8a2f, 0x0370_7345, 0xa409_3823, 0x299f_31d1, 0x082e_fa99, 0xec4e_6c89];

/// A Bloom filter in which all bits of a key are in one line, one in each of its words (Putze, Sanders and
/// Singler, Cache-, Hash- and Space-Efficient Bloom Filters, 2009).
#[derive(Debug)]
pub(super) struct Filter {
    lines: Vec<[u64; WORDS]>,
}

impl Filter {
    /// Bytes in memory of a filter for that many keys.
    pub(super) fn bytes_for(keys: u64) -> u64 {
        lines_for(keys) * size_of::<[u64; WORDS]>() as u64
    }

    /// For that many keys; with more of them, more others seem to be there.
    pub(super) fn new(keys: u64) -> Filter {
        Filter { lines: vec![[0; WORDS]; lines_for(keys) as usize] }
    }

    pub(super) fn insert(&mut self, key: u64) {
        let (line, bits) = self.place(key);
        self.lines[line].iter_mut().zip(bits).for_each(|(word, bit)| *word |= bit);
    }

    /// Whether a key was inserted; now and then true for others.
    #[inline]
    pub(super) fn may_have(&self, key: u64) -> bool {
        let (line, bits) = self.place(key);
        self.lines[line].iter().zip(bits).all(|(word, bit)| word & bit != 0)
    }

    /// The line of a key, and its bits there.
    #[inline]
    fn place(&self, key: u64) -> (usize, [u64; WORDS]) {
        let hash = mix(key);
        let line = ((hash >> 32) * self.lines.len() as u64) >> 32;
        (line as usize, SALTS.map(|salt| 1 << ((hash as u32).wrapping_mul(salt) >> 26)))
    }
}

fn lines_for(keys: u64) -> u64 {
    keys.div_ceil(KEYS).clamp(1, 1 << 32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_keys_are_found_and_few_others() {
        let key = |at: u64| ((at * 7) << 32) | (at % 1000);
        let mut filter = Filter::new(100_000);
        (0..100_000).map(key).for_each(|key| filter.insert(key));
        assert!((0..100_000).map(key).all(|key| filter.may_have(key)));
        let others = (0..100_000).filter(|at| filter.may_have(key(*at) + 1000)).count();
        assert!(others < 500, "{others} of 100000");
        assert!(!Filter::new(0).may_have(7));
    }
}
