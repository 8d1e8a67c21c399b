//! What is sorted: a key of two halves (source and target, say), and perhaps a weight.

use std::fmt::Debug;

/// A key of two halves, ordered by the high one, then the low one.
pub(crate) trait Key: Copy + Ord + Send + Sync + Default + Debug + 'static {
    /// Most bytes that [`Key::put`] appends.
    const MOST_BYTES: usize;
    /// The last key.
    const MAX: Self;

    fn join(high: u64, low: u64) -> Self;
    fn high(self) -> u64;
    fn low(self) -> u64;
    /// The same order in fewer bits, where all low halves take so many at most.
    fn squeeze(self, low_bits: u32) -> Self;
    /// Undoes [`Key::squeeze`].
    fn stretch(self, low_bits: u32) -> Self;
    /// Some bits of it, for the radix sort.
    fn digit(self, shift: u32, mask: usize) -> usize;
    fn minus(self, other: Self) -> Self;
    fn plus(self, other: Self) -> Self;
    /// How many bytes [`Key::put`] appends.
    fn code_bytes(self) -> usize;
    /// Writes it, in as few bytes as it has.
    fn put(self, out: &mut Vec<u8>);
    /// Reads it and says how many bytes it took. At least 17 bytes must be there.
    fn get(bytes: &[u8]) -> (Self, usize);
}

/// Bytes that must follow where [`Key::get`] reads.
pub(crate) const READ_SLACK: usize = 17;

impl Key for u64 {
    const MOST_BYTES: usize = 9;
    const MAX: u64 = u64::MAX;

    #[inline]
    fn join(high: u64, low: u64) -> u64 {
        high << 32 | low
    }

    #[inline]
    fn high(self) -> u64 {
        self >> 32
    }

    #[inline]
    fn low(self) -> u64 {
        self & u64::from(u32::MAX)
    }

    #[inline]
    fn squeeze(self, low_bits: u32) -> u64 {
        self.high() << low_bits | self.low()
    }

    #[inline]
    fn stretch(self, low_bits: u32) -> u64 {
        (self >> low_bits) << 32 | self & ((1 << low_bits) - 1)
    }

    #[inline]
    fn digit(self, shift: u32, mask: usize) -> usize {
        (self >> shift) as usize & mask
    }

    #[inline]
    fn minus(self, other: u64) -> u64 {
        self.wrapping_sub(other)
    }

    #[inline]
    fn plus(self, other: u64) -> u64 {
        self.wrapping_add(other)
    }

    #[inline]
    fn code_bytes(self) -> usize {
        (68 - self.leading_zeros() as usize).div_ceil(8)
    }

    // The four lowest bits of the first byte say how many bytes there are.
    #[inline]
    fn put(self, out: &mut Vec<u8>) {
        let bytes = self.code_bytes();
        let code = u128::from(self) << 4 | bytes as u128;
        out.extend_from_slice(&code.to_le_bytes()[..bytes]);
    }

    #[inline]
    fn get(bytes: &[u8]) -> (u64, usize) {
        let Some(raw) = bytes.first_chunk() else { return (0, 1) };
        let raw = u64::from_le_bytes(*raw);
        let count = (raw & 15) as usize;
        if count > 8 {
            return (raw >> 4 | u64::from(bytes[8]) << 60, count);
        }
        (raw << (64 - 8 * count.max(1)) >> (64 - 8 * count.max(1)) >> 4, count)
    }
}

impl Key for u128 {
    const MOST_BYTES: usize = 17;
    const MAX: u128 = u128::MAX;

    #[inline]
    fn join(high: u64, low: u64) -> u128 {
        u128::from(high) << 64 | u128::from(low)
    }

    #[inline]
    fn high(self) -> u64 {
        (self >> 64) as u64
    }

    #[inline]
    fn low(self) -> u64 {
        self as u64
    }

    #[inline]
    fn squeeze(self, low_bits: u32) -> u128 {
        u128::from(self.high()) << low_bits | u128::from(self.low())
    }

    #[inline]
    fn stretch(self, low_bits: u32) -> u128 {
        (self >> low_bits) << 64 | self & ((1 << low_bits) - 1)
    }

    #[inline]
    fn digit(self, shift: u32, mask: usize) -> usize {
        (self >> shift) as usize & mask
    }

    #[inline]
    fn minus(self, other: u128) -> u128 {
        self.wrapping_sub(other)
    }

    #[inline]
    fn plus(self, other: u128) -> u128 {
        self.wrapping_add(other)
    }

    #[inline]
    fn code_bytes(self) -> usize {
        1 + (128 - self.leading_zeros() as usize).div_ceil(8)
    }

    // The first byte says how many follow.
    #[inline]
    fn put(self, out: &mut Vec<u8>) {
        let bytes = self.code_bytes();
        out.push(bytes as u8 - 1);
        out.extend_from_slice(&self.to_le_bytes()[..bytes - 1]);
    }

    #[inline]
    fn get(bytes: &[u8]) -> (u128, usize) {
        let count = bytes[0] as usize;
        let Some(raw) = bytes[1..].first_chunk() else { return (0, 1) };
        let value = match count {
            0 => 0,
            _ => u128::from_le_bytes(*raw) & u128::MAX >> (128 - 8 * count.min(16)),
        };
        (value, 1 + count)
    }
}

/// What travels with a key.
pub(crate) trait Weight: Copy + Send + Sync + Default + Debug + 'static {
    /// Bytes in a run.
    const BYTES: usize;

    fn of(value: f64) -> Self;
    fn value(self) -> f64;
    fn least(self, other: Self) -> Self;
    fn put(self, out: &mut Vec<u8>);
    fn get(bytes: &[u8]) -> Self;
}

impl Weight for () {
    const BYTES: usize = 0;

    #[inline]
    fn of(_: f64) {}

    #[inline]
    fn value(self) -> f64 {
        0.0
    }

    #[inline]
    fn least(self, (): ()) {}

    #[inline]
    fn put(self, _: &mut Vec<u8>) {}

    #[inline]
    fn get(_: &[u8]) {}
}

impl Weight for f64 {
    const BYTES: usize = 8;

    #[inline]
    fn of(value: f64) -> f64 {
        value
    }

    #[inline]
    fn value(self) -> f64 {
        self
    }

    #[inline]
    fn least(self, other: f64) -> f64 {
        if other.total_cmp(&self).is_lt() { other } else { self }
    }

    #[inline]
    fn put(self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.to_le_bytes());
    }

    #[inline]
    fn get(bytes: &[u8]) -> f64 {
        bytes.first_chunk().map_or(0.0, |raw| f64::from_le_bytes(*raw))
    }
}

/// A key and its weight.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Record<K, W> {
    pub(crate) key: K,
    pub(crate) weight: W,
}

impl<K: Key, W: Weight> Record<K, W> {
    /// Bytes in memory.
    pub(crate) const BYTES: usize = size_of::<Record<K, W>>();

    #[inline]
    pub(crate) fn new(high: u64, low: u64, weight: W) -> Self {
        Record { key: K::join(high, low), weight }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn round<K: Key>(keys: &[K]) {
        let mut bytes = Vec::new();
        for key in keys {
            let before = bytes.len();
            key.put(&mut bytes);
            assert_eq!(bytes.len() - before, key.code_bytes());
            assert!(key.code_bytes() <= K::MOST_BYTES);
        }
        let end = bytes.len();
        bytes.resize(end + READ_SLACK, 0xff);
        let mut at = 0;
        for key in keys {
            let (got, used) = K::get(&bytes[at..]);
            assert_eq!(got, *key);
            at += used;
        }
        assert_eq!(at, end);
    }

    #[test]
    fn keys_of_every_length_are_read_back() {
        round(&(0..64).flat_map(|bit| [1u64 << bit, (1 << bit) - 1, u64::MAX >> bit]).collect::<Vec<_>>());
        round(&(0..128).flat_map(|bit| [1u128 << bit, (1 << bit) - 1, u128::MAX >> bit]).collect::<Vec<_>>());
    }

    proptest! {
        #[test]
        fn squeezing_keeps_the_order_and_can_be_undone(
            keys in prop::collection::vec((any::<u64>(), any::<u64>()), 2..20), cut in 0u32..64,
        ) {
            let keys: Vec<u128> = keys.iter().map(|(high, low)| u128::join(*high, low >> cut)).collect();
            let squeezed: Vec<u128> = keys.iter().map(|key| key.squeeze(64 - cut)).collect();
            for i in 1..keys.len() {
                prop_assert_eq!(keys[0].cmp(&keys[i]), squeezed[0].cmp(&squeezed[i]));
                prop_assert_eq!(squeezed[i].stretch(64 - cut), keys[i]);
            }
        }
    }
}
