//! The size of a new index's nodes.

use leadline_device::format_size;
use leadline_lsm::Data;
use leadline_lsm::btree::{Advice, Mix, RANDOM_FILL, Usage};
use leadline_model::{ModelComparison, Observations};
use leadline_profile::DeviceProfile;

use crate::messages;

/// Sizes that an index takes.
pub(super) const NODE_BYTES: [u32; 2] = [4096, 65_536];

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

/// The node size with the most operations per second on a device, of the sizes that were measured there and
/// take the longest key; none, which is said, where the profile does not tell.
pub(super) fn advised(profile: &DeviceProfile, expected: &Expected) -> Option<u32> {
    let usage = Usage {
        data: Data::of_bytes(expected.bytes, expected.key_bytes, expected.value_bytes),
        fill: RANDOM_FILL,
        memory_bytes: expected.memory_bytes,
        mix: expected.mix,
        range_bytes: RANGE_BYTES,
    };
    let comparison = ModelComparison::new(Observations::from_profile(profile));
    let advice = match Advice::new(&usage, 1, profile.device.logical_block_bytes, &comparison, None) {
        Ok(advice) => advice,
        Err(error) => {
            messages::note(&format!("{error}; nodes have {}", format_size(NODE_BYTES[0].into())));
            return None;
        }
    };
    let fits = |bytes: u32| {
        (NODE_BYTES[0]..=NODE_BYTES[1]).contains(&bytes) && bytes as usize / 8 - 3 >= expected.longest_key
    };
    let sizes = advice.sizes.iter().filter(|size| size.measured && fits(size.node_bytes()));
    let rated = sizes.map(|size| {
        (size.node_bytes(), size.mix_per_second.map_or(f64::INFINITY, |estimate| estimate.value))
    });
    // Of equals the smaller.
    let best = rated.reduce(|best, next| if next.1 > best.1 { next } else { best });
    if best.is_none() {
        messages::note(&format!(
            "the profile has no requests of 4K to 64K; nodes have {}; measure more with leadline experiment \
             r-by-k TARGET --into PROFILE",
            format_size(NODE_BYTES[0].into())
        ));
    }
    best.map(|(bytes, _)| bytes)
}
