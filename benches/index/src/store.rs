//! What a store is asked to do.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};

pub const KEY_BYTES: usize = 16;
pub const VALUE_BYTES: usize = 100;

pub type Key = [u8; KEY_BYTES];
pub type Value = [u8; VALUE_BYTES];

/// How a store is opened.
#[derive(Debug, Clone)]
pub struct Settings {
    pub path: PathBuf,
    /// What the process and its share of the page cache may take.
    pub memory_bytes: u64,
    /// Whether a put is durable when it returns. Otherwise a crash may lose the last puts, but nothing else.
    pub durable: bool,
}

/// A key and its value.
pub type Entry = (Vec<u8>, Vec<u8>);

/// A key and its new value; none: the key goes.
pub type Change<'a> = (&'a [u8], Option<&'a [u8]>);

/// A sorted map, shared by threads.
pub trait Store: Send + Sync {
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>>;

    /// The values in the order of the keys, by what the store offers for many keys.
    fn multi_get(&self, keys: &[&[u8]]) -> Result<Vec<Option<Vec<u8>>>> {
        keys.iter().map(|key| self.get(key)).collect()
    }

    /// All changes in one transaction or batch.
    fn write(&self, changes: &[Change<'_>]) -> Result<()>;

    /// All pairs by what the store offers for many.
    fn put(&self, pairs: &[(Key, Value)]) -> Result<()> {
        if let [(key, value)] = pairs {
            return self.write(&[(key, Some(value))]);
        }
        let changes: Vec<Change<'_>> =
            pairs.iter().map(|(key, value)| (key.as_slice(), Some(value.as_slice()))).collect();
        self.write(&changes)
    }

    /// Fills the empty store with pairs in any order, by what it offers for that.
    fn load(&self, pairs: &mut dyn Iterator<Item = (Key, Value)>) -> Result<()> {
        insert(self, pairs)
    }

    /// Reads up to `count` pairs from `from` on, and returns how many there were.
    fn scan(&self, from: &Key, count: usize) -> Result<usize>;

    /// Up to `limit` entries from `first` on and before `end`, ascending.
    fn range(&self, first: &[u8], end: &[u8], limit: usize) -> Result<Vec<Entry>>;

    /// Makes everything durable.
    fn flush(&self) -> Result<()>;
}

/// Pairs of a transaction or batch of [`insert`].
const BATCH: usize = 1000;

/// Puts pairs, a thousand at a time.
pub fn insert<S: Store + ?Sized>(store: &S, pairs: &mut dyn Iterator<Item = (Key, Value)>) -> Result<()> {
    let mut batch = Vec::with_capacity(BATCH);
    loop {
        batch.clear();
        batch.extend(pairs.take(BATCH));
        if batch.is_empty() {
            return Ok(());
        }
        store.put(&batch)?;
    }
}

/// All stores that this program was built with.
pub const NAMES: &[&str] = &[
    #[cfg(feature = "leadline")]
    "leadline",
    #[cfg(feature = "redb")]
    "redb",
    #[cfg(feature = "lmdb")]
    "lmdb",
    #[cfg(feature = "sqlite")]
    "sqlite",
    #[cfg(feature = "rocksdb")]
    "rocksdb",
    #[cfg(feature = "fjall")]
    "fjall",
];

/// Opens a store, or makes it.
pub fn open(name: &str, settings: &Settings) -> Result<Box<dyn Store>> {
    use crate::stores;
    std::fs::create_dir_all(&settings.path)?;
    Ok(match name {
        #[cfg(feature = "leadline")]
        "leadline" => Box::new(stores::leadline::open(settings)?),
        #[cfg(feature = "redb")]
        "redb" => Box::new(stores::redb::open(settings)?),
        #[cfg(feature = "lmdb")]
        "lmdb" => Box::new(stores::lmdb::open(settings)?),
        #[cfg(feature = "sqlite")]
        "sqlite" => Box::new(stores::sqlite::open(settings)?),
        #[cfg(feature = "rocksdb")]
        "rocksdb" => Box::new(stores::rocksdb::open(settings)?),
        #[cfg(feature = "fjall")]
        "fjall" => Box::new(stores::fjall::open(settings)?),
        _ => bail!("no store `{name}`; this program was built with {}", NAMES.join(", ")),
    })
}

/// The directory of a store that holds `content`.
pub fn path(dir: &Path, content: &str, name: &str) -> PathBuf {
    dir.join(format!("{content}-{name}"))
}
