//! fjall, an LSM tree. "It is recommended to configure the block cache capacity to be ~20-25% of the
//! available memory" (docs.rs/fjall, "Memory usage"); memtables of a sixteenth. Values that do not compress
//! are not compressed.

use anyhow::Result;
use fjall::config::CompressionPolicy;
use fjall::{CompressionType, Database, Keyspace, KeyspaceCreateOptions, PersistMode};

use crate::store::{Change, Entry, Key, Settings, Store};

pub struct Fjall {
    database: Database,
    pairs: Keyspace,
    durable: bool,
}

pub fn open(settings: &Settings) -> Result<Fjall> {
    let quarter = settings.memory_bytes / 4;
    let database = Database::builder(&settings.path).cache_size(quarter).open()?;
    let options = || {
        let options = KeyspaceCreateOptions::default().expect_point_read_hits(true);
        let options = options.max_memtable_size((quarter / 4).clamp(4 << 20, 64 << 20));
        options.data_block_compression_policy(CompressionPolicy::all(CompressionType::None))
    };
    let pairs = database.keyspace("pairs", options)?;
    Ok(Fjall { database, pairs, durable: settings.durable })
}

impl Store for Fjall {
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>> {
        Ok(self.pairs.get(key)?.map(|value| value.to_vec()))
    }

    fn write(&self, changes: &[Change<'_>]) -> Result<()> {
        let mode = if self.durable { PersistMode::SyncData } else { PersistMode::Buffer };
        if let [(key, Some(value))] = *changes {
            self.pairs.insert(key, value)?;
            if self.durable {
                self.database.persist(mode)?;
            }
            return Ok(());
        }
        let mut batch = self.database.batch().durability(Some(mode));
        for &(key, value) in changes {
            match value {
                Some(value) => batch.insert(&self.pairs, key, value),
                None => batch.remove(&self.pairs, key),
            }
        }
        Ok(batch.commit()?)
    }

    fn scan(&self, from: &Key, count: usize) -> Result<usize> {
        let mut found = 0;
        for pair in self.pairs.range(*from..).take(count) {
            std::hint::black_box(pair.into_inner()?);
            found += 1;
        }
        Ok(found)
    }

    fn range(&self, first: &[u8], end: &[u8], limit: usize) -> Result<Vec<Entry>> {
        let entry = |pair: fjall::Guard| {
            let (key, value) = pair.into_inner()?;
            Ok((key.to_vec(), value.to_vec()))
        };
        self.pairs.range(first..end).take(limit).map(entry).collect()
    }

    fn flush(&self) -> Result<()> {
        Ok(self.database.persist(PersistMode::SyncAll)?)
    }
}
