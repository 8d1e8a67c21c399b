//! A stable radix sort: large arrays are first dealt out by their highest digit into parts that the
//! processor's cache holds, and each part is sorted with the lowest digit first.

use super::record::{Key, Record, Weight};

/// Fewer records are sorted by comparison.
const FEW: usize = 256;

/// Most records of which both arrays are in a processor's own cache.
const CACHED: usize = 1 << 15;

/// Records of a part that a large array is dealt out to, about.
const PART: usize = 1 << 12;

/// Most bits of a digit: more streams than this share the cache badly.
const DIGIT_BITS: u32 = 10;

/// Most ascending runs that are merged: more are dealt out as fast.
const RUNS: usize = 4;

/// Sorts `records` by key; equal keys stay in order. `beside` is memory to work in, grown to as many records.
pub(crate) fn sort<K: Key, W: Weight>(records: &mut Vec<Record<K, W>>, beside: &mut Vec<Record<K, W>>) {
    if records.len() < FEW {
        return records.sort_by_key(|record| record.key);
    }
    let runs = runs(records);
    if runs == Some(Vec::new()) {
        return;
    }
    beside.reserve_exact(records.len().saturating_sub(beside.len()));
    beside.resize(records.len(), Record::default());
    match runs {
        Some(ends) => merge_runs(records, beside, ends),
        None => deal_out(records, beside),
    }
}

/// Where ascending runs end, but for the last; nothing where there are too many. Of an input in order each
/// thread brings one run.
fn runs<K: Key, W: Weight>(records: &[Record<K, W>]) -> Option<Vec<usize>> {
    let mut ends = Vec::new();
    for (i, pair) in records.windows(2).enumerate() {
        if pair[0].key > pair[1].key {
            if ends.len() + 1 == RUNS {
                return None;
            }
            ends.push(i + 1);
        }
    }
    Some(ends)
}

/// Merges neighbouring runs until there is one.
fn merge_runs<K: Key, W: Weight>(
    records: &mut Vec<Record<K, W>>,
    beside: &mut Vec<Record<K, W>>,
    mut ends: Vec<usize>,
) {
    ends.push(records.len());
    while ends.len() > 1 {
        let (mut start, mut merged) = (0, Vec::new());
        for pair in ends.chunks(2) {
            let (middle, end) = (pair[0], pair[pair.len() - 1]);
            merge(&records[start..middle], &records[middle..end], &mut beside[start..end]);
            merged.push(end);
            start = end;
        }
        std::mem::swap(records, beside);
        ends = merged;
    }
}

/// Merges two runs; of equal keys, those of the first stay in front.
fn merge<K: Key, W: Weight>(a: &[Record<K, W>], b: &[Record<K, W>], out: &mut [Record<K, W>]) {
    let (mut i, mut j) = (0, 0);
    for place in out.iter_mut() {
        let from_b = match (a.get(i), b.get(j)) {
            (Some(a), Some(b)) => b.key < a.key,
            (None, _) => true,
            (_, None) => false,
        };
        *place = if from_b { b[j] } else { a[i] };
        j += usize::from(from_b);
        i += usize::from(!from_b);
    }
}

/// Sorts by digits.
fn deal_out<K: Key, W: Weight>(records: &mut [Record<K, W>], beside: &mut [Record<K, W>]) {
    let bits = records.iter().map(|record| record.key).max().unwrap_or_default().bits();
    if records.len() <= CACHED || bits <= DIGIT_BITS {
        if by_lowest(records, beside, bits) {
            records.copy_from_slice(beside);
        }
        return;
    }
    let width = (records.len() / PART).ilog2().clamp(1, DIGIT_BITS).min(bits);
    let (shift, mask) = (bits - width, (1 << width) - 1);
    let mut ends = vec![0u32; 1 << width];
    for record in records.iter() {
        ends[record.key.digit(shift, mask)] += 1;
    }
    starts(&mut ends);
    for record in records.iter() {
        let place = &mut ends[record.key.digit(shift, mask)];
        beside[*place as usize] = *record;
        *place += 1;
    }
    let mut start = 0;
    for end in ends {
        let (part, back) = (&mut beside[start..end as usize], &mut records[start..end as usize]);
        if part.len() < FEW {
            part.sort_by_key(|record| record.key);
            back.copy_from_slice(part);
        } else if !by_lowest(part, back, shift) {
            back.copy_from_slice(part);
        }
        start = end as usize;
    }
}

/// Sorts by the lowest `bits` of the keys, one digit after the other, back and forth between two arrays;
/// whether the result is in the second.
fn by_lowest<K: Key, W: Weight>(
    records: &mut [Record<K, W>],
    beside: &mut [Record<K, W>],
    bits: u32,
) -> bool {
    // Of few records, counting large digits costs more than a pass.
    let most = (records.len().ilog2() - 1).min(DIGIT_BITS);
    let passes = bits.div_ceil(most).max(1);
    let width = bits.div_ceil(passes);
    let mask = (1 << width) - 1;
    let mut counts = vec![0u32; (passes as usize) << width];
    for record in records.iter() {
        for pass in 0..passes {
            let digit = record.key.digit(pass * width, mask);
            counts[((pass as usize) << width) + digit] += 1;
        }
    }
    let (mut from, mut to) = (records, beside);
    let mut is_second = false;
    for pass in 0..passes {
        let counts = &mut counts[(pass as usize) << width..][..1 << width];
        if counts.iter().any(|count| *count as usize == from.len()) {
            continue;
        }
        starts(counts);
        for record in from.iter() {
            let place = &mut counts[record.key.digit(pass * width, mask)];
            to[*place as usize] = *record;
            *place += 1;
        }
        std::mem::swap(&mut from, &mut to);
        is_second = !is_second;
    }
    is_second
}

/// From how many there are of each digit to where the first of them goes.
fn starts(counts: &mut [u32]) {
    let mut start = 0;
    for count in counts {
        start += std::mem::replace(count, start);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_sorts_as_the_standard_sort_does_and_keeps_the_order_of_equals() {
        let mut random = fastrand::Rng::with_seed(1);
        for (count, bits) in [
            (0, 0),
            (1, 9),
            (5000, 1),
            (5000, 12),
            (30_000, 48),
            (100_000, 48),
            (100_000, 9),
            (70_000, 64),
            (9000, 0),
        ] {
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
    fn a_few_ascending_runs_become_one_and_equal_keys_keep_their_order() {
        let mut random = fastrand::Rng::with_seed(4);
        for runs in 1..=6 {
            let mut records: Vec<Record<u64, f64>> = Vec::new();
            for _ in 0..runs {
                let mut keys: Vec<u64> = (0..random.usize(200..3000)).map(|_| random.u64(..900)).collect();
                keys.sort_unstable();
                let first = records.len();
                records.extend((first..).zip(keys).map(|(i, key)| Record { key, weight: i as f64 }));
            }
            let mut expected = records.clone();
            expected.sort_by_key(|record| record.key);
            sort(&mut records, &mut Vec::new());
            assert_eq!(records, expected, "{runs} runs");
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
