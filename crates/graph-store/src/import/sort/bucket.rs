//! Records of a range of keys, packed into blocks of a file: each as many bytes as the widest of its block
//! takes.

use super::record::{Key, Record, Weight};
use super::split::Splitters;
use crate::GraphError;
use crate::direct::ReadQueue;
use crate::format::ALIGNMENT;
use crate::import::plan::READ_PIECE;

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

    /// Bytes in the file up to where the next block may begin.
    pub(crate) fn padded_bytes<W: Weight>(&self) -> usize {
        self.bytes::<W>().next_multiple_of(ALIGNMENT as usize)
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

    /// Bytes that [`Bucket::pack`] needs for that many records.
    pub(crate) const fn most_bytes<W: Weight>(records: usize) -> usize {
        records * (K::BYTES + W::BYTES) + K::BYTES
    }

    /// Packs records of this range into the beginning of `code`, and says what they are as a block, which has
    /// no place yet.
    pub(crate) fn pack<W: Weight>(least: K, records: &[Record<K, W>], code: &mut [u8]) -> RecordBlock {
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
        for (i, record) in records.iter().enumerate() {
            let place = &mut code[i * stride..];
            record.key.squeeze(base, low_bits).store(place);
            record.weight.store(&mut place[width..]);
        }
        RecordBlock { at: 0, records: records.len() as u32, low_bits: low_bits as u8, width: width as u8 }
    }

    /// Its blocks in groups that are read together, as they follow each other in the file.
    fn pieces<W: Weight>(&self) -> impl Iterator<Item = (&[RecordBlock], usize)> {
        let mut blocks = self.blocks.as_slice();
        std::iter::from_fn(move || {
            let first = blocks.first()?;
            let (mut count, mut bytes, mut padded) = (1, first.bytes::<W>(), first.padded_bytes::<W>());
            while let Some(next) = blocks.get(count)
                && next.at == first.at + padded as u64
                && padded + next.padded_bytes::<W>() <= READ_PIECE
            {
                bytes = padded + next.bytes::<W>();
                padded += next.padded_bytes::<W>();
                count += 1;
            }
            let piece;
            (piece, blocks) = blocks.split_at(count);
            Some((piece, bytes))
        })
    }

    /// Asks for its bytes, which [`Bucket::load`] takes.
    pub(crate) fn want<W: Weight>(&self, reads: &mut ReadQueue) -> Result<(), GraphError> {
        self.pieces::<W>().try_for_each(|(blocks, bytes)| reads.want(blocks[0].at, bytes))
    }

    /// All its records, in the order of its blocks, at the end of `out`; their keys squeezed by that many
    /// bits, or whole. [`Bucket::want`] asked for them.
    pub(crate) fn load<W: Weight>(
        &self,
        reads: &mut ReadQueue,
        squeezed: Option<u32>,
        out: &mut Vec<Record<K, W>>,
    ) -> Result<(), GraphError> {
        let base = self.least.high();
        out.reserve_exact(self.records as usize);
        let mut add = |block: &RecordBlock, bytes: &[u8]| {
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
        };
        for (blocks, _) in self.pieces::<W>() {
            reads.next(|bytes| {
                blocks.iter().for_each(|block| add(block, &bytes[(block.at - blocks[0].at) as usize..]));
            })?;
        }
        Ok(())
    }

    /// By how many bits the high halves of squeezed keys are above the low ones, for all blocks.
    pub(crate) fn low_bits(&self) -> u32 {
        self.blocks.iter().map(|block| u32::from(block.low_bits)).max().unwrap_or(0)
    }
}
