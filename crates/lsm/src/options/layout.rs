//! The layout that an OPTIONS file sets up.

use leadline_files::TextError;

use crate::Layout;

use super::compression;
use super::parse::nested;
use super::release::Release;
use super::section::Kind::{Cf, Db, Table};
use super::values::{Value, Values, integer};

/// From this release on the block cache is 32 MiB by default, before it 8 MiB (HISTORY.md of RocksDB).
const LARGER_CACHE: Release = Release::new(8, 2, 0);

/// A policy by which filters that are there are read, and none are written (`ReadOnlyBuiltinFilterPolicy`). A
/// program that opens a database without knowing its policy leaves this in the file.
pub(super) const READ_ONLY_FILTER: &str = "rocksdb.BuiltinBloomFilter";

/// What RocksDB makes of the options: it corrects some, which `SanitizeOptions` in db/column_family.cc does.
pub(super) fn layout(values: &Values<'_>) -> Result<Layout, TextError> {
    leveled(values)?;
    compression::check(values)?;
    let at_least = |least: u32, count: i32| u32::try_from(count).unwrap_or(0).max(least);
    let l0_files = at_least(1, values.count(Cf, "level0_file_num_compaction_trigger")?);
    let l0_slowdown = at_least(l0_files, values.count(Cf, "level0_slowdown_writes_trigger")?);
    let l0_stop = at_least(l0_slowdown, values.count(Cf, "level0_stop_writes_trigger")?);
    Ok(Layout {
        fanout: values.positive(Cf, "max_bytes_for_level_multiplier")?,
        levels: at_least(2, values.count(Cf, "num_levels")?),
        l0_files,
        l0_slowdown,
        l0_stop,
        file_bytes: values.bytes(Cf, "target_file_size_base", 1)?,
        base_bytes: values.bytes(Cf, "max_bytes_for_level_base", 1)?,
        memtable_bytes: values.bytes(Cf, "write_buffer_size", 1)?.clamp(64 << 10, 64 << 30),
        memtables: at_least(2, values.count(Cf, "max_write_buffer_number")?),
        block_bytes: block_bytes(values)?,
        bloom_bits: bloom_bits(values)?,
        cache_bytes: cache_bytes(values)?,
        jobs: jobs(values)?,
        subcompactions: at_least(1, values.count(Db, "max_subcompactions")?),
        compaction_readahead_bytes: values.bytes(Db, "compaction_readahead_size", 0)?,
        dynamic_levels: values.flag(Cf, "level_compaction_dynamic_level_bytes")?,
        // Not in the file: it depends on the data.
        compressed_share: 1.0,
    })
}

fn leveled(values: &Values<'_>) -> Result<(), TextError> {
    let style = values.get(Cf, "compaction_style");
    if style.text == "kCompactionStyleLevel" {
        return Ok(());
    }
    let reason =
        "only leveled compaction is modelled; set it to kCompactionStyleLevel to see what that would cost";
    Err(values.error(style, reason.to_owned()))
}

fn block_bytes(values: &Values<'_>) -> Result<u32, TextError> {
    let bytes = values.integer(Table, "block_size", [1, i128::from(u32::MAX)])?;
    u32::try_from(bytes).map_err(|_| values.error(values.get(Table, "block_size"), "is too large".to_owned()))
}

/// Compactions at a time (`DBImpl::GetBGJobLimits`).
fn jobs(values: &Values<'_>) -> Result<u32, TextError> {
    let compactions = values.count(Db, "max_background_compactions")?;
    let flushes = values.count(Db, "max_background_flushes")?;
    let jobs = values.count(Db, "max_background_jobs")?;
    let compactions = if compactions == -1 && flushes == -1 { jobs - (jobs / 4).max(1) } else { compactions };
    Ok(u32::try_from(compactions).unwrap_or(0).max(1))
}

fn cache_bytes(values: &Values<'_>) -> Result<u64, TextError> {
    if values.flag(Table, "no_block_cache")? {
        return Ok(0);
    }
    if values.setting(Table, "block_cache").is_none() {
        return Ok(default_cache_bytes(values.release));
    }
    let value = values.get(Table, "block_cache");
    let fields = nested(value.text);
    let capacity = fields.iter().find(|(name, _)| *name == "capacity").map_or(value.text, |(_, text)| text);
    let bytes = integer(capacity).and_then(|bytes| u64::try_from(bytes).ok());
    bytes.ok_or_else(|| {
        values.error(value, "must be bytes, such as 8388608 or 8M, or {capacity=8M;}".to_owned())
    })
}

/// The block cache of a database that sets none, bytes.
pub(super) fn default_cache_bytes(release: Release) -> u64 {
    if release < LARGER_CACHE { 8 << 20 } else { 32 << 20 }
}

/// Bits per key of a Bloom filter, or of the Bloom filter with the same rate of false positives.
fn bloom_bits(values: &Values<'_>) -> Result<f64, TextError> {
    let value = values.get(Table, "filter_policy");
    let error = || {
        let reason = "must be nullptr, bloomfilter:BITS:false or ribbonfilter:BITS, with bits per key";
        values.error(value, reason.to_owned())
    };
    let mut fields = filter(value).split(':');
    let policy = fields.next().unwrap_or_default();
    if ["", "nullptr", READ_ONLY_FILTER].contains(&policy) {
        return Ok(0.0);
    }
    if !["bloomfilter", "rocksdb.BloomFilter", "ribbonfilter", "rocksdb.RibbonFilter"].contains(&policy) {
        return Err(error());
    }
    let bits = fields.next().and_then(|bits| bits.parse::<f64>().ok()).filter(|bits| *bits >= 0.0);
    // As BloomLikeFilterPolicy's constructor in filter_policy.cc rounds and limits them.
    match bits.ok_or_else(error)? {
        bits if bits < 0.5 => Ok(0.0),
        bits => Ok((bits.clamp(1.0, 100.0) * 1000.0).round() / 1000.0),
    }
}

/// The name of the filter: the value itself, or the `id` in `{id=...;}`.
pub(super) fn filter(value: Value<'_>) -> &str {
    nested(value.text).into_iter().find(|(name, _)| *name == "id").map_or(value.text, |(_, id)| id)
}
