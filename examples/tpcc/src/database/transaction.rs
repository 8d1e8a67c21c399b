//! A transaction: reads, and changes that are committed together or not at all.
//!
//! It does not keep others from what it reads: [`super::Locks`] do.

use std::time::Instant;

use leadline_index::Batch;

use super::table::{KeyIndex, Table, after};
use super::{Database, Entry, LONGEST_NS};
use crate::StoreError;
use crate::key::Key;
use crate::rows::Keyed;

/// A transaction. Dropped without [`Transaction::commit`], it never was.
pub struct Transaction<'a> {
    db: &'a Database,
    batch: Batch,
}

impl<'a> Transaction<'a> {
    pub(super) fn new(db: &'a Database) -> Self {
        Transaction { db, batch: Batch::new() }
    }

    /// The row with this key, if there is one; here and below, with what this transaction changed, unless it
    /// says otherwise.
    ///
    /// # Errors
    /// [`StoreError`], here and below: a damaged row, or the map's reason.
    pub fn find<R: Keyed>(&self, table: &Table<R>, key: &Key) -> Result<Option<R>, StoreError> {
        let key = table.key(key);
        match self.batch.get(&key) {
            Some(changed) => changed.map(|bytes| table.decode(&key, bytes)).transpose(),
            None => self.db.map().get(&key)?.map(|bytes| table.decode(&key, &bytes)).transpose(),
        }
    }

    /// The row with this key.
    ///
    /// # Errors
    /// [`StoreError::NoRow`] where there is none.
    pub fn get<R: Keyed>(&self, table: &Table<R>, key: &Key) -> Result<R, StoreError> {
        let missing = || StoreError::NoRow { table: R::TABLE, key: key.to_string() };
        self.find(table, key)?.ok_or_else(missing)
    }

    /// The rows with these keys as they were before this transaction, read at once.
    ///
    /// # Errors
    /// As [`Transaction::find`].
    pub fn find_many<R: Keyed>(&self, table: &Table<R>, keys: &[Key]) -> Result<Vec<Option<R>>, StoreError> {
        let keys: Vec<Vec<u8>> = keys.iter().map(|key| table.key(key)).collect();
        let found = self.db.map().multi_get(&keys)?;
        let row = |(bytes, key): (Option<Vec<u8>>, &Vec<u8>)| {
            bytes.map(|bytes| table.decode(key, &bytes)).transpose()
        };
        found.into_iter().zip(&keys).map(row).collect()
    }

    /// Up to `limit` rows whose keys begin with `prefix`, ascending, as they were before this transaction.
    ///
    /// # Errors
    /// As [`Transaction::find`].
    pub fn rows<R: Keyed>(&self, table: &Table<R>, prefix: &Key, limit: usize) -> Result<Vec<R>, StoreError> {
        self.rows_between(table, prefix, prefix, limit)
    }

    /// The same for rows whose keys begin with `first`, with `last`, or with what is between them.
    ///
    /// # Errors
    /// As [`Transaction::find`].
    pub fn rows_between<R: Keyed>(
        &self,
        table: &Table<R>,
        first: &Key,
        last: &Key,
        limit: usize,
    ) -> Result<Vec<R>, StoreError> {
        let entries = self.db.map().range(&table.key(first), &after(&table.key(last)), limit)?;
        entries.iter().map(|(key, bytes)| table.decode(key, bytes)).collect()
    }

    /// Up to `limit` keys of an index that begin with `prefix`, ascending, as they were before this
    /// transaction.
    ///
    /// # Errors
    /// As [`Transaction::find`].
    pub fn keys(&self, index: &KeyIndex, prefix: &Key, limit: usize) -> Result<Vec<Key>, StoreError> {
        let prefix = index.key(prefix);
        let key = |(key, _): Entry| match key.len() == 1 + index.key_bytes {
            true => Ok(Key::from_bytes(&key[1..])),
            false => {
                let what = "the key has a wrong length";
                let short = Key::from_bytes(&key[1..key.len().min(1 + index.key_bytes)]).to_string();
                Err(StoreError::Damaged { table: index.name, key: short, what })
            }
        };
        let entries = self.db.map().range(&prefix, &after(&prefix), limit)?;
        entries.into_iter().map(key).collect()
    }

    /// Adds a row, or replaces the one with its key.
    pub fn put<R: Keyed>(&mut self, table: &Table<R>, row: &R) {
        let mut bytes = vec![0; R::BYTES];
        row.encode(&mut bytes);
        self.batch.insert(table.key(&row.key()), bytes);
    }

    /// Changes the row with this key, which stays; the row as it was.
    ///
    /// # Errors
    /// As [`Transaction::get`].
    pub fn update<R: Keyed + Clone>(
        &mut self,
        table: &Table<R>,
        key: &Key,
        change: impl FnOnce(&mut R),
    ) -> Result<R, StoreError> {
        let before = self.get(table, key)?;
        let mut row = before.clone();
        change(&mut row);
        self.put(table, &row);
        Ok(before)
    }

    /// Removes the row with this key, if there is one.
    pub fn remove<R: Keyed>(&mut self, table: &Table<R>, key: &Key) {
        self.batch.remove(table.key(key));
    }

    /// Adds a key to an index.
    pub fn put_key(&mut self, index: &KeyIndex, key: &Key) {
        self.batch.insert(index.key(key), Vec::new());
    }

    /// Removes a key from an index.
    pub fn remove_key(&mut self, index: &KeyIndex, key: &Key) {
        self.batch.remove(index.key(key));
    }

    /// Changes that wait for the commit.
    pub fn changes(&self) -> usize {
        self.batch.len()
    }

    /// Makes all changes, as durable as the map was opened to make them.
    ///
    /// # Errors
    /// The map's reason: after a crash all of the changes are there, or none.
    pub fn commit(self) -> Result<(), StoreError> {
        let began = Instant::now();
        self.db.map().commit(&self.batch)?;
        let ns = u64::try_from(began.elapsed().as_nanos()).unwrap_or(LONGEST_NS);
        self.db.commits().saturating_record(ns);
        Ok(())
    }
}
