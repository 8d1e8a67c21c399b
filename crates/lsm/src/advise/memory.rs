//! What takes memory: memtables, filters, indexes, and the block cache with the rest.

use crate::block::Blocks;
use crate::{Data, Layout};

/// Bytes of an entry of an index besides the key: offset and size of the block, and restart points.
const INDEX_ENTRY_BYTES: f64 = 20.0;

/// Memory that memtables may take in all, as a share of what there is.
const MEMTABLE_SHARE: f64 = 0.25;

/// Memtables of RocksDB, small and large, bytes.
const MEMTABLES: [u64; 2] = [65536, 256 << 20];

/// The largest memtable whose number fits into its share, a power of two.
pub(super) fn largest_memtable(memory: f64) -> u64 {
    let each = (MEMTABLE_SHARE * memory / f64::from(Layout::default().memtables)) as u64;
    let power = if each == 0 { 0 } else { 1 << each.ilog2() };
    power.clamp(MEMTABLES[0], MEMTABLES[1])
}

/// Bytes of everything but the block cache.
pub(super) fn without_cache(layout: &Layout, data: &Data) -> f64 {
    let blocks = data.pairs / Blocks::of(data, layout, 1).pairs;
    let indexes = blocks * (f64::from(data.key_bytes) + INDEX_ENTRY_BYTES);
    let filters = data.pairs * layout.bloom_bits / 8.0;
    indexes + filters + f64::from(layout.memtables) * layout.memtable_bytes as f64
}

/// The layout with what memory is left as its block cache; `None` where the rest does not fit.
pub(super) fn with_cache(layout: &Layout, data: &Data, memory: f64) -> Option<Layout> {
    let left = memory - without_cache(layout, data);
    (left >= 0.0).then_some(Layout { cache_bytes: left as u64, ..*layout })
}

/// The least that any layout takes, bytes.
pub(super) fn least(data: &Data) -> f64 {
    let largest_block = Layout { block_bytes: 65536, memtable_bytes: MEMTABLES[0], ..Layout::default() };
    without_cache(&largest_block, data)
}
