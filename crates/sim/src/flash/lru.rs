//! A set of a bounded size that forgets what was used longest ago.

use super::media::{NONE, Table};

/// The set, with a mark on each member.
#[derive(Debug, Clone)]
pub(super) struct Lru {
    places: Table,
    /// Key, mark, the one used before it and the one used after it.
    entries: Vec<Entry>,
    /// Entries that are not used.
    free: Vec<u32>,
    capacity: usize,
    /// Used longest ago, and last.
    ends: (u32, u32),
}

#[derive(Debug, Clone, Copy)]
struct Entry {
    key: u32,
    marked: bool,
    before: u32,
    after: u32,
}

impl Lru {
    pub(super) fn new(capacity: usize) -> Self {
        let places = Table::new(capacity.min(1 << 10));
        Lru { places, entries: Vec::new(), free: Vec::new(), capacity, ends: (NONE, NONE) }
    }

    /// Whether it holds a key, which is then the one used last.
    pub(super) fn touch(&mut self, key: u32) -> bool {
        let Some(place) = self.places.get(key) else { return false };
        self.unlink(place);
        self.append(place);
        true
    }

    /// Whether it holds a key.
    pub(super) fn holds(&self, key: u32) -> bool {
        self.place(key).is_some()
    }

    /// A number below the capacity that is a key's own while the set holds it.
    pub(super) fn place(&self, key: u32) -> Option<u32> {
        self.places.get(key)
    }

    /// The key that was used longest ago, where another one would make the set forget it.
    pub(super) fn next_forgotten(&self) -> Option<u32> {
        let is_full = self.free.is_empty() && self.entries.len() == self.capacity;
        self.entries.get(self.ends.0 as usize).filter(|_| is_full).map(|entry| entry.key)
    }

    /// Forgets a key; gives the place that it had.
    pub(super) fn remove(&mut self, key: u32) -> Option<u32> {
        let place = self.places.remove(key)?;
        self.unlink(place);
        self.free.push(place);
        Some(place)
    }

    /// Marks a key that it holds.
    pub(super) fn mark(&mut self, key: u32) {
        if let Some(place) = self.places.get(key) {
            self.entries[place as usize].marked = true;
        }
    }

    /// Adds a key that it does not hold; gives the one forgotten for it and whether that was marked.
    pub(super) fn add(&mut self, key: u32) -> Option<(u32, bool)> {
        if self.capacity == 0 {
            return None;
        }
        let entry = Entry { key, marked: false, before: NONE, after: NONE };
        let mut forgotten = None;
        let place = if let Some(place) = self.free.pop() {
            self.entries[place as usize] = entry;
            place
        } else if self.entries.len() < self.capacity {
            self.entries.push(entry);
            self.entries.len() as u32 - 1
        } else {
            let place = self.ends.0;
            self.unlink(place);
            let old = std::mem::replace(&mut self.entries[place as usize], entry);
            self.places.remove(old.key);
            forgotten = Some((old.key, old.marked));
            place
        };
        self.places.insert(key, place);
        self.append(place);
        forgotten
    }

    fn append(&mut self, place: u32) {
        let last = std::mem::replace(&mut self.ends.1, place);
        (self.entries[place as usize].before, self.entries[place as usize].after) = (last, NONE);
        match last {
            NONE => self.ends.0 = place,
            last => self.entries[last as usize].after = place,
        }
    }

    fn unlink(&mut self, place: u32) {
        let Entry { before, after, .. } = self.entries[place as usize];
        match before {
            NONE => self.ends.0 = after,
            before => self.entries[before as usize].after = after,
        }
        match after {
            NONE => self.ends.1 = before,
            after => self.entries[after as usize].before = before,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Lru;

    #[test]
    fn what_was_used_longest_ago_is_forgotten_first() {
        let mut set = Lru::new(3);
        assert!((0..3).all(|key| set.add(key).is_none()));
        assert!(set.touch(0));
        set.mark(1);
        assert_eq!(set.add(3), Some((1, true)));
        assert_eq!(set.add(4), Some((2, false)));
        assert!(!set.touch(1) && set.touch(0) && set.touch(3) && set.touch(4));
        assert_eq!(Lru::new(0).add(1), None);
    }

    #[test]
    fn what_is_removed_makes_room() {
        let mut set = Lru::new(2);
        assert_eq!(
            (set.add(7), set.next_forgotten(), set.add(8), set.next_forgotten()),
            (None, None, None, Some(7))
        );
        let place = set.place(7);
        assert_eq!((set.remove(7), set.remove(7), set.next_forgotten()), (place, None, None));
        assert_eq!((set.add(9), set.place(9), set.holds(7)), (None, place, false));
        assert_eq!(set.add(10), Some((8, false)));
    }
}
