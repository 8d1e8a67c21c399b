//! Entries that are sorted in memory.

use crate::error::IndexError;

/// Where an entry is.
#[derive(Debug, Clone, Copy)]
struct Place {
    /// The first eight bytes of the key, as a number that sorts as they do: most comparisons need no more.
    head: u64,
    /// Where its key begins; the value follows.
    start: usize,
    key_bytes: u16,
    value_bytes: u32,
}

#[derive(Debug, Default)]
pub(super) struct Block {
    bytes: Vec<u8>,
    places: Vec<Place>,
    most_bytes: usize,
}

impl Block {
    pub(super) fn new(most_bytes: usize) -> Block {
        // Memory that is not written to is not taken: neither grows by being copied.
        let places = Vec::with_capacity(most_bytes / size_of::<Place>());
        Block { bytes: Vec::with_capacity(most_bytes), places, most_bytes }
    }

    /// Whether an entry fits; into an empty block any does.
    pub(super) fn has_room(&self, key: &[u8], value: &[u8]) -> bool {
        let used = self.bytes.len() + (self.places.len() + 1) * size_of::<Place>();
        self.places.is_empty() || used + key.len() + value.len() <= self.most_bytes
    }

    /// Adds an entry whose key and value have lengths that an index takes.
    pub(super) fn add(&mut self, key: &[u8], value: &[u8]) {
        let (start, head) = (self.bytes.len(), head_of(key));
        self.bytes.extend_from_slice(key);
        self.bytes.extend_from_slice(value);
        let (key_bytes, value_bytes) = (key.len() as u16, value.len() as u32);
        self.places.push(Place { head, start, key_bytes, value_bytes });
    }

    /// Calls `visit` with the entries in the order of their keys.
    pub(super) fn sorted(
        mut self,
        mut visit: impl FnMut(&[u8], &[u8]) -> Result<(), IndexError>,
    ) -> Result<(), IndexError> {
        let Block { bytes, places, .. } = &mut self;
        let key = |place: &Place| &bytes[place.start..place.start + usize::from(place.key_bytes)];
        let by_key = |a: &Place, b: &Place| a.head.cmp(&b.head).then_with(|| key(a).cmp(key(b)));
        // Of equal keys the one that was added first comes first.
        places.sort_unstable_by(|a, b| by_key(a, b).then(a.start.cmp(&b.start)));
        for (at, place) in places.iter().enumerate() {
            let is_last_of_key = places.get(at + 1).is_none_or(|next| by_key(place, next).is_ne());
            if is_last_of_key {
                let value = place.start + usize::from(place.key_bytes);
                visit(key(place), &bytes[value..value + place.value_bytes as usize])?;
            }
        }
        Ok(())
    }
}

/// The first eight bytes of a key, with zeros after its end.
pub(super) fn head_of(key: &[u8]) -> u64 {
    match key.first_chunk() {
        Some(bytes) => u64::from_be_bytes(*bytes),
        None => {
            let mut bytes = [0; 8];
            bytes[..key.len()].copy_from_slice(key);
            u64::from_be_bytes(bytes)
        }
    }
}
