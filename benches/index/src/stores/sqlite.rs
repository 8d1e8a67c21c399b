//! SQLite: a table WITHOUT ROWID (sqlite.org/withoutrowid.html: for keys that are no integers), a write-ahead
//! log (sqlite.org/wal.html) with `synchronous` FULL where puts are durable and NORMAL elsewhere, rarer
//! checkpoints for faster writes (sqlite.org/wal.html, "Performance Considerations") and a connection for
//! each thread. The file is not mapped, as by default: where data is larger than memory, each fault on a
//! mapped file reads as much ahead as the system reads of files (7 MB per key where that is 8 MiB).

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use anyhow::Result;
use rusqlite::{Connection, OptionalExtension as _, TransactionBehavior};

use crate::store::{Change, Entry, Key, Settings, Store};

pub struct Sqlite {
    settings: Settings,
    /// Nobody uses them.
    idle: Mutex<Vec<Connection>>,
}

pub fn open(settings: &Settings) -> Result<Sqlite> {
    let sqlite = Sqlite { settings: settings.clone(), idle: Mutex::default() };
    sqlite.with(|connection| {
        let table = "CREATE TABLE IF NOT EXISTS pairs (key BLOB PRIMARY KEY, value BLOB) WITHOUT ROWID";
        Ok(connection.execute_batch(table)?)
    })?;
    Ok(sqlite)
}

impl Sqlite {
    fn connect(&self) -> Result<Connection> {
        let connection = Connection::open(self.settings.path.join("sqlite"))?;
        connection.busy_timeout(Duration::from_secs(60))?;
        let synchronous = if self.settings.durable { "FULL" } else { "NORMAL" };
        connection.execute_batch(&format!(
            "PRAGMA journal_mode = WAL; PRAGMA synchronous = {synchronous}; PRAGMA cache_size = -{}; \
             PRAGMA wal_autocheckpoint = {};",
            self.settings.memory_bytes / 8 / 1024,
            // The log may take an eighth of the memory, if it stays there.
            (self.settings.memory_bytes / 8 / 4096).max(1000)
        ))?;
        Ok(connection)
    }

    fn with<T>(&self, run: impl FnOnce(&mut Connection) -> Result<T>) -> Result<T> {
        let idle = || self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let connection = idle().pop();
        let mut connection = connection.map_or_else(|| self.connect(), Ok)?;
        let result = run(&mut connection);
        idle().push(connection);
        result
    }
}

fn get(connection: &Connection, key: &[u8]) -> Result<Option<Vec<u8>>> {
    let mut statement = connection.prepare_cached("SELECT value FROM pairs WHERE key = ?")?;
    Ok(statement.query_row([key], |row| row.get(0)).optional()?)
}

impl Store for Sqlite {
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>> {
        self.with(|connection| get(connection, key))
    }

    fn multi_get(&self, keys: &[&[u8]]) -> Result<Vec<Option<Vec<u8>>>> {
        self.with(|connection| {
            let transaction = connection.transaction()?;
            keys.iter().map(|key| get(&transaction, key)).collect()
        })
    }

    fn write(&self, changes: &[Change<'_>]) -> Result<()> {
        self.with(|connection| {
            let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let mut put = transaction.prepare_cached("INSERT OR REPLACE INTO pairs VALUES (?, ?)")?;
            let mut remove = transaction.prepare_cached("DELETE FROM pairs WHERE key = ?")?;
            for &(key, value) in changes {
                match value {
                    Some(value) => put.execute([key, value])?,
                    None => remove.execute([key])?,
                };
            }
            drop((put, remove));
            Ok(transaction.commit()?)
        })
    }

    fn scan(&self, from: &Key, count: usize) -> Result<usize> {
        self.with(|connection| {
            let query = "SELECT key, value FROM pairs WHERE key >= ? ORDER BY key LIMIT ?";
            let mut statement = connection.prepare_cached(query)?;
            let mut rows = statement.query(rusqlite::params![from.as_slice(), count as i64])?;
            let mut found = 0;
            while let Some(row) = rows.next()? {
                std::hint::black_box((row.get_ref(0)?, row.get_ref(1)?));
                found += 1;
            }
            Ok(found)
        })
    }

    fn range(&self, first: &[u8], end: &[u8], limit: usize) -> Result<Vec<Entry>> {
        self.with(|connection| {
            let query = "SELECT key, value FROM pairs WHERE key >= ? AND key < ? ORDER BY key LIMIT ?";
            let mut statement = connection.prepare_cached(query)?;
            let limit = i64::try_from(limit).unwrap_or(i64::MAX);
            let rows = statement
                .query_map(rusqlite::params![first, end, limit], |row| Ok((row.get(0)?, row.get(1)?)))?;
            Ok(rows.collect::<Result<_, _>>()?)
        })
    }

    fn flush(&self) -> Result<()> {
        self.with(|connection| Ok(connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))?))
    }
}
