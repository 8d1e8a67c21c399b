//! Records in memory, in blocks as they will be in the file.

use super::Lsn;
use super::file::BLOCK;
use super::record::Payload;

/// A buffer that had more is given back to the allocator.
const KEPT: usize = 4 << 20;

/// Records that nobody writes yet.
#[derive(Debug)]
pub(crate) struct Buffer {
    /// Where `bytes` begins: at a block of a file.
    start: Lsn,
    bytes: Vec<u8>,
    /// Memory to be used next.
    spare: Vec<u8>,
}

/// Records that are being written.
#[derive(Debug)]
pub(crate) struct Batch {
    start: Lsn,
    end: Lsn,
    /// Whole blocks, with zeros behind the records.
    blocks: Vec<u8>,
}

impl Buffer {
    /// An empty one. A block of a file begins at `start`.
    pub(crate) fn new(start: Lsn) -> Buffer {
        Buffer { start, bytes: Vec::new(), spare: Vec::new() }
    }

    pub(crate) fn end(&self) -> Lsn {
        Lsn(self.start.0 + self.bytes.len() as u64)
    }

    /// Appends a record and returns the position behind it.
    pub(crate) fn append(&mut self, session: u64, payload: &Payload<'_>, durable: Lsn) -> Lsn {
        payload.write(session, self.end(), durable, &mut self.bytes);
        self.end()
    }

    /// Takes out all records. What begins the block that they end in stays: the next batch writes it again.
    pub(crate) fn take(&mut self) -> Batch {
        let end = self.end();
        let whole = self.bytes.len() - self.bytes.len() % BLOCK as usize;
        let mut next = std::mem::take(&mut self.spare);
        next.clear();
        next.extend_from_slice(&self.bytes[whole..]);
        let mut blocks = std::mem::replace(&mut self.bytes, next);
        blocks.resize(blocks.len().next_multiple_of(BLOCK as usize), 0);
        let batch = Batch { start: self.start, end, blocks };
        self.start = Lsn(self.start.0 + whole as u64);
        batch
    }

    /// Takes back a batch that could not be written, to be written with what follows it.
    pub(crate) fn put_back(&mut self, batch: Batch) {
        let Batch { start, end, blocks: mut bytes } = batch;
        bytes.truncate((end.0 - start.0) as usize);
        bytes.extend_from_slice(&self.bytes[(end.0 - self.start.0) as usize..]);
        (self.start, self.bytes) = (start, bytes);
    }

    /// Takes back the memory of a batch.
    pub(crate) fn give_back(&mut self, batch: Batch) {
        if batch.blocks.capacity() <= KEPT {
            self.spare = batch.blocks;
        }
    }
}

impl Batch {
    pub(crate) fn start(&self) -> Lsn {
        self.start
    }

    /// The position behind the last record.
    pub(crate) fn end(&self) -> Lsn {
        self.end
    }

    pub(crate) fn blocks(&self) -> &[u8] {
        &self.blocks
    }
}
