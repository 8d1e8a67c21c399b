//! Records that fit in memory, dealt out by ranges of keys on all threads, so that each range can be sorted
//! by itself when it is visited.

use std::sync::atomic::{AtomicUsize, Ordering};

use super::record::{Key, Record, Weight};
use super::split::Splitters;
use crate::GraphError;
use crate::import::plan::ImportPlan;
use crate::import::threads::threads;

/// Records of a range, about: as many as can be sorted in a processor's own cache.
const PART: usize = 1 << 15;

/// Keys of the sample for each range.
const SAMPLE: usize = 32;

/// What each lane brought.
type Chunks<K, W> = Vec<Vec<Record<K, W>>>;

/// In ranges, or as it was brought.
type Ranged<K, W> = Result<InMemory<K, W>, Chunks<K, W>>;

/// Records in ranges of ascending keys.
#[derive(Debug)]
pub(super) struct InMemory<K, W> {
    /// Each has records of all ranges.
    dealt: Vec<Dealt<K, W>>,
    /// The first key of each range, or a smaller one.
    least: Vec<K>,
    /// The records of each range are in order.
    pub(super) sorted: bool,
}

/// Some of the records, range by range.
#[derive(Debug)]
struct Dealt<K, W> {
    records: Vec<Record<K, W>>,
    /// Where each range ends.
    ends: Vec<usize>,
}

impl<K: Key, W: Weight> InMemory<K, W> {
    /// Records that are in order, in ranges of at most that many.
    pub(super) fn sorted(records: Vec<Record<K, W>>, most: usize) -> InMemory<K, W> {
        let ends: Vec<usize> =
            (1..=records.len().div_ceil(most)).map(|part| (part * most).min(records.len())).collect();
        let least = records.iter().step_by(most).map(|record| record.key).collect();
        InMemory { dealt: vec![Dealt { records, ends }], least, sorted: true }
    }

    /// Deals records out on all threads. Gives them back where there are few of them, or more than `most` in
    /// one range.
    pub(super) fn deal(
        chunks: Chunks<K, W>,
        most: usize,
        plan: &ImportPlan,
    ) -> Result<Ranged<K, W>, GraphError> {
        let all: usize = chunks.iter().map(Vec::len).sum();
        let parts = (all / PART).min(Splitters::<K>::MOST / 2);
        if parts < 2 || most < PART {
            return Ok(Err(chunks));
        }
        let step = all / (SAMPLE * parts);
        let sample = chunks.iter().flatten().step_by(step.max(1)).map(|record| record.key).collect();
        let splitters = Splitters::new(sample, parts, (K::default(), None));
        // A thread's records may be all there are.
        let pieces: Vec<&[Record<K, W>]> =
            chunks.iter().flat_map(|chunk| chunk.chunks(all.div_ceil(plan.workers))).collect();
        let next = AtomicUsize::new(0);
        let dealt = threads(plan.workers, |_| {
            let mut dealt = Vec::new();
            while let Some(piece) = pieces.get(next.fetch_add(1, Ordering::Relaxed)) {
                plan.check_stop()?;
                dealt.push(Dealt::new(piece, &splitters));
            }
            Ok(dealt)
        })?;
        let least = (0..splitters.buckets()).map(|part| splitters.bounds(part).0).collect();
        let dealt = dealt.into_iter().flatten().collect();
        let memory = InMemory { dealt, least, sorted: false };
        if (0..memory.parts()).any(|part| memory.len(part) > most) {
            return Ok(Err(chunks));
        }
        Ok(Ok(memory))
    }

    /// How many ranges there are.
    pub(super) fn parts(&self) -> usize {
        self.least.len()
    }

    /// All records, in any order.
    pub(super) fn all(&self) -> impl Iterator<Item = &Record<K, W>> {
        self.dealt.iter().flat_map(|dealt| &dealt.records)
    }

    /// Bytes in memory.
    pub(super) fn bytes(&self) -> u64 {
        let bytes = |dealt: &Dealt<K, W>| {
            dealt.records.capacity() * Record::<K, W>::BYTES + dealt.ends.capacity() * size_of::<usize>()
        };
        self.dealt.iter().map(bytes).sum::<usize>() as u64
    }

    /// Adds the records of a range to `out`.
    pub(super) fn load(&self, part: usize, out: &mut Vec<Record<K, W>>) {
        out.reserve_exact(self.len(part));
        self.dealt.iter().for_each(|dealt| out.extend_from_slice(dealt.of(part)));
    }

    /// The high half of its first key, or a smaller number.
    pub(super) fn base(&self, part: usize) -> u64 {
        self.least[part].high()
    }

    fn len(&self, part: usize) -> usize {
        self.dealt.iter().map(|dealt| dealt.of(part).len()).sum()
    }
}

impl<K: Key, W: Weight> Dealt<K, W> {
    fn new(piece: &[Record<K, W>], splitters: &Splitters<K>) -> Dealt<K, W> {
        let parts = splitters.buckets();
        let mut ends = vec![0; parts];
        let mut of: Vec<u16> = Vec::with_capacity(piece.len());
        splitters.find_all(
            piece,
            |record| record.key,
            |_, part| {
                ends[part] += 1;
                of.push(part as u16);
            },
        );
        let mut start = 0;
        for end in &mut ends {
            start += std::mem::replace(end, start);
        }
        let mut records = vec![Record::default(); piece.len()];
        for (record, part) in piece.iter().zip(of) {
            let place = &mut ends[usize::from(part)];
            records[*place] = *record;
            *place += 1;
        }
        Dealt { records, ends }
    }

    fn of(&self, part: usize) -> &[Record<K, W>] {
        let start = if part == 0 { 0 } else { self.ends[part - 1] };
        &self.records[start..self.ends[part]]
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::import::sort::{Merge, Sorter};

    /// Sorts in memory what lanes bring, and compares with the standard sort.
    fn check(keys: &[u64], lanes: usize, unique: bool) {
        let folder = tempfile::tempdir().unwrap();
        let mut plan = ImportPlan::new(256 << 20, Arc::default());
        plan.workers = 3;
        let sorter =
            Sorter::<u64, f64>::new(folder.path(), plan.sort_alone(), unique.then_some(Merge::Min), &plan)
                .unwrap();
        let mut expected: Vec<Record<u64, f64>> = Vec::new();
        for (i, key) in keys.iter().enumerate() {
            let record = Record { key: *key, weight: (i % 7) as f64 };
            sorter.lane(i / 1000 % lanes).push(record).unwrap();
            expected.push(record);
        }
        expected.sort_by(|a, b| a.key.cmp(&b.key).then(a.weight.total_cmp(&b.weight)));
        if unique {
            expected.dedup_by_key(|record| record.key);
        }
        let sorted = sorter.finish().unwrap();
        assert_eq!(sorted.spilled, 0);
        let mut seen = Vec::new();
        let sink = |records: &[Record<u64, f64>]| {
            seen.extend_from_slice(records);
            Ok(())
        };
        sorted.in_order(|_, _| Ok(()), sink).unwrap();
        assert!(seen == expected, "{} of {} records", seen.len(), expected.len());
    }

    #[test]
    fn ranges_in_memory_come_in_order_whichever_lanes_bring_them() {
        let mut random = fastrand::Rng::with_seed(7);
        let skewed: Vec<u64> = (0..200_000).map(|_| random.u64(..).unbounded_shr(random.u32(..64))).collect();
        let mut ordered = skewed.clone();
        ordered.sort_unstable();
        // More of one key than a thread can sort in memory.
        let one_key: Vec<u64> =
            (0..1_200_000).map(|i| if i % 50 == 0 { random.u64(..) } else { 1 << 40 }).collect();
        for lanes in [1, 3] {
            for unique in [false, true] {
                check(&skewed, lanes, unique);
                check(&ordered, lanes, unique);
            }
        }
        check(&one_key, 3, false);
    }
}
