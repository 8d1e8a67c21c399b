//! redb, a B-tree that writes copies. Its own cache holds half of the memory, the page cache the other half:
//! the default of 1 GiB would not fit (docs.rs/redb, `Builder::set_cache_size`).

use anyhow::Result;
use redb::{AccessGuard, Database, Durability, ReadableDatabase as _, TableDefinition};

use crate::store::{Change, Entry, Key, Settings, Store};

const TABLE: TableDefinition<'_, &[u8], &[u8]> = TableDefinition::new("pairs");

pub struct Redb {
    database: Database,
    durable: bool,
}

pub fn open(settings: &Settings) -> Result<Redb> {
    let mut builder = Database::builder();
    builder.set_cache_size((settings.memory_bytes / 2) as usize);
    let redb = Redb { database: builder.create(settings.path.join("redb"))?, durable: settings.durable };
    // Makes the table.
    redb.commit(&[], true)?;
    Ok(redb)
}

impl Redb {
    fn commit(&self, changes: &[Change<'_>], durable: bool) -> Result<()> {
        let mut transaction = self.database.begin_write()?;
        // Pages are freed by durable commits only (docs.rs/redb, `Durability::None`).
        transaction.set_durability(if durable { Durability::Immediate } else { Durability::None })?;
        let mut table = transaction.open_table(TABLE)?;
        for &(key, value) in changes {
            match value {
                Some(value) => drop(table.insert(key, value)?),
                None => drop(table.remove(key)?),
            }
        }
        drop(table);
        Ok(transaction.commit()?)
    }
}

impl Store for Redb {
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>> {
        let table = self.database.begin_read()?.open_table(TABLE)?;
        Ok(table.get(key)?.map(|value| value.value().to_vec()))
    }

    fn multi_get(&self, keys: &[&[u8]]) -> Result<Vec<Option<Vec<u8>>>> {
        let table = self.database.begin_read()?.open_table(TABLE)?;
        let get = |key: &&[u8]| Ok(table.get(key)?.map(|value| value.value().to_vec()));
        keys.iter().map(get).collect()
    }

    fn write(&self, changes: &[Change<'_>]) -> Result<()> {
        // Of changes that need not be durable, one in 1024 is: the file would grow without end.
        self.commit(changes, self.durable || fastrand::u32(..1024) == 0)
    }

    fn scan(&self, from: &Key, count: usize) -> Result<usize> {
        let table = self.database.begin_read()?.open_table(TABLE)?;
        let mut found = 0;
        for pair in table.range(from.as_slice()..)?.take(count) {
            let (key, value) = pair?;
            std::hint::black_box((key.value(), value.value()));
            found += 1;
        }
        Ok(found)
    }

    fn range(&self, first: &[u8], end: &[u8], limit: usize) -> Result<Vec<Entry>> {
        let table = self.database.begin_read()?.open_table(TABLE)?;
        let entry = |pair| {
            let (key, value): (AccessGuard<'_, &[u8]>, AccessGuard<'_, &[u8]>) = pair?;
            Ok((key.value().to_vec(), value.value().to_vec()))
        };
        table.range(first..end)?.take(limit).map(entry).collect()
    }

    fn flush(&self) -> Result<()> {
        self.commit(&[], true)
    }
}
