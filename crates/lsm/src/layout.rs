//! How an LSM tree is laid out: RocksDB's leveled compaction with a tiered level 0.

use serde::{Deserialize, Serialize};

/// The settings that decide what an LSM tree costs. RocksDB's name of each is given in code font.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Layout {
    /// Size of a level over the size of the level above it: F, `max_bytes_for_level_multiplier`.
    pub fanout: f64,
    /// Levels, level 0 included: `num_levels`. The last one has no limit.
    pub levels: u32,
    /// Files in level 0 that start a compaction: C, `level0_file_num_compaction_trigger`.
    pub l0_files: u32,
    /// Files in level 0 from which writes are slowed down: `level0_slowdown_writes_trigger`.
    pub l0_slowdown: u32,
    /// Files in level 0 at which writes stop: `level0_stop_writes_trigger`.
    pub l0_stop: u32,
    /// Size of a file: T, `target_file_size_base`, bytes.
    pub file_bytes: u64,
    /// Size of level 1: `max_bytes_for_level_base`, bytes.
    pub base_bytes: u64,
    /// Size of the memtable, and so about of a file in level 0: `write_buffer_size`, bytes.
    pub memtable_bytes: u64,
    /// Memtables at most, the one being written included: `max_write_buffer_number`.
    pub memtables: u32,
    /// Size of a data block: B', `block_size`, bytes.
    pub block_bytes: u32,
    /// Bits of the Bloom filter per key, 0 for none: `filter_policy`.
    pub bloom_bits: f64,
    /// Block cache, bytes.
    pub cache_bytes: u64,
    /// Compactions at a time: `max_background_compactions`.
    pub jobs: u32,
    /// Parts into which a compaction of level 0 may be divided: `max_subcompactions`.
    pub subcompactions: u32,
    /// What a compaction reads at a time: `compaction_readahead_size`, bytes; 0 stands for RocksDB's own
    /// choice, which is 2 MiB with direct I/O.
    pub compaction_readahead_bytes: u64,
    /// Whether sizes of levels are computed up from the last: `level_compaction_dynamic_level_bytes`.
    pub dynamic_levels: bool,
    /// Stored bytes / bytes of pairs: 1 without compression (`compression`).
    pub compressed_share: f64,
}

impl Default for Layout {
    /// RocksDB 7.8's defaults, with direct I/O and without compression.
    fn default() -> Self {
        Layout {
            fanout: 10.0,
            levels: 7,
            l0_files: 4,
            l0_slowdown: 20,
            l0_stop: 36,
            file_bytes: 64 << 20,
            base_bytes: 256 << 20,
            memtable_bytes: 64 << 20,
            memtables: 2,
            block_bytes: 4096,
            bloom_bits: 0.0,
            cache_bytes: 8 << 20,
            jobs: 1,
            subcompactions: 1,
            compaction_readahead_bytes: 0,
            dynamic_levels: false,
            compressed_share: 1.0,
        }
    }
}

impl Layout {
    /// A single sorted run: whatever comes into level 0 is merged into level 1 at once, which has no limit.
    /// RocksDB takes a trigger of 0 for 1, so the trigger is 1. All `jobs` work on one compaction.
    pub fn single_level(self, jobs: u32) -> Self {
        Layout { levels: 2, l0_files: 1, base_bytes: 1 << 40, jobs, subcompactions: jobs, ..self }
    }

    /// Whether it has one level below level 0.
    pub fn is_single_level(&self) -> bool {
        self.levels <= 2
    }
}
