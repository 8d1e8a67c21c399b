//! Chance without state: a number for every place that needs one.

/// All chance of one walker.
#[derive(Debug, Clone, Copy)]
pub(super) struct Chance(u64);

/// The chance of one try to make a step.
#[derive(Debug, Clone, Copy)]
pub(super) struct Attempt(u64);

/// What a number is drawn for.
#[derive(Debug, Clone, Copy)]
pub(super) enum Purpose {
    /// Which neighbour.
    Neighbour = 0,
    /// Whether to take it.
    Level = 1,
    /// Where to begin.
    Start = 2,
    /// Whether to go back, where that weighs more than all others.
    Back = 3,
}

impl Chance {
    #[inline]
    pub(super) fn of(seed: u64, walker: u64) -> Chance {
        Chance(mix(seed.wrapping_add(mix(walker))))
    }

    /// Of a step's tries, this one.
    #[inline]
    pub(super) fn attempt(self, step: u32, attempt: u32) -> Attempt {
        Attempt(mix(self.0 ^ (u64::from(step) << 32 | u64::from(attempt))))
    }
}

impl Attempt {
    /// A number of 64 bits.
    #[inline]
    pub(super) fn number(self, purpose: Purpose) -> u64 {
        mix(self.0.wrapping_add(purpose as u64))
    }
}

/// A number from 0 to `limit` - 1, all alike to within 2^-64 of `limit`.
#[inline]
pub(super) fn below(random: u64, limit: u64) -> u64 {
    ((u128::from(random) * u128::from(limit)) >> 64) as u64
}

/// A number from 0 to below 1.
#[inline]
pub(crate) fn unit(random: u64) -> f64 {
    (random >> 11) as f64 / (1_u64 << 53) as f64
}

/// SplitMix64 (Steele, Lea, Flood, OOPSLA 2014).
#[inline]
pub(crate) fn mix(value: u64) -> u64 {
    let value = value.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let value = (value ^ (value >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let value = (value ^ (value >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    value ^ (value >> 31)
}
