//! Two hashes of a page that have nothing to do with each other: one chooses pages, the other places them in
//! a table.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// A table by page. The standard hasher withstands people who choose keys to make it slow, and costs more
/// than all the rest of an access; who gives Leadline such a trace waits longer for it.
pub(crate) type PageMap<T> = HashMap<u64, T, BuildHasherDefault<PageHasher>>;

/// Multiply and fold (as wyhash has it).
#[derive(Debug, Default)]
pub(crate) struct PageHasher(u64);

impl Hasher for PageHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.write_u64(u64::from(byte)));
    }

    fn write_u64(&mut self, page: u64) {
        let product = u128::from(self.0 ^ page ^ 0xa076_1d64_78bd_642f) * 0xe703_7ed1_a0b4_28db;
        self.0 = (product >> 64) as u64 ^ product as u64;
    }
}

/// Where a page stands between 0 and 2^64, as good as at random (the finaliser of splitmix64).
pub(crate) fn place(page: u64) -> u64 {
    let mut x = page.wrapping_add(0x9e37_79b9_7f4a_7c15);
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}
