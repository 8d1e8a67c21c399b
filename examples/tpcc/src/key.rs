//! Keys of indexes: byte strings that sort as what they hold. Numbers are big endian, text is padded with
//! zeros.

use std::fmt;
use std::ops::Deref;

/// Longest key of any index, bytes: warehouse, district, two names of 16, customer.
pub const LONGEST_KEY: usize = 41;

/// A key, built part by part, the most significant first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Key {
    bytes: [u8; LONGEST_KEY],
    len: u8,
}

impl Key {
    /// An empty key.
    pub fn new() -> Key {
        Key { bytes: [0; LONGEST_KEY], len: 0 }
    }

    /// The key with these bytes.
    ///
    /// # Panics
    /// Beyond [`LONGEST_KEY`] bytes, as all that append.
    pub fn from_bytes(bytes: &[u8]) -> Key {
        Key::new().text(bytes)
    }

    /// Appends a byte.
    pub fn u8(self, value: u8) -> Key {
        self.text(&[value])
    }

    /// Appends a number.
    pub fn u32(self, value: u32) -> Key {
        self.text(&value.to_be_bytes())
    }

    /// Appends a long number.
    pub fn u64(self, value: u64) -> Key {
        self.text(&value.to_be_bytes())
    }

    /// Appends bytes as they are.
    pub fn text(mut self, text: &[u8]) -> Key {
        let start = usize::from(self.len);
        self.bytes[start..start + text.len()].copy_from_slice(text);
        self.len += text.len() as u8;
        self
    }
}

impl Default for Key {
    fn default() -> Self {
        Key::new()
    }
}

impl Deref for Key {
    type Target = [u8];
    fn deref(&self) -> &[u8] {
        &self.bytes[..usize::from(self.len)]
    }
}

impl fmt::Display for Key {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.iter().try_for_each(|byte| write!(out, "{byte:02x}"))
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{self}")
    }
}
