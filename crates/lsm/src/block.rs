//! Data blocks: how many pairs RocksDB puts into one, and what reading one transfers.

use crate::{Data, Layout};

/// Bytes that a data block has besides its pairs and their keys: restart points, their count, and the trailer
/// (compression type and checksum).
const OVERHEAD_BYTES: f64 = 17.0;

/// Bytes that each pair has besides key and value: sequence number and type (8), and three lengths of which
/// the value's takes two bytes from 128 on.
const PAIR_OVERHEAD_BYTES: f64 = 12.0;

/// A block is closed before a pair that does not fit once it is fuller than this (`block_size_deviation`).
const FULL_ENOUGH: f64 = 0.9;

/// The blocks of a tree.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Blocks {
    /// Pairs in each.
    pub(crate) pairs: f64,
    /// Bytes of each in its file.
    pub(crate) bytes: f64,
    /// What the device transfers in whole, bytes.
    unit: f64,
}

impl Blocks {
    /// The blocks of `data` under `layout`, on a device that transfers whole units of `unit` bytes.
    pub(crate) fn of(data: &Data, layout: &Layout, unit: u32) -> Self {
        let pair = data.pair_bytes() + PAIR_OVERHEAD_BYTES;
        let target = f64::from(layout.block_bytes);
        // RocksDB adds pairs until the block is as large as the target, or the next one would make it larger
        // and it is nearly full.
        let mut pairs = (target / pair).floor().max(1.0);
        if pairs * pair < FULL_ENOUGH * target {
            pairs += 1.0;
        }
        let bytes = (pairs * pair) * layout.compressed_share + OVERHEAD_BYTES;
        Blocks { pairs, bytes, unit: f64::from(unit) }
    }

    /// Bytes that a read of `bytes` at any offset transfers on average: the units that it touches.
    pub(crate) fn transferred(&self, bytes: f64) -> f64 {
        bytes - 1.0 + self.unit
    }

    /// Bytes per pair in a file.
    pub(crate) fn stored_pair_bytes(&self) -> f64 {
        self.bytes / self.pairs
    }
}
