//! LMDB through heed, a B-tree in a mapped file. "MDB_NORDAHEAD: turn off readahead [..] it can help random
//! read performance when the DB is larger than RAM" (www.lmdb.tech/doc, `mdb_env_open`); MDB_NOSYNC where
//! puts need not be durable.

use std::ops::Bound;

use anyhow::Result;
use heed::types::Bytes;
use heed::{CommitOrAbort, Database, Env, EnvFlags, EnvOpenOptions};

use crate::store::{Change, Entry, Key, Settings, Store};

/// The file may become this large.
const MAP_BYTES: usize = 64 << 30;

pub struct Lmdb {
    env: Env,
    pairs: Database<'static, Bytes, Bytes>,
}

#[allow(unsafe_code)]
pub fn open(settings: &Settings) -> Result<Lmdb> {
    let mut options = EnvOpenOptions::new();
    options.map_size(MAP_BYTES).max_readers(8192);
    let sync = if settings.durable { EnvFlags::empty() } else { EnvFlags::NO_SYNC };
    // SAFETY: nobody else changes the file while it is mapped.
    let env = unsafe { options.flags(EnvFlags::NO_READ_AHEAD | sync).open(&settings.path)? };
    let created = env.create_databases_and_commit(env.write_txn()?, |opener, transaction| {
        opener.create_database(transaction, None).map(CommitOrAbort::<_, ()>::Commit)
    })?;
    let pairs = created.unwrap_commit();
    Ok(Lmdb { env, pairs })
}

impl Store for Lmdb {
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>> {
        let transaction = self.env.read_txn()?;
        Ok(self.pairs.get(&transaction, key)?.map(<[u8]>::to_vec))
    }

    fn multi_get(&self, keys: &[&[u8]]) -> Result<Vec<Option<Vec<u8>>>> {
        let transaction = self.env.read_txn()?;
        keys.iter().map(|key| Ok(self.pairs.get(&transaction, key)?.map(<[u8]>::to_vec))).collect()
    }

    fn write(&self, changes: &[Change<'_>]) -> Result<()> {
        let mut transaction = self.env.write_txn()?;
        for (key, value) in changes {
            match value {
                Some(value) => self.pairs.put(&mut transaction, key, value)?,
                None => drop(self.pairs.delete(&mut transaction, key)?),
            }
        }
        Ok(transaction.commit()?)
    }

    fn scan(&self, from: &Key, count: usize) -> Result<usize> {
        let transaction = self.env.read_txn()?;
        let mut found = 0;
        let range = (Bound::Included(from.as_slice()), Bound::Unbounded);
        for pair in self.pairs.range(&transaction, &range)?.take(count) {
            std::hint::black_box(pair?);
            found += 1;
        }
        Ok(found)
    }

    fn range(&self, first: &[u8], end: &[u8], limit: usize) -> Result<Vec<Entry>> {
        let transaction = self.env.read_txn()?;
        let range = (Bound::Included(first), Bound::Excluded(end));
        let entry = |pair: Result<(&[u8], &[u8]), _>| pair.map(|(key, value)| (key.to_vec(), value.to_vec()));
        let pairs = self.pairs.range(&transaction, &range)?.take(limit);
        Ok(pairs.map(entry).collect::<Result<_, _>>()?)
    }

    fn flush(&self) -> Result<()> {
        Ok(self.env.force_sync()?)
    }
}
