//! The keys and values in the trees: as many as make the data, numbered from 0.

use leadline_lsm::Data;
use leadline_tpcc::key::Key;

/// Bytes of a key: a number, padded, as keys of real indexes are longer than a number.
pub const KEY_BYTES: u32 = 40;

/// Bytes of a value: a row's number.
pub const VALUE_BYTES: u32 = 8;

/// The key of pair `number`; keys sort as their numbers do.
pub fn key(number: u32) -> Key {
    Key::new().u32(number).first(KEY_BYTES as usize)
}

/// The data of `bytes` bytes of keys and values.
pub fn pairs_of(bytes: u64) -> Data {
    Data::of_bytes(bytes as f64, KEY_BYTES, VALUE_BYTES)
}

/// Pairs in a range of `bytes` bytes, at least 1.
pub fn range_pairs(bytes: u64) -> u32 {
    (bytes / u64::from(KEY_BYTES + VALUE_BYTES)).clamp(1, u64::from(u32::MAX)) as u32
}
