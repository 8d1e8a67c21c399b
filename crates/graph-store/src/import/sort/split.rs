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
}

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
        Splitters { keys, table, least, shift, within }
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
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check<K: Key>(sample: Vec<K>, keys: Vec<K>, buckets: usize) {
        let splitters = Splitters::new(sample.clone(), buckets, (K::default(), None));
        for key in keys.into_iter().chain(sample) {
            let (least, end) = splitters.bounds(splitters.find(key));
            assert!(least <= key && end.is_none_or(|end| key < end), "{key:?} in {least:?} to {end:?}");
        }
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
