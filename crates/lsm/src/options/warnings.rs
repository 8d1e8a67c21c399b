//! What an OPTIONS file says and a layout does not.

use super::check::listed;
use super::known;
use super::layout::{self, READ_ONLY_FILTER, default_cache_bytes};
use super::section::Kind::{self, Cf, Db, Table};
use super::section::Section;
use super::values::Values;

/// What the models assume, and what is different where the file says otherwise.
const ASSUMED: [(Kind, &str, &str, &str); 19] = [
    (Db, "use_direct_reads", "true", "the kernel's page cache is not modelled"),
    (Db, "use_direct_io_for_flush_and_compaction", "true", "the kernel's page cache is not modelled"),
    (Db, "max_open_files", "-1", "reading again the indexes of files that were closed is not modelled"),
    (Db, "db_write_buffer_size", "0", "flushes before a memtable is full are not modelled"),
    (Db, "max_total_wal_size", "0", "flushes before a memtable is full are not modelled"),
    (Cf, "compaction_pri", "kMinOverlappingRatio", "only kMinOverlappingRatio is modelled"),
    (Cf, "target_file_size_multiplier", "1", "files of one size in all levels are modelled"),
    (Cf, "max_bytes_for_level_multiplier_additional", "1", "one fan-out for all levels is modelled"),
    (Cf, "min_write_buffer_number_to_merge", "1", "flushes of one memtable at a time are modelled"),
    (Cf, "disable_auto_compactions", "false", "a tree that is compacted is modelled"),
    (Cf, "enable_blob_files", "false", "values in the tree, not in files of their own, are modelled"),
    (Cf, "optimize_filters_for_hits", "false", "a filter for the last level, too, is modelled"),
    (Cf, "compression_per_level", "", "one compression for all levels is modelled"),
    (Cf, "bottommost_compression", "kDisableCompressionOption", "one compression for all levels is modelled"),
    (Table, "whole_key_filtering", "true", "filters of whole keys are modelled"),
    (
        Table,
        "cache_index_and_filter_blocks",
        "false",
        "indexes and filters in memory outside the cache are modelled",
    ),
    (Table, "index_type", "kBinarySearch", "an index that is all in memory is modelled"),
    (Table, "partition_filters", "false", "filters that are all in memory are modelled"),
    (Table, "block_cache_compressed", "nullptr", "one cache, of blocks that are not compressed, is modelled"),
];

/// One line for each, of things that make the tree cost something else than the layout says. `written` are
/// the sections that a file for the layout would have.
pub(super) fn warnings(values: &Values<'_>, written: &[Section]) -> Vec<String> {
    let mut warnings = assumptions(values);
    warnings.extend(compression(values));
    warnings.extend(filter(values));
    warnings.extend(cache(values));
    warnings.extend(defaults(values, written));
    warnings.extend(families(values));
    warnings
}

fn assumptions(values: &Values<'_>) -> Vec<String> {
    let differs = |&(kind, name, assumed, reason): &(Kind, &str, &str, &str)| {
        // A default that a release does not have is what is assumed.
        let value = values.get(kind, name);
        let is_as_assumed = value.text.is_empty() || value.text.split(':').all(|part| is_same(part, assumed));
        let place = if value.line == 0 { "by default".to_owned() } else { format!("line {}", value.line) };
        (!is_as_assumed).then(|| format!("{place}: {name}={}: {reason}", value.text))
    };
    ASSUMED.iter().filter_map(differs).collect()
}

fn is_same(text: &str, assumed: &str) -> bool {
    let numbers = (text.parse::<f64>(), assumed.parse::<f64>());
    text == assumed || matches!(numbers, (Ok(one), Ok(other)) if one == other)
}

fn compression(values: &Values<'_>) -> Option<String> {
    let value = values.get(Cf, "compression");
    (value.text != "kNoCompression").then(|| {
        format!(
            "compression={}: how much it saves depends on the data and is not in the file; no saving is assumed",
            value.text
        )
    })
}

fn filter(values: &Values<'_>) -> Option<String> {
    let value = values.get(Table, "filter_policy");
    let place = format!("line {}: filter_policy={}", value.line, value.text);
    if layout::filter(value) == READ_ONLY_FILTER {
        return Some(format!(
            "{place}: RocksDB reads the filters that are there and writes none, so files without filters are \
             modelled; bloomfilter:BITS:false writes them"
        ));
    }
    value.text.to_ascii_lowercase().contains("ribbon").then(|| {
        format!("{place}: taken for a Bloom filter with as many false positives, which takes about 30 % more memory")
    })
}

/// That the size of the block cache is assumed.
pub(super) fn cache(values: &Values<'_>) -> Option<String> {
    let has_cache = values.get(Table, "no_block_cache").text != "true";
    (has_cache && values.setting(Table, "block_cache").is_none()).then(|| {
        format!(
            "RocksDB does not write the size of its block cache into OPTIONS files; its default is assumed, \
             {} MiB",
            default_cache_bytes(values.release) >> 20
        )
    })
}

/// Options that the file leaves to a default which changed at about its release.
fn defaults(values: &Values<'_>, written: &[Section]) -> Vec<String> {
    let table = known::table();
    let settings = written.iter().flat_map(|section| section.settings.iter().map(|s| (section.kind, s)));
    let unsettled = settings.filter_map(|(kind, setting)| {
        let [before, after] = table.defaults(table.find(kind, &setting.name)?, values.release);
        let is_open = before != after && values.setting(kind, &setting.name).is_none();
        let before = before.filter(|_| is_open)?;
        Some(format!(
            "{} is not set, and its default changed at about RocksDB {}; {before} is assumed",
            setting.name, values.release
        ))
    });
    unsettled.collect()
}

fn families(values: &Values<'_>) -> Option<String> {
    let others: Vec<&str> = values
        .sections
        .iter()
        .filter(|section| section.kind == Cf && section.family != values.family)
        .map(|section| section.family.as_str())
        .collect();
    (!others.is_empty())
        .then(|| format!("only column family {} is read, not {}", values.family, listed(&others)))
}
