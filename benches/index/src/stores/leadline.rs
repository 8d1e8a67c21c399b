//! Leadline's own index. Its cache is two thirds of the memory: what it reads and writes does not go through
//! the page cache.

use std::time::Duration;

use anyhow::Result;
use leadline_index::{Durability, Index, Options};

use crate::store::{Key, Settings, Store, Value};

pub struct Leadline(Index);

pub fn open(settings: &Settings) -> Result<Leadline> {
    let interval = Duration::from_secs(1);
    let durability = if settings.durable { Durability::EveryCommit } else { Durability::Every(interval) };
    let options = Options::default().cache_bytes(settings.memory_bytes * 2 / 3).durability(durability);
    Ok(Leadline(Index::open_with(settings.path.join("index"), &options)?))
}

impl Store for Leadline {
    fn get(&self, key: &Key) -> Result<Option<Vec<u8>>> {
        Ok(self.0.get(key)?)
    }

    fn multi_get(&self, keys: &[Key]) -> Result<Vec<Option<Vec<u8>>>> {
        Ok(self.0.multi_get(keys)?)
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

    fn flush(&self) -> Result<()> {
        Ok(self.0.sync()?)
    }
}
