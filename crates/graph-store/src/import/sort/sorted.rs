//! Records in order: handed out bucket by bucket, each sorted by the thread that takes it.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use super::bucket::Bucket;
use super::memory::InMemory;
use super::merge::Merge;
use super::radix;
use super::record::{Key, Record, Weight};
use super::sample::{Forecast, sample};
use super::spill::Spill;
use super::turn::Turn;
use crate::GraphError;
use crate::direct::{ReadQueue, WriteQueue};
use crate::import::plan::{ImportPlan, Reservation, WRITE_PIECE};
use crate::import::threads::threads;

/// All records of a sort.
#[derive(Debug)]
pub struct SortedRecords<K, W> {
    plan: ImportPlan,
    unique: Option<Merge>,
    records: u64,
    content: Content<K, W>,
    spill: Spill,
    /// Bytes that were written to files, including earlier sorts.
    pub spilled: u64,
}

#[derive(Debug)]
enum Content<K, W> {
    Memory(InMemory<K, W>, #[allow(dead_code, reason = "held for its drop")] Reservation),
    File(Vec<Bucket<K>>),
}

/// Of the records of a part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Order {
    Ascending,
    Any,
}

/// What a thread sorts in.
#[derive(Debug, Default)]
pub(crate) struct SortBuffers<K, W> {
    pub(crate) records: Vec<Record<K, W>>,
    beside: Vec<Record<K, W>>,
}

impl<K: Key, W: Weight> SortedRecords<K, W> {
    /// Records that are in memory.
    pub(super) fn in_memory(
        memory: InMemory<K, W>,
        unique: Option<Merge>,
        spill: Spill,
        plan: ImportPlan,
    ) -> Self {
        let taken = plan.take(memory.bytes());
        let count = memory.all().count() as u64;
        let content = Content::Memory(memory, taken);
        SortedRecords { plan, unique, records: count, content, spill, spilled: 0 }
    }

    /// Buckets in ascending order, each of which fits [`ImportPlan::sortable`].
    pub(crate) fn in_file(
        buckets: Vec<Bucket<K>>,
        unique: Option<Merge>,
        spill: Spill,
        plan: ImportPlan,
    ) -> Self {
        let records = buckets.iter().map(|bucket| bucket.records).sum();
        let spilled = spill.written();
        SortedRecords { plan, unique, records, content: Content::File(buckets), spill, spilled }
    }

    /// What a sort expects whose keys `change` makes of these.
    pub(crate) fn forecast<J: Key>(&self, change: impl Fn(K) -> J) -> Result<Forecast<J>, GraphError> {
        let most = Forecast::<J>::KEYS;
        let keys: Vec<K> = match &self.content {
            Content::Memory(memory, _) => {
                let step = (self.records as usize / most).max(1);
                memory.all().step_by(step).map(|record| record.key).collect()
            }
            Content::File(buckets) => {
                let keys = sample::<K, W>(buckets, most, &self.spill, &self.plan)?;
                self.spill.free_idle();
                keys
            }
        };
        Ok(Forecast { keys: keys.into_iter().map(change).collect(), records: self.records })
    }

    /// How many records; of unique ones at most, before they were all visited.
    pub(crate) fn records(&self) -> u64 {
        self.records
    }

    pub(crate) fn unique(&self) -> Option<Merge> {
        self.unique
    }

    /// Hands all records to `each`, some at a time, on all threads at once: with the number of the thread and
    /// of the part. Parts of ascending numbers hold ascending records, and are begun in that order.
    pub(crate) fn visit(
        &self,
        each: impl Fn(usize, usize, &mut Vec<Record<K, W>>) -> Result<(), GraphError> + Sync,
    ) -> Result<(), GraphError> {
        let next = AtomicUsize::new(0);
        let claim = |_, _| next.fetch_add(1, Ordering::Relaxed);
        self.visit_with(Order::Ascending, claim, |part| part, each)
    }

    /// As [`SortedRecords::visit`] where the order within a part does not matter, and is not made. Unique
    /// records are in order nevertheless: only then is it seen which there are twice.
    pub(crate) fn visit_in_any_order(
        &self,
        each: impl Fn(usize, usize, &mut Vec<Record<K, W>>) -> Result<(), GraphError> + Sync,
    ) -> Result<(), GraphError> {
        let order = if self.unique.is_some() { Order::Ascending } else { Order::Any };
        let next = AtomicUsize::new(0);
        self.visit_with(order, |_, _| next.fetch_add(1, Ordering::Relaxed), |part| part, each)
    }

    /// Hands all records to `each`, some at a time, on all threads at once, with the number of the thread;
    /// then each part to `sink`, one after the other in order.
    ///
    /// # Errors
    /// Of `each` and `sink`; [`GraphError::Read`], [`GraphError::Device`].
    pub fn in_order(
        &self,
        each: impl Fn(usize, &mut Vec<Record<K, W>>) -> Result<(), GraphError> + Sync,
        mut sink: impl FnMut(&[Record<K, W>]) -> Result<(), GraphError> + Send,
    ) -> Result<(), GraphError> {
        self.in_order_by(each, |_, records| sink(records))
    }

    /// As [`SortedRecords::in_order`]; `sink` is told too which thread handed a part to `each`.
    pub(crate) fn in_order_by(
        &self,
        each: impl Fn(usize, &mut Vec<Record<K, W>>) -> Result<(), GraphError> + Sync,
        sink: impl FnMut(usize, &[Record<K, W>]) -> Result<(), GraphError> + Send,
    ) -> Result<(), GraphError> {
        let turn = Turn::new(sink);
        // Neighbouring parts are never one thread's, which would let the others wait for both of them. Who
        // fails gives up his turn, so that nobody waits for him.
        self.visit_with(
            Order::Ascending,
            |thread, round| thread + round * self.plan.workers,
            |part| turn.of(part),
            |thread, place, records| {
                each(thread, records)?;
                place.take(|sink| sink(thread, records))
            },
        )
    }

    /// `claim` says which part a thread visits in each of its rounds; `begin` is called with a part's number
    /// before anything of it can fail.
    fn visit_with<P>(
        &self,
        order: Order,
        claim: impl Fn(usize, usize) -> usize + Sync,
        begin: impl Fn(usize) -> P + Sync,
        each: impl Fn(usize, P, &mut Vec<Record<K, W>>) -> Result<(), GraphError> + Sync,
    ) -> Result<(), GraphError> {
        let failed = AtomicBool::new(false);
        let done = threads(self.plan.workers, |thread| {
            let mut work = SortBuffers::default();
            let mut taken = self.plan.take(0);
            let mut reads = match &self.content {
                Content::Memory(..) => None,
                Content::File(_) => Some(self.spill.reads(&self.plan)?),
            };
            let mut round = 0;
            let mut next = |reads: &mut Option<ReadQueue>| {
                let part = claim(thread, round);
                round += 1;
                let claimed = (part < self.parts()).then(|| (part, begin(part)));
                if let (Content::File(buckets), Some((part, _)), Some(reads)) =
                    (&self.content, &claimed, reads)
                {
                    buckets[*part].want::<W>(reads)?;
                }
                Ok::<_, GraphError>(claimed)
            };
            let mut work_off = || {
                let mut claimed = next(&mut reads)?;
                while let Some((part, begun)) = claimed
                    && !failed.load(Ordering::Relaxed)
                {
                    self.plan.check_stop()?;
                    // What comes next is read while this is sorted.
                    claimed = next(&mut reads)?;
                    self.load(part, order, reads.as_mut(), &mut work, &mut taken)?;
                    each(thread, begun, &mut work.records)?;
                }
                Ok(())
            };
            work_off().inspect_err(|_| failed.store(true, Ordering::Relaxed))
        });
        done.map(drop)
    }

    fn parts(&self) -> usize {
        match &self.content {
            Content::Memory(memory, _) => memory.parts(),
            Content::File(buckets) => buckets.len(),
        }
    }

    /// As [`SortedRecords::visit`]; what `each` leaves of the records, whose order it must keep, is written
    /// again and needs no more sorting.
    pub(crate) fn settled(
        self,
        spill: Spill,
        each: impl Fn(usize, &mut Vec<Record<K, W>>) -> Result<(), GraphError> + Sync,
    ) -> Result<SortedRecords<K, W>, GraphError> {
        let spilled = self.spilled;
        if let Content::Memory(..) = self.content {
            return self.settled_in_memory(spill, each);
        }
        let block_records = WRITE_PIECE.min(self.plan.buffer()) / Record::<K, W>::BYTES;
        let write_bytes = Bucket::<K>::most_bytes::<W>(block_records);
        let _taken = self.plan.take((self.plan.workers * self.plan.write_depth() * write_bytes) as u64);
        let writes: Result<Vec<Mutex<WriteQueue>>, GraphError> = (0..self.plan.workers)
            .map(|_| spill.writes(self.plan.write_depth(), write_bytes).map(Mutex::new))
            .collect();
        let writes = writes?;
        let settled = Mutex::new(Vec::new());
        self.visit(|thread, part, records| {
            each(thread, records)?;
            let least = records.first().map_or(K::default(), |record| record.key);
            let mut bucket = Bucket { sorted: true, ..Bucket::new((least, None)) };
            let mut writes = writes[thread].lock().unwrap_or_else(PoisonError::into_inner);
            for records in records.chunks(block_records) {
                let mut block = Bucket::pack(least, records, writes.buffer()?);
                block.at = spill.reserve(block.padded_bytes::<W>() as u64);
                spill.write(&mut writes, block.bytes::<W>(), block.at)?;
                bucket.extend(&[block]);
            }
            settled.lock().unwrap_or_else(PoisonError::into_inner).push((part, bucket));
            Ok(())
        })?;
        for writes in writes {
            writes.into_inner().unwrap_or_else(PoisonError::into_inner).finish()?;
        }
        let mut settled = settled.into_inner().unwrap_or_else(PoisonError::into_inner);
        settled.sort_unstable_by_key(|(part, _)| *part);
        let buckets = settled.into_iter().map(|(_, bucket)| bucket).collect();
        let mut sorted = SortedRecords::in_file(buckets, self.unique, spill, self.plan);
        sorted.spilled += spilled;
        Ok(sorted)
    }

    fn settled_in_memory(
        self,
        spill: Spill,
        each: impl Fn(usize, &mut Vec<Record<K, W>>) -> Result<(), GraphError> + Sync,
    ) -> Result<SortedRecords<K, W>, GraphError> {
        let settled = Mutex::new(Vec::new());
        self.visit(|thread, part, records| {
            each(thread, records)?;
            settled.lock().unwrap_or_else(PoisonError::into_inner).push((part, records.clone()));
            Ok(())
        })?;
        let mut settled = settled.into_inner().unwrap_or_else(PoisonError::into_inner);
        settled.sort_unstable_by_key(|(part, _)| *part);
        let SortedRecords { plan, unique, spilled, content, .. } = self;
        drop(content);
        let records: Vec<Record<K, W>> = settled.into_iter().flat_map(|(_, records)| records).collect();
        let memory = InMemory::sorted(records, plan.sortable(Record::<K, W>::BYTES).min(1 << 16));
        Ok(SortedRecords { spilled, ..SortedRecords::in_memory(memory, unique, spill, plan) })
    }

    /// Brings a part into memory. `reads` were asked for it where it is in a file.
    fn load(
        &self,
        part: usize,
        order: Order,
        reads: Option<&mut ReadQueue>,
        work: &mut SortBuffers<K, W>,
        taken: &mut Reservation,
    ) -> Result<(), GraphError> {
        work.records.clear();
        let (buckets, reads) = match (&self.content, reads) {
            (Content::File(buckets), Some(reads)) => (buckets, reads),
            (Content::File(_), None) => return Ok(()),
            (Content::Memory(memory, _), _) => {
                memory.load(part, &mut work.records);
                let sorted = memory.sorted || order == Order::Any;
                let bytes = work.records.capacity() * Record::<K, W>::BYTES;
                taken.set(if sorted { bytes } else { 2 * bytes } as u64);
                if !sorted {
                    settle(work, memory.base(part), self.unique);
                }
                return Ok(());
            }
        };
        let bucket = &buckets[part];
        let sorted = bucket.sorted || order == Order::Any;
        let bytes = bucket.records as usize * Record::<K, W>::BYTES;
        taken.set((if sorted { bytes } else { 2 * bytes } + self.plan.read_bytes()) as u64);
        let squeezed = (!sorted).then(|| bucket.low_bits());
        bucket.load(reads, squeezed, &mut work.records)?;
        if let Some(low_bits) = squeezed {
            sort(work, bucket.least.high(), low_bits, self.unique);
        }
        Ok(())
    }
}

/// Sorts records of whole keys, no high half of which is below `base`.
pub(crate) fn settle<K: Key, W: Weight>(work: &mut SortBuffers<K, W>, base: u64, unique: Option<Merge>) {
    let low_bits = work.records.iter().fold(0, |low, record| low | record.key.low()).bits();
    for record in &mut work.records {
        record.key = record.key.squeeze(base, low_bits);
    }
    sort(work, base, low_bits, unique);
}

/// Sorts records of squeezed keys, and makes the keys whole again. Equal ones are in the order of their
/// weights, or become one where they are to be `unique`.
fn sort<K: Key, W: Weight>(work: &mut SortBuffers<K, W>, base: u64, low_bits: u32, unique: Option<Merge>) {
    let SortBuffers { records, beside, .. } = work;
    radix::sort(records, beside);
    if W::BYTES > 0 {
        for equal in records.chunk_by_mut(|a, b| a.key == b.key) {
            equal.sort_unstable_by(|a, b| a.weight.order(&b.weight));
        }
    }
    if let Some(merge) = unique {
        records.dedup_by(|next, kept| {
            let same = next.key == kept.key;
            if same {
                kept.weight = kept.weight.merged(next.weight, merge);
            }
            same
        });
    }
    for record in records {
        record.key = record.key.stretch(base, low_bits);
    }
}
