//! Maps and sets of rows' keys and of vertices, for a commit that takes as long as a drive needs to make it
//! durable: the usual hash of the standard library would be a good part of that.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasherDefault, Hasher};

/// By [`Row::key`](super::rows::Row::key) or by vertex.
pub(super) type KeyMap<K, V> = HashMap<K, V, BuildHasherDefault<KeyHasher>>;
/// Of the same.
pub(super) type KeySet<K> = HashSet<K, BuildHasherDefault<KeyHasher>>;

/// All bits of a number in each bit of its hash, or nearly: the last step of MurmurHash3.
#[inline]
pub(super) fn mix(key: u64) -> u64 {
    let mut hash = (key ^ key >> 33).wrapping_mul(0xff51_afd7_ed55_8ccd);
    hash = (hash ^ hash >> 33).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    hash ^ hash >> 33
}

/// Hashes one number.
#[derive(Debug, Default)]
pub(super) struct KeyHasher(u64);

impl Hasher for KeyHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write_u64(&mut self, key: u64) {
        self.0 = mix(self.0 ^ key);
    }

    fn write_u32(&mut self, vertex: u32) {
        self.write_u64(vertex.into());
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.write_u64((*byte).into()));
    }
}
