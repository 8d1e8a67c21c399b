//! RocksDB with the settings of its wiki, "Setup Options and Basic Tuning": a block cache of a third of the
//! memory, filters of ten bits, index and filters in the cache. Blocks of 4 KiB, its default, as reads are of
//! single keys. Reads ask for `async_io` and the readahead of the wiki's "Asynchronous IO".
//!
//! `async_io` of MultiGet needs a build with folly's coroutines, which no package of Rust or Debian is; this
//! build has io_uring, so MultiGet reads the blocks of one file at the same time, but the files in turn.

use anyhow::Result;
use rocksdb::{BlockBasedOptions, Cache, DB, Options, ReadOptions, WriteBatch, WriteOptions};
use rocksdb::{ColumnFamily, ColumnFamilyDescriptor, DBCompressionType, DEFAULT_COLUMN_FAMILY_NAME};

use crate::store::{Change, Entry, Key, Settings, Store};

pub struct Rocks {
    database: DB,
    durable: bool,
}

pub fn open(settings: &Settings) -> Result<Rocks> {
    let mut blocks = BlockBasedOptions::default();
    blocks.set_block_cache(&Cache::new_lru_cache((settings.memory_bytes / 3) as usize));
    blocks.set_bloom_filter(10.0, false);
    blocks.set_cache_index_and_filter_blocks(true);
    blocks.set_pin_l0_filter_and_index_blocks_in_cache(true);
    blocks.set_format_version(6);
    let mut options = Options::default();
    options.create_if_missing(true);
    options.set_block_based_table_factory(&blocks);
    options.set_level_compaction_dynamic_level_bytes(true);
    options.set_bytes_per_sync(1 << 20);
    options.set_max_background_jobs(6);
    options.set_compression_type(DBCompressionType::None);
    // Two memtables in a quarter of the memory.
    options.set_write_buffer_size((settings.memory_bytes / 8).clamp(4 << 20, 64 << 20) as usize);
    options.set_advise_random_on_open(true);
    // Opened by name, so that there is a handle for MultiGet.
    let family = ColumnFamilyDescriptor::new(DEFAULT_COLUMN_FAMILY_NAME, options.clone());
    let database = DB::open_cf_descriptors(&options, &settings.path, [family])?;
    Ok(Rocks { database, durable: settings.durable })
}

impl Rocks {
    fn family(&self) -> Result<&ColumnFamily> {
        let family = self.database.cf_handle(DEFAULT_COLUMN_FAMILY_NAME);
        family.ok_or_else(|| anyhow::anyhow!("no default column family"))
    }
}

fn reading() -> ReadOptions {
    let mut options = ReadOptions::default();
    options.set_async_io(true);
    options
}

impl Store for Rocks {
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>> {
        Ok(self.database.get(key)?)
    }

    fn multi_get(&self, keys: &[&[u8]]) -> Result<Vec<Option<Vec<u8>>>> {
        let found = self.database.batched_multi_get_cf_opt(self.family()?, keys, false, &reading());
        found.into_iter().map(|value| Ok(value?.map(|value| value.to_vec()))).collect()
    }

    fn write(&self, changes: &[Change<'_>]) -> Result<()> {
        let mut batch = WriteBatch::default();
        for (key, value) in changes {
            match value {
                Some(value) => batch.put(key, value),
                None => batch.delete(key),
            }
        }
        let mut options = WriteOptions::default();
        options.set_sync(self.durable);
        Ok(self.database.write_opt(batch, &options)?)
    }

    fn scan(&self, from: &Key, count: usize) -> Result<usize> {
        let mut options = reading();
        options.set_iterate_lower_bound(from.as_slice());
        let mut iterator = self.database.raw_iterator_opt(options);
        iterator.seek(from);
        let mut found = 0;
        while found < count && iterator.valid() {
            std::hint::black_box(iterator.item());
            found += 1;
            iterator.next();
        }
        iterator.status()?;
        Ok(found)
    }

    fn range(&self, first: &[u8], end: &[u8], limit: usize) -> Result<Vec<Entry>> {
        let mut options = reading();
        options.set_iterate_lower_bound(first);
        options.set_iterate_upper_bound(end);
        let mut iterator = self.database.raw_iterator_opt(options);
        iterator.seek_to_first();
        let mut found = Vec::new();
        while found.len() < limit
            && let Some((key, value)) = iterator.item()
        {
            found.push((key.to_vec(), value.to_vec()));
            iterator.next();
        }
        iterator.status()?;
        Ok(found)
    }

    fn flush(&self) -> Result<()> {
        Ok(self.database.flush_wal(true)?)
    }
}
