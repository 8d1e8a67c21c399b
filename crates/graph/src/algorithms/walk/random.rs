//! Chance without state: a number for every place that needs one.

/// A number of 64 bits for a walker's step, try and purpose (0: which neighbour, 1: whether to take it, 2:
/// where to begin).
#[inline]
pub(super) fn random(seed: u64, walker: u64, step: u32, attempt: u32, purpose: u64) -> u64 {
    let place = mix(seed.wrapping_add(mix(walker)));
    mix(mix(place ^ (u64::from(step) << 32 | u64::from(attempt))).wrapping_add(purpose))
}

/// A number from 0 to `limit` - 1, all alike to within 2^-64 of `limit`.
#[inline]
pub(super) fn below(random: u64, limit: u64) -> u64 {
    ((u128::from(random) * u128::from(limit)) >> 64) as u64
}

/// A number from 0 to below 1.
#[inline]
pub(super) fn unit(random: u64) -> f64 {
    (random >> 11) as f64 / (1_u64 << 53) as f64
}

/// SplitMix64 (Steele, Lea, Flood, OOPSLA 2014).
#[inline]
fn mix(value: u64) -> u64 {
    let value = value.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let value = (value ^ (value >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let value = (value ^ (value >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    value ^ (value >> 31)
}
