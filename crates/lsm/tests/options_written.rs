//! OPTIONS files of RocksDB.

use leadline_lsm::Layout;
use leadline_lsm::options::{self, Compression, OptionsFile, RocksVersion};

/// A tree in which no number is RocksDB's default.
pub(crate) fn unusual() -> Layout {
    Layout {
        fanout: 6.5,
        levels: 5,
        l0_files: 3,
        l0_slowdown: 12,
        l0_stop: 18,
        file_bytes: 2 << 20,
        base_bytes: 8 << 20,
        memtable_bytes: 4 << 20,
        memtables: 3,
        block_bytes: 8192,
        bloom_bits: 9.9,
        cache_bytes: 3 << 20,
        jobs: 4,
        subcompactions: 2,
        compaction_readahead_bytes: 512 << 10,
        dynamic_levels: true,
        compressed_share: 1.0,
    }
}

fn has(text: &str, line: &str) -> bool {
    text.lines().any(|other| other.trim() == line)
}

#[test]
fn a_file_sets_all_that_a_layout_decides() {
    let text = options::write(&unusual(), RocksVersion::V8_6);
    for line in [
        "rocksdb_version=8.6.0",
        "max_background_compactions=4",
        "max_background_flushes=1",
        "max_subcompactions=2",
        "compaction_readahead_size=524288",
        "use_direct_reads=true",
        "use_direct_io_for_flush_and_compaction=true",
        "num_levels=5",
        "level_compaction_dynamic_level_bytes=true",
        "max_bytes_for_level_base=8388608",
        "max_bytes_for_level_multiplier=6.5",
        "target_file_size_base=2097152",
        "write_buffer_size=4194304",
        "max_write_buffer_number=3",
        "level0_file_num_compaction_trigger=3",
        "level0_slowdown_writes_trigger=12",
        "level0_stop_writes_trigger=18",
        "compression=kNoCompression",
        "block_size=8192",
        "filter_policy=bloomfilter:9.9:false",
        "block_cache=3145728",
    ] {
        assert!(has(&text, line), "no line {line} in\n{text}");
    }
}

#[test]
fn a_tree_with_a_small_level_1_slows_writers_down_early() {
    let text = options::write(&unusual(), RocksVersion::V7_8);
    // 8 MiB is a 32nd of RocksDB's 256 MiB, and so are 2 GiB of 64 GiB.
    assert!(has(&text, "soft_pending_compaction_bytes_limit=2147483648"), "{text}");
    assert!(has(&text, "hard_pending_compaction_bytes_limit=8589934592"), "{text}");
}

#[test]
fn a_single_level_keeps_the_limits_of_rocksdb() {
    let text = options::write(&Layout::default().single_level(4), RocksVersion::V7_8);
    for line in [
        "num_levels=2",
        "level0_file_num_compaction_trigger=1",
        "max_bytes_for_level_base=1099511627776",
        "max_background_compactions=4",
        "max_subcompactions=4",
        "soft_pending_compaction_bytes_limit=68719476736",
        "hard_pending_compaction_bytes_limit=274877906944",
    ] {
        assert!(has(&text, line), "no line {line} in\n{text}");
    }
}

#[test]
fn what_rocksdb_would_choose_is_written_out() {
    let text = options::write(&Layout::default(), RocksVersion::V10);
    for line in ["compaction_readahead_size=2097152", "filter_policy=nullptr", "format_version=5"] {
        assert!(has(&text, line), "no line {line} in\n{text}");
    }
}

#[test]
fn compression_is_snappy_unless_another_is_asked_for() {
    let layout = Layout { compressed_share: 0.5, ..Layout::default() };
    let file = OptionsFile::new(&layout, RocksVersion::V9);
    assert!(has(&file.to_string(), "compression=kSnappyCompression"));
    assert!(has(&file.with_compression(Compression::Zstd).to_string(), "compression=kZSTD"));
}
