//! The data in a tree.

use serde::{Deserialize, Serialize};

use crate::LsmError;

/// Distinct pairs of a key and a value, all of about the same size, keys uniform over their range.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Data {
    /// Pairs.
    pub pairs: f64,
    /// Bytes of a key.
    pub key_bytes: u32,
    /// Bytes of a value.
    pub value_bytes: u32,
}

impl Data {
    /// `bytes` of pairs.
    pub fn of_bytes(bytes: f64, key_bytes: u32, value_bytes: u32) -> Self {
        Data { pairs: (bytes / f64::from(key_bytes + value_bytes)).round(), key_bytes, value_bytes }
    }

    /// Bytes of a key and its value.
    pub fn pair_bytes(&self) -> f64 {
        f64::from(self.key_bytes) + f64::from(self.value_bytes)
    }

    /// Bytes of all pairs.
    pub fn bytes(&self) -> f64 {
        self.pairs * self.pair_bytes()
    }

    /// That there is a pair, that a key has a byte or more, and that nothing is larger than RocksDB allows.
    ///
    /// # Errors
    /// [`LsmError::OutOfRange`].
    pub fn check(&self) -> Result<(), LsmError> {
        let out = |name, value: String, range| Err(LsmError::OutOfRange { name, value, range });
        if !(1.0..=1e15).contains(&self.pairs) {
            return out("the number of pairs", format!("{:.0}", self.pairs), "1 to 1e15");
        }
        if !(1..=1 << 20).contains(&self.key_bytes) {
            return out("the size of a key", format!("{} bytes", self.key_bytes), "1 byte to 1 MiB");
        }
        if self.value_bytes > 1 << 30 {
            return out("the size of a value", format!("{} bytes", self.value_bytes), "at most 1 GiB");
        }
        Ok(())
    }
}
