//! The keys and values in the trees: as many as make the data, numbered from 0.

use leadline_lsm::Data;

/// Bytes of a key: a number, padded, as keys of real indexes are longer than a number.
pub const KEY_BYTES: u32 = 40;

/// Bytes of a value: the number again.
pub const VALUE_BYTES: u32 = 8;

/// The key of pair `number`; keys sort as their numbers do.
pub fn key(number: u32) -> [u8; KEY_BYTES as usize] {
    let mut key = [0; KEY_BYTES as usize];
    key[..4].copy_from_slice(&number.to_be_bytes());
    key
}

/// The value of pair `number`.
pub fn value(number: u32) -> [u8; VALUE_BYTES as usize] {
    u64::from(number).to_le_bytes()
}

/// The data of `bytes` bytes of keys and values.
pub fn pairs_of(bytes: u64) -> Data {
    Data::of_bytes(bytes as f64, KEY_BYTES, VALUE_BYTES)
}

/// Pairs in a range of `bytes` bytes, at least 1.
pub fn range_pairs(bytes: u64) -> u32 {
    (bytes / u64::from(KEY_BYTES + VALUE_BYTES)).clamp(1, u64::from(u32::MAX)) as u32
}
