//! Leadline's own index. Its cache is what the memory has but for a tenth and 24 MiB, which are for the log,
//! buffers of each thread and the program: what it reads and writes does not go through the page cache.

use std::time::Duration;

use anyhow::Result;
use leadline_index::{Batch, Durability, Index, Options};

use crate::store::{Change, Entry, Key, Settings, Store, Value};

pub struct Leadline(Index);

pub fn open(settings: &Settings) -> Result<Leadline> {
    let interval = Duration::from_secs(1);
    let durability = if settings.durable { Durability::EveryCommit } else { Durability::Every(interval) };
    let cache_bytes =
        (settings.memory_bytes / 10 * 9).saturating_sub(24 << 20).max(settings.memory_bytes / 3);
    let options = Options::default().cache_bytes(cache_bytes).durability(durability);
    Ok(Leadline(Index::open_with(settings.path.join("index"), &options)?))
}

impl Store for Leadline {
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>> {
        Ok(self.0.get(key)?)
    }

    fn multi_get(&self, keys: &[&[u8]]) -> Result<Vec<Option<Vec<u8>>>> {
        Ok(self.0.multi_get(keys)?)
    }

    fn write(&self, changes: &[Change<'_>]) -> Result<()> {
        let mut batch = Batch::new();
        for &(key, value) in changes {
            match value {
                Some(value) => batch.insert(key, value),
                None => batch.remove(key),
            };
        }
        Ok(self.0.commit(&batch)?)
    }

    fn put(&self, pairs: &[(Key, Value)]) -> Result<()> {
        if let [(key, value)] = pairs {
            self.0.insert(key, value)?;
            return Ok(());
        }
        Ok(self.0.multi_insert(pairs.iter().copied())?)
    }

    fn load(&self, pairs: &mut dyn Iterator<Item = (Key, Value)>) -> Result<()> {
        Ok(self.0.load(pairs)?)
    }

    fn scan(&self, from: &Key, count: usize) -> Result<usize> {
        let mut found = 0;
        for pair in self.0.range(*from..).take(count) {
            std::hint::black_box(pair?);
            found += 1;
        }
        Ok(found)
    }

    fn range(&self, first: &[u8], end: &[u8], limit: usize) -> Result<Vec<Entry>> {
        Ok(self.0.range(first..end).take(limit).collect::<Result<_, _>>()?)
    }

    fn flush(&self) -> Result<()> {
        Ok(self.0.sync()?)
    }
}
