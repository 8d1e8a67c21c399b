//! OPTIONS files of RocksDB are read.

use leadline_lsm::Layout;
use leadline_lsm::options::{Compression, DEFAULT_FAMILY, OptionsFile, Release, RocksVersion, read};
use proptest::prelude::*;

const DB_BENCH: &str = include_str!("options/db_bench-7.8.3.ini");
const DEFAULTS_10: &str = include_str!("options/defaults-10.10.1.ini");

/// The least that RocksDB loads, with these lines in its sections.
fn file(db: &str, cf: &str, table: &str) -> String {
    format!(
        "[Version]\nrocksdb_version=8.6.7\n[DBOptions]\n{db}\n[CFOptions \"default\"]\n{cf}\n\
         [TableOptions/BlockBasedTable \"default\"]\n{table}\n"
    )
}

fn parse(text: &str) -> OptionsFile {
    OptionsFile::parse(text, "OPTIONS", DEFAULT_FAMILY).unwrap()
}

fn error(text: &str) -> String {
    let message = OptionsFile::parse(text, "OPTIONS", DEFAULT_FAMILY).unwrap_err().to_string();
    assert_eq!(message.lines().count(), 1, "{message}");
    message
}

fn warns(file: &OptionsFile, of: &str) -> bool {
    file.warnings().iter().any(|warning| warning.contains(of))
}

#[test]
fn a_file_of_db_bench_has_the_defaults_of_7_8() {
    let file = parse(DB_BENCH);
    assert_eq!(*file.layout(), Layout::default());
    assert_eq!(file.release(), Release::new(7, 8, 3));
    assert!(warns(&file, "compression=kSnappyCompression"), "{:?}", file.warnings());
    assert!(warns(&file, "default is assumed, 8 MiB"), "{:?}", file.warnings());
    assert!(warns(&file, "use_direct_reads=false"), "{:?}", file.warnings());
}

#[test]
fn a_file_of_10_has_what_became_the_default() {
    let file = parse(DEFAULTS_10);
    let expected = Layout {
        dynamic_levels: true,
        compaction_readahead_bytes: 2 << 20,
        cache_bytes: 32 << 20,
        ..Layout::default()
    };
    assert_eq!(*file.layout(), expected);
}

#[test]
fn what_is_not_set_has_the_default_of_the_release() {
    let text = file("", "", "");
    assert!(parse(&text).layout().dynamic_levels);
    assert!(!parse(&text.replace("8.6.7", "7.8.3")).layout().dynamic_levels);
    assert!(parse(&text.replace("8.6.7", "8.6.0")).layout().dynamic_levels);
    // 8.3 and 8.4 are on either side of the change, and the table has neither.
    let between = parse(&text.replace("8.6.7", "8.3.2"));
    assert!(warns(&between, "level_compaction_dynamic_level_bytes is not set"), "{:?}", between.warnings());
    assert!(!warns(&parse(&text), "is not set"));
}

#[test]
fn a_table_within_the_column_family_counts_unless_there_is_a_section() {
    let nested =
        "table_factory={id=BlockBasedTable;block_size=16K;filter_policy={id=bloomfilter:12:false;};}";
    let within =
        "[Version]\nrocksdb_version=9.0.0\n[DBOptions]\n[CFOptions \"default\"]\n".to_owned() + nested;
    let layout = *parse(&within).layout();
    assert_eq!((layout.block_bytes, layout.bloom_bits), (16384, 12.0));
    let both = within + "\n[TableOptions/BlockBasedTable \"default\"]\nblock_size=8192\n";
    let file = parse(&both);
    assert_eq!((file.layout().block_bytes, file.layout().bloom_bits), (8192, 0.0));
    assert_eq!(parse(&file.to_string()).layout(), file.layout());
}

#[test]
fn jobs_are_counted_as_rocksdb_counts_them() {
    let jobs = |db: &str| parse(&file(db, "", "")).layout().jobs;
    assert_eq!(jobs("max_background_jobs=2"), 1);
    assert_eq!(jobs("max_background_jobs=16"), 12);
    assert_eq!(jobs("max_background_jobs=16\nmax_background_compactions=3"), 3);
    assert_eq!(jobs("max_background_jobs=16\nmax_background_flushes=2"), 1);
}

#[test]
fn values_that_rocksdb_corrects_are_read_as_corrected() {
    let cf = "level0_file_num_compaction_trigger=30\nlevel0_slowdown_writes_trigger=20\nnum_levels=1\n\
              level0_stop_writes_trigger=-1\nwrite_buffer_size=1K\nmax_write_buffer_number=1";
    let layout = *parse(&file("", cf, "filter_policy=bloomfilter:0.2:false")).layout();
    assert_eq!((layout.l0_files, layout.l0_slowdown, layout.l0_stop), (30, 30, 30));
    assert_eq!((layout.levels, layout.memtables, layout.memtable_bytes), (2, 2, 64 << 10));
    assert_eq!(layout.bloom_bits, 0.0);
}

#[test]
fn filters_and_caches_have_several_spellings() {
    let layout = |table: &str| *parse(&file("", "", table)).layout();
    for policy in
        ["bloomfilter:10", "bloomfilter:10:false", "rocksdb.BloomFilter:10:true", "ribbonfilter:10:1"]
    {
        assert_eq!(layout(&format!("filter_policy={policy}")).bloom_bits, 10.0, "{policy}");
    }
    for policy in ["rocksdb.BuiltinBloomFilter", "{id=rocksdb.BuiltinBloomFilter;}"] {
        let file = parse(&file("", "", &format!("filter_policy={policy}")));
        assert_eq!(file.layout().bloom_bits, 0.0, "{policy}");
        assert!(file.warnings().iter().any(|warning| warning.contains("writes none")), "{policy}");
    }
    for cache in ["8388608", "8192K", "8M", "{capacity=8M;num_shard_bits=4;}", "capacity=8M"] {
        assert_eq!(layout(&format!("block_cache={cache}")).cache_bytes, 8 << 20, "{cache}");
    }
    assert_eq!(layout("no_block_cache=true\nblock_cache=8M").cache_bytes, 0);
}

#[test]
fn errors_name_the_line_and_the_remedy() {
    let cases = [
        (
            file("", "num_level=7", ""),
            "OPTIONS: line 6: CFOptions has no option num_level; is num_levels meant?",
        ),
        (
            file("block_size=4096", "", ""),
            "OPTIONS: line 4: DBOptions has no option block_size; it is an option of [TableOptions/BlockBasedTable]",
        ),
        (
            file("", "", "use_delta_encoding=true"),
            "OPTIONS: line 8: TableOptions/BlockBasedTable has no option use_delta_encoding in RocksDB 8.6.7, which \
             the file is for; 9.11.2 has it: take it out, or correct rocksdb_version",
        ),
        (
            file("", "compaction_style=kCompactionStyleUniversal", ""),
            "OPTIONS: line 6: compaction_style=kCompactionStyleUniversal: only leveled compaction is modelled; set it \
             to kCompactionStyleLevel to see what that would cost",
        ),
        (
            file("", "", "block_size=big"),
            "OPTIONS: line 8: block_size=big: must be a whole number, such as 65536 or 64K",
        ),
        (file("", "", "block_size=0"), "OPTIONS: line 8: block_size=0: must be from 1 to 4294967295"),
        (
            file("", "max_bytes_for_level_multiplier=nan", ""),
            "OPTIONS: line 6: max_bytes_for_level_multiplier=nan: must be a number above 0",
        ),
        (
            file("", "", "filter_policy=rocksdb.OtherFilter"),
            "OPTIONS: line 8: filter_policy=rocksdb.OtherFilter: must be nullptr, bloomfilter:BITS:false or \
             ribbonfilter:BITS, with bits per key",
        ),
        (
            file("", "", "").replace("TableOptions/BlockBased", "TableOptions/Plain"),
            "OPTIONS: line 7: [TableOptions/PlainTable]: only BlockBasedTable, files of blocks, is modelled",
        ),
        (
            file("what is this", "", ""),
            "OPTIONS: line 4: \"what is this\" is neither a [Section] nor an option=value",
        ),
        (
            file("[DBOptions]", "", ""),
            "OPTIONS: line 4: [DBOptions] is there already, at line 3; leave out one",
        ),
        (
            "max_open_files=-1".to_owned(),
            "OPTIONS: line 1: an option before the first section; an OPTIONS file starts with [Version]",
        ),
        (
            String::new(),
            "OPTIONS: no rocksdb_version in a section [Version]; an OPTIONS file starts with both",
        ),
        (
            file("", "", "").replace("8.6.7", "new"),
            "OPTIONS: line 2: rocksdb_version=new: must be a release of RocksDB, such as 8.6.7",
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(error(&text), expected, "{text}");
    }
}

#[test]
fn a_column_family_is_chosen_by_name() {
    let hot = "[CFOptions \"hot\"]\nnum_levels=3\n[TableOptions/BlockBasedTable \"hot\"]\nblock_size=512\n";
    let text = file("", "num_levels=5", "") + hot;
    let default = parse(&text);
    assert_eq!(default.layout().levels, 5);
    assert!(warns(&default, "only column family default is read, not hot"), "{:?}", default.warnings());
    let hot = OptionsFile::parse(&text, "OPTIONS", "hot").unwrap();
    assert_eq!((hot.layout().levels, hot.layout().block_bytes), (3, 512));
    let cold = OptionsFile::parse(&text, "OPTIONS", "cold").unwrap_err().to_string();
    assert_eq!(cold, "OPTIONS: no column family cold; it has default, hot");
}

#[test]
fn options_of_a_newer_rocksdb_are_named() {
    let text = file("", "quantum_levels=7\nnum_levels=4", "").replace("8.6.7", "12.1.0");
    let newer = parse(&text);
    assert_eq!(newer.layout().levels, 4);
    assert!(warns(&newer, "RocksDB 12.1.0 is newer than 10.10.1"), "{:?}", newer.warnings());
    assert!(warns(&newer, "quantum_levels"), "{:?}", newer.warnings());
}

#[test]
fn a_release_between_two_that_are_known_may_have_the_options_of_either() {
    let text = file("random_access_max_buffer_size=0", "", "use_delta_encoding=true");
    assert_eq!(parse(&text.replace("8.6.7", "9.5.2")).release(), Release::new(9, 5, 2));
}

#[test]
fn of_an_option_that_is_set_twice_the_first_counts() {
    let twice = parse(&file("", "num_levels=4\nnum_levels=5", ""));
    assert_eq!(twice.layout().levels, 4);
    assert!(warns(&twice, "line 7: num_levels is set again"), "{:?}", twice.warnings());
}

#[test]
fn another_layout_leaves_the_rest_of_a_file_as_it_is() {
    let old = parse(DB_BENCH);
    let new = old.clone().with_layout(&Layout { block_bytes: 16384, jobs: 4, ..*old.layout() });
    let (old, new) = (old.to_string(), new.to_string());
    let gone: Vec<&str> = old.lines().filter(|line| !new.contains(line)).map(str::trim).collect();
    assert_eq!(gone, ["max_background_jobs=2", "max_background_compactions=-1", "block_size=4096"]);
    let layout = *parse(&new).layout();
    assert_eq!((layout.block_bytes, layout.jobs), (16384, 4));
    assert_eq!(old.lines().count(), new.lines().count());
}

#[test]
fn another_layout_keeps_the_compression_while_there_is_some() {
    let file = parse(&file("", "compression=kZSTD", ""));
    let half = file.clone().with_layout(&Layout { compressed_share: 0.5, ..*file.layout() });
    assert!(half.to_string().contains("compression=kZSTD"), "{half}");
    let whole = half.with_layout(file.layout());
    assert!(whole.to_string().contains("compression=kNoCompression"), "{whole}");
}

#[test]
fn a_file_that_is_not_text_or_not_there_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("000012.sst");
    std::fs::write(&path, [0xff, 0xfe, 0]).unwrap();
    let message = read(&path, DEFAULT_FAMILY).unwrap_err().to_string();
    assert!(message.contains("000012.sst: is not text; an OPTIONS file has the name"), "{message}");
    let message = read(folder.path().join("none"), DEFAULT_FAMILY).unwrap_err().to_string();
    assert!(message.contains("No such file"), "{message}");
}

/// Layouts that RocksDB leaves as they are.
fn layouts() -> impl Strategy<Value = Layout> {
    let tree = (1.001..100.0_f64, 2..40_u32, 1..1000_u32, 0..1000_u32, 0..1000_u32);
    let sizes = (1..u64::MAX >> 1, 1..u64::MAX >> 1, 64_u64 << 10..64 << 30, 1..u32::MAX, 0..u64::MAX >> 1);
    let rest =
        (2..1000_u32, prop_oneof![Just(0), 1000..100_000_u32], 1..1000_u32, 1..1000_u32, 1..u64::MAX >> 1);
    (tree, sizes, rest, any::<bool>()).prop_map(|(tree, sizes, rest, dynamic_levels)| Layout {
        fanout: tree.0,
        levels: tree.1,
        l0_files: tree.2,
        l0_slowdown: tree.2 + tree.3,
        l0_stop: tree.2 + tree.3 + tree.4,
        file_bytes: sizes.0,
        base_bytes: sizes.1,
        memtable_bytes: sizes.2,
        memtables: rest.0,
        block_bytes: sizes.3,
        bloom_bits: f64::from(rest.1) / 1000.0,
        cache_bytes: sizes.4,
        jobs: rest.2,
        subcompactions: rest.3,
        compaction_readahead_bytes: rest.4,
        dynamic_levels,
        compressed_share: 1.0,
    })
}

proptest! {
    #[test]
    fn what_is_written_is_read_again(layout in layouts(), version in 0..RocksVersion::ALL.len()) {
        let written = OptionsFile::new(&layout, RocksVersion::ALL[version]);
        let read = parse(&written.to_string());
        prop_assert_eq!(*read.layout(), layout);
        prop_assert!(read.warnings().is_empty(), "{:?}", read.warnings());
        prop_assert_eq!(read.to_string(), written.to_string());
    }

    #[test]
    fn a_file_with_another_layout_is_read_with_it(layout in layouts()) {
        let file = parse(DEFAULTS_10).with_compression(Compression::None).with_layout(&layout);
        prop_assert_eq!(*parse(&file.to_string()).layout(), layout);
    }

    #[test]
    fn no_text_makes_the_reader_panic(
        at in 0..DB_BENCH.len(), much in 0..200_usize, put in ".{0,20}|[\\[\\]{}=;:#\"0-9KMGT\\n-]{0,20}"
    ) {
        let end = (at + much).min(DB_BENCH.len());
        let text = format!("{}{put}{}", &DB_BENCH[..at], &DB_BENCH[end..]);
        if let Err(error) = OptionsFile::parse(&text, "OPTIONS", DEFAULT_FAMILY) {
            prop_assert_eq!(error.to_string().lines().count(), 1);
        }
    }
}
