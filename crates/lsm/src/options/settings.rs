//! What an OPTIONS file sets for a layout.

use leadline_advise::rocksdb::{MAX_OPEN_FILES, READAHEAD_BYTES};

use crate::Layout;

use super::compression::Compression;
use super::release::Release;
use super::section::{Kind, Section};

/// RocksDB's limits for bytes that wait for compaction, and the size of level 1 for which they are meant.
const SOFT_PENDING_BYTES: u64 = 64 << 30;
const HARD_PENDING_BYTES: u64 = 256 << 30;
const PENDING_BASE_BYTES: u64 = 256 << 20;

/// The sections of a file for `release`: all that decides about cost, and every default that differs between
/// versions, so that the file means the same to each of them. With direct I/O, and with Snappy if blocks are
/// compressed.
pub(super) fn sections(layout: &Layout, release: Release) -> Vec<Section> {
    vec![of_version(release), of_db(layout), of_family(layout), of_table(layout)]
}

fn of_version(release: Release) -> Section {
    let mut section = Section::new(Kind::Version);
    section.set("rocksdb_version", release);
    section.set("options_file_version", "1.1");
    section
}

fn of_db(layout: &Layout) -> Section {
    let mut section = Section::new(Kind::Db);
    // The pair says exactly how many compactions run at a time. With max_background_jobs alone a quarter of
    // the jobs are flushes (DBImpl::GetBGJobLimits, the same from 7.8 to 10.10).
    section.set("max_background_jobs", u64::from(layout.jobs) + 1);
    section.set("max_background_compactions", layout.jobs);
    section.set("max_background_flushes", 1);
    section.set("max_subcompactions", layout.subcompactions);
    let readahead_bytes = match layout.compaction_readahead_bytes {
        0 => READAHEAD_BYTES,
        bytes => bytes,
    };
    section.set("compaction_readahead_size", readahead_bytes);
    section.set("writable_file_max_buffer_size", 1 << 20);
    section.set("use_direct_reads", true);
    section.set("use_direct_io_for_flush_and_compaction", true);
    section.set("max_open_files", MAX_OPEN_FILES);
    // Defaults that differ between versions and cost nothing. Of the second, only false works everywhere:
    // before 9.8 RocksDB takes true from a file and ignores it.
    section.set("fail_if_options_file_error", true);
    section.set("write_dbid_to_manifest", false);
    section
}

fn of_family(layout: &Layout) -> Section {
    let mut section = Section::new(Kind::Cf);
    section.set("compaction_style", "kCompactionStyleLevel");
    section.set("compaction_pri", "kMinOverlappingRatio");
    section.set("num_levels", layout.levels);
    section.set("level_compaction_dynamic_level_bytes", layout.dynamic_levels);
    section.set("max_bytes_for_level_base", layout.base_bytes);
    section.set("max_bytes_for_level_multiplier", layout.fanout);
    section.set("target_file_size_base", layout.file_bytes);
    section.set("target_file_size_multiplier", 1);
    section.set("write_buffer_size", layout.memtable_bytes);
    section.set("max_write_buffer_number", layout.memtables);
    section.set("min_write_buffer_number_to_merge", 1);
    section.set("level0_file_num_compaction_trigger", layout.l0_files);
    section.set("level0_slowdown_writes_trigger", layout.l0_slowdown);
    section.set("level0_stop_writes_trigger", layout.l0_stop);
    let (soft_bytes, hard_bytes) = pending_bytes(layout);
    section.set("soft_pending_compaction_bytes_limit", soft_bytes);
    section.set("hard_pending_compaction_bytes_limit", hard_bytes);
    let is_compressed = layout.compressed_share != 1.0;
    section.set("compression", if is_compressed { Compression::Snappy } else { Compression::None });
    section.set("optimize_filters_for_hits", false);
    section.set("table_factory", "BlockBasedTable");
    section
}

fn of_table(layout: &Layout) -> Section {
    let mut section = Section::new(Kind::Table);
    section.set("block_size", layout.block_bytes);
    section.set("filter_policy", filter_policy(layout.bloom_bits));
    section.set("whole_key_filtering", true);
    // RocksDB 9.2 made true the default, which changes the sizes of filters.
    section.set("optimize_filters_for_memory", false);
    // Indexes and filters are in memory beside the cache, whose bytes are all for data blocks.
    section.set("cache_index_and_filter_blocks", false);
    section.set("no_block_cache", layout.cache_bytes == 0);
    section.set("block_cache", layout.cache_bytes);
    // The newest that RocksDB 7.8 and 8.6 write.
    section.set("format_version", 5);
    section.set("checksum", "kXXH3");
    section
}

/// The limits from which writes are slowed down and stopped, bytes, for the size of level 1: a smaller tree
/// then slows its writers down in the same shape as a large one.
fn pending_bytes(layout: &Layout) -> (u64, u64) {
    // Level 1 of a single level has no size of which the limits could be a multiple.
    if layout.is_single_level() {
        return (SOFT_PENDING_BYTES, HARD_PENDING_BYTES);
    }
    let scaled = |bytes: u64| layout.base_bytes.saturating_mul(bytes / PENDING_BASE_BYTES);
    (scaled(SOFT_PENDING_BYTES), scaled(HARD_PENDING_BYTES))
}

/// The value of `filter_policy`. The last field is what RocksDB itself writes: versions up to 6.29 need it.
fn filter_policy(bits_per_key: f64) -> String {
    if bits_per_key > 0.0 { format!("bloomfilter:{bits_per_key}:false") } else { "nullptr".to_owned() }
}
