//! Where sorted keys are cut into buckets, and which of them a key belongs to.

use super::record::Key;

/// Cells of the table that shortens the search.
const CELLS: usize = 1 << 12;

/// Keys at which buckets begin, except for the first, which begins at the lowest key there is.
#[derive(Debug)]
pub(crate) struct Splitters<K> {
    keys: Vec<K>,
    /// By cell of the keys between the first and the last of the sample: how many splitters are at or before
    /// its beginning.
    table: Vec<u16>,
    least: K,
    shift: u32,
    /// The first key of all, and the first one behind all.
    within: (K, Option<K>),
    /// The keys as a search tree: those below the one in place i in place 2i, the others in 2i + 1. All ways
    /// down are equally long.
    tree: Vec<K>,
}

/// Keys that are looked up side by side, so that no search waits for another.
const TOGETHER: usize = 8;

impl<K: Key> Splitters<K> {
    /// Most buckets.
    pub(crate) const MOST: usize = 1 << 15;

    /// Cuts the keys from `within.0` on, up to `within.1`, so that about as much of the sample is in each
    /// of `buckets`. A key that the sample has more often than that gets a bucket of its own.
    pub(crate) fn new(mut sample: Vec<K>, buckets: usize, within: (K, Option<K>)) -> Splitters<K> {
        sample.sort_unstable();
        let buckets = buckets.min(Self::MOST / 2);
        let mut keys: Vec<K> = Vec::new();
        for i in 1..buckets.min(sample.len()) {
            let key = sample[i * sample.len() / buckets.min(sample.len())];
            match keys.last() {
                Some(last) if *last > key => {}
                Some(last) if *last == key => keys.extend(key.next()),
                _ => keys.push(key),
            }
        }
        let least = sample.first().copied().unwrap_or_default();
        let most = sample.last().copied().unwrap_or_default();
        let shift = most.above(least).bits().saturating_sub(CELLS.ilog2());
        let mut table = vec![0; CELLS + 1];
        for key in &keys {
            // A splitter at the very beginning of a cell may count for the next one only: the search looks
            // behind the count.
            table[key.above(least).top(shift).min(CELLS - 1) + 1] += 1;
        }
        for cell in 1..table.len() {
            table[cell] += table[cell - 1];
        }
        let tree = tree(&keys);
        Splitters { keys, table, least, shift, within, tree }
    }

    /// How many buckets there are.
    pub(crate) fn buckets(&self) -> usize {
        self.keys.len() + 1
    }

    /// The first key of a bucket, and the first one behind it.
    pub(crate) fn bounds(&self, bucket: usize) -> (K, Option<K>) {
        let least = if bucket == 0 { self.within.0 } else { self.keys[bucket - 1] };
        (least, self.keys.get(bucket).copied().or(self.within.1))
    }

    /// The bucket of a key.
    #[inline]
    pub(crate) fn find(&self, key: K) -> usize {
        let cell = key.above(self.least).top(self.shift).min(CELLS - 1);
        let (from, to) = (usize::from(self.table[cell]), usize::from(self.table[cell + 1]));
        from + self.keys[from..to].partition_point(|splitter| *splitter <= key)
    }

    /// Hands the bucket of each of many keys to `each`, in order: sooner than one after the other where the
    /// splitters lie close together in a wide range.
    pub(crate) fn find_all<T>(&self, all: &[T], key: impl Fn(&T) -> K, mut each: impl FnMut(&T, usize)) {
        let levels = self.tree.len().ilog2();
        let (together, rest) = all.as_chunks::<TOGETHER>();
        for together in together {
            let keys: [K; TOGETHER] = std::array::from_fn(|i| key(&together[i]));
            let mut at = [1; TOGETHER];
            for _ in 0..levels {
                for (at, key) in at.iter_mut().zip(&keys) {
                    *at = 2 * *at + usize::from(self.tree[*at] <= *key);
                }
            }
            for (one, at) in together.iter().zip(at) {
                // The largest key there is lies behind what fills the tree up.
                each(one, (at - self.tree.len()).min(self.keys.len()));
            }
        }
        rest.iter().for_each(|one| each(one, self.find(key(one))));
    }
}

/// Ascending keys as a tree, filled up with the largest there is.
fn tree<K: Key>(keys: &[K]) -> Vec<K> {
    let size = (keys.len() + 1).next_power_of_two();
    let mut tree = vec![K::join(u64::MAX, u64::MAX); size];
    for (place, key) in tree.iter_mut().enumerate().skip(1) {
        // In order, the keys of a level lie twice as far apart as those of the level below.
        let level = place.ilog2();
        let step = size >> level;
        let rank = (place - (1 << level)) * step + step / 2 - 1;
        if let Some(found) = keys.get(rank) {
            *key = *found;
        }
    }
    tree
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check<K: Key>(sample: Vec<K>, keys: Vec<K>, buckets: usize) {
        let splitters = Splitters::new(sample.clone(), buckets, (K::default(), None));
        let all: Vec<K> = keys.into_iter().chain(sample).collect();
        for &key in &all {
            let (least, end) = splitters.bounds(splitters.find(key));
            assert!(least <= key && end.is_none_or(|end| key < end), "{key:?} in {least:?} to {end:?}");
        }
        let mut found = Vec::new();
        splitters.find_all(&all, |key| *key, |key, bucket| found.push((*key, bucket)));
        let expected: Vec<(K, usize)> = all.iter().map(|key| (*key, splitters.find(*key))).collect();
        assert_eq!(found, expected);
    }

    proptest! {
        #[test]
        fn a_key_is_found_between_the_bounds_of_its_bucket(
            sample in prop::collection::vec(prop_oneof![any::<u64>(), 0u64..50, Just(u64::MAX)], 0..300),
            keys in prop::collection::vec(prop_oneof![any::<u64>(), 0u64..60], 1..50),
            buckets in 1usize..40,
            cut in 0u32..64,
        ) {
            let wide = |keys: &[u64]| keys.iter().map(|key| u128::join(key >> cut, *key)).collect();
            check::<u128>(wide(&sample), wide(&keys), buckets);
            // Keys far beyond the sample.
            check(sample.iter().map(|key| u128::from(key >> cut)).collect(), wide(&keys), buckets);
            check(sample, keys, buckets);
        }
    }

    #[test]
    fn a_key_that_comes_often_gets_a_bucket_of_its_own() {
        let splitters = Splitters::new([vec![7u64; 100], (0..100).collect()].concat(), 8, (0, None));
        assert_eq!(splitters.bounds(splitters.find(7)), (7, Some(8)));
    }

    #[test]
    fn a_sample_is_cut_evenly() {
        let splitters = Splitters::new((0..10_000u64).map(|i| (i << 32) | (i % 7)).collect(), 100, (0, None));
        let mut counts = vec![0; splitters.buckets()];
        (0..10_000u64).for_each(|i| counts[splitters.find(i << 32)] += 1);
        assert!(counts.iter().all(|count| (90..=110).contains(count)), "{counts:?}");
    }
}
