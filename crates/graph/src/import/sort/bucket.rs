//! Records of a range of keys, packed into blocks of a file: each as many bytes as the widest of its block
//! takes.

use super::record::{Key, Record, Weight};
use super::spill::Spill;
use super::split::Splitters;
use crate::GraphError;
use crate::import::plan::READ;

/// Records written together.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RecordBlock {
    /// Where in the file.
    pub(crate) at: u64,
    pub(crate) records: u32,
    /// How its keys are squeezed.
    low_bits: u8,
    /// Bytes of a squeezed key.
    width: u8,
}

impl RecordBlock {
    /// Bytes in the file.
    pub(crate) fn bytes<W: Weight>(&self) -> usize {
        self.records as usize * (usize::from(self.width) + W::BYTES)
    }
}

/// A range of keys, and where its records are.
#[derive(Debug, Clone)]
pub(crate) struct Bucket<K> {
    /// No key is below it.
    pub(crate) least: K,
    /// All keys are below it.
    pub(crate) end: Option<K>,
    /// One behind the other, they are in order where the bucket is `sorted`.
    pub(crate) blocks: Vec<RecordBlock>,
    pub(crate) records: u64,
    pub(crate) sorted: bool,
}

impl<K: Key> Bucket<K> {
    pub(crate) fn new((least, end): (K, Option<K>)) -> Bucket<K> {
        Bucket { least, end, blocks: Vec::new(), records: 0, sorted: false }
    }

    /// One for each range of keys, still empty.
    pub(crate) fn all(splitters: &Splitters<K>) -> Vec<Bucket<K>> {
        (0..splitters.buckets()).map(|bucket| Bucket::new(splitters.bounds(bucket))).collect()
    }

    /// Adds blocks to it.
    pub(crate) fn extend(&mut self, blocks: &[RecordBlock]) {
        self.records += blocks.iter().map(|block| u64::from(block.records)).sum::<u64>();
        self.blocks.extend_from_slice(blocks);
    }

    /// Whether all its records are of one key.
    pub(crate) fn is_of_one_key(&self) -> bool {
        self.least.next() == self.end
    }

    /// Packs records of this range into `code`, and says what they are as a block that is written to `at`.
    pub(crate) fn pack<W: Weight>(least: K, records: &[Record<K, W>], code: &mut Vec<u8>) -> RecordBlock {
        let base = least.high();
        let (mut low, mut high) = (0, 0);
        for record in records {
            low |= record.key.low();
            high = record.key.high().max(high);
        }
        let low_bits = low.bits();
        let width = K::join(high, low).squeeze(base, low_bits).bits().div_ceil(8).max(1) as usize;
        let stride = width + W::BYTES;
        // Each key is written whole, and the next over its upper bytes.
        code.resize(records.len() * stride + K::BYTES, 0);
        for (i, record) in records.iter().enumerate() {
            let place = &mut code[i * stride..];
            record.key.squeeze(base, low_bits).store(place);
            record.weight.store(&mut place[width..]);
        }
        code.truncate(records.len() * stride);
        RecordBlock { at: 0, records: records.len() as u32, low_bits: low_bits as u8, width: width as u8 }
    }

    /// Hands all blocks to `each`, with how their keys are squeezed and their bytes, behind which
    /// [`Key::BYTES`] more are to be read. `buffer` is memory to read into.
    fn read<W: Weight>(
        &self,
        spill: &Spill,
        buffer: &mut Vec<u8>,
        mut each: impl FnMut(&RecordBlock, &[u8]),
    ) -> Result<(), GraphError> {
        let mut blocks = self.blocks.as_slice();
        while let Some(first) = blocks.first() {
            // Blocks that follow each other in the file come in one read.
            let (mut count, mut bytes) = (1, first.bytes::<W>());
            while let Some(next) = blocks.get(count)
                && next.at == first.at + bytes as u64
                && bytes + next.bytes::<W>() <= READ
            {
                bytes += next.bytes::<W>();
                count += 1;
            }
            buffer.resize(bytes + K::BYTES, 0);
            spill.read(&mut buffer[..bytes], first.at)?;
            let mut start = 0;
            for block in &blocks[..count] {
                each(block, &buffer[start..]);
                start += block.bytes::<W>();
            }
            blocks = &blocks[count..];
        }
        Ok(())
    }

    /// Tells the kernel that it will be read.
    pub(crate) fn will_read<W: Weight>(&self, spill: &Spill) {
        let mut reach = 0..0;
        for block in &self.blocks {
            let bytes = block.bytes::<W>() as u64;
            if block.at != reach.end {
                spill.will_read(reach);
                reach = block.at..block.at;
            }
            reach.end += bytes;
        }
        spill.will_read(reach);
    }

    /// All its records, in the order of its blocks, at the end of `out`; their keys squeezed by so many bits,
    /// or whole.
    pub(crate) fn load<W: Weight>(
        &self,
        spill: &Spill,
        buffer: &mut Vec<u8>,
        squeezed: Option<u32>,
        out: &mut Vec<Record<K, W>>,
    ) -> Result<(), GraphError> {
        let base = self.least.high();
        out.reserve_exact(self.records as usize);
        self.read::<W>(spill, buffer, |block, bytes| {
            let (own, width) = (u32::from(block.low_bits), usize::from(block.width));
            let stride = width + W::BYTES;
            let records = (0..block.records as usize).map(|i| {
                let place = &bytes[i * stride..];
                Record { key: K::load(place, width), weight: W::load(&place[width..]) }
            });
            match squeezed {
                Some(bits) if bits == own => out.extend(records),
                Some(bits) => out.extend(records.map(|record| Record {
                    key: record.key.stretch(base, own).squeeze(base, bits),
                    ..record
                })),
                None => {
                    out.extend(records.map(|record| Record { key: record.key.stretch(base, own), ..record }));
                }
            }
        })
    }

    /// By how many bits the high halves of squeezed keys stand above the low ones, for all blocks.
    pub(crate) fn low_bits(&self) -> u32 {
        self.blocks.iter().map(|block| u32::from(block.low_bits)).max().unwrap_or(0)
    }
}
