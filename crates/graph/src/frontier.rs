//! A set of vertices: a bitmap under bitmaps of its words, so that it is as quick to walk sparse as dense.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

use leadline_graph_store::format::Vertex;

use crate::word::Word;

/// A bit per vertex.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bits<'a>(&'a [AtomicU64]);

impl Bits<'_> {
    /// Whether a vertex is in.
    #[inline]
    pub(crate) fn contains(self, vertex: Vertex) -> bool {
        let at = vertex as usize;
        self.0[at / 64].load(Ordering::Relaxed) >> (at % 64) & 1 == 1
    }
}

/// Vertices that are active. Any thread may insert; walks are in ascending order.
///
/// All operations are relaxed: a bit says nothing about other memory, and each word's own order decides who
/// was first to insert a vertex. A bit above is set by whoever made the word below it other than zero, a
/// moment later. Until then [`Frontier::next`], which looks at the bits above, may miss what another thread
/// has just inserted; [`Frontier::contains`] and [`Frontier::iter`] look at the lowest level alone and do
/// not. Sweeps search for what was there before they began.
#[derive(Debug)]
pub struct Frontier {
    levels: BitLevels,
    vertices: u64,
}

/// The first has a bit per vertex, each above a bit for every word below that is not zero, or was.
#[derive(Debug)]
pub(crate) struct BitLevels<W = AtomicU64>(Vec<Box<[W]>>);

impl<W: Word<u64>> BitLevels<W> {
    /// Without a bit that is set.
    pub(crate) fn new(vertices: u64) -> BitLevels<W> {
        let mut levels = Vec::new();
        let mut bits = vertices;
        loop {
            let words = bits.div_ceil(64).max(1);
            levels.push((0..words).map(|_| W::new(0)).collect());
            if words == 1 {
                return BitLevels(levels);
            }
            bits = words;
        }
    }

    /// As [`Frontier::insert`].
    #[inline]
    pub(crate) fn insert(&self, vertex: Vertex) -> bool {
        let mut at = vertex as usize;
        for (level, words) in self.0.iter().enumerate() {
            let (word, bit) = (&words[at / 64], 1 << (at % 64));
            let before = word.load(Ordering::Relaxed);
            if before & bit != 0 {
                return level != 0;
            }
            let before = word.fetch_or(bit, Ordering::Relaxed);
            if before & bit != 0 {
                return level != 0;
            }
            if before != 0 {
                return true;
            }
            at /= 64;
        }
        true
    }

    /// As [`Frontier::remove`].
    #[inline]
    pub(crate) fn remove(&self, vertex: Vertex) {
        // The bits above may stay: they say where to look, not what is there.
        let at = vertex as usize;
        self.0[0][at / 64].fetch_and(!(1 << (at % 64)), Ordering::Relaxed);
    }

    /// As [`Frontier::next_within`], on a level.
    fn next_at(&self, level: usize, mut from: usize, end: usize) -> Option<usize> {
        if from >= end {
            return None;
        }
        let words = &self.0[level];
        let mut word = words[from / 64].load(Ordering::Relaxed) >> (from % 64);
        // A bit above may be set though its word is not, or not any more: look on.
        while word == 0 {
            if words.len() == 1 {
                return None;
            }
            from = self.next_at(level + 1, from / 64 + 1, end.div_ceil(64))? * 64;
            word = words[from / 64].load(Ordering::Relaxed);
        }
        let found = from + word.trailing_zeros() as usize;
        (found < end).then_some(found)
    }

    /// The first vertex that is in and in a range.
    #[inline]
    pub(crate) fn next_within(&self, range: Range<usize>) -> Option<Vertex> {
        self.next_at(0, range.start, range.end).map(|at| at as Vertex)
    }
}

impl Frontier {
    /// An empty set out of `vertices`.
    pub fn new(vertices: u64) -> Frontier {
        Frontier { levels: BitLevels::new(vertices), vertices }
    }

    /// Out of how many it is a set.
    pub(crate) fn vertices(&self) -> u64 {
        self.vertices
    }

    /// Bytes in memory of a set out of `vertices`.
    pub fn bytes(vertices: u64) -> u64 {
        let (mut bits, mut bytes) = (vertices, 0);
        loop {
            let words = bits.div_ceil(64).max(1);
            bytes += words * 8;
            if words == 1 {
                return bytes;
            }
            bits = words;
        }
    }

    /// Puts a vertex in; true where it was not in before.
    ///
    /// # Panics
    /// Where there is no such vertex.
    #[inline]
    pub fn insert(&self, vertex: Vertex) -> bool {
        self.levels.insert(vertex)
    }

    /// Takes a vertex out.
    #[inline]
    pub fn remove(&self, vertex: Vertex) {
        self.levels.remove(vertex);
    }

    /// Its bits.
    #[inline]
    pub(crate) fn levels(&self) -> &BitLevels {
        &self.levels
    }

    /// Whether a vertex is in.
    #[inline]
    pub fn contains(&self, vertex: Vertex) -> bool {
        self.bits().contains(vertex)
    }

    /// The bits of all vertices, for a loop that asks for many: their place in memory is looked up once.
    #[inline]
    pub(crate) fn bits(&self) -> Bits<'_> {
        Bits(&self.levels.0[0])
    }

    /// The first vertex that is in, from `from` on.
    #[inline]
    pub fn next(&self, from: Vertex) -> Option<Vertex> {
        self.next_within(u64::from(from)..self.vertices)
    }

    /// The first vertex that is in and in a range. Looks at no more than the range's words, in which vertices
    /// may have been before.
    #[inline]
    pub(crate) fn next_within(&self, range: Range<u64>) -> Option<Vertex> {
        self.levels.next_within(range.start as usize..range.end.min(self.vertices) as usize)
    }

    /// All that are in and in a range, ascending. May see what is inserted meanwhile.
    #[inline]
    pub fn iter(&self, range: Range<Vertex>) -> impl Iterator<Item = Vertex> + '_ {
        let end = u64::from(range.end).min(self.vertices) as usize;
        let mut at = range.start as usize;
        let mut word = if at < end {
            self.levels.0[0][at / 64].load(Ordering::Relaxed) >> (at % 64) << (at % 64)
        } else {
            0
        };
        std::iter::from_fn(move || {
            while word == 0 {
                at = (at / 64 + 1) * 64;
                if at >= end {
                    return None;
                }
                word = self.levels.0[0][at / 64].load(Ordering::Relaxed);
            }
            let found = at / 64 * 64 + word.trailing_zeros() as usize;
            word &= word - 1;
            (found < end).then_some(found as Vertex)
        })
    }

    /// Calls `work` with all that are in, ascending, each of which it may take out; costs as many steps as
    /// there are.
    pub(crate) fn for_each(&self, mut work: impl FnMut(Vertex)) {
        let mut next = self.next(0);
        while let Some(vertex) = next {
            work(vertex);
            next = vertex.checked_add(1).and_then(|from| self.next(from));
        }
    }

    /// Takes all out; costs as many words as were set.
    pub fn clear(&mut self) {
        let top = self.levels.0.len() - 1;
        self.clear_word(top, 0);
    }

    /// Puts all vertices in.
    pub fn fill(&mut self) {
        let mut bits = self.vertices;
        for words in &mut self.levels.0 {
            for (i, word) in words.iter_mut().enumerate() {
                let left = bits.saturating_sub(i as u64 * 64);
                *word.get_mut() = if left >= 64 { u64::MAX } else { (1 << left) - 1 };
            }
            bits = bits.div_ceil(64);
        }
    }

    /// Whether none is in.
    pub fn is_empty(&self) -> bool {
        self.next(0).is_none()
    }

    /// How many are in.
    pub fn count(&self) -> u64 {
        self.levels.0[0].iter().map(|word| u64::from(word.load(Ordering::Relaxed).count_ones())).sum()
    }

    fn clear_word(&mut self, level: usize, at: usize) {
        let mut word = std::mem::take(self.levels.0[level][at].get_mut());
        while level > 0 && word != 0 {
            self.clear_word(level - 1, at * 64 + word.trailing_zeros() as usize);
            word &= word - 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn full_and_empty_sets_of_every_small_size() {
        for vertices in 0..200 {
            let mut set = Frontier::new(vertices);
            assert!(set.is_empty() && set.next(0).is_none());
            set.fill();
            assert_eq!(set.count(), vertices);
            assert_eq!(set.iter(0..vertices as Vertex).count() as u64, vertices);
            set.clear();
            assert!(set.is_empty() && set.count() == 0);
        }
    }

    type Shared = BitLevels<loom::sync::atomic::AtomicU64>;

    /// A set out of 70 that two threads change at once, under every interleaving (loom).
    fn two(each: fn(&Shared, usize) -> bool, then: fn(&Shared, [bool; 2])) {
        loom::model(move || {
            let set = loom::sync::Arc::new(BitLevels::new(70));
            let other = loom::sync::Arc::clone(&set);
            let other = loom::thread::spawn(move || each(&other, 1));
            let here = each(&set, 0);
            then(&set, [here, other.join().unwrap()]);
        });
    }

    #[test]
    fn what_threads_insert_beside_each_other_is_found_from_above() {
        two(
            |set, thread| set.insert([65, 66][thread]),
            |set, first| {
                assert_eq!(first, [true; 2]);
                assert_eq!([0, 66].map(|from| set.next_within(from..70)), [Some(65), Some(66)]);
            },
        );
        // One takes out what made the other not look at the bits above.
        two(
            |set, thread| {
                let first = set.insert([65, 66][thread]);
                if thread == 0 {
                    set.remove(65);
                }
                first
            },
            |set, _| assert_eq!(set.next_within(0..70), Some(66)),
        );
    }

    #[test]
    fn one_thread_is_the_first_to_insert_a_vertex() {
        two(|set, _| set.insert(65), |_, first| assert!(first[0] != first[1]));
    }

    proptest! {
        #[test]
        fn it_is_a_set(vertices in 1u32..300_000, seeds in prop::collection::vec(any::<u32>(), 0..60), from in any::<u32>()) {
            let set = Frontier::new(u64::from(vertices));
            let mut model = BTreeSet::new();
            for seed in seeds {
                prop_assert_eq!(set.insert(seed % vertices), model.insert(seed % vertices));
            }
            let (from, end) = (from % vertices, from / 7 % vertices);
            let within = |set: &Frontier| set.next_within(u64::from(from)..u64::from(end));
            prop_assert_eq!(set.next(from), model.range(from..).next().copied());
            let first = |model: &BTreeSet<u32>| model.range(from..).next().copied().filter(|first| *first < end);
            prop_assert_eq!(within(&set), first(&model));
            prop_assert!(set.iter(from..vertices).eq(model.range(from..).copied()));
            prop_assert_eq!(set.count(), model.len() as u64);
            for vertex in model.clone().into_iter().step_by(2) {
                set.remove(vertex);
                model.remove(&vertex);
            }
            prop_assert_eq!(set.next(from), model.range(from..).next().copied());
            prop_assert_eq!(within(&set), first(&model));
            prop_assert_eq!((set.count(), set.is_empty()), (model.len() as u64, model.is_empty()));
            let mut set = set;
            set.clear();
            prop_assert!(set.is_empty() && set.next(0).is_none());
        }
    }
}
