//! What loads take.

/// A key and its value: any pair of byte strings.
pub trait Entry {
    /// The key.
    fn key(&self) -> &[u8];

    /// Its value.
    fn value(&self) -> &[u8];
}

impl<K: AsRef<[u8]>, V: AsRef<[u8]>> Entry for (K, V) {
    fn key(&self) -> &[u8] {
        self.0.as_ref()
    }

    fn value(&self) -> &[u8] {
        self.1.as_ref()
    }
}
