//! Records in order: handed out bucket by bucket, each sorted by the thread that takes it.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use super::bucket::Bucket;
use super::radix;
use super::record::{Key, Record, Weight};
use super::spill::Spill;
use super::turn::Turn;
use crate::GraphError;
use crate::import::plan::{ImportPlan, READ, Reservation};
use crate::import::threads::threads;

/// All records of a sort.
#[derive(Debug)]
pub(crate) struct SortedRecords<K, W> {
    plan: ImportPlan,
    unique: bool,
    records: u64,
    content: Content<K, W>,
    spill: Spill,
    /// Bytes that were written to files, those of earlier sorts included.
    pub(crate) spilled: u64,
}

#[derive(Debug)]
enum Content<K, W> {
    Memory(Vec<Record<K, W>>, #[allow(dead_code, reason = "held for its drop")] Reservation),
    File(Vec<Bucket<K>>),
}

/// What a thread sorts in.
#[derive(Debug, Default)]
pub(crate) struct SortBuffers<K, W> {
    pub(crate) records: Vec<Record<K, W>>,
    beside: Vec<Record<K, W>>,
    buffer: Vec<u8>,
}

impl<K: Key, W: Weight> SortedRecords<K, W> {
    /// Records that are in order.
    pub(crate) fn in_memory(
        records: Vec<Record<K, W>>,
        unique: bool,
        spill: Spill,
        plan: ImportPlan,
    ) -> Self {
        let taken = plan.take((records.capacity() * Record::<K, W>::BYTES) as u64);
        let count = records.len() as u64;
        let content = Content::Memory(records, taken);
        SortedRecords { plan, unique, records: count, content, spill, spilled: 0 }
    }

    /// Buckets in ascending order, each of which fits [`ImportPlan::sortable`].
    pub(crate) fn in_file(buckets: Vec<Bucket<K>>, unique: bool, spill: Spill, plan: ImportPlan) -> Self {
        let records = buckets.iter().map(|bucket| bucket.records).sum();
        let spilled = spill.written();
        SortedRecords { plan, unique, records, content: Content::File(buckets), spill, spilled }
    }

    /// How many records; of unique ones at most, before they were all visited.
    pub(crate) fn records(&self) -> u64 {
        self.records
    }

    pub(crate) fn is_unique(&self) -> bool {
        self.unique
    }

    /// Hands all records to `each`, some at a time, on all threads at once: with the number of the thread and
    /// of the part. Parts of ascending numbers hold ascending records, and are begun in that order.
    pub(crate) fn visit(
        &self,
        each: impl Fn(usize, usize, &mut Vec<Record<K, W>>) -> Result<(), GraphError> + Sync,
    ) -> Result<(), GraphError> {
        self.visit_with(|part| part, each)
    }

    /// As [`SortedRecords::visit`]; then hands each part to `sink`, one after the other in order.
    pub(crate) fn in_order(
        &self,
        each: impl Fn(usize, &mut Vec<Record<K, W>>) -> Result<(), GraphError> + Sync,
        sink: impl FnMut(&[Record<K, W>]) -> Result<(), GraphError> + Send,
    ) -> Result<(), GraphError> {
        let turn = Turn::new(sink);
        // Who fails gives up his turn, so that nobody waits for him.
        self.visit_with(
            |part| turn.of(part),
            |thread, place, records| {
                each(thread, records)?;
                place.take(|sink| sink(records))
            },
        )
    }

    /// `begin` is called with a part's number before anything of it can fail.
    fn visit_with<P>(
        &self,
        begin: impl Fn(usize) -> P + Sync,
        each: impl Fn(usize, P, &mut Vec<Record<K, W>>) -> Result<(), GraphError> + Sync,
    ) -> Result<(), GraphError> {
        let next = AtomicUsize::new(0);
        let failed = AtomicBool::new(false);
        let done = threads(self.plan.workers, |thread| {
            let mut work = SortBuffers::default();
            let mut taken = self.plan.take(0);
            while !failed.load(Ordering::Relaxed) {
                let part = next.fetch_add(1, Ordering::Relaxed);
                if part >= self.parts() {
                    break;
                }
                let begun = begin(part);
                let done = self.plan.check_stop().and_then(|()| self.load(part, &mut work, &mut taken));
                done.and_then(|()| each(thread, begun, &mut work.records))
                    .inspect_err(|_| failed.store(true, Ordering::Relaxed))?;
            }
            Ok(())
        });
        done.map(drop)
    }

    fn parts(&self) -> usize {
        match &self.content {
            Content::Memory(records, _) => records.len().div_ceil(self.part_records()),
            Content::File(buckets) => buckets.len(),
        }
    }

    /// Records of a part of those in memory.
    fn part_records(&self) -> usize {
        self.plan.sortable(Record::<K, W>::BYTES).min(1 << 16)
    }

    /// As [`SortedRecords::visit`]; what `each` leaves of the records, whose order it must keep, is written
    /// anew and needs no more sorting.
    pub(crate) fn settled(
        self,
        spill: Spill,
        each: impl Fn(usize, &mut Vec<Record<K, W>>) -> Result<(), GraphError> + Sync,
    ) -> Result<SortedRecords<K, W>, GraphError> {
        let spilled = self.spilled;
        if let Content::Memory(mut records, taken) = self.content {
            each(0, &mut records)?;
            let (count, content) = (records.len() as u64, Content::Memory(records, taken));
            return Ok(SortedRecords { content, records: count, ..self });
        }
        let settled = Mutex::new(Vec::new());
        self.visit(|thread, part, records| {
            each(thread, records)?;
            let least = records.first().map_or(K::default(), |record| record.key);
            let mut bucket = Bucket { sorted: true, ..Bucket::new((least, None)) };
            let mut code = Vec::new();
            let _taken = self.plan.take(self.plan.buffer() as u64);
            for records in records.chunks((self.plan.buffer() / Record::<K, W>::BYTES).max(1)) {
                let mut block = Bucket::pack(least, records, &mut code);
                block.at = spill.reserve(code.len() as u64);
                spill.write(&code, block.at)?;
                bucket.extend(&[block]);
            }
            settled.lock().unwrap_or_else(PoisonError::into_inner).push((part, bucket));
            Ok(())
        })?;
        let mut settled = settled.into_inner().unwrap_or_else(PoisonError::into_inner);
        settled.sort_unstable_by_key(|(part, _)| *part);
        let buckets = settled.into_iter().map(|(_, bucket)| bucket).collect();
        let mut sorted = SortedRecords::in_file(buckets, self.unique, spill, self.plan);
        sorted.spilled += spilled;
        Ok(sorted)
    }

    /// Brings a part into memory, in order.
    fn load(
        &self,
        part: usize,
        work: &mut SortBuffers<K, W>,
        taken: &mut Reservation,
    ) -> Result<(), GraphError> {
        work.records.clear();
        let buckets = match &self.content {
            Content::File(buckets) => buckets,
            Content::Memory(records, _) => {
                let start = part * self.part_records();
                let end = (start + self.part_records()).min(records.len());
                work.records.extend_from_slice(&records[start..end]);
                taken.set((work.records.capacity() * Record::<K, W>::BYTES) as u64);
                return Ok(());
            }
        };
        let bucket = &buckets[part];
        if let Some(later) = buckets.get(part + self.plan.workers) {
            later.will_read::<W>(&self.spill);
        }
        let arrays = if bucket.sorted { 1 } else { 2 };
        let bytes = arrays * bucket.records as usize * Record::<K, W>::BYTES;
        taken.set((bytes + bytes.min(READ)) as u64);
        let squeezed = (!bucket.sorted).then(|| bucket.low_bits());
        bucket.load(&self.spill, &mut work.buffer, squeezed, &mut work.records)?;
        if let Some(low_bits) = squeezed {
            sort(work, bucket.least.high(), low_bits, self.unique);
        }
        Ok(())
    }
}

/// Sorts records of whole keys, all within bounds.
pub(crate) fn settle<K: Key, W: Weight>(work: &mut SortBuffers<K, W>, least: K, unique: bool) {
    let base = least.high();
    let low_bits = work.records.iter().fold(0, |low, record| low | record.key.low()).bits();
    for record in &mut work.records {
        record.key = record.key.squeeze(base, low_bits);
    }
    sort(work, base, low_bits, unique);
}

/// Sorts records of squeezed keys, and makes the keys whole again. Equal ones are in the order of their
/// weights, or become one where they are to be `unique`.
fn sort<K: Key, W: Weight>(work: &mut SortBuffers<K, W>, base: u64, low_bits: u32, unique: bool) {
    let SortBuffers { records, beside, .. } = work;
    radix::sort(records, beside);
    if W::BYTES > 0 {
        for equal in records.chunk_by_mut(|a, b| a.key == b.key) {
            equal.sort_unstable_by(|a, b| a.weight.order(&b.weight));
        }
    }
    if unique {
        records.dedup_by(|next, kept| next.key == kept.key);
    }
    for record in records {
        record.key = record.key.stretch(base, low_bits);
    }
}
