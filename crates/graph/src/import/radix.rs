//! A stable radix sort, the lowest digit first.

use super::record::{Key, Record, Weight};

/// Fewer records are sorted by comparison.
const FEW: usize = 2048;

/// Most bits of a digit: more streams than this share the cache badly.
const DIGIT_BITS: u32 = 10;

/// Sorts `records` by key; equal keys stay in order. `beside` is memory to work in, grown to as many records.
pub(crate) fn sort<K: Key, W: Weight>(records: &mut Vec<Record<K, W>>, beside: &mut Vec<Record<K, W>>) {
    if records.len() < FEW {
        return records.sort_by_key(|record| record.key);
    }
    let bits = records.iter().map(|record| record.key).max().unwrap_or_default().bits();
    let passes = bits.div_ceil(DIGIT_BITS).max(1);
    let width = bits.div_ceil(passes);
    let mask = (1 << width) - 1;
    let mut counts = vec![0u32; (passes as usize) << width];
    for record in records.iter() {
        for pass in 0..passes {
            let digit = record.key.digit(pass * width, mask);
            counts[((pass as usize) << width) + digit] += 1;
        }
    }
    beside.reserve_exact(records.len().saturating_sub(beside.len()));
    beside.resize(records.len(), Record::default());
    for pass in 0..passes {
        let counts = &mut counts[(pass as usize) << width..][..1 << width];
        if counts.iter().any(|count| *count as usize == records.len()) {
            continue;
        }
        let mut start = 0;
        for count in counts.iter_mut() {
            start += std::mem::replace(count, start);
        }
        for record in records.iter() {
            let place = &mut counts[record.key.digit(pass * width, mask)];
            beside[*place as usize] = *record;
            *place += 1;
        }
        std::mem::swap(records, beside);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_sorts_as_the_standard_sort_does_and_keeps_the_order_of_equals() {
        let mut random = fastrand::Rng::with_seed(1);
        for (count, bits) in [(0, 0), (1, 9), (5000, 1), (5000, 12), (30_000, 48), (9000, 64), (9000, 0)] {
            let records: Vec<Record<u64, f64>> = (0..count)
                .map(|i| Record { key: random.u64(..).unbounded_shr(64 - bits), weight: f64::from(i) })
                .collect();
            let (mut sorted, mut expected) = (records.clone(), records);
            sort(&mut sorted, &mut Vec::new());
            expected.sort_by_key(|record| record.key);
            assert_eq!(sorted, expected, "{count} of {bits} bits");
        }
    }

    #[test]
    fn wide_keys_are_sorted_by_both_halves() {
        let mut random = fastrand::Rng::with_seed(2);
        let mut records: Vec<Record<u128, ()>> =
            (0..5000).map(|_| Record { key: random.u128(..), weight: () }).collect();
        sort(&mut records, &mut Vec::new());
        assert!(records.is_sorted_by_key(|record| record.key));
    }
}
