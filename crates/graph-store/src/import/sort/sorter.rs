//! Sorts any number of records in a fixed amount of memory, by distribution (Knuth, The Art of Computer
//! Programming, volume 3, section 5.2.5, outside memory): what does not fit is dealt out to files by ranges
//! of keys, so small that each can be sorted in memory later. A record is written once and read once, however
//! many there are.
//!
//! The ranges are cut after a sample: of all records where somebody knows them beforehand, else of the first
//! ones. A range that proves too large (the input was in order, say) is dealt out again, by a sample of its
//! own.

use std::path::Path;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use super::bucket::Bucket;
use super::memory::InMemory;
use super::merge::Merge;
use super::record::{Key, Record, Weight};
use super::sample::{Forecast, sample};
use super::slots::{Slots, put_together};
use super::sorted::{SortBuffers, SortedRecords, settle};
use super::spill::Spill;
use super::split::Splitters;
use crate::GraphError;
use crate::direct::ReadQueue;
use crate::import::plan::{ImportPlan, READ_PIECE, Reservation};
use crate::import::threads::threads;

/// Bytes of a lane's buffer for a bucket, where there is memory for it.
const ROOM: u64 = 16 << 10;

/// Most buckets at a time: each has a line of the processor's cache for its end.
const BUCKETS: u64 = 1024;

/// Bytes of a large bucket. Still larger ones are not sorted faster, and threads wait longer for each other.
const LARGE: usize = 8 << 20;

/// Most keys of a sample for each bucket.
const SAMPLE: usize = 32;

/// Takes records in any order, from a thread a lane; see [`Sorter::finish`].
#[derive(Debug)]
pub struct Sorter<K, W> {
    plan: ImportPlan,
    share: u64,
    /// Records of equal keys become one, with the least weight.
    unique: Option<Merge>,
    forecast: Forecast<K>,
    spill: Spill,
    splitters: OnceLock<Arc<Splitters<K>>>,
    /// Records that any lane may still keep in memory, beyond what each is sure of.
    common: AtomicU64,
    lanes: Vec<Mutex<Lane<K, W>>>,
}

/// What one thread brings.
#[derive(Debug)]
struct Lane<K, W> {
    /// All of it, until memory ends.
    chunk: Vec<Record<K, W>>,
    /// From then on.
    slots: Option<Slots<K, W>>,
    taken: Reservation,
}

impl<K: Key, W: Weight> Sorter<K, W> {
    /// `share` are the bytes that it takes in memory, for all lanes together. With `unique`, records of equal
    /// keys become one, with the least weight. What does not fit goes to a file without a name in `folder`.
    ///
    /// # Errors
    /// [`GraphError::Write`] where no file can be made there.
    pub fn new(
        folder: &Path,
        share: u64,
        unique: Option<Merge>,
        plan: &ImportPlan,
    ) -> Result<Self, GraphError> {
        let lanes = (0..plan.workers)
            .map(|_| Mutex::new(Lane { chunk: Vec::new(), slots: None, taken: plan.take(0) }));
        Ok(Sorter {
            plan: plan.clone(),
            share,
            unique,
            forecast: Forecast::default(),
            spill: Spill::new(folder)?,
            splitters: OnceLock::new(),
            common: AtomicU64::new(share / 4 / Record::<K, W>::BYTES as u64),
            lanes: lanes.collect(),
        })
    }

    /// As it is, and knowing what will come.
    pub(crate) fn expecting(self, forecast: Forecast<K>) -> Self {
        Sorter { forecast, ..self }
    }

    /// How many threads can bring records at a time.
    pub fn lanes(&self) -> usize {
        self.lanes.len()
    }

    /// The lane of one of the plan's threads, from 0 on.
    pub fn lane(&self, thread: usize) -> LaneWriter<'_, K, W> {
        let lane = self.lanes[thread].lock().unwrap_or_else(PoisonError::into_inner);
        LaneWriter { sorter: self, sure: self.sure_records(), lane }
    }

    /// Records that each lane can keep before memory ends, enough for a sample. Half of the share is for
    /// buffers, a quarter for this, and a quarter for the lanes that bring most.
    fn sure_records(&self) -> usize {
        (self.share as usize / 4 / self.lanes.len() / Record::<K, W>::BYTES).max(16)
    }

    /// Whether it is known beforehand that not all that comes can be kept.
    fn exceeds_memory(&self) -> bool {
        self.forecast.records > self.share / 2 / Record::<K, W>::BYTES as u64
    }

    /// Takes up to `wanted` records of what is there for all lanes; 0 when memory has ended.
    fn take_common(&self, wanted: usize) -> usize {
        let wanted = wanted as u64;
        let take = |left: u64| Some(left - left.min(wanted));
        let left = self.common.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take);
        left.unwrap_or_else(|left| left).min(wanted) as usize
    }

    /// All that was brought, in order.
    ///
    /// # Errors
    /// [`GraphError::Write`], [`GraphError::Device`].
    pub fn finish(mut self) -> Result<SortedRecords<K, W>, GraphError> {
        let lanes: Vec<Lane<K, W>> = std::mem::take(&mut self.lanes)
            .into_iter()
            .map(|lane| lane.into_inner().unwrap_or_else(PoisonError::into_inner))
            .collect();
        let Some(splitters) = self.splitters.get() else { return self.in_memory(lanes) };
        let lanes: Vec<Mutex<Lane<K, W>>> = lanes.into_iter().map(Mutex::new).collect();
        let closed = threads(self.plan.workers, |thread| {
            let mut lane = lanes[thread].lock().unwrap_or_else(PoisonError::into_inner);
            self.split(&mut lane)?;
            let slots = lane.slots.take();
            slots.map_or_else(|| Ok(Vec::new()), |slots| slots.close(&self.spill))
        })?;
        drop(lanes);
        let mut buckets = Bucket::all(splitters);
        put_together(&mut buckets, closed);
        let buckets = self.divide(buckets)?;
        Ok(SortedRecords::in_file(buckets, self.unique, self.spill, self.plan))
    }

    /// As [`Sorter::finish`], where all of it is in memory.
    fn in_memory(self, lanes: Vec<Lane<K, W>>) -> Result<SortedRecords<K, W>, GraphError> {
        let all: usize = lanes.iter().map(|lane| lane.chunk.len()).sum();
        // A second place for each record, and the number of its range.
        let taken = self.plan.take((all * (Record::<K, W>::BYTES + size_of::<u16>())) as u64);
        let most = self.plan.sortable(Record::<K, W>::BYTES);
        let (chunks, held): (Vec<_>, Vec<_>) = lanes.into_iter().map(|lane| (lane.chunk, lane.taken)).unzip();
        let memory = match InMemory::deal(chunks, most, &self.plan)? {
            Ok(memory) => memory,
            Err(chunks) => {
                let mut work = SortBuffers::default();
                work.records.reserve_exact(all);
                chunks.into_iter().for_each(|mut chunk| work.records.append(&mut chunk));
                settle(&mut work, 0, self.unique);
                InMemory::sorted(work.records, most.min(1 << 16))
            }
        };
        drop((held, taken));
        Ok(SortedRecords::in_memory(memory, self.unique, self.spill, self.plan))
    }

    /// As [`Sorter::finish`], where the records came from another sort, which ends with it.
    pub(crate) fn finish_after<J: Key, V: Weight>(
        self,
        before: SortedRecords<J, V>,
    ) -> Result<SortedRecords<K, W>, GraphError> {
        let spilled = before.spilled;
        drop(before);
        let mut sorted = self.finish()?;
        sorted.spilled += spilled;
        Ok(sorted)
    }

    /// Deals a lane's chunk out to buffers.
    fn split(&self, lane: &mut Lane<K, W>) -> Result<(), GraphError> {
        if lane.slots.is_some() {
            return Ok(());
        }
        let bytes = (self.share / 2 / self.plan.workers as u64).max(64);
        let splitters = self.splitters.get_or_init(|| {
            let most = (bytes / ROOM).clamp(4, BUCKETS) as usize;
            let Forecast { keys, records } = &self.forecast;
            let (sample, buckets) = match keys.as_slice() {
                [] => {
                    let step = (lane.chunk.len() / (SAMPLE * most)).max(1);
                    (lane.chunk.iter().step_by(step).map(|record| record.key).collect(), most)
                }
                keys => (keys.to_vec(), self.buckets(*records).min(most)),
            };
            Arc::new(Splitters::new(sample, buckets, (K::default(), None)))
        });
        let chunk = std::mem::take(&mut lane.chunk);
        let mut slots = Slots::new(splitters, bytes, &self.spill, &self.plan)?;
        lane.taken.set(slots.bytes() + (chunk.capacity() * Record::<K, W>::BYTES) as u64);
        for records in chunk.chunks(1 << 16) {
            self.plan.check_stop()?;
            slots.push_all(records, &self.spill)?;
        }
        drop(chunk);
        lane.taken.set(slots.bytes());
        lane.slots = Some(slots);
        Ok(())
    }

    /// Buckets for that many records, each of which can be sorted in memory: twice as many as it takes, since
    /// what they are cut by is a sample.
    fn buckets(&self, records: u64) -> usize {
        let each = self.plan.sortable(Record::<K, W>::BYTES).min(LARGE / Record::<K, W>::BYTES);
        (2 * records / each as u64 + 1).max(4) as usize
    }

    /// Divides buckets that are too large to be sorted in memory until none is.
    fn divide(&self, buckets: Vec<Bucket<K>>) -> Result<Vec<Bucket<K>>, GraphError> {
        let most = self.plan.sortable(Record::<K, W>::BYTES) as u64;
        let mut divided = Vec::new();
        let mut rest: Vec<Bucket<K>> = buckets.into_iter().rev().collect();
        while let Some(bucket) = rest.pop() {
            if bucket.records <= most {
                divided.push(bucket);
            } else if bucket.is_of_one_key() {
                divided.extend(self.pieces(&bucket, most)?);
            } else {
                rest.extend(self.divide_one(&bucket)?.into_iter().rev());
            }
        }
        self.spill.free_idle();
        Ok(divided)
    }

    /// Deals a bucket out to several, on all threads.
    fn divide_one(&self, bucket: &Bucket<K>) -> Result<Vec<Bucket<K>>, GraphError> {
        let bytes = (self.share / 2 / self.plan.workers as u64).max(64);
        let count = self.buckets(bucket.records).min((bytes / ROOM).clamp(4, BUCKETS) as usize);
        let one = std::slice::from_ref(bucket);
        let sample = sample::<K, W>(one, SAMPLE * count, &self.spill, &self.plan)?;
        let splitters = Arc::new(Splitters::new(sample, count, (bucket.least, bucket.end)));
        let next = AtomicUsize::new(0);
        let closed = threads(self.plan.workers, |_| {
            let mut slots = Slots::<K, W>::new(&splitters, bytes, &self.spill, &self.plan)?;
            let _taken = self.plan.take(slots.bytes() + self.plan.read_bytes() as u64);
            let mut reads = self.spill.reads(&self.plan)?;
            let mut records = Vec::new();
            let claim = |reads: &mut ReadQueue| {
                let part = self.part(bucket, &next);
                part.iter().try_for_each(|part| part.want::<W>(reads))?;
                Ok::<_, GraphError>(part)
            };
            let mut claimed = claim(&mut reads)?;
            while let Some(part) = claimed {
                self.plan.check_stop()?;
                // What comes next is read while this is dealt out.
                claimed = claim(&mut reads)?;
                records.clear();
                part.load(&mut reads, None, &mut records)?;
                slots.push_all(&records, &self.spill)?;
            }
            self.spill.put_back(reads);
            slots.close(&self.spill)
        })?;
        let mut buckets = Bucket::all(&splitters);
        put_together(&mut buckets, closed);
        Ok(buckets)
    }

    /// The next blocks of a bucket that nobody has taken, about as many as are read at once.
    fn part(&self, bucket: &Bucket<K>, next: &AtomicUsize) -> Option<Bucket<K>> {
        let first = bucket.blocks.first()?;
        let most = self.plan.read_depth() * READ_PIECE;
        let count = (self.plan.buffer().min(most) / first.bytes::<W>().max(1)).max(1);
        let start = next.fetch_add(count, Ordering::Relaxed);
        let end = (start + count).min(bucket.blocks.len());
        let mut part = Bucket::new((bucket.least, bucket.end));
        part.extend(bucket.blocks.get(start..end)?);
        (!part.blocks.is_empty()).then_some(part)
    }

    /// What cannot be divided by keys: without repeats it is one record; else pieces, each in the order of
    /// its weights.
    fn pieces(&self, bucket: &Bucket<K>, most: u64) -> Result<Vec<Bucket<K>>, GraphError> {
        let mut pieces = Vec::new();
        let mut one_record: Option<Record<K, W>> = None;
        let mut piece = Bucket::new((bucket.least, bucket.end));
        let mut reads = self.spill.reads(&self.plan)?;
        let mut records = Vec::new();
        for block in &bucket.blocks {
            self.plan.check_stop()?;
            if let Some(merge) = self.unique {
                let mut one = Bucket::new((bucket.least, bucket.end));
                one.extend(&[*block]);
                records.clear();
                one.want::<W>(&mut reads)?;
                one.load(&mut reads, None, &mut records)?;
                let together = |a: Record<K, W>, b: Record<K, W>| Record {
                    weight: a.weight.merged(b.weight, merge),
                    ..a
                };
                one_record = one_record.into_iter().chain(records.iter().copied()).reduce(together);
                continue;
            }
            if piece.records + u64::from(block.records) > most && piece.records > 0 {
                pieces.push(std::mem::replace(&mut piece, Bucket::new((bucket.least, bucket.end))));
            }
            piece.extend(&[*block]);
        }
        if let Some(record) = one_record {
            let mut writes = self.spill.writes(1, Bucket::<K>::most_bytes::<W>(1))?;
            let mut block = Bucket::pack(bucket.least, &[record], writes.buffer()?);
            block.at = self.spill.reserve(block.padded_bytes::<W>() as u64);
            self.spill.write(&mut writes, block.bytes::<W>(), block.at)?;
            writes.finish()?;
            piece.extend(&[block]);
        }
        self.spill.put_back(reads);
        pieces.push(piece);
        Ok(pieces)
    }
}

/// A lane while its thread fills it.
pub struct LaneWriter<'a, K, W> {
    sorter: &'a Sorter<K, W>,
    sure: usize,
    lane: MutexGuard<'a, Lane<K, W>>,
}

impl<K: Key, W: Weight> LaneWriter<'_, K, W> {
    /// Adds a record.
    ///
    /// # Errors
    /// [`GraphError::Write`] where the file has no room, [`GraphError::Interrupted`].
    #[inline]
    pub fn push(&mut self, record: Record<K, W>) -> Result<(), GraphError> {
        match &mut self.lane.slots {
            Some(slots) => slots.push(record, &self.sorter.spill),
            None => self.keep(record),
        }
    }

    /// Adds many records: faster than one after the other.
    ///
    /// # Errors
    /// As [`LaneWriter::push`].
    pub(crate) fn push_all(&mut self, records: &[Record<K, W>]) -> Result<(), GraphError> {
        match &mut self.lane.slots {
            Some(slots) => slots.push_all(records, &self.sorter.spill),
            // Memory may end with any of them.
            None => records.iter().try_for_each(|record| self.push(*record)),
        }
    }

    fn keep(&mut self, record: Record<K, W>) -> Result<(), GraphError> {
        let chunk = &mut self.lane.chunk;
        if chunk.len() == chunk.capacity() {
            let sorter = self.sorter;
            // Small inputs stay small.
            let wanted = chunk.len().max(1024);
            let more = match self.sure.saturating_sub(chunk.len()) {
                _ if sorter.splitters.get().is_some() || sorter.exceeds_memory() => 0,
                0 => sorter.take_common(wanted),
                sure => wanted.min(sure),
            };
            if more == 0 {
                sorter.split(&mut self.lane)?;
                return self.push(record);
            }
            chunk.reserve_exact(more);
            let bytes = (chunk.capacity() * Record::<K, W>::BYTES) as u64;
            self.lane.taken.set(bytes);
        }
        self.lane.chunk.push(record);
        Ok(())
    }
}

#[cfg(test)]
mod tests;
