//! The neighbours of one vertex, for many to be looked up among them: a hash table that stays in the
//! processor's cache.
//!
//! An entry is a vertex, doubled, and a bit that does not matter for finding it. No vertex is 2^31 - 1 or
//! above.

/// Marks of a table: they fit in the processor's first cache, a power of two.
const MARKS: usize = 1 << 14;

/// Entries that are looked up together.
pub(crate) const FILTER_BATCH: usize = 64;

/// No entry.
const EMPTY: u32 = u32::MAX;

/// The neighbours above one vertex, to be found by others. Most that are looked up are not there, which a
/// byte in the processor's first cache says; for the rest there is a table of open addressing, a quarter
/// full.
pub(crate) struct Table {
    /// By the high bits of the hash: 1 where there may be an entry.
    marks: Box<[u8; MARKS]>,
    /// As in the lists; [`EMPTY`].
    pub(crate) entries: Vec<u32>,
    shift: u32,
    /// By place: edges among the neighbours of the vertex there that were found.
    pub(crate) among: Vec<u64>,
}

impl Default for Table {
    fn default() -> Table {
        Table { marks: Box::new([0; MARKS]), entries: Vec::new(), shift: 0, among: Vec::new() }
    }
}

impl Table {
    /// Places an entry.
    const SPARE: usize = 4;

    /// Bytes in memory where no list has more than `longest` entries.
    pub(crate) fn bytes(longest: u64) -> u64 {
        longest.next_power_of_two() * (Table::SPARE * (4 + 8)) as u64 + MARKS as u64
    }

    pub(crate) fn fill(&mut self, list: &[u32]) {
        let places = list.len().next_power_of_two() * Table::SPARE;
        self.shift = 32 - places.ilog2();
        self.entries.clear();
        self.entries.resize(places, EMPTY);
        if self.among.len() < places {
            self.among.resize(places, 0);
        }
        for entry in list {
            self.marks[mark(*entry)] = 1;
            let mut at = (hash(*entry) >> self.shift) as usize;
            while self.entries[at] != EMPTY {
                at = (at + 1) % places;
            }
            self.entries[at] = *entry;
        }
    }

    /// Takes out the marks of what it was filled with.
    pub(crate) fn clear_marks(&mut self, list: &[u32]) {
        for entry in list {
            self.marks[mark(*entry)] = 0;
        }
    }

    /// Copies what may be here to the front of `kept`; how many. No branch depends on what is found: many
    /// would be guessed wrong.
    #[inline]
    pub(crate) fn filter_marked(&self, list: &[u32], kept: &mut [u32; FILTER_BATCH]) -> usize {
        let mut count = 0;
        for entry in list {
            kept[count % FILTER_BATCH] = *entry;
            count += usize::from(self.marks[mark(*entry)]);
        }
        count
    }

    /// The place of a vertex, by an entry of it.
    #[inline]
    pub(crate) fn find(&self, entry: u32) -> Option<usize> {
        let mut at = (hash(entry) >> self.shift) as usize;
        loop {
            match self.entries[at] {
                EMPTY => return None,
                there if there ^ entry <= 1 => return Some(at),
                _ => at = if at + 1 < self.entries.len() { at + 1 } else { 0 },
            }
        }
    }
}

/// Of the vertex of an entry.
#[inline]
fn hash(entry: u32) -> u32 {
    (entry >> 1).wrapping_mul(0x9e37_79b1)
}

/// Where the mark of a vertex is, by an entry of it.
#[inline]
fn mark(entry: u32) -> usize {
    (hash(entry) >> (32 - MARKS.ilog2())) as usize
}
