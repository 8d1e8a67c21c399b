//! A thread's buffers in front of the buckets of a file.

use std::sync::Arc;

use super::bucket::{Bucket, RecordBlock};
use super::record::{Key, Record, Weight};
use super::spill::Spill;
use super::split::Splitters;
use crate::GraphError;
use crate::direct::WriteQueue;
use crate::import::plan::{ImportPlan, READ_PIECE, WRITE_PIECE};

/// Bytes of the file that a lane takes for a bucket at a time, so that it is read in large pieces.
const EXTENT: u64 = READ_PIECE as u64;

/// A buffer for each bucket, and what went to the file.
#[derive(Debug)]
pub(crate) struct Slots<K, W> {
    splitters: Arc<Splitters<K>>,
    /// `room` for each bucket.
    records: Vec<Record<K, W>>,
    filled: Vec<u32>,
    room: usize,
    /// Where in the file each bucket goes on, and up to where.
    extents: Vec<(u64, u64)>,
    buckets: Vec<Bucket<K>>,
    writes: WriteQueue,
    /// Bytes of its buffers.
    write_bytes: usize,
}

impl<K: Key, W: Weight> Slots<K, W> {
    /// Buffers of `bytes` together, those of the writes in flight included.
    pub(crate) fn new(
        splitters: &Arc<Splitters<K>>,
        bytes: u64,
        spill: &Spill,
        plan: &ImportPlan,
    ) -> Result<Slots<K, W>, GraphError> {
        let count = splitters.buckets();
        // What is written together is never more than can be sorted together.
        let most = plan.sortable(Record::<K, W>::BYTES).min(WRITE_PIECE / Record::<K, W>::BYTES);
        let room = (bytes as usize / (count + plan.write_depth()) / Record::<K, W>::BYTES).clamp(4, most);
        let write_bytes = Bucket::<K>::most_bytes::<W>(room);
        Ok(Slots {
            splitters: Arc::clone(splitters),
            records: vec![Record::default(); count * room],
            filled: vec![0; count],
            room,
            extents: vec![(0, 0); count],
            buckets: Bucket::all(splitters),
            writes: spill.writes(plan.write_depth(), write_bytes)?,
            write_bytes: write_bytes * plan.write_depth(),
        })
    }

    pub(crate) fn bytes(&self) -> u64 {
        let each = size_of::<Bucket<K>>() + size_of::<(u64, u64)>() + size_of::<u32>();
        let blocks: usize = self.buckets.iter().map(|bucket| bucket.blocks.capacity()).sum();
        (self.records.len() * Record::<K, W>::BYTES
            + self.write_bytes
            + self.buckets.len() * each
            + blocks * size_of::<RecordBlock>()) as u64
    }

    #[inline]
    pub(crate) fn push(&mut self, record: Record<K, W>, spill: &Spill) -> Result<(), GraphError> {
        self.put(self.splitters.find(record.key), record, spill)
    }

    /// As [`Slots::push`] of each: their buckets are looked up together.
    pub(crate) fn push_all(&mut self, records: &[Record<K, W>], spill: &Spill) -> Result<(), GraphError> {
        let (splitters, mut done) = (Arc::clone(&self.splitters), Ok(()));
        let put = |record: &Record<K, W>, bucket| {
            if done.is_ok() {
                done = self.put(bucket, *record, spill);
            }
        };
        splitters.find_all(records, |record| record.key, put);
        done
    }

    #[inline]
    fn put(&mut self, bucket: usize, record: Record<K, W>, spill: &Spill) -> Result<(), GraphError> {
        let filled = self.filled[bucket] as usize;
        self.records[bucket * self.room + filled] = record;
        self.filled[bucket] += 1;
        if filled + 1 == self.room { self.flush(bucket, spill) } else { Ok(()) }
    }

    #[cold]
    fn flush(&mut self, bucket: usize, spill: &Spill) -> Result<(), GraphError> {
        let filled = std::mem::take(&mut self.filled[bucket]) as usize;
        let records = &self.records[bucket * self.room..][..filled];
        let own = &mut self.buckets[bucket];
        let mut block = Bucket::pack(own.least, records, self.writes.buffer()?);
        let (at, end) = &mut self.extents[bucket];
        let bytes = block.padded_bytes::<W>() as u64;
        if *end - *at < bytes {
            // Whole blocks of this size, which most are of: where a gap stays behind each extent, a file
            // system has two pieces to free instead of none, and tells the drive of each.
            let extent = bytes * (EXTENT / bytes).max(1);
            *at = spill.reserve(extent);
            *end = *at + extent;
        }
        block.at = *at;
        *at += bytes;
        own.extend(&[block]);
        spill.write(&mut self.writes, block.bytes::<W>(), block.at)
    }

    /// Writes what is left.
    pub(crate) fn close(mut self, spill: &Spill) -> Result<Vec<Bucket<K>>, GraphError> {
        for bucket in 0..self.buckets.len() {
            if self.filled[bucket] > 0 {
                self.flush(bucket, spill)?;
            }
        }
        self.writes.finish()?;
        Ok(self.buckets)
    }
}

/// Puts the blocks of all lanes together.
pub(crate) fn put_together<K: Key>(buckets: &mut [Bucket<K>], lanes: Vec<Vec<Bucket<K>>>) {
    for lane in lanes {
        for (bucket, more) in buckets.iter_mut().zip(lane) {
            bucket.extend(&more.blocks);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_of_a_bucket_follow_each_other_without_gaps() {
        let folder = tempfile::tempdir().unwrap();
        let spill = Spill::new(folder.path()).unwrap();
        let plan = ImportPlan::new(16 << 20, Arc::default());
        let splitters = Arc::new(Splitters::<u64>::new(Vec::new(), 1, (0, None)));
        let mut random = fastrand::Rng::with_seed(3);
        let mut slots = Slots::<u64, ()>::new(&splitters, 600 << 10, &spill, &plan).unwrap();
        for _ in 0..1_000_000 {
            slots.push(Record::new(random.u64(..1 << 20), random.u64(..1 << 20), ()), &spill).unwrap();
        }
        let blocks: Vec<u64> = slots.close(&spill).unwrap()[0]
            .blocks
            .iter()
            .map(|block| block.padded_bytes::<()>() as u64)
            .collect();
        assert!(
            !EXTENT.is_multiple_of(blocks[0]),
            "blocks of {} bytes fill extents by themselves",
            blocks[0]
        );
        let taken = spill.reserve(0);
        assert!(taken > 10 * EXTENT && taken - spill.written() <= EXTENT, "{} of {taken}", spill.written());
    }
}
