//! The size of a new index's nodes.

use leadline_device::format_size;
use leadline_lsm::Data;
use leadline_lsm::btree::{Advice, Mix, MixError, RANDOM_FILL, Usage};
use leadline_model::{ModelComparison, Observations};
use leadline_profile::DeviceProfile;

/// Sizes that an index takes.
pub(super) const NODE_BYTES: [u32; 2] = [4096, 65_536];

/// Shares of the operations, where nothing is known of them.
pub(super) const MIX: &str = "point=60,range=10,insert=30";

/// Bytes that a range is taken to read, where nothing is known of it.
const RANGE_BYTES: u64 = 64 << 10;

/// What is known of entries before they are stored.
pub(super) struct Expected {
    pub(super) bytes: f64,
    pub(super) key_bytes: u32,
    pub(super) value_bytes: u32,
    pub(super) longest_key: usize,
    pub(super) memory_bytes: u64,
    pub(super) mix: Mix,
}

/// The node size for a new index of which nothing is known: as for keys of 16 bytes and values of 100, four
/// times as many as fit in memory, which are used as `leadline index load --mix` assumes.
///
/// # Errors
/// The profile does not tell, and why.
pub fn usual_node_bytes(profile: &DeviceProfile, memory_bytes: u64) -> Result<u32, String> {
    let mix = MIX.parse().map_err(|error: MixError| format!("{MIX}: {error}"))?;
    let (bytes, key_bytes, value_bytes) = (4.0 * memory_bytes as f64, 16, 100);
    let longest_key = key_bytes as usize;
    advised(profile, &Expected { bytes, key_bytes, value_bytes, longest_key, memory_bytes, mix })
}

/// The node size with the most operations per second on a device, of the sizes that were measured there and
/// take the longest key.
///
/// # Errors
/// The profile does not tell, and why.
pub(super) fn advised(profile: &DeviceProfile, expected: &Expected) -> Result<u32, String> {
    let usage = Usage {
        data: Data::of_bytes(expected.bytes, expected.key_bytes, expected.value_bytes),
        fill: RANDOM_FILL,
        memory_bytes: expected.memory_bytes,
        mix: expected.mix,
        range_bytes: RANGE_BYTES,
    };
    let comparison = ModelComparison::new(Observations::from_profile(profile));
    let usual = format_size(NODE_BYTES[0].into());
    let advice = Advice::new(&usage, 1, profile.device.logical_block_bytes, &comparison, None)
        .map_err(|error| format!("{error}; nodes have {usual}"))?;
    let fits = |bytes: u32| {
        (NODE_BYTES[0]..=NODE_BYTES[1]).contains(&bytes) && bytes as usize / 8 - 3 >= expected.longest_key
    };
    let sizes = advice.sizes.iter().filter(|size| size.measured && fits(size.node_bytes()));
    let rated = sizes.map(|size| {
        (size.node_bytes(), size.mix_per_second.map_or(f64::INFINITY, |estimate| estimate.value))
    });
    // Of equals the smaller.
    let best = rated.reduce(|best, next| if next.1 > best.1 { next } else { best });
    best.map(|(bytes, _)| bytes).ok_or_else(|| {
        format!(
            "the profile has no requests of 4K to 64K; nodes have {usual}; measure more with leadline \
             experiment r-by-k TARGET --into PROFILE"
        )
    })
}
