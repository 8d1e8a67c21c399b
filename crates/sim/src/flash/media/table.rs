//! A map from numbers to numbers with open addressing: a cache line or two per lookup, at most 12 bytes per
//! entry.

/// It grows when this share of it is taken, by a quarter: so at least two thirds of its memory are in use.
const FULL: (usize, usize) = (17, 20);

/// What no key is.
const FREE: u32 = u32::MAX;

/// From `u32` (but `u32::MAX`) to `u32`.
#[derive(Debug, Clone)]
pub(in crate::flash) struct Table {
    /// Key and value.
    slots: Vec<(u32, u32)>,
    len: usize,
}

impl Table {
    /// Empty, with room for `entries` before it grows.
    pub(in crate::flash) fn new(entries: usize) -> Self {
        let slots = (entries * FULL.1 / FULL.0 + 1).max(16);
        Table { slots: vec![(FREE, 0); slots], len: 0 }
    }

    /// Bytes it takes.
    pub(in crate::flash) fn bytes(&self) -> usize {
        self.slots.len() * size_of::<(u32, u32)>()
    }

    #[inline]
    fn home(&self, key: u32) -> usize {
        // Fibonacci hashing: the upper bits of the product are those that depend on all of the key. A product
        // again brings them into range without a division.
        let hash = u64::from(key).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
        ((hash * self.slots.len() as u64) >> 32) as usize
    }

    #[inline]
    fn after(&self, at: usize) -> usize {
        if at + 1 == self.slots.len() { 0 } else { at + 1 }
    }

    /// Slots from `from` on to `to`.
    fn distance(&self, from: usize, to: usize) -> usize {
        if to >= from { to - from } else { to + self.slots.len() - from }
    }

    #[inline]
    fn find(&self, key: u32) -> Result<usize, usize> {
        let mut at = self.home(key);
        loop {
            match self.slots[at].0 {
                k if k == key => return Ok(at),
                FREE => return Err(at),
                _ => at = self.after(at),
            }
        }
    }

    #[inline]
    pub(in crate::flash) fn get(&self, key: u32) -> Option<u32> {
        self.find(key).ok().map(|at| self.slots[at].1)
    }

    /// Sets a value; gives the one before.
    #[inline]
    pub(in crate::flash) fn insert(&mut self, key: u32, value: u32) -> Option<u32> {
        match self.find(key) {
            Ok(at) => Some(std::mem::replace(&mut self.slots[at].1, value)),
            Err(at) => {
                self.slots[at] = (key, value);
                self.len += 1;
                if self.len * FULL.1 > self.slots.len() * FULL.0 {
                    self.grow();
                }
                None
            }
        }
    }

    pub(in crate::flash) fn remove(&mut self, key: u32) -> Option<u32> {
        let mut hole = self.find(key).ok()?;
        let value = self.slots[hole].1;
        // What comes after the hole moves into it where it may, so that no search ends too early.
        let mut at = hole;
        loop {
            at = self.after(at);
            let (key, _) = self.slots[at];
            if key == FREE {
                break;
            }
            let home = self.home(key);
            if self.distance(home, at) >= self.distance(hole, at) {
                self.slots[hole] = self.slots[at];
                hole = at;
            }
        }
        self.slots[hole].0 = FREE;
        self.len -= 1;
        Some(value)
    }

    /// All entries, in no order.
    pub(in crate::flash) fn iter(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        self.slots.iter().copied().filter(|&(key, _)| key != FREE)
    }

    #[cold]
    fn grow(&mut self) {
        let larger = Table { slots: vec![(FREE, 0); self.slots.len() + self.slots.len() / 4 + 1], len: 0 };
        let old = std::mem::replace(self, larger);
        for (key, value) in old.iter() {
            let (Ok(at) | Err(at)) = self.find(key);
            self.slots[at] = (key, value);
        }
        self.len = old.len;
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::Table;

    #[test]
    fn it_holds_what_a_hash_map_holds() {
        let (mut table, mut model) = (Table::new(4), HashMap::new());
        let mut random = fastrand::Rng::with_seed(3);
        for _ in 0..200_000 {
            let key = random.u32(..3000);
            if random.u8(..3) == 0 {
                assert_eq!(table.remove(key), model.remove(&key));
            } else {
                let value = random.u32(..);
                assert_eq!(table.insert(key, value), model.insert(key, value));
            }
            let key = random.u32(..3000);
            assert_eq!(table.get(key), model.get(&key).copied());
            assert_eq!(table.len, model.len());
        }
        assert_eq!(table.iter().collect::<HashMap<_, _>>(), model);
    }
}
