//! What is sorted: a key of two halves (source and target, say), and perhaps a weight.

use std::cmp::Ordering;
use std::fmt::Debug;

use super::Merge;

/// A key of two halves, ordered by the high one, then the low one.
pub trait Key: Copy + Ord + Send + Sync + Default + Debug + 'static {
    /// Bytes in memory.
    const BYTES: usize;

    /// The key of two halves.
    fn join(high: u64, low: u64) -> Self;
    /// The high half.
    fn high(self) -> u64;
    /// The low half.
    fn low(self) -> u64;
    /// The key behind it, if any.
    fn next(self) -> Option<Self>;
    /// By how much it is above another, which is not above it.
    fn above(self, other: Self) -> Self;
    /// The same order in fewer bits, where no high half is below `base` and all low halves take that many
    /// bits at most.
    fn squeeze(self, base: u64, low_bits: u32) -> Self;
    /// Undoes [`Key::squeeze`].
    fn stretch(self, base: u64, low_bits: u32) -> Self;
    /// How many bits it has up to its highest one.
    fn bits(self) -> u32;
    /// What is left of it without its lowest bits, or the largest number there is.
    fn top(self, shift: u32) -> usize;
    /// Some bits of it.
    fn digit(self, shift: u32, mask: usize) -> usize;
    /// Writes all its bytes, the lowest first; there must be room for them.
    fn store(self, out: &mut [u8]);
    /// Reads its lowest `width` bytes, of which there is one at least; [`Key::BYTES`] must be there.
    fn load(bytes: &[u8], width: usize) -> Self;
}

/// Halves of `$half` bits.
macro_rules! key {
    ($key:ty, $half:literal) => {
        impl Key for $key {
            const BYTES: usize = size_of::<$key>();

            #[inline]
            fn join(high: u64, low: u64) -> $key {
                <$key>::from(high) << $half | <$key>::from(low)
            }

            #[inline]
            fn high(self) -> u64 {
                (self >> $half) as u64
            }

            #[inline]
            fn low(self) -> u64 {
                (self & ((1 << $half) - 1)) as u64
            }

            #[inline]
            fn next(self) -> Option<$key> {
                self.checked_add(1)
            }

            #[inline]
            fn above(self, other: $key) -> $key {
                self.saturating_sub(other)
            }

            #[inline]
            fn squeeze(self, base: u64, low_bits: u32) -> $key {
                <$key>::from(self.high().wrapping_sub(base)) << low_bits | <$key>::from(self.low())
            }

            #[inline]
            fn stretch(self, base: u64, low_bits: u32) -> $key {
                let (high, low) = ((self >> low_bits) as u64, (self & ((1 << low_bits) - 1)) as u64);
                <$key>::join(high.wrapping_add(base), low)
            }

            #[inline]
            fn bits(self) -> u32 {
                <$key>::BITS - self.leading_zeros()
            }

            #[inline]
            fn top(self, shift: u32) -> usize {
                usize::try_from(self.unbounded_shr(shift)).unwrap_or(usize::MAX)
            }

            #[inline]
            fn digit(self, shift: u32, mask: usize) -> usize {
                self.unbounded_shr(shift) as usize & mask
            }

            #[inline]
            fn store(self, out: &mut [u8]) {
                out[..size_of::<$key>()].copy_from_slice(&self.to_le_bytes());
            }

            #[inline]
            fn load(bytes: &[u8], width: usize) -> $key {
                let Some(raw) = bytes.first_chunk() else { panic!("{} bytes are no key", bytes.len()) };
                <$key>::from_le_bytes(*raw) & <$key>::MAX >> (<$key>::BITS - 8 * width as u32)
            }
        }
    };
}

key!(u64, 32);
key!(u128, 64);

/// What travels with a key.
pub trait Weight: Copy + Send + Sync + Default + Debug + 'static {
    /// Bytes in memory and in a file.
    const BYTES: usize;

    /// The weight of a value; `before` counts the edges that precede its edge in the input.
    fn of(value: f64, before: u64) -> Self;
    /// The value of the weight.
    fn value(self) -> f64;
    /// Which of two weights comes first.
    fn order(&self, other: &Self) -> Ordering;
    /// The weight of two edges that are merged.
    fn merged(self, other: Self, merge: Merge) -> Self;
    /// Writes all its bytes, for which there must be room.
    fn store(self, out: &mut [u8]);
    /// Reads them; they must be there.
    fn load(bytes: &[u8]) -> Self;
}

impl Weight for () {
    const BYTES: usize = 0;

    #[inline]
    fn of(_: f64, _: u64) {}

    #[inline]
    fn value(self) -> f64 {
        0.0
    }

    #[inline]
    fn order(&self, (): &()) -> Ordering {
        Ordering::Equal
    }

    #[inline]
    fn merged(self, (): (), _: Merge) {}

    #[inline]
    fn store(self, _: &mut [u8]) {}

    #[inline]
    fn load(_: &[u8]) {}
}

impl Weight for f64 {
    const BYTES: usize = 8;

    #[inline]
    fn of(value: f64, _: u64) -> f64 {
        value
    }

    #[inline]
    fn value(self) -> f64 {
        self
    }

    #[inline]
    fn order(&self, other: &f64) -> Ordering {
        self.total_cmp(other)
    }

    #[inline]
    fn merged(self, other: f64, merge: Merge) -> f64 {
        match merge {
            Merge::Min => std::cmp::min_by(self, other, f64::total_cmp),
            Merge::Max => std::cmp::max_by(self, other, f64::total_cmp),
            Merge::Sum => self + other,
            Merge::First => unreachable!("weights that are merged by their order know it (Stamped)"),
        }
    }

    #[inline]
    fn store(self, out: &mut [u8]) {
        out[..<Self as Weight>::BYTES].copy_from_slice(&self.to_le_bytes());
    }

    #[inline]
    fn load(bytes: &[u8]) -> f64 {
        let Some(raw) = bytes.first_chunk() else { panic!("{} bytes are no weight", bytes.len()) };
        f64::from_le_bytes(*raw)
    }
}

/// The bits of any value.
impl Weight for u64 {
    const BYTES: usize = 8;

    #[inline]
    fn of(value: f64, _: u64) -> u64 {
        value.to_bits()
    }

    #[inline]
    fn value(self) -> f64 {
        f64::from_bits(self)
    }

    #[inline]
    fn order(&self, other: &u64) -> Ordering {
        self.cmp(other)
    }

    #[inline]
    fn merged(self, other: u64, _: Merge) -> u64 {
        self.min(other)
    }

    #[inline]
    fn store(self, out: &mut [u8]) {
        out[..<Self as Weight>::BYTES].copy_from_slice(&self.to_le_bytes());
    }

    #[inline]
    fn load(bytes: &[u8]) -> u64 {
        let Some(raw) = bytes.first_chunk() else { panic!("{} bytes are no weight", bytes.len()) };
        u64::from_le_bytes(*raw)
    }
}

/// A weight, and how many edges stand before its own in the input.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Stamped {
    before: u64,
    weight: f64,
}

impl Weight for Stamped {
    const BYTES: usize = 16;

    #[inline]
    fn of(weight: f64, before: u64) -> Stamped {
        Stamped { before, weight }
    }

    #[inline]
    fn value(self) -> f64 {
        self.weight
    }

    #[inline]
    fn order(&self, other: &Stamped) -> Ordering {
        self.before.cmp(&other.before)
    }

    #[inline]
    fn merged(self, other: Stamped, _: Merge) -> Stamped {
        if other.before < self.before { other } else { self }
    }

    #[inline]
    fn store(self, out: &mut [u8]) {
        out[..8].copy_from_slice(&self.before.to_le_bytes());
        Weight::store(self.weight, &mut out[8..]);
    }

    #[inline]
    fn load(bytes: &[u8]) -> Stamped {
        Stamped { before: <u64 as Weight>::load(bytes), weight: <f64 as Weight>::load(&bytes[8..]) }
    }
}

/// A key and its weight.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Record<K, W> {
    /// By which it is sorted.
    pub key: K,
    /// What travels with it.
    pub weight: W,
}

impl<K: Key, W: Weight> Record<K, W> {
    /// Bytes in memory.
    pub(crate) const BYTES: usize = size_of::<Record<K, W>>();

    /// The record of a key's two halves.
    #[inline]
    pub fn new(high: u64, low: u64, weight: W) -> Self {
        Record { key: K::join(high, low), weight }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn squeezing_keeps_the_order_and_can_be_undone(
            keys in prop::collection::vec((any::<u64>(), any::<u64>()), 2..20), cut in 0u32..64,
        ) {
            let base = keys.iter().map(|key| key.0).min().unwrap_or(0);
            let keys: Vec<u128> = keys.iter().map(|(high, low)| u128::join(*high, low >> cut)).collect();
            let squeezed: Vec<u128> = keys.iter().map(|key| key.squeeze(base, 64 - cut)).collect();
            for i in 1..keys.len() {
                prop_assert_eq!(keys[0].cmp(&keys[i]), squeezed[0].cmp(&squeezed[i]));
                prop_assert_eq!(squeezed[i].stretch(base, 64 - cut), keys[i]);
            }
        }
    }
}
