//! Sorted runs: differences of squeezed keys, in memory or in a file.

use std::marker::PhantomData;

use super::merge::Source;
use super::plan::{Plan, Taken};
use super::record::{Key, READ_SLACK, Record, Weight};
use super::spill::Spill;
use crate::GraphError;

/// Records in order.
#[derive(Debug)]
pub(crate) struct Run {
    /// By how many bits the high halves of its keys stand above the low ones.
    pub(crate) low_bits: u32,
    pub(crate) records: u64,
    pub(crate) place: Place,
}

#[derive(Debug)]
pub(crate) enum Place {
    Memory(Vec<u8>, #[allow(dead_code, reason = "held for its drop")] Taken),
    File { at: u64, bytes: u64 },
}

/// Bytes of the records as [`append`] writes them.
pub(crate) fn code_bytes<K: Key, W: Weight>(records: &[Record<K, W>]) -> u64 {
    let mut before = K::default();
    let mut bytes = records.len() * W::BYTES;
    for record in records {
        bytes += record.key.minus(before).code_bytes();
        before = record.key;
    }
    bytes as u64
}

/// Writes a record that follows one of key `before`.
#[inline]
pub(crate) fn append<K: Key, W: Weight>(record: Record<K, W>, before: &mut K, out: &mut Vec<u8>) {
    record.key.minus(*before).put(out);
    record.weight.put(out);
    *before = record.key;
}

/// Reads a run from its beginning.
#[derive(Debug)]
pub(crate) struct Cursor<'a, K, W> {
    run: &'a Run,
    spill: &'a Spill,
    batch: usize,
    left: u64,
    before: K,
    /// What of the file is in memory, and zeros behind it.
    buffer: Vec<u8>,
    /// End of it without the zeros.
    filled: usize,
    at: usize,
    /// Of the file: what was read.
    read: u64,
    read_bytes: usize,
    weight: PhantomData<W>,
}

impl<'a, K: Key, W: Weight> Cursor<'a, K, W> {
    /// `read_bytes` at a time of a file.
    pub(crate) fn new(run: &'a Run, spill: &'a Spill, read_bytes: usize, plan: &Plan) -> Self {
        Cursor {
            run,
            spill,
            batch: plan.batch(),
            left: run.records,
            before: K::default(),
            buffer: Vec::new(),
            filled: 0,
            at: 0,
            read: 0,
            read_bytes,
            weight: PhantomData,
        }
    }

    /// Bytes in memory of a cursor on a file; on a run in memory it takes those of a batch only.
    pub(crate) fn bytes(read_bytes: usize, plan: &Plan) -> u64 {
        (read_bytes + 2 * READ_SLACK + 8 + plan.batch() * Record::<K, W>::BYTES) as u64
    }

    const MOST_BYTES: usize = K::MOST_BYTES + W::BYTES;

    /// Brings in what follows, so that one record at least is whole, and as many as the buffer holds.
    fn read_on(&mut self) -> Result<(), GraphError> {
        let Place::File { at, bytes } = self.run.place else { return Ok(()) };
        if self.filled - self.at >= Self::MOST_BYTES || self.read == bytes {
            return Ok(());
        }
        self.buffer.copy_within(self.at..self.filled, 0);
        self.filled -= self.at;
        self.at = 0;
        let now = (bytes - self.read).min(self.read_bytes as u64) as usize;
        self.buffer.reserve_exact((self.filled + now + READ_SLACK + 8).saturating_sub(self.buffer.len()));
        self.buffer.resize(self.filled + now + READ_SLACK + 8, 0);
        self.spill.read(&mut self.buffer[self.filled..self.filled + now], at + self.read)?;
        self.read += now as u64;
        self.filled += now;
        self.spill.will_read(at + self.read, (bytes - self.read).min(self.read_bytes as u64));
        Ok(())
    }
}

impl<K: Key, W: Weight> Source<Record<K, W>> for Cursor<'_, K, W> {
    fn fill(&mut self, out: &mut Vec<Record<K, W>>) -> Result<(), GraphError> {
        out.clear();
        self.read_on()?;
        let (bytes, end) = match &self.run.place {
            Place::Memory(bytes, _) => (bytes.as_slice(), bytes.len()),
            Place::File { .. } => (self.buffer.as_slice(), self.filled),
        };
        // Of a buffer in the midst of a run, the last record may not be whole.
        let whole = match self.run.place {
            Place::File { bytes, .. } if self.read < bytes => end - Self::MOST_BYTES,
            _ => end,
        };
        let count = self.left.min(self.batch as u64);
        for _ in 0..count {
            if self.at > whole || bytes.len() < self.at + READ_SLACK {
                break;
            }
            let (difference, used) = K::get(&bytes[self.at..]);
            self.before = self.before.plus(difference);
            let weight = W::get(&bytes[self.at + used..]);
            self.at += used + W::BYTES;
            out.push(Record { key: self.before.stretch(self.run.low_bits), weight });
        }
        self.left -= out.len() as u64;
        Ok(())
    }
}
